"""Figures of the chapter `token-embeddings`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle

from companion.plots._drawing import (
    BOLD,
    GRID,
    INK,
    MUTED,
    SANS,
    TOKEN,
    WIDTH,
    axes,
    canvas,
    text_width,
    tint,
    vector_strip,
)

__all__ = ["first_loss", "one_hot_product", "table_gradient", "table_lookup"]

_Rows = npt.NDArray[Any]


def one_hot_product(ids: Any, weight: Any, ax: Axes | None = None) -> Axes:
    """Draw a lookup as a product: one-hot vectors, times the table, equal the rows.

    Parameters
    ----------
    ids : sequence or tensor of integers of shape (n,)
        Up to ten ids.
    weight : array or tensor of shape (V, d)
        The table, of up to ten rows of up to four numbers.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. It writes the one-hot vectors with their ids, the table with the
        numbers of its rows, and the product of the two, each number with one decimal place. Ones,
        rows that are taken, and the product are filled.

    Raises
    ------
    ValueError
        If there is no id, or more ids, rows or columns than there is room for.
    IndexError
        If an id is outside the table.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.plots import one_hot_product
    >>> ax = one_hot_product([2, 0], np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]))
    >>> [label.get_text() for label in ax.texts][-5:]
    ['vectors, (2, 2)', '0.5', '0.6', '0.1', '0.2']
    """
    numbers, table = _checked(ids, weight, most_ids=10, most_width=4)
    (n_rows, d), n, most = table.shape, len(numbers), 10
    if n_rows > most:
        raise ValueError(f"a table of {n_rows} rows does not fit; draw one of {most} or fewer")
    one_hot = np.eye(n_rows)[numbers]
    product = one_hot @ table
    bit, cell, step, gap, name = 0.18, 0.4, 0.29, 0.26, 0.2
    parts: list[tuple[str, _Rows, float, Sequence[int]]] = [
        (f"one-hot, ({n}, {n_rows})", one_hot, bit, numbers),
        (f"table, ({n_rows}, {d})", table, cell, range(n_rows)),
        (f"vectors, ({n}, {d})", product, cell, ()),
    ]
    widths = [max(len(m[0]) * size, text_width(title, 11)) for title, m, size, _ in parts]
    with canvas(ax, height=step * max(n_rows, n) + 0.46) as ax:
        middle = step * max(n_rows, n) / 2 + 0.03
        x = (WIDTH - sum(widths) - 2 * name - 2 * gap) / 2
        for k, (title, matrix, size, names) in enumerate(parts):
            if k:
                ax.text(x + gap / 2, middle, "×="[k - 1], ha="center", va="center_baseline")
                x += gap
            x += name * bool(names)
            top, width = middle + step * len(matrix) / 2, size * len(matrix[0])
            left = x + (widths[k] - width) / 2
            ax.text(x + widths[k] / 2, top + 0.2, title, size=11, color=MUTED, ha="center",
                    va="center_baseline")  # fmt: skip
            _row_names(ax, left, top, step, names)
            for row, vector in enumerate(matrix):
                for i, value in enumerate(vector):
                    text = f"{value:.{int(k > 0)}f}".replace("-", "−")
                    filled = (value == 1, row in numbers, True)[k]
                    _number(ax, left + i * size, top - step * (row + 0.5), size, step, text,
                            filled=bool(filled))  # fmt: skip
            x += widths[k]
    return ax


def table_lookup(ids: Any, weight: Any, ax: Axes | None = None) -> Axes:
    """Draw a lookup in a large table: which rows are taken, and in which order they come out.

    Parameters
    ----------
    ids : sequence or tensor of integers of shape (n,)
        Up to ten ids.
    weight : array or tensor of shape (V, d)
        The table; its rows have up to sixteen numbers.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. On the left it draws the table from the top down: its first and its
        last row and those that are taken, with their numbers, and dots for rows left out. On the
        right it draws a vector for each id, in the order of the ids, with an arrow from its row.

    Raises
    ------
    ValueError
        If there is no id, or more ids or columns than there is room for.
    IndexError
        If an id is outside the table.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.plots import table_lookup
    >>> ax = table_lookup([7, 1], np.zeros((100, 4)))
    >>> [label.get_text() for label in ax.texts]
    ['row', 'table, (100, 4)', 'id', 'vectors, (2, 4)', '0', '1', '⋮', '7', '⋮', '99', '7', '1']
    """
    numbers, table = _checked(ids, weight, most_ids=10, most_width=16)
    (n_rows, d), n = table.shape, len(numbers)
    shown = sorted({0, n_rows - 1, *numbers})
    strip, step, skip, x_table, x_vectors = 1.7, 0.36, 0.26, 0.66, WIDTH - 1.72
    heights, y = {}, 0.0
    for before, row in zip([-1, *shown], shown, strict=False):
        y -= step + (skip if row > before + 1 else 0)
        heights[row] = y + step / 2
    scale = float(np.abs(table[shown]).max()) or 1.0
    height = max(-y, step * n) + 0.34
    with canvas(ax, height=height) as ax:
        top = height - 0.34
        places = {row: top + at for row, at in heights.items()}
        first = top - (-y - step * n) / 2 - step / 2
        header: dict[str, Any] = {"size": 11, "color": MUTED, "va": "center_baseline"}
        ax.text(x_table - 0.1, height - 0.14, "row", ha="right", **header)
        ax.text(x_table, height - 0.14, f"table, ({n_rows}, {d})", **header)
        ax.text(x_vectors - 0.1, first + step / 2 + 0.2, "id", ha="right", **header)
        ax.text(x_vectors, first + step / 2 + 0.2, f"vectors, ({n}, {d})", **header)
        before = -1
        for row, at in places.items():
            if row > before + 1:
                ax.text(x_table + strip / 2, at + (step + skip) / 2, "⋮", ha="center",
                        va="center", color=MUTED)  # fmt: skip
            before = row
            taken = row in numbers
            ax.text(x_table - 0.1, at, str(row), size=11, ha="right", va="center_baseline",
                    family=BOLD if taken else SANS, color=INK if taken else MUTED)  # fmt: skip
            vector_strip(ax, x_table, at, strip, 0.26, table[row], TOKEN, scale)
        for i, row in enumerate(numbers):
            at = first - step * i
            ax.text(x_vectors - 0.1, at, str(row), size=11, ha="right", va="center_baseline",
                    family=BOLD)  # fmt: skip
            vector_strip(ax, x_vectors, at, strip, 0.26, table[row], TOKEN, scale)
            _arrow(ax, (x_table + strip + 0.04, places[row]), (x_vectors - 0.58, at))
    return ax


def table_gradient(ids: Any, gradients: Any, table_gradient: Any, ax: Axes | None = None) -> Axes:
    """Draw where the gradient of a lookup goes: from each vector back to the row it came from.

    Parameters
    ----------
    ids : sequence or tensor of integers of shape (n,)
        Up to ten ids.
    gradients : array or tensor of shape (n, d)
        The gradient of each vector; whole numbers, of up to five columns.
    table_gradient : array or tensor of shape (V, d)
        The gradient of the table, of up to twelve rows; whole numbers too.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. On the left it writes the gradient of each row of the table, filled
        where it is not zero, on the right that of each vector, with an arrow to its row.

    Raises
    ------
    ValueError
        If there is no id, if shapes do not fit each other, or if there is no room.
    IndexError
        If an id is outside the table.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.plots import table_gradient
    >>> ax = table_gradient([1, 1], np.array([[1, 2], [3, 4]]), np.array([[0, 0], [4, 6]]))
    >>> [label.get_text() for label in ax.texts][4:]
    ['0', '1', '0', '0', '4', '6', '1', '1', '1', '2', '3', '4']
    """
    numbers, table = _checked(ids, table_gradient, most_ids=10, most_width=5)
    vectors = _rows(gradients, "the array of gradients")
    (n_rows, d), n, most = table.shape, len(numbers), 12
    if vectors.shape != (n, d):
        raise ValueError(
            f"gradients have shape {vectors.shape}; for ids of shape ({n},) and a table "
            f"of width {d} they must have shape ({n}, {d})"
        )
    if n_rows > most:
        raise ValueError(f"a table of {n_rows} rows does not fit; draw one of {most} or fewer")
    cell, step, x_table = 0.42, 0.29, 0.4
    title = f"of the vectors, ({n}, {d})"
    x_vectors = WIDTH - max(d * cell, text_width(title, 11)) - 0.04
    with canvas(ax, height=step * max(n_rows, n) + 0.4) as ax:
        middle = step * max(n_rows, n) / 2 + 0.03
        tops = {size: middle + step * size / 2 for size in (n, n_rows)}
        header: dict[str, Any] = {"size": 11, "color": MUTED, "va": "center_baseline"}
        ax.text(x_table - 0.08, tops[n_rows] + 0.19, "row", ha="right", **header)
        ax.text(x_table, tops[n_rows] + 0.19, f"gradient of the table, ({n_rows}, {d})", **header)
        ax.text(x_vectors - 0.08, tops[n] + 0.19, "id", ha="right", **header)
        ax.text(x_vectors, tops[n] + 0.19, title, **header)
        names: Sequence[int]
        for x, matrix, names in (
            (x_table, table, range(n_rows)),
            (x_vectors, vectors, numbers),
        ):
            top = tops[len(matrix)]
            _row_names(ax, x, top, step, names)
            for row, vector in enumerate(matrix):
                for i, value in enumerate(vector):
                    _number(ax, x + i * cell, top - step * (row + 0.5), cell, step, f"{value:.0f}",
                            filled=bool(vector.any()))  # fmt: skip
        for i, row in enumerate(numbers):
            _arrow(ax, (x_vectors - 0.32, tops[n] - step * (i + 0.5)),
                   (x_table + d * cell + 0.04, tops[n_rows] - step * (row + 0.5)))  # fmt: skip
    return ax


def first_loss(
    losses: Mapping[float, float],
    vocab_size: int,
    marks: Mapping[float, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the loss of an untrained model against the scale of its token table.

    Parameters
    ----------
    losses : mapping of float to float
        The loss for each standard deviation of the table.
    vocab_size : int
        V; its logarithm is the loss of a blind guess, drawn as a dashed line.
    marks : mapping of float to str, optional
        Standard deviations to mark, with a name for each; `losses` must have them.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, both on logarithmic scales. The losses are its first line, the blind
        guess its second.

    Raises
    ------
    ValueError
        If there are no losses, or a mark has none.

    Examples
    --------
    >>> from companion.plots import first_loss
    >>> ax = first_loss({0.01: 4.61, 0.1: 4.8, 1.0: 12.0}, 100, {1.0: "torch"})
    >>> [label.get_text() for label in ax.texts]
    ['a blind guess: ln V = 4.61', 'torch: 12.0']
    """
    if not losses:
        raise ValueError("there are no losses to draw; give one for each standard deviation")
    for sigma, name in (marks or {}).items():
        if sigma not in losses:
            raise ValueError(f"there is no loss for {sigma}, which is marked {name!r}")
    sigmas, blind = sorted(losses), float(np.log(vocab_size))
    low = min(blind / 1.8, min(losses.values()) / 1.1)
    high = max(blind, *losses.values()) * 1.5
    with axes(ax, height=3.3) as ax:
        ax.loglog(sigmas, [losses[s] for s in sigmas], color=TOKEN, linewidth=2.2)
        ax.axhline(blind, color=MUTED, linewidth=1.2, linestyle=(0, (4, 3)))
        ax.annotate(f"a blind guess: ln V = {blind:.2f}", (sigmas[0], blind), (2, -7),
                    textcoords="offset points", va="top", color=MUTED)  # fmt: skip
        for sigma, name in (marks or {}).items():
            ax.plot([sigma], [losses[sigma]], marker="o", color=TOKEN)
            ax.annotate(f"{name}: {losses[sigma]:.1f}", (sigma, losses[sigma]), (-8, 8),
                        textcoords="offset points", ha="right", color=TOKEN)  # fmt: skip
        ax.set(xlabel="standard deviation σ of the table", ylabel="first loss")
        ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500) if low < t < high]
        ax.set(ylim=(low, high), yticks=ticks)
        ax.minorticks_off()
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:g}")
    return ax


