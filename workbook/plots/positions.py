"""Figures of the chapter `positions`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, INK, MUTED, POSITION, SANS, TOKEN, WIDTH

if TYPE_CHECKING:  # importing it would load torch
    from companion.windows import SlidingWindows

# Numbers of a computation in double precision that are this close are the same number.
_ROUNDING = 1e-9


def two_orders(
    tokens: Sequence[str], order: Sequence[int], first: npt.ArrayLike, second: npt.ArrayLike
) -> Axes:
    """Draw what a model gives for the same tokens in two orders, and join token with token.

    `order` says for each position of the second order which position its token has in the first;
    `first` and `second` are the vectors in either order, ``(n, d)``, drawn as bars. A token's line
    is solid if both are equal up to rounding, else dashed, with the largest difference of numbers.

    >>> ax = two_orders([" you", " eat"], [1, 0], [[1, 2], [3, 4]], [[3, 4], [1, 2.5]])
    >>> [label.get_text() for label in ax.texts][4:]
    ['␣you', '␣eat', '␣eat', '␣you', 'equal', '0.50']
    """
    n = len(tokens)
    vectors = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    names = [draw.visible(token) for token in tokens]
    scale = max(float(np.abs(part).max()) for part in vectors)
    left, height = 0.72, 2.9
    column = (WIDTH - left) / n
    strip = min(1.5, column - 0.3)
    middle = left + column * (np.arange(n) + 0.5)
    # The middle of a token's name and of its strip, and the end of its line.
    rows = [(height - 0.2, height - 0.58, height - 0.8), (0.2, 0.58, 0.8)]
    with draw.canvas(height) as ax:
        for name_y, strip_y, _ in rows:
            draw.write(ax, 0, name_y, "token", color=MUTED)
            draw.write(ax, 0, strip_y, "output", color=MUTED)
        in_order = [range(n), order]
        for (name_y, strip_y, _), places, part in zip(rows, in_order, vectors, strict=True):
            for i, place in enumerate(places):
                width = draw.text_width(names[place]) + 0.24
                draw.box(ax, middle[i] - width / 2, name_y, width, names[place])
                draw.vector_bars(ax, middle[i] - strip / 2, strip_y, strip, 0.34, part[i], INK,
                                 scale)  # fmt: skip
        patch = {"facecolor": "white", "edgecolor": "none", "pad": 4}
        for i, place in enumerate(order):
            ends = np.array([(middle[place], rows[0][2]), (middle[i], rows[1][2])])
            gap = float(np.abs(vectors[0][place] - vectors[1][i]).max())
            equal = gap < _ROUNDING
            ax.plot(*ends.T, linewidth=1.6, color=TOKEN if equal else MUTED,
                    linestyle="solid" if equal else draw.REFERENCE)  # fmt: skip
            # Lines may cross half-way: the label stands nearer to the lower end.
            x, y = 0.2 * ends[0] + 0.8 * ends[1]
            draw.write(ax, x, y, "equal" if equal else f"{gap:.2f}", ha="center", va="center",
                       bbox=patch, color=TOKEN if equal else INK,
                       family=SANS if equal else BOLD)  # fmt: skip
    return ax


def change_by_depth(
    tokens: Sequence[str], swapped: tuple[int, int], panels: Mapping[str, npt.ArrayLike]
) -> Axes:
    """Draw how much each token's vector changes, layer by layer, when two tokens swap.

    `swapped` are the two positions. A panel for each model, ``(depth, n)``, has the length of each
    difference as a share of the vector's length, in percent: in a filled cell, the darker the
    larger, or in an open one where the vectors are equal up to rounding.

    >>> ax = change_by_depth(["a", "time"], (0, 1), {"one layer": [[0.5, 0]]})
    >>> [label.get_text() for label in ax.texts]
    ['swapped', 'a', 'time', 'one layer', 'layer 1', '50', '0']
    """
    n = len(tokens)
    low, high = sorted(swapped)
    grids = {name: np.asarray(panel, dtype=float) for name, panel in panels.items()}
    left, head, title, step, gap = 0.74, 0.62, 0.36, 0.34, 0.16
    cell = min(0.56, (WIDTH - left - 0.02) / n)
    highest = max(max(float(grid.max()) for grid in grids.values()), _ROUNDING)
    height = head + sum(title + step * len(grid) for grid in grids.values())
    height += gap * (len(grids) - 1) + 0.04
    middle = left + cell * (np.arange(n) + 0.5)
    with draw.canvas(height) as ax:
        y = height - 0.36
        ax.plot(middle[[low, low, high, high]], [y + 0.02, y + 0.09, y + 0.09, y + 0.02],
                color=INK, linewidth=1.3)  # fmt: skip
        draw.write(ax, (middle[low] + middle[high]) / 2, y + 0.24, "swapped", ha="center")
        for i, token in enumerate(tokens):
            family = BOLD if i in swapped else SANS
            draw.write(ax, middle[i], y - 0.12, token.strip(), ha="center", family=family)
        top = height - head
        for name, grid in grids.items():
            draw.write(ax, 0, top - title / 2, name, color=MUTED)
            top -= title
            for depth, changes in enumerate(grid, 1):
                y = top - step * (depth - 0.5)
                draw.write(ax, 0, y, f"layer {depth}")
                for x, change in zip(middle, changes, strict=True):
                    style: dict[str, Any] = {"edge": draw.GRID, "color": MUTED}
                    text = "0"
                    if change >= _ROUNDING:
                        shade = draw.tint(INK, 0.08 + 0.27 * change / highest)
                        style = {"edge": INK, "face": shade}
                        text = f"{100 * change:.0f}" if change > 0.005 else "<1"
                    draw.number_cell(ax, x - cell / 2, y, cell, text, height=0.28, **style)
            top -= step * len(grid) + gap
    return ax


def token_in_windows(
    windows: "SlidingWindows", token_id: int, token_table: Any, position_table: Any
) -> Axes:
    """Draw the input vectors of one token in all windows in which it is an input.

    Each row writes the inputs of a window, up to five, and draws three vectors from the two tables:
    the token's, that of its position there, after its number, and their sum.

    >>> import numpy as np
    >>> from companion.windows import SlidingWindows
    >>> windows = SlidingWindows(range(6), context_size=3)
    >>> ax = token_in_windows(windows, 1, np.eye(6, 4), np.eye(3, 4))
    >>> [label.get_text() for label in ax.texts][4:]
    ['0', '1', '2', '1', '+', '=']
    """
    token, table = np.asarray(token_table)[token_id], np.asarray(position_table)
    inputs = [ids.tolist() for ids, _ in windows if token_id in ids]
    positions = [ids.index(token_id) for ids in inputs]
    scale = max(float(np.abs(part).max()) for part in (token, table[positions]))
    step, cell, strip = 0.4, 0.47, 0.77
    columns = [(2.45, TOKEN, "token\nvector"), (3.61, POSITION, "position\nvector"),
               (4.55, draw.INPUT, "input\nvector")]  # fmt: skip
    with draw.canvas(height=0.6 + step * len(inputs)) as ax:
        top = 0.04 + step * len(inputs)
        draw.write(ax, 0, top + 0.05, "inputs of a window", color=MUTED, va="bottom")
        for x, color, name in columns:
            draw.write(ax, x + strip / 2, top + 0.05, name, color=color, ha="center", va="bottom",
                       linespacing=0.95)  # fmt: skip
        for row, (ids, position) in enumerate(zip(inputs, positions, strict=True)):
            y = top - step * (row + 0.5)
            for i, other in enumerate(ids):
                style = {"color": TOKEN, "family": BOLD} if other == token_id else {"color": MUTED}
                draw.write(ax, (i + 0.5) * cell, y, str(other), ha="center", **style)
            draw.write(ax, 3.54, y, str(position), color=POSITION, family=BOLD, ha="right")
            parts = token, table[position], token + table[position]
            for (x, color, _), vector in zip(columns, parts, strict=True):
                draw.vector_bars(ax, x, y, strip, step * 0.68, vector, color, scale)
            for (x, *_), sign in zip(columns, "+=", strict=False):
                draw.write(ax, x + strip + 0.1, y, sign, color=MUTED, ha="center")
    return ax
