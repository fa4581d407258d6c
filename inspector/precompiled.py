"""The normalizer `Precompiled`: SentencePiece's table of replacements, as its models hold it."""

import base64
import re
import struct
from collections.abc import Callable
from functools import cache

from companion.patterns import pieces
from companion.unicode import category

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


def precompiled(precompiled_charsmap: str) -> Callable[[str], str]:
    """Replace what the table holds: a short grapheme as a whole, else its characters."""
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
    """Return a function that finds the replacement of the shortest beginning that has one.

    The table is a trie in the form of a double array, then the replacements one after another,
    each with a zero byte at its end. A unit of the array says which byte leads to it, where its
    children are, and whether one of them is a leaf, which tells where the replacement begins.
    """
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
    """Return where the children of a unit are, seen from it."""
    return (unit >> 10) << ((unit & 0x200) >> 6)