# ------------------------------------------------------------------------------ parts of the above


def _rows(matrix: Any, name: str) -> _Rows:
    """Return a matrix as an array; a tensor is taken as it is, without its gradient."""
    rows = np.asarray(matrix.detach() if hasattr(matrix, "detach") else matrix)
    if rows.ndim != 2:
        raise ValueError(f"{name} has shape {rows.shape}; it must have two dimensions")
    return rows


def _checked(ids: Any, weight: Any, *, most_ids: int, most_width: int) -> tuple[list[int], _Rows]:
    """Return ids and their table, if they fit each other and the page."""
    table = _rows(weight, "the table")
    numbers = [int(i) for i in ids]
    if not 1 <= len(numbers) <= most_ids:
        raise ValueError(f"there are {len(numbers)} ids; the figure has room for 1 to {most_ids}")
    if not 1 <= table.shape[1] <= most_width:
        raise ValueError(
            f"rows of {table.shape[1]} numbers do not fit; the figure has room for 1 to "
            f"{most_width}"
        )
    for i in numbers:
        if not 0 <= i < len(table):
            raise IndexError(
                f"id {i} is outside the table of {len(table)} rows (0 to {len(table) - 1})"
            )
    return numbers, table


def _row_names(ax: Axes, right: float, top: float, step: float, names: Sequence[int]) -> None:
    """Write the number of each row to the left of it."""
    for row, name in enumerate(names):
        ax.text(right - 0.08, top - step * (row + 0.5), str(name), size=11, color=MUTED,
                ha="right", va="center_baseline")  # fmt: skip


def _number(
    ax: Axes, x: float, y: float, width: float, height: float, text: str, *, filled: bool
) -> None:
    """Write a number into a cell that is filled or open."""
    ax.add_patch(
        Rectangle((x + 0.01, y - height / 2 + 0.02), width - 0.02, height - 0.04,
                  facecolor=tint(TOKEN, 0.22) if filled else "white",
                  edgecolor=TOKEN if filled else GRID, linewidth=0.9)
    )  # fmt: skip
    ax.text(x + width / 2, y, text, size=11, color=INK if filled else MUTED, ha="center",
            va="center_baseline")  # fmt: skip


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow that crosses no text."""
    ax.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=11, color=TOKEN, linewidth=1.1,
                        shrinkA=0, shrinkB=0)
    )  # fmt: skip
