"""Figures of the chapter `words`."""

import unicodedata
from collections import Counter
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import MUTED, REFERENCE, TOKEN


def vocabulary_growth(tokens: Sequence[str]) -> Axes:
    """Draw how many distinct tokens have been seen after each token of a text.

    >>> ax = vocabulary_growth(["drip", "and", "drip-drop", "and", "drip", "and", "drip"])
    >>> [int(y) for y in ax.lines[0].get_ydata()]
    [0, 1, 2, 3, 3, 3, 3, 3]
    """
    seen: set[str] = set()
    distinct = [0]
    for token in tokens:
        seen.add(token)
        distinct.append(len(seen))
    with draw.axes(height=3.1) as ax:
        n = len(tokens)
        ax.plot(range(n + 1), distinct, color=TOKEN, linewidth=2.2)
        ax.set(xlim=(0, n * 1.02), xlabel="tokens read")
        ax.set(ylim=(0, distinct[-1] * 1.18), ylabel="distinct tokens")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.plot([0, n], [0, n], color=MUTED, linewidth=1.2, linestyle=REFERENCE)
        limit = distinct[-1] * 1.06
        draw.note(ax, "if every token\nwere new", (limit, limit), (8, -4), va="top", color=MUTED)
        draw.note(ax, f"{distinct[-1]} distinct\nin {n:,} tokens", (n, distinct[-1]), (-6, -14),
                  ha="right", va="top")  # fmt: skip
        ax.plot([n], [distinct[-1]], marker="o", color=TOKEN)
    return ax


def rank_frequency(tokens: Sequence[str]) -> Axes:
    """Draw the count of each distinct token against its rank, on logarithmic scales.

    The dashed line is Zipf's law, the highest count / rank.

    >>> ax = rank_frequency(["drip"] * 20 + ["and"] * 10 + [*"abcdefghijklm"])
    >>> [int(y) for y in ax.lines[0].get_ydata()][:4]
    [20, 10, 1, 1]
    """
    ranked = Counter(tokens).most_common()
    counts = [count for _, count in ranked]
    ranks = np.arange(1, len(counts) + 1)
    with draw.axes(height=3.4) as ax:
        ax.loglog(ranks, counts, color=TOKEN, marker="o", markersize=4, linestyle="none")
        ax.loglog(ranks, counts[0] / ranks, color=MUTED, linewidth=1.2, linestyle=REFERENCE)
        draw.counted(ax, "{x:g}")
        ax.set(xlabel="rank of the token", ylabel="how often it occurs")
        ax.set(xlim=(0.6, None), ylim=(0.7, counts[0] * 2))  # room for the first label
        draw.note(ax, "highest count / rank", (6, counts[0] / 6), (-8, -4), ha="right", va="top",
                  color=MUTED)  # fmt: skip
        for rank in (1, 2, 4, 8):
            name, count = ranked[rank - 1]
            if len(name) == 1 and not name.isalnum():  # as it is, a comma would look like a speck
                name = unicodedata.name(name, name).lower()
            draw.note(ax, name, (rank, count), (-14 if rank == 1 else 4, 5))
        once = counts.count(1)
        draw.note(ax, f"{once} of {len(counts)}\noccur once", (ranks[-1], 1), (0, 50), ha="right")
    return ax
