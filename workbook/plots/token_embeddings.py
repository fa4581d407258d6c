"""Figures of the chapter `token-embeddings`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, PathPatch
from matplotlib.path import Path

from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, GRID, INK, MUTED, REFERENCE, TOKEN, WIDTH


def lookup(
    tokens: Sequence[str], ids: Sequence[int], vectors: npt.ArrayLike, shape: tuple[int, int]
) -> Axes:
    """Draw how ids select rows of a table, and how the vectors come in the order of the text.

    `vectors` has a row for each token, whose first eight numbers are drawn as bars, up or down from
    a line of zeros. `shape` is that of the whole table; of its rows only those of the ids are here.

    >>> ax = lookup(["a", "b", "a"], [7, 2, 7], [[1, 2], [3, -4], [1, 2]], (10, 2))
    >>> [label.get_text() for label in ax.texts][6:]
    ['2', '7', 'a', '7', 'b', '2', 'a', '7']
    """
    rows, places = np.asarray(vectors, dtype=float)[:, :8], sorted(set(ids))
    n, scale, step, strip = len(ids), float(np.abs(rows).max()), 0.4, 1.06
    x_id, x_table, x_vector = 1.26, 2.4, WIDTH - strip
    height = step * max(n, len(places)) + 0.62
    middle = (height - 0.62) / 2 + 0.02
    y_table = {i: middle + step * ((len(places) - 1) / 2 - k) for k, i in enumerate(places)}
    heads = (0.0, "ids", (n,)), (x_table, "table", shape), (x_vector, "vectors", (n, shape[1]))
    with draw.canvas(height) as ax:
        for x, name, size in heads:
            draw.write(ax, x, height - 0.12, name, family=BOLD)
            shown = f"({size[0]},)" if len(size) == 1 else f"({size[0]:,}, {size[1]})"
            draw.write(ax, x, height - 0.38, shown, color=MUTED)
        for i, y in y_table.items():
            draw.write(ax, x_table - 0.06, y, str(i), ha="right", color=TOKEN)
            vector = rows[list(ids).index(i)]
            draw.vector_bars(ax, x_table, y, strip, step * 0.85, vector, TOKEN, scale)
        for k, (token, i, vector) in enumerate(zip(tokens, ids, rows, strict=True)):
            y = middle + step * ((n - 1) / 2 - k)
            draw.box(ax, 0, y, draw.text_width(token) + 0.24, token)
            draw.write(ax, x_id - 0.06, y, str(i), ha="right", color=TOKEN)
            draw.vector_bars(ax, x_vector, y, strip, step * 0.85, vector, TOKEN, scale)
            _curve(ax, (x_id, y), (x_table - 0.54, y_table[i]))
            _curve(ax, (x_table + strip + 0.06, y_table[i]), (x_vector - 0.06, y))
    return ax


def one_hot_product(ids: Any, weight: Any) -> Axes:
    """Draw a lookup as a product: one-hot vectors, times the table, equal the rows.

    Up to ten rows of up to four numbers: each number is a bar, up or down from a line of zeros.
    Ones are filled; rows that no 1 selects are pale.

    >>> ax = one_hot_product([2, 0], [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    >>> [label.get_text() for label in ax.texts][-6:]
    ['0', '0', '1', '1', '0', '0']
    """
    numbers, table = list(map(int, ids)), _array(weight)
    (n_rows, d), n = table.shape, len(numbers)
    scale, bit, step = float(np.abs(table).max()), 0.165, 0.29
    with draw.canvas(height=step * max(n_rows, n) + 0.46) as ax:
        middle = step * max(n_rows, n) / 2 + 0.03
        low, high = middle + step * n / 2, middle + step * n_rows / 2
        draw.write(ax, 0.2, low + 0.2, f"one-hot, ({n}, {n_rows})", color=MUTED)
        draw.write(ax, 2.04, middle, "×", ha="center")
        draw.write(ax, 2.4, high + 0.2, f"table, ({n_rows}, {d})", color=MUTED)
        draw.write(ax, 3.84, middle, "=", ha="center")
        draw.write(ax, 4.2, low + 0.2, f"vectors, ({n}, {d})", color=MUTED)
        _row_names(ax, 0.2, low, step, numbers)
        _row_names(ax, 2.4, high, step, range(n_rows))
        for i, vector in enumerate(table):
            color, y = TOKEN if i in numbers else draw.tint(TOKEN, 0.4), high - step * (i + 0.5)
            draw.vector_bars(ax, 2.4, y, 1.1, step * 0.9, vector, color, scale)
        for row, number in enumerate(numbers):
            y = low - step * (row + 0.5)
            draw.vector_bars(ax, 4.2, y, 1.1, step * 0.9, table[number], TOKEN, scale)
            for i in range(n_rows):
                _number(ax, 0.2 + i * bit, y, bit, step, f"{i == number:d}", filled=i == number)
    return ax


def table_gradient(ids: Any, gradients: Any, table_gradient: Any) -> Axes:
    """Draw where the gradient of a lookup goes: from each vector back to the row it came from.

    On the left is the gradient of the table, ``(V, d)``, filled where a row is not zero; on the
    right that of each vector, ``(n, d)``, with an arrow to its row. The numbers are whole.

    >>> ax = table_gradient([1, 1], [[1, 2], [3, 4]], [[0, 0], [4, 6]])
    >>> [label.get_text() for label in ax.texts][-6:]
    ['1', '1', '1', '2', '3', '4']
    """
    numbers, table, vectors = list(map(int, ids)), _array(table_gradient), _array(gradients)
    (n_rows, d), n = table.shape, len(numbers)
    cell, step, x_table = 0.42, 0.29, 0.4
    title = f"gradients, ({n}, {d})"
    x_vectors = WIDTH - max(d * cell, draw.text_width(title)) - 0.04
    with draw.canvas(height=step * max(n_rows, n) + 0.4) as ax:
        middle = step * max(n_rows, n) / 2 + 0.03
        tops = {size: middle + step * size / 2 for size in (n, n_rows)}
        for x, matrix, names, what, heading in (
            (x_table, table, range(n_rows), "row", f"gradient of the table, ({n_rows}, {d})"),
            (x_vectors, vectors, numbers, "id", title),
        ):
            top = tops[len(matrix)]
            draw.write(ax, x - 0.08, top + 0.19, what, ha="right", color=MUTED)
            draw.write(ax, x, top + 0.19, heading, color=MUTED)
            _row_names(ax, x, top, step, names)
            for row, vector in enumerate(matrix):
                for i, value in enumerate(vector):
                    _number(ax, x + i * cell, top - step * (row + 0.5), cell, step, f"{value:.0f}",
                            filled=bool(vector.any()))  # fmt: skip
        for i, row in enumerate(numbers):
            ends = ((x_vectors - 0.32, tops[n] - step * (i + 0.5)),
                    (x_table + d * cell + 0.04, tops[n_rows] - step * (row + 0.5)))  # fmt: skip
            ax.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=11, color=TOKEN,
                                         linewidth=1.1, shrinkA=0, shrinkB=0))  # fmt: skip
    return ax


def first_loss(losses: Mapping[float, float], vocab_size: int, marks: Mapping[float, str]) -> Axes:
    """Draw the loss of an untrained model against the scale of its token table.

    `losses` has a loss for each standard deviation, and `marks` names some of them. The dashed line
    is the loss of a blind guess, the logarithm of `vocab_size`.

    >>> ax = first_loss({0.01: 4.61, 0.1: 4.8, 1.0: 12.0}, 100, {1.0: "torch"})
    >>> [label.get_text() for label in ax.texts]
    ['a blind guess: ln V = 4.61', 'torch: 12.0']
    """
    sigmas, blind = sorted(losses), float(np.log(vocab_size))
    low = min(blind / 1.8, min(losses.values()) / 1.1)
    high = max(blind, *losses.values()) * 1.5
    with draw.axes(height=3.3) as ax:
        curve = [losses[sigma] for sigma in sigmas]
        ax.loglog(sigmas, curve, color=TOKEN, linewidth=2.2, marker="o", markersize=4)
        ax.axhline(blind, color=MUTED, linewidth=1.2, linestyle=REFERENCE)
        draw.note(ax, f"a blind guess: ln V = {blind:.2f}", (sigmas[0], blind), (2, -7), va="top",
                  color=MUTED)  # fmt: skip
        for sigma, name in marks.items():
            loss = losses[sigma]
            ax.plot([sigma], [loss], marker="o", color=TOKEN)
            draw.note(ax, f"{name}: {loss:.1f}", (sigma, loss), (-8, 8), ha="right")
        ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500) if low < t < high]
        ax.set(ylim=(low, high), yticks=ticks, ylabel="first loss")
        ax.set(xlabel="standard deviation σ of the table")
        ax.minorticks_off()
        draw.counted(ax, "{x:g}")
    return ax


def _curve(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Join two points with a line that is level at both."""
    (x, y), (z, w) = start, end
    path = Path([start, ((x + z) / 2, y), ((x + z) / 2, w), end], [1, 4, 4, 4])
    ax.add_patch(PathPatch(path, facecolor="none", edgecolor=TOKEN, linewidth=1.0))


def _array(matrix: Any) -> npt.NDArray[Any]:
    """Return a matrix as an array; a tensor is taken as it is, without its gradient."""
    return np.asarray(matrix.detach() if hasattr(matrix, "detach") else matrix)


def _row_names(ax: Axes, right: float, top: float, step: float, names: Sequence[int]) -> None:
    """Write the number of each row to the left of it."""
    for row, name in enumerate(names):
        draw.write(ax, right - 0.08, top - step * (row + 0.5), str(name), color=MUTED, ha="right")


def _number(
    ax: Axes, x: float, y: float, width: float, height: float, text: str, *, filled: bool
) -> None:
    """Write a number into a cell that is filled or open."""
    face, edge, color = (draw.tint(TOKEN, 0.22), TOKEN, INK) if filled else ("white", GRID, MUTED)
    draw.number_cell(ax, x, y, width, text, height=height - 0.04, gap=0.02, face=face, edge=edge,
                     color=color)  # fmt: skip
