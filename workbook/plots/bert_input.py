"""Figures of the chapter `bert-input`."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from companion.wordpiece import PairEncoding
from workbook.plots import _drawing as draw
from workbook.plots._drawing import INPUT, POSITION, REFERENCE, SEGMENT, TOKEN, WIDTH, RowSum


def pair_sum(
    encoding: PairEncoding,
    token_table: npt.ArrayLike,
    segment_table: npt.ArrayLike,
    position_table: npt.ArrayLike,
) -> Axes:
    """Draw the three vectors of each token that BERT reads, and their sum, a token a row.

    `encoding` comes from `WordPieceTokenizer.encode_pair`; the tables have shape ``(rows,
    d_model)``. Each row writes the token and, before each vector, the number of its row in the
    table. Each number of a vector is a bar, up or down, on one scale for all. A line separates two
    segments.

    >>> import numpy as np
    >>> from companion.wordpiece import PairEncoding
    >>> encoding = PairEncoding([2, 1, 3], [0, 0, 1], ["[CLS]", "hi", "you"])
    >>> ax = pair_sum(encoding, np.eye(4, 5), np.eye(2, 5), np.eye(3, 5))
    >>> [label.get_text() for label in ax.texts][-7:]
    ['you', '3', '1', '2', '+', '+', '=']
    """
    ids = (encoding.ids, encoding.segment_ids, list(range(len(encoding.ids))))
    tables = (token_table, segment_table, position_table)
    parts = [np.asarray(table)[rows] for rows, table in zip(ids, tables, strict=True)]
    total = sum(parts[1:], start=parts[0])
    scales = [max(float(np.abs(part).max()) for part in (*parts, total))] * 4
    step = 0.36
    with draw.canvas(height=0.58 + step * len(encoding.ids)) as ax:
        top = 0.06 + step * len(encoding.ids)
        rows = RowSum(ax, _COLUMNS, aside=0.09, strip=0.71)
        rows.head(top + 0.05)
        draw.write(ax, 0, top + 0.05, "token", color=draw.MUTED, va="bottom")
        draw.write(ax, 1.44, top + 0.05, "id", color=draw.MUTED, va="bottom", ha="right")
        for row, token in enumerate(encoding.tokens):
            y = top - step * (row + 0.5)
            if row and encoding.segment_ids[row] != encoding.segment_ids[row - 1]:
                ax.plot([0, WIDTH], [y + step / 2] * 2, color=draw.GRID, linewidth=1.2)
            draw.write(ax, 0, y, token, family=draw.BOLD)
            for (x, *_), numbers in zip(_COLUMNS, ids, strict=False):
                draw.write(ax, x - 0.06, y, str(numbers[row]), ha="right")
            rows.row(y, step * 0.98, [part[row] for part in (*parts, total)], scales)
    return ax


def vector_lengths(before: npt.ArrayLike, after: npt.ArrayLike, names: Sequence[str]) -> Axes:
    """Draw how long vectors are before and after normalization, a vector a row.

    `before` and `after` have shape ``(n, d_model)``, with a name for each row. A length before is
    an open dot, the one after it a filled dot, on a logarithmic scale. The dashed line is at the
    root of `d_model`.

    >>> import numpy as np
    >>> ax = vector_lengths([[3, 4], [0, 2]], [[-1, 1], [-1, 1]], ["one", "two"])
    >>> [float(x) for x in ax.lines[0].get_xdata()]
    [5.0, 2.0]
    """
    first, second = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    lengths = [np.linalg.norm(vectors, axis=1) for vectors in (first, second)]
    n, root = len(names), float(np.sqrt(first.shape[1]))
    rows = np.arange(n)
    with draw.axes(height=1.0 + 0.27 * n) as ax:
        ax.set_xscale("log")
        for values, face in zip(lengths, ("white", INPUT), strict=True):
            ax.plot(values, rows, color=INPUT, linestyle="none", marker="o", markersize=7,
                    markerfacecolor=face, zorder=3)  # fmt: skip
        for row in rows:
            ax.plot(
                [values[row] for values in lengths], [row, row], color=draw.MUTED, linewidth=0.9
            )
        ax.plot([root, root], [-0.4, n - 0.4], color=INPUT, linewidth=1.1, linestyle=REFERENCE,
                zorder=1)  # fmt: skip
        everything = np.concatenate(lengths)
        low, high = everything.min() / 1.5, max(everything.max(), root) * 1.5
        ticks = [m * 10.0**e for e in range(-6, 7) for m in (1, 2, 5)]
        ax.set(xlim=(low, high), ylim=(n + 0.4, -1.25), xlabel="length of the vector")
        ax.set_xticks([tick for tick in ticks if low < tick < high])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter("{x:g}")
        draw.named_rows(ax, names, va="center_baseline")
        draw.write(ax, root, n - 0.05, f"√{first.shape[1]} = {root:.1f}", color=INPUT, ha="center")
        for values, name in zip(lengths, ("the sum", "normalized"), strict=True):
            draw.write(ax, float(values[0]), -0.85, name, color=INPUT, ha="center")
    return ax


_COLUMNS = (
    (1.5, TOKEN, "token\nvector"), (2.56, SEGMENT, "segment\nvector"),
    (3.71, POSITION, "position\nvector"), (4.6, INPUT, "their\nsum"),
)  # fmt: skip
