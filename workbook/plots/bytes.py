"""Figures of the chapter `bytes`."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, BYTE, MONO, MUTED


def utf8_layout(characters: str) -> Axes:
    """Draw the bits of each character in UTF-8: those that mark a byte, those that carry.

    A row for each code point of a string: the character, the code point, and for each byte its bits
    and its value in hexadecimal. The typeface has the Latin letters, 请, 👍 and 🙂.

    >>> ax = utf8_layout("é")
    >>> [label.get_text() for label in ax.texts if len(label.get_text()) == 2]
    ['C3', 'A9']
    """
    left, cell, gap, step = 0.86, 0.134, 0.05, 0.8
    with draw.canvas(height=0.5 + step * len(characters)) as ax:
        top = 0.02 + step * len(characters)
        legend = [(left, True, "marks the kind of byte"), (left + 2.4, False, "carries the number")]
        for x, marks, meaning in legend:
            _bit(ax, x, top + 0.25, cell, "1", marks)
            draw.write(ax, x + cell + 0.08, top + 0.25, meaning, color=MUTED)
        for row, character in enumerate(characters):
            y = top - step * row - 0.2
            draw.write(ax, 0, y, character, size=18)
            draw.write(ax, 0, y - 0.33, f"U+{ord(character):04X}", color=MUTED)
            for i, byte in enumerate(character.encode()):
                x, bits = left + i * (8 * cell + gap), f"{byte:08b}"
                for place, bit in enumerate(bits):  # the ones up to the first zero mark, and it
                    _bit(ax, x + place * cell, y, cell, bit, place <= bits.index("0"))
                draw.write(ax, x + 4 * cell, y - 0.33, f"{byte:02X}", family=MONO, ha="center")
    return ax


def bytes_per_character(samples: Mapping[str, str]) -> Axes:
    """Draw how many bytes of UTF-8 a character takes in each sample, fewest first.

    A bar for each named text is as long as bytes / code points. This number follows the bar, then
    the number of code points and the number of bytes.

    >>> ax = bytes_per_character({"Chinese": "四只兔子", "French": "été"})
    >>> [label.get_text() for label in ax.texts]
    ['bytes per character', 'characters', 'bytes', '1.67', '3', '5', '3.00', '4', '12']
    """
    sizes = [(name, len(text), len(text.encode())) for name, text in samples.items()]
    sizes.sort(key=lambda size: size[2] / size[1])
    n = len(sizes)
    with draw.axes(height=0.5 + 0.29 * n) as ax:
        ax.set_yticks(range(n), [name for name, *_ in sizes])
        ax.set(xlim=(0, 6.4), ylim=(n - 0.4, -1.3))
        draw.bare(ax)
        draw.write(ax, 0, -0.95, "bytes per character", color=MUTED)
        draw.write(ax, 5.5, -0.95, "characters", color=MUTED, ha="right")
        draw.write(ax, 6.4, -0.95, "bytes", color=MUTED, ha="right")
        for y, (_, n_characters, n_bytes) in enumerate(sizes):
            rate = n_bytes / n_characters
            ax.barh(y, rate, height=0.66, color=draw.tint(BYTE, 0.75))
            draw.write(ax, rate + 0.08, y, f"{rate:.2f}", family=BOLD)
            draw.write(ax, 5.5, y, f"{n_characters:,}", ha="right")
            draw.write(ax, 6.4, y, f"{n_bytes:,}", ha="right")
    return ax


def _bit(ax: Axes, x: float, y: float, width: float, bit: str, marks: bool) -> None:
    """Draw one bit: bold on a dark cell if it marks the byte, plain on white if it carries."""
    style: dict[str, Any] = {"face": BYTE, "color": "white", "family": BOLD} if marks else {}
    draw.number_cell(ax, x, y, width, bit, height=0.28, gap=0, edge=BYTE, **style)
