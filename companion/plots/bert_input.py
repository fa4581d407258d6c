"""Figures of the chapter `bert-input`."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from companion.plots._drawing import (
    BOLD,
    GRID,
    INPUT,
    MUTED,
    POSITION,
    SEGMENT,
    TOKEN,
    WIDTH,
    axes,
    canvas,
    text_width,
    vector_strip,
)
from companion.wordpiece import PairEncoding

__all__ = ["pair_sum", "vector_lengths"]


def pair_sum(
    encoding: PairEncoding,
    token_table: npt.ArrayLike,
    segment_table: npt.ArrayLike,
    position_table: npt.ArrayLike,
    ax: Axes | None = None,
) -> Axes:
    """Draw the three vectors of each token that BERT reads, and their sum, a token a row.

    Parameters
    ----------
    encoding : PairEncoding
        One text or two, as `WordPieceTokenizer.encode_pair` lays them out.
    token_table : array of shape (n_vocab, d_model)
        A vector for each id.
    segment_table : array of shape (n_segments, d_model)
        A vector for each segment.
    position_table : array of shape (at least n, d_model)
        A vector for each position, where n is the number of tokens.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. Each row writes the token and, before each of its vectors, the number
        of the row that was taken from the table. The larger a number of a vector, the darker its
        cell, by one scale for the tables and another for the sums. A line separates two segments.

    Raises
    ------
    ValueError
        If there is no token, a token is too wide, a table lacks a row, or widths differ.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.plots import pair_sum
    >>> from companion.wordpiece import PairEncoding
    >>> encoding = PairEncoding([2, 1, 3], [0, 0, 1], ["[CLS]", "hi", "you"])
    >>> ax = pair_sum(encoding, np.eye(4, 5), np.eye(2, 5), np.eye(3, 5))
    >>> [label.get_text() for label in ax.texts][-7:]
    ['you', '3', '1', '2', '+', '+', '=']
    """
    numbers = (encoding.ids, encoding.segment_ids, range(len(encoding.ids)))
    tables = [np.asarray(table) for table in (token_table, segment_table, position_table)]
    _require_rows(numbers, tables)
    for token in encoding.tokens:
        if text_width(token) > _TOKEN_WIDTH:
            raise ValueError(f"the token {token!r} is too wide to be drawn; choose a shorter word")
    parts = [table[list(rows)] for rows, table in zip(numbers, tables, strict=True)]
    total = sum(parts[1:], start=parts[0])
    scales = [max(float(np.abs(part).max()) for part in parts)] * 3
    scales.append(float(np.abs(total).max()))
    step = 0.34
    with canvas(ax, height=0.58 + step * len(encoding.ids)) as ax:
        top = 0.06 + step * len(encoding.ids)
        for x, color, words in zip(_STRIPS, _COLORS, _NAMES, strict=True):
            for y, word in zip((top + 0.33, top + 0.11), words, strict=True):
                ax.text(x + _STRIP / 2, y, word, color=color, ha="center", va="baseline")
        for row, token in enumerate(encoding.tokens):
            y = top - step * (row + 0.5)
            if row and encoding.segment_ids[row] != encoding.segment_ids[row - 1]:
                ax.plot([0, WIDTH], [y + step / 2] * 2, color=GRID, linewidth=1.2)
            ax.text(0, y, token, va="center_baseline", family=BOLD)
            for x, rows in zip(_STRIPS, numbers, strict=False):
                ax.text(x - 0.06, y, str(rows[row]), ha="right", va="center_baseline")
            strips = zip(_STRIPS, _COLORS, (*parts, total), scales, strict=True)
            for x, color, vectors, scale in strips:
                vector_strip(ax, x, y, _STRIP, step * 0.72, vectors[row], color, scale)
            for x, sign in zip(_STRIPS, "++=", strict=False):
                ax.text(x + _STRIP + 0.1, y, sign, color=MUTED, ha="center", va="center_baseline")
    return ax


def vector_lengths(
    before: npt.ArrayLike, after: npt.ArrayLike, names: Sequence[str], ax: Axes | None = None
) -> Axes:
    r"""Draw how long some vectors are before and after normalization, a vector a row.

    Parameters
    ----------
    before, after : array of shape (n, d_model)
        The vectors; none of them may be zero.
    names : sequence of str
        A name for each.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, lengths on a logarithmic scale. A length before is an open dot, the one
        after it a filled one; the two sets are the first lines. The last line stands at
        :math:`\sqrt{d}`.

    Raises
    ------
    ValueError
        If the shapes do not fit each other, there is not one name a vector, or one has no length.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.plots import vector_lengths
    >>> ax = vector_lengths([[3, 4], [0, 2]], [[-1, 1], [-1, 1]], ["one", "two"])
    >>> [float(x) for x in ax.lines[0].get_xdata()]
    [5.0, 2.0]
    """
    first, second = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    if first.ndim != 2 or first.shape != second.shape or len(first) != len(names) or not len(names):
        raise ValueError(
            f"vectors of shapes {first.shape} and {second.shape} with {len(names)} names; give "
            "both of shape (n, d) and n names, at least one"
        )
    lengths = [np.linalg.norm(vectors, axis=1) for vectors in (first, second)]
    if not all(length.all() for length in lengths):
        raise ValueError("a vector of zeros has no place on a logarithmic scale; leave it out")
    n, root = len(names), float(np.sqrt(first.shape[1]))
    rows = np.arange(n)
    with axes(ax, height=1.0 + 0.27 * n) as ax:
        ax.set_xscale("log")
        for values, face in zip(lengths, ("white", INPUT), strict=True):
            ax.plot(values, rows, color=INPUT, linestyle="none", marker="o", markersize=7,
                    markerfacecolor=face, zorder=3)  # fmt: skip
        for row in rows:
            ax.plot([values[row] for values in lengths], [row, row], color=MUTED, linewidth=0.9)
        ax.plot([root, root], [-0.4, n - 0.4], color=INPUT, linewidth=1.1, linestyle=(0, (4, 3)),
                zorder=1)  # fmt: skip
        everything = np.concatenate(lengths)
        low, high = everything.min() / 1.5, max(everything.max(), root) * 1.5
        ticks = [m * 10.0**e for e in range(-6, 7) for m in (1, 2, 5)]
        ax.set(xlim=(low, high), ylim=(n - 0.4, -1.25), xlabel="length of the vector")
        ax.set_xticks([tick for tick in ticks if low < tick < high])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_yticks(rows, list(names), va="center_baseline")
        ax.grid(visible=False, axis="y")
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        for values, name in zip(lengths, ("the sum", "normalized"), strict=True):
            ax.text(float(values[0]), -0.85, name, color=INPUT, ha="center", va="center_baseline")
    return ax


# Where the four strips of pair_sum begin, and what they are.
_STRIP = 0.84
_STRIPS = (1.58, 2.79, 4.06, 5.1)
_TOKEN_WIDTH = 1.05
_COLORS = (TOKEN, SEGMENT, POSITION, INPUT)
_NAMES = (("token", "vector"), ("segment", "vector"), ("position", "vector"), ("their", "sum"))


def _require_rows(
    numbers: Sequence[Sequence[int]], tables: Sequence[npt.NDArray[np.floating]]
) -> None:
    """Raise a `ValueError` unless each table holds the rows it is asked for, all of one width."""
    if not numbers[0]:
        raise ValueError("there are no tokens to draw; give a text")
    for name, rows, table in zip(("token", "segment", "position"), numbers, tables, strict=True):
        if max(rows) >= len(table):
            raise ValueError(
                f"row {max(rows)} is asked for, but the {name} table has {len(table)} rows"
            )
    widths = [table.shape[1] for table in tables]
    if len(set(widths)) > 1:
        raise ValueError(f"vectors of {widths} numbers cannot be added; make the widths equal")
