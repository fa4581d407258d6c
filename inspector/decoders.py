"""Decoders: the tokens of ids become the parts of a text, which are joined in the end."""

import re
from collections.abc import Callable
from functools import reduce
from itertools import groupby
from typing import Any, TypeAlias

from companion.bpe.alphabet import SIGN_TO_BYTE
from inspector import normalizers
from inspector.parts import Kinds, one_of, sign
from inspector.pre_tokenizers import SCHEMES

Decode: TypeAlias = Callable[[list[str]], list[str]]

_BYTE_NAME = re.compile(r"<0x([0-9A-Fa-f+][0-9A-Fa-f])>")
# How `WordPiece` cleans up, one after the other, in each token with the space before it.
_CLEANUP = {
    " .": ".", " ?": "?", " !": "!", " ,": ",", " ' ": "'", " n't": "n't", " 'm": "'m",
    " do not": " don't", " 's": "'s", " 've": "'ve", " 're": "'re",
}  # fmt: skip


def _word_piece(prefix: str = "##", cleanup: bool = True) -> Decode:
    # Take the prefix off a token that goes on with a word, and put a space before any other.

    def decode(tokens: list[str]) -> list[str]:
        # The first token stays as it is, its prefix too.
        parts = [t.removeprefix(prefix) if t.startswith(prefix) else f" {t}" for t in tokens[1:]]
        parts = tokens[:1] + parts
        for old, new in _CLEANUP.items() if cleanup else ():
            parts = [each.replace(old, new) for each in parts]
        return parts

    return decode


def _metaspace(
    replacement: str = "▁", prepend_scheme: str = "always", add_prefix_space: bool = True
) -> Decode:
    # Make a space of its sign; in the first token the sign goes, if the file put it there.
    mark = sign("replacement", replacement)
    is_put = add_prefix_space and one_of("prepend_scheme", prepend_scheme, SCHEMES) != "never"
    begin = "" if is_put else " "
    return lambda tokens: [t.replace(mark, " " if i else begin) for i, t in enumerate(tokens)]


def _replace(pattern: dict[str, str], content: str) -> Decode:
    # Write another text for what a pattern matches in a token.
    replaced = normalizers.replace(pattern, content)
    return lambda tokens: [*map(replaced, tokens)]


def _strip(content: str = " ", start: int = 0, stop: int = 0) -> Decode:
    # Take a character off the ends of each token, so many times at most.
    character = re.escape(sign("content", content))
    ends = re.compile(rf"\A{character}{{0,{start}}}|{character}{{0,{stop}}}\Z")
    return lambda tokens: [ends.sub("", token) for token in tokens]


def _sequence(decoders: list[Any]) -> Decode:
    return lambda tokens: reduce(lambda parts, step: step(parts), decoders, tokens)


def _byte_level(tokens: list[str]) -> list[str]:
    # Turn the signs of all tokens into bytes, and these into a text; U+FFFD for what is none.
    # An added token may be no sequence of byte signs.
    data = [
        bytes(map(SIGN_TO_BYTE.__getitem__, t)) if SIGN_TO_BYTE.keys() >= {*t} else t.encode()
        for t in tokens
    ]
    return [b"".join(data).decode(errors="replace")]


def _byte_fallback(tokens: list[str]) -> list[str]:
    # Turn neighbours that are names of bytes, such as ``<0xC3>``, into the text of these bytes.
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


# `BPEDecoder` makes a space of the suffix at the end of a word, but for the last word's.
KINDS: Kinds = {
    None: lambda: lambda tokens: [" ".join(tokens)],
    "ByteLevel": lambda: _byte_level, "ByteFallback": lambda: _byte_fallback,
    "Fuse": lambda: lambda tokens: ["".join(tokens)], "Sequence": _sequence,
    "WordPiece": _word_piece, "Metaspace": _metaspace, "Replace": _replace, "Strip": _strip,
    "BPEDecoder": lambda suffix="</w>": lambda tokens: [
        *(token.replace(suffix, " ") for token in tokens[:-1]),
        *(token.replace(suffix, "") for token in tokens[-1:]),
    ],
}  # fmt: skip
