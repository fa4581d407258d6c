"""Normalizers: a text becomes another, before anything is cut."""

import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from companion._unicode import category, lowered
from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.patterns import WHITE_SPACE
from companion.pipeline.parts import made, pattern_of
from companion.pipeline.precompiled import Precompiled
from companion.wordpiece.cleaning import normalized

Normalize: TypeAlias = Callable[[str], str]

_BYTE_SIGNS = {byte: ord(sign) for byte, sign in BYTE_TO_UNICODE.items()}
_NMT_DROPPED = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
_NMT_SPACE = re.compile("[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]")
_S = f"[{WHITE_SPACE}]"
_MOST_GROWTH = 10_000
_MARKS = re.compile(f"[{category('M')}]")


def normalizer(part: object) -> Normalize:
    """Return the normalizer of a file; null leaves a text as it is."""
    return made("normalizer", part, _KINDS) if part is not None else Sequence([])


def byte_signs(text: str) -> str:
    """Write the sign of each byte of a text: "é" -> "Ã©"."""
    return text.encode().decode("latin-1").translate(_BYTE_SIGNS)


# What BERT changes: controls, Chinese characters, accents and case, each if it is switched on.
@dataclass
class BertNormalizer:
    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None  # without it, `lowercase` decides that too
    lowercase: bool = True

    def __call__(self, text: str) -> str:
        return normalized(
            text,
            clean_text=self.clean_text,
            split_chinese=self.handle_chinese_chars,
            strip_accents=self.strip_accents,
            lowercase=self.lowercase,
        )


# White space goes, at the ends that are named.
@dataclass
class Strip:
    strip_left: bool
    strip_right: bool

    def __post_init__(self) -> None:
        first = rf"\A{_S}+" if self.strip_left else "(?!)"
        last = rf"(?<!{_S}){_S}+\Z" if self.strip_right else "(?!)"
        self._ends = re.compile(f"{first}|{last}")

    def __call__(self, text: str) -> str:
        return self._ends.sub("", text)


# What a pattern matches becomes another text; it is a decoder too.
@dataclass
class Replace:
    pattern: dict[str, str]
    content: str

    def __post_init__(self) -> None:
        self._cut = pattern_of(self.pattern)
        if self.content and not all(piece for piece, _ in self._cut("a b")):
            raise ValueError("its pattern matches the empty text, which tokenizers cannot replace")
        # How many times as long a text may become.
        self.growth = max(1.0, len(self.content) / len(self.pattern.get("String", "?") or "?"))

    def __call__(self, text: str) -> str:
        return "".join(self.content if found else piece for piece, found in self._cut(text))


# A prefix comes before a text, unless it is empty.
@dataclass
class Prepend:
    prepend: str

    def __call__(self, text: str) -> str:
        return self.prepend + text if text else text


# Several normalizers, one after the other.
@dataclass
class Sequence:
    normalizers: list[Any]

    def __post_init__(self) -> None:
        self.normalizers = [*map(normalizer, self.normalizers)]
        self.growth = math.prod(getattr(each, "growth", 1.0) for each in self.normalizers)
        if self.growth > _MOST_GROWTH:
            raise ValueError(f"its replacements may make a text {self.growth:,.0f} times as long")

    def __call__(self, text: str) -> str:
        for each in self.normalizers:
            text = each(text)
        return text


def loses_beginning(step: Normalize, text: str) -> bool:
    """Tell whether the first character of a text is lost, and the rest does not begin the text."""
    if isinstance(step, Sequence):
        for each in step.normalizers:
            if loses_beginning(each, text):
                return True
            text = each(text)
        return False
    # What `Precompiled` drops leaves its place to the next character.
    return not isinstance(step, Precompiled) and step(text[:1] + "a") == step("a")


def _nmt(text: str) -> str:
    return _NMT_SPACE.sub(" ", _NMT_DROPPED.sub("", text))


# The last seven have no settings. StripAccents drops all marks, the vowel signs of Indic scripts
# too; from letters an accent goes only if NFD has decomposed them.
_KINDS = {
    "BertNormalizer": BertNormalizer, "Strip": Strip, "Replace": Replace, "Prepend": Prepend,
    "Precompiled": Precompiled, "Sequence": Sequence,
    **{name: partial(unicodedata.normalize, name) for name in ("NFC", "NFD", "NFKC", "NFKD")},
    "Lowercase": lowered, "StripAccents": partial(_MARKS.sub, ""), "Nmt": _nmt,
    "ByteLevel": byte_signs,
}  # fmt: skip
