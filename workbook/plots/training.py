"""Figures of the chapter `training`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from workbook.plots import _drawing as draw
from workbook.plots._drawing import CURVES, GRID, INK, MUTED, POSITION, TOKEN, WIDTH

Floats = npt.NDArray[np.float64]


def gradient_step(before: Any, after: Any, names: Sequence[str]) -> Axes:
    """Draw how one step of training moves a few rows of two numbers.

    `before` and `after` have shape ``(m, 2)``. An arrow leads from each row to its new place. The
    first row is the one that was read; it is filled.

    >>> ax = gradient_step([[1, 0], [0, 2]], [[1, 0.4], [0.2, 2]], ["read", "right answer"])
    >>> [label.get_text() for label in ax.texts if label.get_text()]
    ['read', 'right answer']
    """
    old, new = _numbers(before), _numbers(after)
    low, high = np.minimum(old, new).min(0), np.maximum(old, new).max(0)
    with draw.axes(height=2.6) as ax:
        for i, (name, start, end) in enumerate(zip(names, old, new, strict=True)):
            style = {"arrowstyle": "-|>", "color": TOKEN, "linewidth": 1.8, "shrinkA": 6}
            ax.annotate("", end, start, arrowprops={**style, "shrinkB": 0})
            ax.plot(*start, "o" if i else "s", markersize=9, color=TOKEN,
                    markerfacecolor="white" if i else TOKEN)  # fmt: skip
            upward = end[1] > start[1]  # the name stands where the arrow does not go
            draw.note(ax, name, start, (0, -10 if upward else 10), ha="center",
                      va="top" if upward else "bottom")  # fmt: skip
        ax.set(xlim=(low[0] - 0.5, high[0] + 0.5), ylim=(low[1] - 0.45, high[1] + 0.45))
        ax.set(xlabel="first number of a row", ylabel="second number", aspect="equal")
    return ax


def loss_curves(curves: Mapping[str, Mapping[int, float]], levels: Mapping[str, float]) -> Axes:
    """Draw the loss against the number of steps.

    `curves` has the loss at each step for up to three names; dotted lines are named `levels`.

    >>> ax = loss_curves({"training": {0: 5.8, 10: 3.1}}, {"a guess": 5.8})
    >>> [label.get_text() for label in ax.texts]
    ['training', 'a guess']
    """
    steps = max(step for curve in curves.values() for step in curve)
    most = max(loss for curve in curves.values() for loss in curve.values())
    with draw.axes(height=3.5) as ax:
        for style, (name, curve) in zip(CURVES, curves.items(), strict=False):
            x, y = list(curve), list(curve.values())
            ax.plot(x, y, color=INK, linewidth=2, linestyle=style)
            draw.note(ax, name, (x[-1], y[-1]), (6, 0), va="center", color=INK)
        top = max([most, *levels.values()])
        highest = max(list(curve.values())[-1] for curve in curves.values())
        for name, loss in levels.items():
            ax.axhline(loss, color=MUTED, linewidth=1.4, linestyle=(0, (1, 2)))
            # The highest is named above its line if no curve's name is there, the others below.
            above = loss == max(levels.values()) > highest
            draw.note(ax, name, (steps * 1.3, loss), (0, 3 if above else -4), ha="right",
                      va="bottom" if above else "top", color=MUTED)  # fmt: skip
        ax.set_xticks([tick for tick in ax.get_xticks() if 0 <= tick <= steps])
        ax.set(xlim=(0, steps * 1.3), ylim=(0, top * 1.15))
        ax.set(xlabel="step", ylabel="loss")
    return ax


def rows_moved(counts: Sequence[int], moved: Mapping[str, Any]) -> Axes:
    """Draw how far each row of a table moved, against how often its token occurs.

    One or two named tables, with a distance for each token: filled dots for the first, open dots
    for the second. The axis is logarithmic; tokens that never occur are left of a dotted line.

    >>> ax = rows_moved([0, 1, 8], {"tied": [0.7, 0.8, 0.9], "untied": [0, 0.3, 0.3]})
    >>> [label.get_text() for label in ax.texts]
    ['tied', 'untied']
    """
    times = np.asarray(counts)
    # Tokens with the same count stand side by side, in a fixed order, so that all are seen.
    shift = (np.arange(len(times)) * 0.618034 % 1 - 0.5) * 0.34
    x = np.where(times > 0, np.log2(np.maximum(times, 1)), -1.6) + shift
    with draw.axes(height=3.6) as ax:
        for i, (name, distances) in enumerate(moved.items()):
            y = _numbers(distances)
            ax.plot(x, y, marker="o", linestyle="none", markersize=4.5, color=TOKEN, alpha=0.75,
                    markerfacecolor="white" if i else TOKEN, markeredgewidth=0.9)  # fmt: skip
            often = times >= np.sort(times)[-max(1, len(times) // 60)]
            draw.note(ax, name, (x.max(), float(y[often].mean())), (12, 0), va="center")
        ax.axvline(-0.8, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
        powers = [n for n in (1, 2, 4, 8, 16, 32, 64, 128, 256) if n <= times.max()]
        ax.set_xticks([-1.6, *np.log2(powers)], ["0", *map(str, powers)])
        ax.set(xlim=(-2.1, x.max() + 1.3), ylim=(-0.05, None))
        ax.set(xlabel="times the token occurs", ylabel="distance its row moved")
    return ax


def nearest_rows(
    tables: Mapping[str, Any], queries: Sequence[int], candidates: Sequence[int],
    names: Mapping[int, str],
) -> Axes:  # fmt: skip
    """Draw the nearest rows of some tokens, in one table or in two side by side.

    For each id of `queries` the four ids of `candidates` with the highest cosine, each over a bar
    as long as the cosine. `names` gives the text of each id.

    >>> before, after = [[1, 0], [0, 1], [-1, 1]], [[1, 0], [1, 1], [-1, 1]]
    >>> names = {0: "Pip", 1: "Clover", 2: "oats"}
    >>> ax = nearest_rows({"before": before, "after": after}, [0], [0, 1, 2], names)
    >>> [label.get_text() for label in ax.texts]
    ['before', 'after', 'Pip', 'Clover', '0.00', 'oats', '-0.71', 'Clover', '0.71', 'oats', '-0.71']
    """
    line, block = 0.26, 4 * 0.26 + 0.22
    height = 0.45 + len(queries) * block
    left, column = 1.15, (WIDTH - 1.15) / 2
    with draw.canvas(height) as ax:
        for i, name in enumerate(tables):
            draw.write(ax, left + i * column + 0.08, height - 0.18, name, color=MUTED, va="center")
        for row, query in enumerate(queries):
            top = height - 0.45 - row * block
            name, others = draw.visible(names[query]), [i for i in candidates if i != query]
            draw.box(ax, 0.03, top - line / 2, draw.text_width(name) + 0.24, name)
            for i, table in enumerate(tables.values()):
                cosines = draw.cosines(_numbers(table)[[query, *others]])[0, 1:]
                for place, near in enumerate(np.argsort(-cosines, kind="stable")[:4]):
                    x, y = left + i * column, top - (place + 0.5) * line
                    width, shade = max(cosines[near], 0) * (column - 0.75), draw.tint(TOKEN, 0.25)
                    ax.add_patch(Rectangle((x, y - 0.11), width, 0.22, facecolor=shade))
                    draw.write(ax, x + 0.08, y, draw.visible(names[others[near]]))
                    draw.write(ax, x + column - 0.3, y, f"{cosines[near]:.2f}", ha="right",
                               color=MUTED)  # fmt: skip
    return ax


def row_map(
    tables: Mapping[str, Any], groups: Mapping[str, Mapping[str, int]], candidates: Sequence[int]
) -> Axes:
    """Draw rows of two tables in the plane in which they differ most, side by side.

    The plane is that of the first two principal components of all rows drawn: the `candidates`, and
    the tokens of two `groups`, each with a name and the text and id of its tokens, which lines join
    with their middle. The largest entry of a component is positive. A title has the plane's share.

    >>> table = [[1, 0, 0], [1, 0.2, 0], [-1, 0, 0.1], [-1, 0.3, 0]]
    >>> groups = {"names": {"Pip": 0, "Clover": 1}, "things": {"oats": 2}}
    >>> ax = row_map({"after": table}, groups, [0, 1, 2, 3])
    >>> [label.get_text() for label in ax.texts]
    ['names', 'things', 'after: 100% of the variance']
    """
    pale = {"color": draw.tint(TOKEN, 0.5), "markeredgecolor": TOKEN, "markerfacecolor": "white"}
    looks: list[dict[str, Any]] = [{"marker": "o", "color": TOKEN}, {"marker": "s", **pale}]
    marked = {i for group in groups.values() for i in group.values()}
    ids = [*candidates, *sorted(marked - set(candidates))]
    side = (WIDTH - 0.16) / 2
    with draw.canvas(side + 0.75) as ax:
        x = 0.1
        for look, name in zip(looks, groups, strict=False):
            ax.plot([x, x + 0.3], [0.16, 0.16], **look, markersize=6.5)
            draw.write(ax, x + 0.42, 0.16, name)
            x += draw.text_width(name) + 0.8
        for place, (name, table) in enumerate(tables.items()):
            left, bottom = 0.03 + place * (side + 0.1), 0.4
            points, share = _plane(_numbers(table)[ids])
            title = f"{name}: {share:.0%} of the variance"
            draw.write(ax, left, bottom + side + 0.18, title, color=MUTED)
            ax.add_patch(Rectangle((left, bottom), side, side, facecolor="none", edgecolor=GRID))
            # Into the frame, alike in both directions.
            low, high = points.min(0), points.max(0)
            scaled = (side - 0.3) / (high - low).max() * (points - (low + high) / 2)
            places = dict(zip(ids, np.array([left, bottom]) + side / 2 + scaled, strict=True))
            dots = [places[i] for i in ids if i not in marked]
            ax.plot(*np.array(dots).T.reshape(2, -1), marker=".", color=draw.tint(MUTED, 0.6),
                    markersize=4, linestyle="")  # fmt: skip
            for look, group in zip(looks, groups.values(), strict=False):
                ends = np.array([places[i] for i in group.values()])
                for end in ends:
                    ax.plot(*np.stack([ends.mean(0), end]).T, color=look["color"], linewidth=1)
                ax.plot(*ends.T, **look, markersize=6.5, linestyle="", zorder=3)
    return ax


def position_similarity(tables: Mapping[str, Any]) -> Axes:
    """Draw the cosine of any two rows of position tables, one square a table.

    One to three named tables, ``(L, d)``; a name may have several lines. The greener, the nearer is
    the cosine to 1; white is 0, and grey is negative. A square's first row is on top.

    >>> ax = position_similarity({"before": [[1, 0], [0, 1]], "after": [[1, 0], [1, 0.1]]})
    >>> [image.get_array().shape for image in ax.images[:2]]  # the third is the scale
    [(2, 2), (2, 2)]
    """
    green = draw.signed(POSITION)
    left, gap, n = 0.42, 0.3, len(tables)
    side = min((WIDTH - left - 0.1 - gap * (n - 1)) / n, 2.9)
    bottom, lines = 1.05, max(name.count("\n") + 1 for name in tables)
    height = bottom + side + 0.08 + 0.27 * lines
    with draw.canvas(height) as ax:
        for i, (name, table) in enumerate(tables.items()):
            shades = draw.cosines(table)
            last, x = len(shades) - 1, left + i * (side + gap)
            half = side / len(shades) / 2
            ax.imshow(shades, cmap=green, vmin=-1, vmax=1, interpolation="nearest",
                      extent=(x, x + side, bottom, bottom + side), aspect="auto")  # fmt: skip
            ax.add_patch(Rectangle((x, bottom), side, side, facecolor="none", edgecolor=MUTED))
            draw.write(ax, x, bottom + side + 0.08, name, va="bottom", linespacing=1.15)
            for number, at in ((0, half), (last, side - half)):
                draw.write(ax, x + at, bottom - 0.08, str(number), ha="center", va="top")
                if i == 0:
                    draw.write(ax, x - 0.08, bottom + side - at, str(number), ha="right",
                               va="center")  # fmt: skip
        draw.write(ax, left + side / 2, bottom - 0.08, "position", ha="center", va="top",
                   color=MUTED)  # fmt: skip
        # Which shade means which cosine.
        draw.write(ax, left, 0.42, "cosine", color=MUTED)
        x = left + draw.text_width("cosine") + 0.35
        ax.imshow(np.linspace(-1, 1, 201)[None], cmap=green, vmin=-1, vmax=1, aspect="auto",
                  extent=(x, x + 2, 0.34, 0.5))  # fmt: skip
        ax.add_patch(Rectangle((x, 0.34), 2, 0.16, facecolor="none", edgecolor=MUTED))
        for value, text in enumerate(("−1", "0", "1")):
            draw.write(ax, x + value, 0.28, text, ha="center", va="top")
        ax.set(xlim=(0, WIDTH), ylim=(0, height))
    return ax


def _numbers(values: Any) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _plane(rows: Floats) -> tuple[Floats, float]:
    """Each row's point in the plane of the first two components, and that plane's share."""
    rows = rows - rows.mean(0)
    _, sizes, components = np.linalg.svd(rows, full_matrices=False)
    first = components[:2]
    signs = np.sign(first[np.arange(len(first)), np.abs(first).argmax(1)])
    return rows @ (first * signs[:, None]).T, float((sizes[:2] ** 2).sum() / (sizes**2).sum())
