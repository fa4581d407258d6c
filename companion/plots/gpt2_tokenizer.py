"""Figures of the chapter `gpt2-tokenizer`."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from companion.bpe import BYTE_TO_UNICODE, BPETokenizer
from companion.plots import _drawing as draw
from companion.plots._drawing import (
    BOLD,
    BYTE,
    INK,
    LATIN_EXTENDED,
    MONO,
    MUTED,
    SANS,
    TOKEN,
    WIDTH,
)


def byte_alphabet(alphabet: Mapping[int, str]) -> Axes:
    """Draw the character that stands for each of the 256 bytes, in 16 rows of 16.

    The row is the first hexadecimal digit of a byte, the column its second. A cell is open where
    the byte keeps its own character, as in Latin-1, and filled where another one stands for it.

    >>> from companion.bpe import BYTE_TO_UNICODE
    >>> ax = byte_alphabet(BYTE_TO_UNICODE)
    >>> [label.get_text() for label in ax.texts][:2]
    ['as itself: 188', 'another character: 68']
    """
    left, cell = 0.4, 0.345
    own = {byte for byte in range(256) if alphabet[byte] == chr(byte)}
    with draw.canvas(height=0.87 + 16 * cell) as ax:
        top = 0.02 + 16 * cell
        legend = [(left, True, f"as itself: {len(own)}"),
                  (left + 2.6, False, f"another character: {256 - len(own)}")]  # fmt: skip
        for x, is_own, meaning in legend:
            _alphabet_cell(ax, x, top + 0.5, cell, "", is_own)
            draw.write(ax, x + cell + 0.1, top + 0.5 + cell / 2, meaning)
        for i in range(16):
            for x, y in (left + cell * (i + 0.5), top + 0.16), (left - 0.2, top - cell * (i + 0.5)):
                draw.write(ax, x, y, f"{i:X}", family=MONO, color=MUTED, ha="center")
        for byte in range(256):
            x, y = left + cell * (byte % 16), top - cell * (byte // 16 + 1)
            _alphabet_cell(ax, x, y, cell, alphabet[byte], byte in own)
    return ax


def id_ranges(tokenizer: BPETokenizer) -> Axes:
    """Draw what the ids of a tokenizer stand for: the bytes, the merges, the special tokens.

    A box for each kind of token has its ids, how many there are, and the first and the last token.
    The boxes are not to scale.

    >>> from companion.bpe import train_bpe
    >>> ax = id_ranges(train_bpe("low lower lowest", 259, special_tokens=["<|end|>"]))
    >>> [label.get_text() for label in ax.texts][5:10]
    ['256 … 257', '2 merges', 'lo', '…', 'low']
    """
    tokens = ["".join(BYTE_TO_UNICODE[byte] for byte in token) for token in tokenizer.vocab]
    kinds = [("bytes", BYTE, tokens[:256]), ("merges", TOKEN, tokens[256:])]
    kinds.append(("special", INK, list(tokenizer.special_tokens)))
    kinds = [kind for kind in kinds if kind[2]]
    gap, first = 0.12, 0
    width = (WIDTH - gap * (len(kinds) - 1)) / len(kinds)
    with draw.canvas(height=1.5) as ax:
        for i, (name, color, members) in enumerate(kinds):
            x, last = i * (width + gap), first + len(members) - 1
            ax.add_patch(Rectangle((x + 0.01, 0.02), width - 0.02, 1.08, linewidth=1.1,
                                   facecolor=draw.tint(color, 0.12), edgecolor=color))  # fmt: skip
            ids = f"{first:,} … {last:,}" if last > first else f"{last:,}"
            draw.write(ax, x + width / 2, 1.3, ids, ha="center")
            if len(members) == 1:
                name = name.removesuffix("s")
            draw.write(ax, x + width / 2, 0.8, f"{len(members):,} {name}", ha="center", family=BOLD)
            ends = [members[0], "…", members[-1]] if len(members) > 1 else members
            for j, token in enumerate(ends):
                at = x + width * (j + 1) / (len(ends) + 1)
                extended = any("\u0100" <= character < "\u0180" for character in token)
                style: dict[str, Any] = {"size": 11, "family": LATIN_EXTENDED} if extended else {}
                draw.write(ax, at, 0.36, token, ha="center", **style)
            first = last + 1
    return ax


def _alphabet_cell(ax: Axes, x: float, y: float, size: float, character: str, own: bool) -> None:
    """Draw one cell of the byte alphabet: open for a byte's own character, filled for another."""
    family = SANS if character < "\u0100" else LATIN_EXTENDED
    color, face = (INK, "white") if own else ("white", BYTE)
    draw.number_cell(ax, x, y + size / 2, size, character, height=size, gap=0, edge=MUTED,
                     family=family, size=12, color=color, face=face)  # fmt: skip
