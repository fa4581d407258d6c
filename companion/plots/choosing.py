"""Figures of the chapter `choosing`."""

import math
from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes

from companion.plots import _drawing as draw
from companion.plots._drawing import BOLD, CURVES, INK, MUTED, SANS, TOKEN


def tokens_by_language(
    samples: Mapping[str, str],
    cutters: Mapping[str, Callable[[str], Sequence[object]]],
    unknown: str = "[UNK]",
) -> Axes:
    """Draw how many tokens each sample has, for several tokenizers.

    `cutters` gives for each tokenizer a function from a text to the list of its tokens or ids. The
    bars of the first tokenizer are dark, of the second open, of the third light. How many tokens
    are `unknown` is written after the bar.

    >>> ax = tokens_by_language({"French": "un été"}, {"words": str.split, "letters": list})
    >>> [label.get_text() for label in ax.texts]
    ['2', '6']
    """
    thick = 0.8 / len(cutters)
    fills = [draw.tint(TOKEN, 0.75), "white", draw.tint(TOKEN, 0.25)]
    with draw.axes(height=0.75 + 0.235 * len(samples) * len(cutters)) as ax:
        for i, (tokenizer, cut) in enumerate(cutters.items()):
            for row, text in enumerate(samples.values()):
                tokens = cut(text)
                n, lost = len(tokens), tokens.count(unknown)
                y = row - 0.4 + thick * (i + 0.5)
                ax.barh(y, n, height=thick * 0.86, facecolor=fills[i % len(fills)],
                        edgecolor=TOKEN, label=tokenizer if row == 0 else None)  # fmt: skip
                label = f"{n}" + (f"   {lost} {unknown}" if lost else "")
                draw.note(ax, label, (n, y), (5, 0), size=11, va="center_baseline", color=INK,
                          family=BOLD if lost else SANS)  # fmt: skip
        ax.set_yticks(range(len(samples)), list(samples))
        ax.set(ylim=(len(samples) - 0.45, -0.55))
        ax.set_xlim(0, ax.dataLim.x1 * 1.12)
        ax.set_title("tokens", color=MUTED)
        draw.bare(ax)
        ax.legend(loc="upper left", bbox_to_anchor=(0.3, 1), handlelength=1.2)
    return ax


def length_by_vocabulary(
    curves: Mapping[str, Mapping[int, int]], points: Mapping[str, tuple[int, int]] | None = None
) -> Axes:
    """Draw the number of tokens of a text against the size of the vocabulary.

    `curves` gives for each text the number of tokens for each size; `points` are single tokenizers,
    each with its size and its number of tokens.

    >>> ax = length_by_vocabulary({"story": {256: 100, 512: 60}}, {"another": (1024, 50)})
    >>> [label.get_text() for label in ax.texts]
    ['story', 'another']
    """
    marked = points or {}
    sizes = [size for curve in curves.values() for size in curve]
    sizes += [size for size, _ in marked.values()]
    most = max(length for curve in curves.values() for length in curve.values())
    raised = _raised([list(curve.values())[-1] for curve in curves.values()], most / 11)
    with draw.axes(height=3.5) as ax:
        for i, (name, curve) in enumerate(curves.items()):
            x, y = list(curve), list(curve.values())
            ax.plot(x, y, color=TOKEN, linewidth=2.2, linestyle=CURVES[i % 3])
            up = 190 * raised[i] / most  # `most` is 190 points high
            draw.note(ax, name, (x[-1], y[-1]), (8, up), va="center")
        for name, (size, length) in marked.items():
            ax.plot([size], [length], marker="D", color=INK)
            draw.note(ax, name, (size, length), (0, 10), ha="right", color=INK)
        ax.set_xscale("log", base=2)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:,.0f}")
        ax.set(xlim=(min(sizes) * 0.9, max(sizes) * 1.6), ylim=(0, most * 1.06))
        ax.set(xlabel="size of the vocabulary, V", ylabel="tokens")
    return ax


def _raised(heights: Sequence[float], gap: float) -> list[float]:
    """Return how far to raise each label so that no two are closer than a gap."""
    raised, last = [0.0] * len(heights), -math.inf
    for i in sorted(range(len(heights)), key=heights.__getitem__):
        last = max(heights[i], last + gap)
        raised[i] = last - heights[i]
    return raised
