"""Normalizers: a text becomes another, before anything is cut."""

import base64
import math
import re
import struct
import unicodedata
from collections.abc import Callable
from functools import cache, partial, reduce
from typing import Any, TypeAlias

from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.patterns import WHITE_SPACE, pieces
from companion.unicode import category, lowered
from companion.wordpiece.cleaning import normalized
from inspector.parts import Kinds, Stage, pattern_of

Normalize: TypeAlias = Callable[[str], str]

_BYTE_SIGNS = {byte: ord(sign) for byte, sign in BYTE_TO_UNICODE.items()}
_NMT_DROPPED = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
_NMT_SPACE = re.compile("[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]")
_S = f"[{WHITE_SPACE}]"
_MOST_GROWTH = 10_000
_MARKS = re.compile(f"[{category('M')}]")

# What a reader sees as one character: a base with marks and joiners behind it, and with signs of
# Arabic or Indic scripts before it. Nothing joins a control. (Hangul, flags and emoji make such
# graphemes too, but none is short.)
_CONTROL, _BEFORE, _BEHIND, _APART = (
    category(f"grapheme-{name}") for name in ("control", "before", "behind", "apart")
)
_JOINED = rf"(?![{_APART}])[{category('M')}{_BEHIND}]"
_GRAPHEME = re.compile(
    rf"\r\n|[{_BEFORE}]*[^{_CONTROL}{_BEFORE}](?:{_JOINED})+|[{_BEFORE}]+(?:{_JOINED})*"
)
_SHORT = 6  # bytes of UTF-8: a grapheme with fewer is looked up as a whole


def byte_signs(text: str) -> str:
    """Write the sign of each byte of a text: "é" -> "Ã©"."""
    return text.encode().decode("latin-1").translate(_BYTE_SIGNS)


def _bert(
    clean_text: bool = True,
    handle_chinese_chars: bool = True,
    strip_accents: bool | None = None,
    lowercase: bool = True,
) -> Normalize:
    # Change what BERT does: controls, Chinese characters, accents and case, as switched on.
    # Without `strip_accents`, `lowercase` decides that too.
    return partial(
        normalized, clean_text=clean_text, split_chinese=handle_chinese_chars,
        strip_accents=strip_accents, lowercase=lowercase,
    )  # fmt: skip


def _strip(strip_left: bool, strip_right: bool) -> Normalize:
    # Drop white space at the ends that are named.
    first = rf"\A{_S}+" if strip_left else "(?!)"
    last = rf"(?<!{_S}){_S}+\Z" if strip_right else "(?!)"
    return partial(re.compile(f"{first}|{last}").sub, "")


def replace(pattern: dict[str, str], content: str) -> Normalize:
    """Write another text for what a pattern matches; it is a decoder too."""
    cut = pattern_of(pattern)
    if content and not all(piece for piece, _ in cut("a b")):
        raise ValueError("its pattern matches the empty text, which tokenizers cannot replace")
    return lambda text: "".join(content if found else piece for piece, found in cut(text))


def _precompiled(precompiled_charsmap: str) -> Normalize:
    # Replace what the table holds: a short grapheme as a whole, else its characters.
    replacement_of = cache(_table(precompiled_charsmap))

    def changed(text: str) -> str:
        parts: list[str] = []
        for piece, is_grapheme in pieces(_GRAPHEME.finditer, text):
            is_short = is_grapheme and len(piece.encode()) < _SHORT
            whole = replacement_of(piece) if is_short else None
            for part in piece if whole is None else [piece]:
                found = replacement_of(part)
                parts.append(part if found is None else found)
        return "".join(parts)

    return changed


def _table(charsmap: str) -> Callable[[str], str | None]:
    # Return a function that finds the replacement of the shortest beginning that has one.
    # The table is a trie in the form of a double array, then the replacements one after another,
    # each with a zero byte at its end. A unit of the array says which byte leads to it, where its
    # children are, and whether one of them is a leaf, which tells where the replacement begins.
    data = base64.b64decode(charsmap, validate=True)
    size = int.from_bytes(data[:4], "little")
    if size % 4 or not 4 <= size <= len(data) - 4:
        raise ValueError("'precompiled_charsmap' is cut short; copy the file again")
    units, texts = struct.unpack(f"<{size // 4}I", data[4 : 4 + size]), data[4 + size :]
    # A unit with this bit has a leaf, which must say where in the texts a replacement begins.
    nodes = (node ^ _offset(unit) for node, unit in enumerate(units) if unit & 0x100)
    starts = [units[leaf] & 0x7FFFFFFF for leaf in nodes if leaf < len(units)]
    if max(starts, default=-1) >= len(texts) or not texts.endswith(b"\0"):
        raise ValueError("'precompiled_charsmap' is cut short; copy the file again")
    texts.decode()  # a `ValueError`, should it be no text

    def replacement_of(key: str) -> str | None:
        node = 0
        for byte in key.encode():
            node ^= _offset(units[node]) ^ byte
            if not byte or node >= len(units) or units[node] & 0x800000FF != byte:
                return None
            if units[node] & 0x100:
                start = units[node ^ _offset(units[node])] & 0x7FFFFFFF
                return texts[start : texts.index(b"\0", start)].decode()
        return None

    return replacement_of


def _offset(unit: int) -> int:
    # Return where the children of a unit are, seen from it.
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _sequence(normalizers: list[Any]) -> Normalize:
    if (growth := math.prod(map(_growth, normalizers))) > _MOST_GROWTH:
        raise ValueError(f"its replacements may make a text {growth:,.0f} times as long")
    return lambda text: reduce(lambda changed, step: step(changed), normalizers, text)


def _growth(step: Stage) -> float:
    # Return how many times as long a text may become.
    match step.settings:
        case {"pattern": pattern, "content": content}:
            return max(1.0, len(content) / len(pattern.get("String") or "?"))
        case {"normalizers": normalizers}:
            return math.prod(map(_growth, normalizers))
    return 1.0


def loses_beginning(step: Stage, text: str) -> bool:
    """Tell whether the first character of a text is lost, and the rest does not begin the text."""
    for each in step.settings.get("normalizers", ()):
        if loses_beginning(each, text):
            return True
        text = each(text)
    # What `Precompiled` drops leaves its place to the next character.
    is_asked = step.kind not in ("Sequence", "Precompiled")
    return is_asked and bool(step(text[:1] + "a") == step("a"))


# `Prepend` puts a prefix before a text, unless it is empty. `StripAccents` drops all marks, the
# vowel signs of Indic scripts too; from letters an accent goes only if NFD has decomposed them.
KINDS: Kinds = {
    None: lambda: str, "BertNormalizer": _bert, "Strip": _strip, "Replace": replace,
    "Precompiled": _precompiled, "Sequence": _sequence,
    "Prepend": lambda prepend: lambda text: prepend + text if text else text,
    "NFC": lambda: partial(unicodedata.normalize, "NFC"),
    "NFD": lambda: partial(unicodedata.normalize, "NFD"),
    "NFKC": lambda: partial(unicodedata.normalize, "NFKC"),
    "NFKD": lambda: partial(unicodedata.normalize, "NFKD"),
    "Lowercase": lambda: lowered, "StripAccents": lambda: partial(_MARKS.sub, ""),
    "Nmt": lambda: lambda text: _NMT_SPACE.sub(" ", _NMT_DROPPED.sub("", text)),
    "ByteLevel": lambda: byte_signs,
}  # fmt: skip
