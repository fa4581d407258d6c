"""Decoders: the tokens of ids become the parts of a text, which are joined."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import groupby
from typing import TypeAlias

from companion.bpe.alphabet import SIGN_TO_BYTE
from companion.pipeline.parts import Part, field, in_turn, made, replacing, sign
from companion.pipeline.pre_tokenizers import prepend_scheme

Decode: TypeAlias = Callable[[list[str]], list[str]]

_BYTE_NAME = re.compile(r"<0x([0-9A-Fa-f+][0-9A-Fa-f])>")
# How `WordPiece` cleans up, one after the other, in each token with the space before it.
_CLEANUP = {
    " .": ".", " ?": "?", " !": "!", " ,": ",", " ' ": "'", " n't": "n't", " 'm": "'m",
    " do not": " don't", " 's": "'s", " 've": "'ve", " 're": "'re",
}  # fmt: skip


def decoder(part: object) -> Decode:
    """Return the function of a file's decoder; null joins tokens by a space."""
    return made("decoder", part, _MAKERS) if part is not None else lambda them: [" ".join(them)]


def _byte_level(tokens: list[str]) -> list[str]:
    def bytes_of(token: str) -> bytes:
        try:
            return bytes(SIGN_TO_BYTE[sign] for sign in token)
        except KeyError:  # an added token, which is no sequence of byte signs
            return token.encode()

    return [b"".join(map(bytes_of, tokens)).decode(errors="replace")]


def _wordpiece(part: Part) -> Decode:
    prefix, cleans_up = field(part, "prefix", str, "##"), field(part, "cleanup", bool, True)

    def decode(tokens: list[str]) -> list[str]:
        rest = (t.removeprefix(prefix) if t.startswith(prefix) else f" {t}" for t in tokens[1:])
        parts = [*tokens[:1], *rest]
        for old, new in _CLEANUP.items() if cleans_up else ():
            parts = [each.replace(old, new) for each in parts]
        return parts

    return decode


def _metaspace(part: Part) -> Decode:
    mark, scheme = sign(part, "replacement", "▁"), prepend_scheme(part)
    begin = " " if scheme == "never" else ""
    return lambda tokens: [t.replace(mark, " " if i else begin) for i, t in enumerate(tokens)]


def _bpe(part: Part) -> Decode:
    suffix = field(part, "suffix", str, "</w>")
    return lambda tokens: [
        token.replace(suffix, "" if i == len(tokens) else " ") for i, token in enumerate(tokens, 1)
    ]


def _strip(part: Part) -> Decode:
    character = re.escape(sign(part, "content", " "))
    start, stop = field(part, "start", int, 0), field(part, "stop", int, 0)
    ends = re.compile(rf"\A{character}{{0,{start}}}|{character}{{0,{stop}}}\Z")
    return _in_each(partial(ends.sub, ""))


def _in_each(change: Callable[[str], str]) -> Decode:
    return lambda tokens: [change(token) for token in tokens]


def _byte_fallback(tokens: list[str]) -> list[str]:
    parts: list[str] = []
    for is_byte, group in groupby(tokens, lambda token: bool(_BYTE_NAME.fullmatch(token))):
        run = list(group)
        if is_byte:
            data = bytes(int(token[3:5], 16) for token in run)
            try:
                run = [data.decode()]
            except UnicodeDecodeError:
                run = ["\ufffd"] * len(data)
        parts += run
    return parts


_MAKERS: Mapping[str, Callable[[Part], Decode]] = {
    "ByteLevel": lambda part: _byte_level,
    "WordPiece": _wordpiece,
    "Metaspace": _metaspace,
    "BPEDecoder": _bpe,
    "Replace": lambda part: _in_each(replacing(part)),
    "Fuse": lambda part: lambda tokens: ["".join(tokens)],
    "Strip": _strip,
    "ByteFallback": lambda part: _byte_fallback,
    "Sequence": lambda part: in_turn(map(decoder, field(part, "decoders", list))),
}
