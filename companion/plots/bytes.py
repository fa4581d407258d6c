"""Figures of the chapter `bytes`."""

from collections.abc import Iterable, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from companion.plots._drawing import BOLD, BYTE, INK, MONO, MUTED, axes, canvas, tint

__all__ = ["bytes_per_character", "utf8_layout"]


def utf8_layout(characters: Iterable[str], ax: Axes | None = None) -> Axes:
    """Draw the bits of each character in UTF-8: those that mark a byte, and those that carry.

    Parameters
    ----------
    characters : iterable of str
        The characters, one code point each, a row each; a string will do. The figures' typeface
        has the Latin letters, 请, 👍 and 🙂.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. Each row writes the character and its code point, then for each byte
        its eight bits and its value in hexadecimal.

    Raises
    ------
    ValueError
        If there is nothing to draw, a string is not one code point, or it is a lone surrogate.

    Examples
    --------
    >>> from companion.plots import utf8_layout
    >>> ax = utf8_layout("é")
    >>> [label.get_text() for label in ax.texts if len(label.get_text()) == 2]
    ['C3', 'A9']
    """
    rows = [(character, _utf8_character(character)) for character in characters]
    if not rows:
        raise ValueError("there is no character to draw; give at least one, such as 'é'")
    left, cell, gap, step = 0.98, 0.148, 0.08, 0.8
    with canvas(ax, height=0.5 + step * len(rows)) as ax:
        top = 0.02 + step * len(rows)
        legend = [(left, True, "marks the kind of byte"), (left + 2.4, False, "carries the number")]
        for x, marks, meaning in legend:
            _bit(ax, x, top + 0.25, cell, "1", marks)
            ax.text(x + cell + 0.08, top + 0.25, meaning, color=MUTED, va="center_baseline")
        for row, (character, data) in enumerate(rows):
            y = top - step * row - 0.2
            ax.text(0, y, character, size=18, va="center_baseline")
            ax.text(0, y - 0.33, f"U+{ord(character):04X}", color=MUTED, va="center_baseline")
            for i, byte in enumerate(data):
                x, n_marks = left + i * (8 * cell + gap), _marker_bits(byte)
                for place, bit in enumerate(f"{byte:08b}"):
                    _bit(ax, x + place * cell, y, cell, bit, place < n_marks)
                ax.text(x + 4 * cell, y - 0.33, f"{byte:02X}", family=MONO, ha="center",
                        va="center_baseline")  # fmt: skip
    return ax


def bytes_per_character(samples: Mapping[str, str], ax: Axes | None = None) -> Axes:
    """Draw how many bytes of UTF-8 a character takes in each sample, fewest first.

    Parameters
    ----------
    samples : mapping of str to str
        A name for each sample, such as its language, and its text. Samples of the same number
        keep their order.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. A bar is as long as bytes / code points; after it stand this number, the
        number of code points and the number of bytes.

    Raises
    ------
    ValueError
        If there is no sample, a sample is empty, or it holds a lone surrogate.

    Examples
    --------
    >>> from companion.plots import bytes_per_character
    >>> ax = bytes_per_character({"Chinese": "四只兔子", "French": "été"})
    >>> [label.get_text() for label in ax.texts]
    ['bytes per character', 'characters', 'bytes', '1.67', '3', '5', '3.00', '4', '12']
    """
    if not samples:
        raise ValueError("there is no sample to draw; give at least one, such as {'French': 'été'}")
    sizes = {}
    for name, text in samples.items():
        if not text:
            raise ValueError(f"the sample {name!r} is empty; give it at least one character")
        sizes[name] = (len(text), len(_utf8(text, f"the sample {name!r}")))
    names = sorted(sizes, key=lambda name: sizes[name][1] / sizes[name][0])
    rates = [sizes[name][1] / sizes[name][0] for name in names]
    with axes(ax, height=0.5 + 0.29 * len(names)) as ax:
        ax.barh(range(len(names)), rates, height=0.66, color=tint(BYTE, 0.75))
        ax.set_yticks(range(len(names)), names)
        ax.set(xlim=(0, 6.4), ylim=(len(names) - 0.4, -1.3), xticks=[])
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.text(0, -0.95, "bytes per character", color=MUTED, va="center_baseline")
        columns = {"characters": 5.5, "bytes": 6.4}
        for heading, x in columns.items():
            ax.text(x, -0.95, heading, color=MUTED, ha="right", va="center_baseline")
        for y, (name, rate) in enumerate(zip(names, rates, strict=True)):
            ax.text(rate + 0.08, y, f"{rate:.2f}", va="center_baseline", family=BOLD)
            for x, number in zip(columns.values(), sizes[name], strict=True):
                ax.text(x, y, f"{number:,}", ha="right", va="center_baseline")
    return ax


def _utf8_character(character: str) -> bytes:
    """Encode a string that must be one code point."""
    if len(character) != 1:
        points = " ".join(f"U+{ord(part):04X}" for part in character[:8])
        found = f"is {len(character)} code points ({points})" if character else "is empty"
        raise ValueError(f"the character {character[:8]!r} {found}; give one code point a row")
    return _utf8(character, "the character")


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{what} holds the lone surrogate U+{ord(text[error.start]):04X}, which UTF-8 cannot "
            "encode; replace it, for example by U+FFFD"
        ) from None


def _marker_bits(byte: int) -> int:
    """How many leading bits of a byte of UTF-8 are marks: the ones up to the first zero, and it."""
    return f"{byte:08b}".index("0") + 1


def _bit(ax: Axes, x: float, y: float, width: float, bit: str, marks: bool) -> None:
    """Draw one bit: bold on a dark cell if it marks the byte, plain on white if it carries."""
    ax.add_patch(
        Rectangle((x, y - 0.14), width, 0.28, facecolor=BYTE if marks else "white",
                  edgecolor=BYTE, linewidth=0.8)
    )  # fmt: skip
    style: dict[str, Any] = {"color": "white", "family": BOLD} if marks else {"color": INK}
    ax.text(x + width / 2, y, bit, ha="center", va="center_baseline", **style)
