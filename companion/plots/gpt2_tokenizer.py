"""Figures of the chapter `gpt2-tokenizer`."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from companion.bpe import BYTE_TO_UNICODE, BPETokenizer
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
    canvas,
    tint,
)

__all__ = ["byte_alphabet", "id_ranges"]


def byte_alphabet(alphabet: Mapping[int, str], ax: Axes | None = None) -> Axes:
    """Draw the character that stands for each of the 256 bytes, in 16 rows of 16.

    Parameters
    ----------
    alphabet : mapping of int to str
        Each byte and its character, such as `companion.bpe.BYTE_TO_UNICODE`.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. The row is the first hexadecimal digit of a byte, the column its second;
        cells are open where the byte's own character stands for it, as in Latin-1, and filled
        where another one does.

    Raises
    ------
    ValueError
        If a byte has no character.

    Examples
    --------
    >>> from companion.bpe import BYTE_TO_UNICODE
    >>> from companion.plots import byte_alphabet
    >>> ax = byte_alphabet(BYTE_TO_UNICODE)
    >>> [label.get_text() for label in ax.texts][:2]
    ['its own character: 188', 'a stand-in: 68']
    """
    if missing := set(range(256)) - set(alphabet):
        raise ValueError(f"byte {min(missing)} has no character; give one for each of 0 to 255")
    left, cell = 0.4, 0.345
    own = {byte for byte in range(256) if alphabet[byte] == chr(byte)}
    with canvas(ax, height=0.87 + 16 * cell) as ax:
        top = 0.02 + 16 * cell
        legend = [(left, True, f"its own character: {len(own)}"),
                  (left + 2.6, False, f"a stand-in: {256 - len(own)}")]  # fmt: skip
        for x, is_own, meaning in legend:
            _alphabet_cell(ax, x, top + 0.5, cell, "", is_own)
            ax.text(x + cell + 0.1, top + 0.5 + cell / 2, meaning, va="center_baseline")
        for i in range(16):
            ax.text(left + cell * (i + 0.5), top + 0.16, f"{i:X}", family=MONO, color=MUTED,
                    ha="center", va="center_baseline")  # fmt: skip
            ax.text(left - 0.2, top - cell * (i + 0.5), f"{i:X}", family=MONO, color=MUTED,
                    ha="center", va="center_baseline")  # fmt: skip
        for byte in range(256):
            x, y = left + cell * (byte % 16), top - cell * (byte // 16 + 1)
            _alphabet_cell(ax, x, y, cell, alphabet[byte], byte in own)
    return ax


def id_ranges(tokenizer: BPETokenizer, ax: Axes | None = None) -> Axes:
    """Draw what the ids of a tokenizer stand for: the bytes, the merges, the special tokens.

    Parameters
    ----------
    tokenizer : BPETokenizer
        The tokenizer.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in: a box for each kind of token, with its ids, how many there are, and the
        first and the last of them. The boxes are not to scale.

    Examples
    --------
    >>> from companion.bpe import train_bpe
    >>> from companion.plots import id_ranges
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
    with canvas(ax, height=1.5) as ax:
        for i, (name, color, members) in enumerate(kinds):
            x, last = i * (width + gap), first + len(members) - 1
            ax.add_patch(Rectangle((x + 0.01, 0.02), width - 0.02, 1.08, linewidth=1.1,
                                   facecolor=tint(color, 0.12), edgecolor=color))  # fmt: skip
            ids = f"{first:,} … {last:,}" if last > first else f"{last:,}"
            ax.text(x + width / 2, 1.3, ids, ha="center", va="center_baseline")
            if len(members) == 1:
                name = name.removesuffix("s")
            ax.text(x + width / 2, 0.8, f"{len(members):,} {name}", ha="center",
                    va="center_baseline", family=BOLD)  # fmt: skip
            ends = [members[0], "…", members[-1]] if len(members) > 1 else members
            for j, token in enumerate(ends):
                extended = any("\u0100" <= character < "\u0180" for character in token)
                ax.text(x + width * (j + 1) / (len(ends) + 1), 0.36, token, ha="center",
                        va="center_baseline", size=11 if extended else 12,
                        family=LATIN_EXTENDED if extended else SANS)  # fmt: skip
            first = last + 1
    return ax


def _alphabet_cell(ax: Axes, x: float, y: float, size: float, character: str, own: bool) -> None:
    """Draw one cell of the byte alphabet: open for a byte's own character, filled for another."""
    ax.add_patch(
        Rectangle((x, y), size, size, facecolor="white" if own else BYTE, edgecolor=MUTED,
                  linewidth=0.8)
    )  # fmt: skip
    if character:
        family = SANS if character < "\u0100" else LATIN_EXTENDED
        ax.text(x + size / 2, y + size / 2, character, color=INK if own else "white",
                family=family, ha="center", va="center_baseline")  # fmt: skip
