"""Figures of the chapter `relative-positions`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from workbook.plots import _drawing as draw
from workbook.plots._drawing import CURVES, GRID, INK, MUTED, POSITION, TOKEN, WIDTH


def relative_matrix(matrix: Any, tokens: Sequence[str]) -> Axes:
    """Draw a whole number for each query and key: a row a query, a column a key.

    `matrix` is ``(n, n)``, such as T5's buckets of ten tokens. Cells up to the query are filled.

    >>> ax = relative_matrix([[0, 17], [1, 0]], ["four", "little"])
    >>> [label.get_text() for label in ax.texts]
    ['query, key', 'four', 'little', 'four', '0', '17', 'little', '1', '0']
    """
    n, left, row = len(tokens), 0.95, 0.3
    cell = min(0.6, (WIDTH - left - 0.02) / n)
    with draw.canvas(height=row * (n + 1) + 0.06) as ax:
        top = row * (n + 0.5) + 0.03
        draw.write(ax, 0, top, "query, key", color=MUTED)
        for j, token in enumerate(tokens):
            draw.write(ax, left + (j + 0.5) * cell, top, token, ha="center")
        for i, token in enumerate(tokens):
            y = top - (i + 1) * row
            draw.write(ax, left - 0.1, y, token, ha="right")
            for j, number in enumerate(matrix[i]):
                face = draw.tint(POSITION, 0.16) if j <= i else "white"
                draw.number_cell(ax, left + j * cell, y, cell, f"{number:d}", face=face,
                                 edge=POSITION)  # fmt: skip
    return ax


def bucket_stairs(relative: Any, buckets: Mapping[str, Any]) -> Axes:
    """Draw the bucket of each relative position, a line of stairs for each way of sorting.

    `buckets` has one or two names, each with a bucket for each entry of `relative`. The first line
    is solid and named at its right end, the second dashed and named at its left end.

    >>> from companion.positions import t5_bucket
    >>> ax = bucket_stairs(range(-9, 10), {"encoder": t5_bucket(range(-9, 10))})
    >>> [label.get_text() for label in ax.texts]
    ['encoder']
    """
    ends = (-1, "right"), (0, "left")
    with draw.axes(height=3.3) as ax:
        for i, ((end, ha), (name, steps)) in enumerate(zip(ends, buckets.items(), strict=False)):
            ax.step(relative, steps, where="mid", color=POSITION, linewidth=2 - 0.4 * i,
                    linestyle=CURVES[i])  # fmt: skip
            draw.note(ax, name, (relative[end], steps[end]), (0, 5), ha=ha, va="bottom", color=INK)
        ax.margins(x=0.02, y=0.14)
        ax.set(xlabel="key position − query position", ylabel="bucket")
    return ax


def weights_by_distance(distances: Any, weights: Mapping[str, Any]) -> Axes:
    """Draw what is left of the weight of a key, by its distance: a curve for each head.

    `weights` has for each head a name and a falling curve, one number for each entry of
    `distances`. The name stands where half is left, and a dot where one percent is.

    >>> ax = weights_by_distance([1, 2, 3], {"1/2": [0.6, 0.4, 0.2], "1/4": [0.8, 0.5, 0.009]})
    >>> [label.get_text() for label in ax.texts]
    ['1/2', '1/4']
    """
    x = np.asarray(distances)
    with draw.axes(height=3.2) as ax:
        for i, (name, curve) in enumerate(weights.items()):
            y = np.asarray(curve)
            shade = draw.tint(POSITION, 1 - 0.5 * i / len(weights))
            ax.plot(x, y, color=shade, linewidth=1.8)
            half = np.interp(0.5, y[::-1], x[::-1])
            draw.write(ax, float(half), 0.5, name, ha="center", va="center",
                       bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
            if y[-1] < 0.01:
                ax.plot([x[np.argmax(y < 0.01)]], [0.01], marker="o", markersize=5, color=shade)
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set(xlim=(x[0], x[-1]), ylim=(-0.03, 1.03))
        ax.set(xlabel="distance between query and key", ylabel="e to the power of the bias")
    return ax


def rotating_pairs(turned: Any) -> Axes:
    r"""Draw a dial for each pair of coordinates: where a vector points at each position.

    `turned` is the same vector at positions 0 to n - 1, ``(n, d)``, as `rotate` turns it in the
    interleaved layout: up to six positions and four pairs. A dial has a hand for each position, the
    later the darker, numbered where there is room, and says how many positions make a full turn.

    >>> import torch
    >>> from companion.positions import rotate
    >>> ax = rotating_pairs(rotate(torch.ones(3, 2)))
    >>> [label.get_text() for label in ax.texts]
    ['0', '1', '2', 'pair 0', 'a turn in\n6.3 positions']
    """
    hands = np.asarray(turned, dtype=float)
    n, n_pairs = len(hands), hands.shape[1] // 2
    pairs = hands.reshape(n, n_pairs, 2).swapaxes(0, 1)  # (n_pairs, n, 2)
    lengths = np.hypot(*pairs[:, 0].T)
    radius, width = 0.45, WIDTH / 4
    with draw.canvas(height=2.34) as ax:
        for i, pair in enumerate(pairs):
            center = np.array([(i + 0.5) * width, 1.58])
            ends = center + radius * pair / lengths.max()
            ax.add_patch(Circle(tuple(center), radius * lengths[i] / lengths.max(), fill=False,
                                edgecolor=GRID, linewidth=1.0))  # fmt: skip
            for p, end in enumerate(ends):
                shade = draw.tint(POSITION, 0.35 + 0.65 * p / (n - 1))
                ax.plot(*np.array([center, end]).T, "o-", color=shade, linewidth=1.8,
                        markersize=4.5, markevery=[1])  # fmt: skip
            for text, direction in _hand_labels(pair):
                x, y = center + (0.59 if len(text) == 1 else 0.64) * direction
                draw.write(ax, x, y, text, ha="center")
            draw.write(ax, center[0], 0.64, f"pair {i}", ha="center")
            positions = 2 * np.pi / _angle(pair[0], pair[1])
            written = f"{positions:,.1f}" if positions < 100 else f"{positions:,.0f}"
            draw.write(ax, center[0], 0.24, f"a turn in\n{written} positions", color=MUTED,
                       ha="center", va="center", linespacing=1.05)  # fmt: skip
    return ax


def products_by_distance(distances: Any, curves: Mapping[str, Any]) -> Axes:
    """Draw how products of queries and keys change with the distance between them.

    Up to four named curves, each with a product for each entry of `distances`.

    >>> ax = products_by_distance([0, 1, 2], {"falling": [1, 0.5, 0.2], "level": [1, 1, 1]})
    >>> len(ax.lines)
    2
    """
    styles: list[tuple[Any, str, float]] = [
        ("-", POSITION, 2.2), ("-", INK, 1.0), ((0, (5, 2)), TOKEN, 1.8), ((0, (1, 1.4)), INK, 2.0)
    ]  # fmt: skip
    with draw.axes(height=3.6) as ax:
        for (name, curve), (style, color, width) in zip(curves.items(), styles, strict=False):
            ax.plot(distances, curve, linestyle=style, color=color, linewidth=width, label=name)
        ax.set(xlabel="distance between query and key", ylabel="relative to its largest")
        ax.margins(x=0.02)
        ax.set_ylim(bottom=min(0.0, ax.dataLim.y0))
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderpad=0, handlelength=2.6,
                  labelspacing=0.25)  # fmt: skip
    return ax


def _angle(first: Any, second: Any) -> float:
    """Return the angle between two vectors of two numbers."""
    cross = first[0] * second[1] - first[1] * second[0]
    return float(abs(np.arctan2(cross, first @ second)))


def _hand_labels(pair: Any) -> list[tuple[str, Any]]:
    """Number the hands of a dial as far as there is room: all, the first and last, or a range."""
    n = len(pair)
    directions = pair / np.hypot(*pair.T)[:, None]
    if _angle(pair[0], pair[1]) > 0.35:
        return [(str(p), direction) for p, direction in enumerate(directions)]
    if _angle(pair[0], pair[-1]) > 0.35:
        return [("0", directions[0]), (str(n - 1), directions[-1])]
    return [(f"0–{n - 1}", directions[n // 2])]
