"""Figures of the chapter `bert-input`, and the sum of rows that `start` draws, too."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from workbook.plots import _drawing as draw
from workbook.plots._drawing import INPUT, POSITION, REFERENCE, SEGMENT, TOKEN, WIDTH

Parts = Mapping[str, tuple[Sequence[int], Any]]
"""For ``"token"``, ``"segment"`` and ``"position"``: the rows that are taken, and their table."""


def input_sum(tokens: Sequence[str], parts: Parts, normalized: Any = None) -> Axes:
    """Draw what a model reads, a token a row: rows of tables, their sum, and that normalized.

    The first 8 numbers of each are bars, up or down, on one scale for tables and sum, after the
    number of the row in its table. A line separates segments; special tokens have dashed boxes.

    >>> parts = {"token": ([2, 1, 3], [[i] * 8 for i in range(4)]),
    ...          "segment": ([0, 0, 1], [[0] * 8, [1] * 8]),
    ...          "position": (range(3), [[i] * 8 for i in range(3)])}
    >>> ax = input_sum(["[CLS]", "hi", "you"], parts, normalized=[[1, -1] * 4] * 3)
    >>> [label.get_text() for label in ax.texts][-8:]
    ['you', '3', '+', '1', '+', '2', '=', '→']
    """
    return input_sums({"": (tokens, parts, normalized)})


def input_sums(models: Mapping[str, tuple[Sequence[str], Parts, Any]]) -> Axes:
    """Draw what several models read, one below the other, each under its name.

    >>> tables = [[0.5] * 8] * 9
    >>> gpt2 = ["a", " b"], {"token": ([7, 8], tables), "position": (range(2), tables)}, None
    >>> ax = input_sums({"GPT-2": gpt2, "again": gpt2})
    >>> [text for label in ax.texts if (text := label.get_text()) in ("GPT-2", "again", "␣b")]
    ['GPT-2', '␣b', 'again', '␣b']
    """
    heights = [_HEAD + _STEP * len(tokens) for tokens, _, _ in models.values()]
    with draw.canvas(height=sum(heights)) as ax:
        top = sum(heights)
        for (name, model), height in zip(models.items(), heights, strict=True):
            draw.write(ax, 0, top - _HEAD + 0.09, name, va="bottom", family=draw.BOLD)
            _draw_sum(ax, top - _HEAD + 0.05, *model)
            top -= height
    return ax


def _columns(parts: Parts, normalized: Any, edges: Sequence[float]) -> Iterator[tuple[Any, ...]]:
    """Yield of each column its edge, colour, heading, rows, scale, numbers before, sign after."""
    rows = [np.array([table[i][:8] for i in ids], dtype=float) for ids, table in parts.values()]
    rows.append(sum(rows[1:], start=rows[0]))
    scale = max(float(np.abs(part).max()) for part in rows)
    signs = "+" * (len(parts) - 1) + "="
    for x, (name, (ids, _)), vectors, sign in zip(edges, parts.items(), rows, signs, strict=False):
        yield x, _COLORS[name], f"{name}\nrow", vectors, scale, ids, sign
    sign = "" if normalized is None else "→"
    yield edges[len(parts)], INPUT, "sum", rows[-1], scale, None, sign
    if normalized is not None:
        after = np.array([row[:8] for row in normalized], dtype=float)
        yield edges[-1], INPUT, "normal-\nized", after, float(np.abs(after).max()), None, ""


def _draw_sum(ax: Axes, top: float, tokens: Sequence[str], parts: Parts, normalized: Any) -> None:
    edges, strip = _LAYOUTS[len(parts)]
    columns = [*_columns(parts, normalized, edges)]
    for x, color, heading, *_ in columns:
        draw.write(ax, x + strip / 2, top + 0.04, heading, color=color, ha="center", va="bottom",
                   linespacing=0.95)  # fmt: skip
    segment_ids, _ = parts.get("segment", ([0] * len(tokens), None))
    for row, token in enumerate(tokens):
        y = top - _STEP * (row + 0.5)
        if row and segment_ids[row] != segment_ids[row - 1]:
            ax.plot([0, WIDTH], [y + _STEP / 2] * 2, color=draw.GRID, linewidth=1.2)
        is_special = token[0] == "[" and len(token) > 1
        style: dict[str, Any] = {"fill": 0, "linestyle": draw.DASHED} if is_special else {}
        shown = draw.visible(token)
        draw.box(ax, 0.02, y, draw.text_width(shown) + 0.16, shown, **style)
        for x, color, _, vectors, scale, numbers, sign in columns:
            if numbers is not None:
                draw.write(ax, x - 0.05, y, str(numbers[row]), color=color, ha="right")
            draw.vector_bars(ax, x, y, strip, _STEP * 0.95, vectors[row], color, scale)
            if sign:
                draw.write(ax, x + strip + 0.09, y, sign, color=draw.MUTED, ha="center")


def vector_lengths(before: npt.ArrayLike, after: npt.ArrayLike, names: Sequence[str]) -> Axes:
    """Draw how long vectors are before and after normalization, a vector a row.

    `before` and `after` have shape ``(n, d_model)``, with a name a row. A length before is an open
    dot, one after it a filled dot; the axis is logarithmic. The dashed line is at √`d_model`.

    >>> ax = vector_lengths([[3, 4], [0, 2]], [[-1, 1], [-1, 1]], ["one", "two"])
    >>> [float(x) for x in ax.lines[0].get_xdata()]
    [5.0, 2.0]
    """
    lengths = np.array([np.linalg.norm(np.asarray(x, float), axis=1) for x in (before, after)])
    n, d_model = np.shape(before)
    root = float(np.sqrt(d_model))
    with draw.axes(height=1.0 + 0.27 * n) as ax:
        ax.set_xscale("log")
        for values, face in zip(lengths, ("white", INPUT), strict=True):
            ax.plot(values, range(n), "o", color=INPUT, markersize=7, markerfacecolor=face,
                    zorder=3)  # fmt: skip
        ax.plot(lengths, [range(n)] * 2, color=draw.MUTED, linewidth=0.9)
        ax.plot([root, root], [-0.4, n - 0.4], color=INPUT, linewidth=1.1, linestyle=REFERENCE,
                zorder=1)  # fmt: skip
        low, high = lengths.min() / 1.5, max(lengths.max(), root) * 1.5
        ticks = [m * 10.0**e for e in range(-6, 7) for m in (1, 2, 5)]
        ax.set(xlim=(low, high), ylim=(n + 0.4, -1.25), xlabel="length of the vector")
        ax.set_xticks([tick for tick in ticks if low < tick < high])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter("{x:g}")
        draw.named_rows(ax, names, va="center_baseline")
        draw.write(ax, root, n - 0.05, f"√{d_model} = {root:.1f}", color=INPUT, ha="center")
        for values, name in zip(lengths, ("the sum", "normalized"), strict=True):
            draw.write(ax, float(values[0]), -0.85, name, color=INPUT, ha="center")
    return ax


_HEAD, _STEP = 0.52, 0.4
_COLORS = {"token": TOKEN, "segment": SEGMENT, "position": POSITION}
# By the number of tables: the left edges of the columns, and their width.
_LAYOUTS = {2: ((1.75, 3.16, 4.36), 0.95), 3: ((1.63, 2.49, 3.38, 4.05, 4.76), 0.5)}
