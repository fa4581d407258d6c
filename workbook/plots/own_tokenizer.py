"""Figures of the chapter `own-tokenizer`."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from workbook.plots import _drawing as draw
from workbook.plots._drawing import CURVES, DOT, INK, MUTED, RING, SQUARE, TOKEN


def compression_by_text(measured: Mapping[str, Mapping[str, float]]) -> Axes:
    """Draw the bytes per token of several tokenizers, a line for each text.

    `measured` gives for each text the bytes per token of each tokenizer: the first is a small dark
    square, the second a filled dot, the third a ring.

    >>> ax = compression_by_text({"code": {"own": 3.9, "other": 2.0}, "prose": {"own": 2.7}})
    >>> [label.get_text() for label in ax.get_legend().get_texts()]
    ['own', 'other']
    """
    tokenizers = list(dict.fromkeys(name for row in measured.values() for name in row))
    with draw.axes(height=1.15 + 0.42 * len(measured)) as ax:
        for y, row in enumerate(measured.values()):
            ax.plot([min(row.values()), max(row.values())], [y, y], color=MUTED, linewidth=1)
        for mark, name in zip((SQUARE, DOT, RING), tokenizers, strict=False):
            points = [(row[name], y) for y, row in enumerate(measured.values()) if name in row]
            ax.plot(*zip(*points, strict=True), **mark, linestyle="none", label=name)
        ax.set_yticks(range(len(measured)), list(measured))
        ax.set(xlabel="bytes per token", xlim=(0, None), ylim=(len(measured) - 0.5, -0.5))
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0)
    return ax


def growth(sizes: Sequence[int], kept: Mapping[str, Sequence[int]], to: float) -> Axes:
    """Draw what a trainer keeps of a growing corpus, and where that leads.

    `sizes` are those of the corpus in bytes, `kept` the bytes that are kept at each size. A dotted
    line goes on from the last quarter of each curve to the size `to`.

    >>> ax = growth([1000, 4000], {"words": [100, 200], "lines": [900, 3500]}, 64_000)
    >>> [round(line.get_ydata()[-1]) for line in ax.lines][1]
    800
    """
    with draw.axes(height=3.7) as ax:
        for i, (name, curve) in enumerate(kept.items()):
            ax.plot(sizes, curve, color=TOKEN, linewidth=2.2, linestyle=CURVES[i % 2])
            quarter = min(range(len(sizes)), key=lambda j: abs(sizes[j] - sizes[-1] / 4))
            power = math.log(curve[-1] / curve[quarter]) / math.log(sizes[-1] / sizes[quarter])
            end = curve[-1] * (to / sizes[-1]) ** power
            ax.plot([sizes[-1], to], [curve[-1], end], color=TOKEN, linestyle=CURVES[2])
            ax.plot([to], [end], marker="o", color=TOKEN)
            draw.note(ax, name, (sizes[-1], curve[-1]), (6, -4), va="top", color=INK)
        ax.set(xscale="log", yscale="log", xlabel="size of the corpus", ylabel="kept")
        draw.counted(ax, EngFormatter(unit="B"))
    return ax
