"""Figures of the chapter `positions`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from companion.plots._drawing import (
    BOLD,
    GRID,
    INK,
    INPUT,
    MUTED,
    POSITION,
    SANS,
    TOKEN,
    WIDTH,
    box,
    canvas,
    text_width,
    tint,
    vector_strip,
)

if TYPE_CHECKING:  # importing it would load torch
    from companion.windows import SlidingWindows

__all__ = ["change_by_depth", "token_in_windows", "two_orders"]

_ROUNDING = 1e-9
"""Numbers of a computation in double precision that are this close are the same number."""


def two_orders(
    tokens: Sequence[str],
    order: Sequence[int],
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    ax: Axes | None = None,
) -> Axes:
    """Draw what a model gives for the same tokens in two orders, and join token with token.

    Parameters
    ----------
    tokens : sequence of str
        Two to four tokens in the first order. A space in one is drawn as ␣.
    order : sequence of int
        For each place of the second order, the place that its token has in the first.
    first : array of shape (n, d)
        The vector of each token in the first order.
    second : array of shape (n, d)
        The vector of each token in the second order.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in: above the first order, below the second. The line of a token is solid
        where its two vectors are equal up to rounding. Otherwise it is dashed, and bears the
        largest difference between two of their numbers.

    Raises
    ------
    ValueError
        If there are too few or too many tokens, `order` is no permutation of their places, or
        the vectors do not fit.

    Examples
    --------
    >>> from companion.plots import two_orders
    >>> ax = two_orders([" you", " eat"], [1, 0], [[1, 2], [3, 4]], [[3, 4], [1, 2.5]])
    >>> [label.get_text() for label in ax.texts][4:]
    ['␣you', '␣eat', '␣eat', '␣you', 'equal', '0.50']
    """
    n, least, most = len(tokens), 2, 4
    if not least <= n <= most:
        raise ValueError(f"there is room for {least} to {most} tokens, not for {n}")
    if sorted(order) != list(range(n)):
        raise ValueError(f"order is {list(order)}; it must hold each of the places 0 to {n - 1}")
    vectors = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    shapes = [part.shape for part in vectors]
    if vectors[0].ndim != 2 or shapes[0] != shapes[1] or len(vectors[0]) != n:
        raise ValueError(
            f"the vectors of {n} tokens have the shapes {shapes[0]} and {shapes[1]}; "
            f"both must be ({n}, d)"
        )
    names = [token.replace(" ", "␣") for token in tokens]
    scale = max(float(np.abs(part).max()) for part in vectors)
    left, height = 0.72, 2.9
    column = (WIDTH - left) / n
    strip = min(1.5, column - 0.3)
    rows = [  # name of a token, its strip, the end of its line
        (height - 0.2, height - 0.56, height - 0.72),
        (0.2, 0.56, 0.72),
    ]

    def middle(place: int) -> float:
        return left + (place + 0.5) * column

    with canvas(ax, height) as ax:
        for name_y, strip_y, _ in rows:
            ax.text(0, name_y, "token", color=MUTED, va="center_baseline")
            ax.text(0, strip_y, "output", color=MUTED, va="center_baseline")
        in_order = [range(n), order]
        for (name_y, strip_y, _), places, part in zip(rows, in_order, vectors, strict=True):
            for i, place in enumerate(places):
                width = text_width(names[place]) + 0.24
                box(ax, middle(i) - width / 2, name_y, width, TOKEN)
                ax.text(middle(i), name_y, names[place], ha="center", va="center_baseline")
                vector_strip(ax, middle(i) - strip / 2, strip_y, strip, 0.22, part[i], INK, scale)
        top, bottom = rows[0][2], rows[1][2]
        for i, place in enumerate(order):
            gap = float(np.abs(vectors[0][place] - vectors[1][i]).max())
            equal = gap < _ROUNDING
            ax.plot([middle(place), middle(i)], [top, bottom], linewidth=1.6,
                    color=TOKEN if equal else MUTED,
                    linestyle="solid" if equal else (0, (4, 3)))  # fmt: skip
            # Lines may cross half-way: the label stands nearer to the lower end.
            x, y = (0.2 * a + 0.8 * b for a, b in ((middle(place), middle(i)), (top, bottom)))
            ax.text(x, y, "equal" if equal else f"{gap:.2f}", ha="center", va="center",
                    color=TOKEN if equal else INK, family=SANS if equal else BOLD,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 2.5})  # fmt: skip
    return ax


def change_by_depth(
    tokens: Sequence[str],
    swapped: tuple[int, int],
    panels: Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
) -> Axes:
    """Draw how much each token's vector changes, layer by layer, when two tokens trade places.

    Parameters
    ----------
    tokens : sequence of str
        Up to ten tokens in their first order.
    swapped : (int, int)
        The two places that are exchanged for the second order.
    panels : mapping of str to array of shape (depth, n)
        For each model its name and, for each layer and token, the length of the difference
        between the token's two vectors as a share of the length of the first.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. It writes each change in percent; the cell is filled, the darker the
        larger the change, or open where the vectors are equal up to rounding.

    Raises
    ------
    ValueError
        If there are too many tokens, a place is none of theirs, there is no panel, or a panel
        has not a column for each token.

    Examples
    --------
    >>> from companion.plots import change_by_depth
    >>> ax = change_by_depth(["a", "time"], (0, 1), {"one layer": [[0.5, 0]]})
    >>> [label.get_text() for label in ax.texts]
    ['swapped', 'a', 'time', 'one layer', 'layer 1', '50', '0']
    """
    n, most = len(tokens), 10
    if not 2 <= n <= most:
        raise ValueError(f"there is room for 2 to {most} tokens, not for {n}")
    low, high = sorted(swapped)
    if not 0 <= low < high < n:
        raise ValueError(f"places {low} and {high} are not two of the places 0 to {n - 1}")
    grids = {name: np.asarray(panel, dtype=float) for name, panel in panels.items()}
    if not grids:
        raise ValueError("there is no panel to draw; give at least one")
    for name, grid in grids.items():
        if grid.ndim != 2 or not len(grid) or grid.shape[1] != n:
            raise ValueError(
                f"the panel {name!r} has shape {grid.shape}; for {n} tokens it must have "
                f"(depth, {n})"
            )
    left, head, title, step, gap = 0.74, 0.62, 0.36, 0.34, 0.16
    cell = min(0.56, (WIDTH - left - 0.02) / n)
    highest = max(max(float(grid.max()) for grid in grids.values()), _ROUNDING)
    height = head + sum(title + step * len(grid) for grid in grids.values())
    height += gap * (len(grids) - 1) + 0.04

    def middle(place: int) -> float:
        return left + (place + 0.5) * cell

    with canvas(ax, height) as ax:
        y = height - 0.36
        ax.plot([middle(low), middle(low), middle(high), middle(high)],
                [y + 0.02, y + 0.09, y + 0.09, y + 0.02], color=INK, linewidth=1.3)  # fmt: skip
        ax.text((middle(low) + middle(high)) / 2, y + 0.24, "swapped", size=11, ha="center",
                va="center_baseline")  # fmt: skip
        for i, token in enumerate(tokens):
            ax.text(middle(i), y - 0.12, token.strip(), size=11, ha="center",
                    va="center_baseline", family=BOLD if i in swapped else SANS)  # fmt: skip
        top = height - head
        for name, grid in grids.items():
            ax.text(0, top - title / 2, name, color=MUTED, va="center_baseline")
            top -= title
            for depth, changes in enumerate(grid, 1):
                y = top - step * (depth - 0.5)
                ax.text(0, y, f"layer {depth}", size=11, va="center_baseline")
                for i, change in enumerate(changes):
                    _percent_cell(ax, middle(i), y, cell, change, highest)
            top -= step * len(grid) + gap
    return ax


def token_in_windows(
    windows: "SlidingWindows",
    token_id: int,
    token_table: npt.ArrayLike,
    position_table: npt.ArrayLike,
    ax: Axes | None = None,
) -> Axes:
    """Draw the input vectors of one token in all windows in which it is an input.

    Parameters
    ----------
    windows : SlidingWindows
        Windows of up to five inputs.
    token_id : int
        An id that occurs no more than once in a window.
    token_table : array of shape (V, d)
        A vector for each id.
    position_table : array of shape (at least L, d)
        A vector for each position.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. Each row writes the inputs of a window and the position of the token
        there, and draws three vectors: the token's, the position's, and their sum.

    Raises
    ------
    ValueError
        If the windows are too wide, the token is in none of them or twice in one, or the tables
        have too few rows or different widths.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.plots import token_in_windows
    >>> from companion.windows import SlidingWindows
    >>> windows = SlidingWindows(range(6), context_size=3)
    >>> ax = token_in_windows(windows, 1, np.eye(6, 4), np.eye(3, 4))
    >>> [label.get_text() for label in ax.texts][5:]
    ['0', '1', '2', '1', '+', '=']
    """
    most = 5
    if windows.context_size > most:
        raise ValueError(
            f"windows of {windows.context_size} inputs do not fit into a row of {most}; "
            "draw shorter ones"
        )
    rows, table = np.asarray(token_table), np.asarray(position_table)
    if rows.ndim != 2 or table.ndim != 2 or rows.shape[1] != table.shape[1]:
        raise ValueError(
            f"tables of the shapes {rows.shape} and {table.shape} cannot be added row by row; "
            "give (V, d) and (L, d)"
        )
    if not 0 <= token_id < len(rows):
        raise ValueError(f"id {token_id} has no row in a token table of {len(rows)} rows")
    if windows.context_size > len(table):
        raise ValueError(
            f"windows of {windows.context_size} inputs need as many positions, but the position "
            f"table has {len(table)} rows"
        )
    inputs = [ids.tolist() for ids, _ in windows]
    inputs = [ids for ids in inputs if token_id in ids]
    if not inputs:
        raise ValueError(f"id {token_id} is no input of any window; choose one that is")
    if any(ids.count(token_id) > 1 for ids in inputs):
        raise ValueError(f"id {token_id} is twice in a window; choose one that is there once")
    positions = [ids.index(token_id) for ids in inputs]
    vectors = [(rows[token_id], table[p], rows[token_id] + table[p]) for p in positions]
    scale = max(float(np.abs(part).max()) for row in vectors for part in row[:2])
    step, strip, cell = 0.4, 0.84, 0.46
    strips = [(3.06, TOKEN, "token\nvector"), (4.08, POSITION, "position\nvector"),
              (5.14, INPUT, "input\nvector")]  # fmt: skip
    with canvas(ax, height=0.6 + step * len(inputs)) as ax:
        top = 0.04 + step * len(inputs)
        ax.text(0, top + 0.05, "inputs of a window", color=MUTED, va="bottom")
        ax.text(2.66, top + 0.05, "position", color=MUTED, va="bottom", ha="center")
        for x, color, name in strips:
            ax.text(x + strip / 2, top + 0.05, name, color=color, ha="center", va="bottom",
                    linespacing=0.95)  # fmt: skip
        for row, (ids, position, parts) in enumerate(zip(inputs, positions, vectors, strict=True)):
            y = top - step * (row + 0.5)
            for i, other in enumerate(ids):
                ours = other == token_id
                ax.text((i + 0.5) * cell, y, str(other), size=11, ha="center",
                        va="center_baseline", color=TOKEN if ours else MUTED,
                        family=BOLD if ours else SANS)  # fmt: skip
            ax.text(2.66, y, str(position), color=POSITION, family=BOLD, ha="center",
                    va="center_baseline")  # fmt: skip
            for (x, color, _), part in zip(strips, parts, strict=True):
                vector_strip(ax, x, y, strip, step * 0.68, part, color, scale)
            for x, sign in ((3.99, "+"), (5.03, "=")):
                ax.text(x, y, sign, color=MUTED, ha="center", va="center_baseline")
    return ax


def _percent_cell(
    ax: Axes, x: float, y: float, width: float, change: float, highest: float
) -> None:
    """Draw a change in its cell: open where there is none. Only there does it write 0."""
    none = change < _ROUNDING
    shade = "white" if none else tint(INK, 0.08 + 0.27 * change / highest)
    ax.add_patch(
        Rectangle((x - width / 2 + 0.015, y - 0.14), width - 0.03, 0.28, facecolor=shade,
                  edgecolor=GRID if none else INK, linewidth=0.8)
    )  # fmt: skip
    label = "0" if none else "<1" if change <= 0.005 else f"{100 * change:.0f}"
    ax.text(x, y, label, size=11, ha="center", va="center_baseline",
            color=MUTED if none else INK)  # fmt: skip
