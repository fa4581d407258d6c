"""Decoders: the tokens of ids become the parts of a text, which are joined in the end."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from companion.bpe.alphabet import SIGN_TO_BYTE
from companion.pipeline import normalizers
from companion.pipeline.parts import made, sign
from companion.pipeline.pre_tokenizers import checked_scheme

Decode: TypeAlias = Callable[[list[str]], list[str]]

_BYTE_NAME = re.compile(r"<0x([0-9A-Fa-f+][0-9A-Fa-f])>")
# How `WordPiece` cleans up, one after the other, in each token with the space before it.
_CLEANUP = {
    " .": ".", " ?": "?", " !": "!", " ,": ",", " ' ": "'", " n't": "n't", " 'm": "'m",
    " do not": " don't", " 's": "'s", " 've": "'ve", " 're": "'re",
}  # fmt: skip


def decoder(part: object) -> Decode:
    """Return the decoder of a file; null joins tokens by a space."""
    found: Decode = made("decoder", part or {"type": "Spaced"}, _KINDS)
    return found


# A token that goes on with a word loses its prefix, any other gets a space before it.
@dataclass
class WordPiece:
    prefix: str = "##"
    cleanup: bool = True

    def __call__(self, tokens: list[str]) -> list[str]:
        # The first token stays as it is, its prefix too.
        parts = tokens[:1]
        for token in tokens[1:]:
            inside = token.startswith(self.prefix)
            parts.append(token.removeprefix(self.prefix) if inside else f" {token}")
        for old, new in _CLEANUP.items() if self.cleanup else ():
            parts = [each.replace(old, new) for each in parts]
        return parts


# The sign of a space becomes one; in the first token it goes, if the file put it there.
@dataclass
class Metaspace:
    replacement: str = "▁"
    prepend_scheme: str = "always"
    add_prefix_space: bool = True

    def __post_init__(self) -> None:
        sign("replacement", self.replacement)
        self.prepend_scheme = checked_scheme(self.prepend_scheme, self.add_prefix_space)

    def __call__(self, tokens: list[str]) -> list[str]:
        begin = " " if self.prepend_scheme == "never" else ""
        return [t.replace(self.replacement, " " if i else begin) for i, t in enumerate(tokens)]


# The suffix at the end of a word becomes a space, but for the last word's.
@dataclass
class BPEDecoder:
    suffix: str = "</w>"

    def __call__(self, tokens: list[str]) -> list[str]:
        inner = [token.replace(self.suffix, " ") for token in tokens[:-1]]
        return [*inner, *(token.replace(self.suffix, "") for token in tokens[-1:])]


# What a pattern matches in a token becomes another text.
@dataclass
class Replace:
    pattern: dict[str, str]
    content: str

    def __post_init__(self) -> None:
        self._replaced = normalizers.Replace(self.pattern, self.content)

    def __call__(self, tokens: list[str]) -> list[str]:
        return [*map(self._replaced, tokens)]


# A character goes from the ends of each token, so many times at most.
@dataclass
class Strip:
    content: str = " "
    start: int = 0
    stop: int = 0

    def __post_init__(self) -> None:
        character = re.escape(sign("content", self.content))
        first, last = f"{character}{{0,{self.start}}}", f"{character}{{0,{self.stop}}}"
        self._ends = re.compile(rf"\A{first}|{last}\Z")

    def __call__(self, tokens: list[str]) -> list[str]:
        return [self._ends.sub("", token) for token in tokens]


# Several decoders, one after the other.
@dataclass
class Sequence:
    decoders: list[Any]

    def __post_init__(self) -> None:
        self.decoders = [*map(decoder, self.decoders)]

    def __call__(self, tokens: list[str]) -> list[str]:
        for each in self.decoders:
            tokens = each(tokens)
        return tokens


def _byte_level(tokens: list[str]) -> list[str]:
    """Turn the signs of all tokens into bytes, and these into a text; U+FFFD for what is none."""
    return [b"".join(map(_bytes_of, tokens)).decode(errors="replace")]


def _bytes_of(token: str) -> bytes:
    try:
        return bytes(SIGN_TO_BYTE[sign] for sign in token)
    except KeyError:  # an added token, which is no sequence of byte signs
        return token.encode()


def _byte_fallback(tokens: list[str]) -> list[str]:
    """Turn neighbours that are names of bytes, such as ``<0xC3>``, into the text of these bytes."""
    parts: list[str] = []
    for is_byte, group in groupby(tokens, lambda token: bool(_BYTE_NAME.fullmatch(token))):
        run = list(group)
        if is_byte:
            data = bytes(int(token[3:5], 16) for token in run)
            try:
                run = [data.decode()]
            except UnicodeDecodeError:  # one sign for each byte of the run, good ones too
                run = ["\ufffd"] * len(data)
        parts += run
    return parts


# The last four have no settings; "Spaced" is no name of the format.
_KINDS = {
    "WordPiece": WordPiece, "Metaspace": Metaspace, "BPEDecoder": BPEDecoder, "Replace": Replace,
    "Strip": Strip, "Sequence": Sequence, "ByteLevel": _byte_level, "ByteFallback": _byte_fallback,
    "Fuse": lambda tokens: ["".join(tokens)], "Spaced": lambda tokens: [" ".join(tokens)],
}  # fmt: skip
