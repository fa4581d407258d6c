"""Normalizers: a text becomes another, before anything is cut."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from companion._unicode import category
from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.patterns import WHITE_SPACE
from companion.pipeline.parts import Part, field, in_turn, made, replacing
from companion.pipeline.precompiled import precompiled
from companion.wordpiece import normalized

Normalize: TypeAlias = Callable[[str], str]

_BYTE_SIGNS = {byte: ord(sign) for byte, sign in BYTE_TO_UNICODE.items()}
_NMT_DROPPED = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
_NMT_SPACE = re.compile("[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]")
_S = f"[{WHITE_SPACE}]"
_MARKS = re.compile(f"[{category('M')}]")


def byte_signs(text: str) -> str:
    """Write the sign of each byte of a text: "é" -> "Ã©"."""
    return text.encode().decode("latin-1").translate(_BYTE_SIGNS)


def normalizer(part: object) -> Normalize:
    """Return the function of a file's normalizer; null leaves a text as it is."""
    return made("normalizer", part, _MAKERS) if part is not None else lambda text: text


def _bert(part: Part) -> Normalize:
    lowercase = field(part, "lowercase", bool, True)
    return partial(
        normalized,
        clean_text=field(part, "clean_text", bool, True),
        split_chinese=field(part, "handle_chinese_chars", bool, True),
        strip_accents=field(part, "strip_accents", bool, lowercase),
        lowercase=lowercase,
    )


def _lowercase(text: str) -> str:
    # Letter by letter: str.lower of the whole would turn the last sigma of a word into ς.
    return text.lower() if text.isascii() else "".join(map(str.lower, text))


def _strip(part: Part) -> Normalize:
    left, right = (field(part, f"strip_{side}", bool) for side in ("left", "right"))
    first, last = (f"\\A{_S}+" if left else "(?!)"), (f"(?<!{_S}){_S}+\\Z" if right else "(?!)")
    return partial(re.compile(f"{first}|{last}").sub, "")


def _prepend(part: Part) -> Normalize:
    prefix = field(part, "prepend", str)
    return lambda text: prefix + text if text else text


_MAKERS: Mapping[str, Callable[[Part], Normalize]] = {
    "BertNormalizer": _bert,
    "NFC": lambda part: lambda text: unicodedata.normalize("NFC", text),
    "NFD": lambda part: lambda text: unicodedata.normalize("NFD", text),
    "NFKC": lambda part: lambda text: unicodedata.normalize("NFKC", text),
    "NFKD": lambda part: lambda text: unicodedata.normalize("NFKD", text),
    "Lowercase": lambda part: _lowercase,
    "StripAccents": lambda part: partial(_MARKS.sub, ""),
    "Strip": _strip,
    "Replace": replacing,
    "Prepend": _prepend,
    "Precompiled": precompiled,
    "Nmt": lambda part: lambda text: _NMT_SPACE.sub(" ", _NMT_DROPPED.sub("", text)),
    "ByteLevel": lambda part: byte_signs,
    "Sequence": lambda part: in_turn(map(normalizer, field(part, "normalizers", list))),
}
