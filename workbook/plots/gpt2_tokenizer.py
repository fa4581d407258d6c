"""Figures of the chapter `gpt2-tokenizer`."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import BYTE, INK, LATIN_EXTENDED, MONO, MUTED, SANS


def byte_alphabet(alphabet: Mapping[int, str]) -> Axes:
    """Draw the character that stands for each of the 256 bytes, in 16 rows of 16.

    The row is the first hexadecimal digit of a byte, the column its second. A cell is open where
    the byte keeps its own character, as in Latin-1, and filled where another one stands for it.

    >>> from companion.bpe import BYTE_TO_UNICODE
    >>> ax = byte_alphabet(BYTE_TO_UNICODE)
    >>> [label.get_text() for label in ax.texts][:2]
    ['as itself: 188', 'another character: 68']
    """
    left, cell = 0.32, 0.3125
    own = {byte for byte in range(256) if alphabet[byte] == chr(byte)}
    with draw.canvas(height=0.87 + 16 * cell) as ax:
        top = 0.02 + 16 * cell
        legend = [(left, "white", f"as itself: {len(own)}"),
                  (left + 2.6, BYTE, f"another character: {256 - len(own)}")]  # fmt: skip
        style: dict[str, Any] = {"height": cell, "gap": 0, "edge": MUTED}
        for x, face, meaning in legend:
            draw.number_cell(ax, x, top + 0.5 + cell / 2, cell, "", face=face, **style)
            draw.write(ax, x + cell + 0.1, top + 0.5 + cell / 2, meaning)
        for i in range(16):
            shift = cell * (i + 0.5)
            for x, y in (left + shift, top + 0.16), (left - 0.18, top - shift):
                draw.write(ax, x, y, f"{i:X}", family=MONO, color=MUTED, ha="center")
        for byte, character in alphabet.items():
            x, y = left + cell * (byte % 16), top - cell * (byte // 16 + 0.5)
            style["family"] = SANS if character < "\u0100" else LATIN_EXTENDED
            color, face = (INK, "white") if byte in own else ("white", BYTE)
            draw.number_cell(ax, x, y, cell, character, color=color, face=face, **style)
    return ax
