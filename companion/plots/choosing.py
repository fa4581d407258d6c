"""Figures of the chapter `choosing`."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from companion.plots._drawing import BOLD, BYTE, INK, MUTED, POSITION, SANS, TOKEN, axes, tint

__all__ = ["length_by_vocabulary", "parameter_shares", "tokens_per_character"]


def tokens_per_character(
    samples: Mapping[str, str],
    cutters: Mapping[str, Callable[[str], Sequence[object]]],
    unknown: str = "[UNK]",
    ax: Axes | None = None,
) -> Axes:
    """Draw how many tokens a character costs in each sample, for several tokenizers.

    Parameters
    ----------
    samples : mapping of str to str
        A name for each sample, such as its language, and its text.
    cutters : mapping of str to callable
        A name for each tokenizer, and what turns a text into a list of its tokens or ids.
    unknown : str, optional
        The token that stands for what was lost; it is counted beside the bar.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. The samples keep their order. A bar is as long as tokens / characters;
        those of the first tokenizer are dark, of the second open, of the third light.

    Raises
    ------
    ValueError
        If there is no sample or no tokenizer, or a sample is empty.

    Examples
    --------
    >>> from companion.plots import tokens_per_character
    >>> ax = tokens_per_character({"French": "un été"}, {"words": str.split, "letters": list})
    >>> [label.get_text() for label in ax.texts]
    ['0.33', '1.00']
    """
    if not samples or not cutters:
        raise ValueError("there is nothing to draw; give at least one sample and one tokenizer")
    for name, text in samples.items():
        if not text:
            raise ValueError(f"the sample {name!r} is empty; give it at least one character")
    thick = 0.8 / len(cutters)
    fills = [tint(TOKEN, 0.75), "white", tint(TOKEN, 0.25)]
    with axes(ax, height=0.75 + 0.235 * len(samples) * len(cutters)) as ax:
        longest = 0.0
        for i, (tokenizer, cut) in enumerate(cutters.items()):
            for row, text in enumerate(samples.values()):
                tokens = cut(text)
                rate, lost = len(tokens) / len(text), tokens.count(unknown)
                longest = max(longest, rate)
                y = row - 0.4 + thick * (i + 0.5)
                ax.barh(
                    y,
                    rate,
                    height=thick * 0.86,
                    facecolor=fills[i % len(fills)],
                    edgecolor=TOKEN,
                    label=tokenizer if row == 0 else None,
                )
                note = f"{rate:.2f}" + (f"   {lost} {unknown}" if lost else "")
                ax.annotate(
                    note,
                    (rate, y),
                    (5, 0),
                    textcoords="offset points",
                    size=11,
                    va="center_baseline",
                    family=BOLD if lost else SANS,
                )
        ax.set_yticks(range(len(samples)), list(samples))
        ax.set(xlim=(0, longest * 1.12), ylim=(len(samples) - 0.45, -0.55), xticks=[])
        ax.set_title("tokens per character", color=MUTED)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.legend(loc="upper right", handlelength=1.2)
    return ax


def length_by_vocabulary(
    curves: Mapping[str, Mapping[int, int]],
    points: Mapping[str, tuple[int, int]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the number of tokens of a text against the size of the vocabulary.

    Parameters
    ----------
    curves : mapping of str to mapping of int to int
        For each text its name, and the number of tokens for each size of the vocabulary.
    points : mapping of str to (int, int), optional
        Single tokenizers: a name, the size of the vocabulary, the number of tokens.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, the size on a logarithmic scale; the curves are its first lines.

    Raises
    ------
    ValueError
        If there is no curve.

    Examples
    --------
    >>> from companion.plots import length_by_vocabulary
    >>> ax = length_by_vocabulary({"story": {256: 100, 512: 60}}, {"another": (1024, 50)})
    >>> [label.get_text() for label in ax.texts]
    ['story', 'another']
    """
    if not curves:
        raise ValueError("there is no curve to draw; give at least one")
    marked = points or {}
    sizes = [size for curve in curves.values() for size in curve]
    sizes += [size for size, _ in marked.values()]
    most = max(length for curve in curves.values() for length in curve.values())
    styles: list[Any] = ["-", (0, (4, 2)), (0, (1, 1.5))]
    ends = [list(curve.values())[-1] for curve in curves.values()]
    raised = _raised(ends, most / 11)  # a line of text
    with axes(ax, height=3.5) as ax:
        for i, (name, curve) in enumerate(curves.items()):
            x, y = list(curve), list(curve.values())
            ax.plot(x, y, color=TOKEN, linewidth=2.2, linestyle=styles[i % len(styles)])
            up = 190 * raised[i] / most  # `most` is 190 points high
            ax.annotate(
                name, (x[-1], y[-1]), (8, up), textcoords="offset points", va="center", color=TOKEN
            )
        for name, (size, length) in marked.items():
            ax.plot([size], [length], marker="D", color=INK)
            ax.annotate(
                name, (size, length), (0, 10), textcoords="offset points", ha="right", color=INK
            )
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


def parameter_shares(models: Mapping[str, Mapping[str, int]], ax: Axes | None = None) -> Axes:
    """Draw which share of its parameters each model spends on what.

    Parameters
    ----------
    models : mapping of str to mapping of str to int
        For each model its name, and how many parameters each of its parts has. All models have
        the same parts; the first is the table of tokens.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. Each bar is all parameters of a model; the share of the first part is
        written into it, and behind it stands the number of all in millions.

    Raises
    ------
    ValueError
        If there is no model, or two models have different parts.

    Examples
    --------
    >>> from companion.plots import parameter_shares
    >>> ax = parameter_shares({"tiny": {"tokens": 1_000_000, "rest": 3_000_000}})
    >>> [label.get_text() for label in ax.texts]
    ['25.0 %', '4.0 M']
    """
    parts = next((list(model) for model in models.values()), [])
    if not parts:
        raise ValueError("there is no model to draw; give at least one with its parts")
    for name, model in models.items():
        if list(model) != parts:
            raise ValueError(
                f"the parts of {name!r} are {list(model)}, not {parts} as of the first"
            )
    fills = [tint(TOKEN, 0.75), tint(POSITION, 0.75), "white", tint(BYTE, 0.3)]
    with axes(ax, height=0.8 + 0.42 * len(models)) as ax:
        for row, model in enumerate(models.values()):
            total, left = sum(model.values()), 0.0
            for i, (part, n_parameters) in enumerate(model.items()):
                share = n_parameters / total
                ax.barh(
                    row,
                    share,
                    left=left,
                    height=0.66,
                    facecolor=fills[i % len(fills)],
                    edgecolor=INK,
                    linewidth=0.8,
                    label=part if row == 0 else None,
                )
                left += share
            share = model[parts[0]] / total
            inside = share > 0.12
            ax.text(
                share / 2 if inside else share + 0.03,
                row,
                f"{100 * share:.1f} %",
                ha="center" if inside else "left",
                va="center_baseline",
                family=BOLD,
                color="white" if inside else INK,
            )
            ax.text(1.02, row, f"{total / 1e6:,.1f} M", va="center_baseline")
        ax.set_yticks(range(len(models)), list(models))
        ax.set(xlim=(0, 1.24), ylim=(len(models) - 0.5, -0.5), xticks=[])
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.legend(
            loc="lower left", bbox_to_anchor=(0, 1), ncols=len(parts), handlelength=1.2,
            columnspacing=1.2, borderpad=0,
        )  # fmt: skip
    return ax
