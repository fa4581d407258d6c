"""Figures of the chapter `choosing`."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from workbook.cuts import Cut, Tokenizer, cuts
from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, CURVES, DOT, INK, MUTED, RING, SQUARE, TOKEN, WIDTH


def aligned_cuts(text: str, tokenizers: Mapping[str, Tokenizer]) -> Axes:
    """Draw the tokens of a text below its letters, a row a tokenizer; a column is a byte.

    A name without a tokenizer has the bytes. A long text is broken before a space. What an unknown
    token hides is dashed; at the right is the number of tokens.

    >>> from companion.bpe import gpt2
    >>> ax = aligned_cuts("un été", {"bytes": None, "GPT-2": gpt2()})
    >>> [label.get_text() for label in ax.texts][-6:]
    ['GPT-2', '4', 'un', '␣', 'ét', 'é']
    """
    found = {name: cuts(tokenizer, text) for name, tokenizer in tokenizers.items()}
    lines, left, right, step, start = _lines_of(text, 28), 0.8, 0.57, 0.37, 0
    column = (WIDTH - left - right) / max(len(line.encode()) for line in lines)
    high = step * (len(found) + 1) + 0.1
    with draw.canvas(height=high * len(lines) - 0.1) as ax:
        for i, line in enumerate(lines, 1):
            at, top = start, high * (len(lines) - i + 1) - 0.28
            for letter in line:
                x = left + column * (at - start + len(letter.encode()) / 2)
                draw.write(ax, x, top, draw.visible(letter), ha="center", family=BOLD)
                at += len(letter.encode())
            for row, (name, tokens) in enumerate(found.items(), 1):
                y = top - step * row
                draw.write(ax, 0, y, name, color=MUTED)
                if start == 0:
                    lost = " lost" if any(cut.is_lost for cut in tokens) else ""
                    draw.write(ax, WIDTH, y, f"{len(tokens)}{lost}", ha="right", family=BOLD)
                for cut in tokens:
                    a, b = max(cut.start, start) - start, min(cut.end, at) - start
                    if a < b:
                        _token(ax, left + column * a, y, column * (b - a), cut)
                    elif cut.start == cut.end == start:  # put in front of the text
                        _token(ax, left - 0.14, y, 0.14, cut._replace(token=""))
            start = at
    return ax


def _lines_of(text: str, most: int) -> list[str]:
    """Break a text before spaces into lines of at most so many bytes, if its words are shorter."""
    lines = [""]
    for word in re.findall(r"\s*\S+|\s+$", text):
        if lines[-1] and len((lines[-1] + word).encode()) > most:
            lines.append("")
        lines[-1] += word
    return lines


def _token(ax: Axes, x: float, y: float, width: float, cut: Cut) -> None:
    """Draw a token in the room of its bytes, with its ␣ or ## if that fits."""
    style: dict[str, Any] = {"edge": draw.BYTE, "family": draw.MONO} if cut.is_bytes else {}
    if cut.is_lost:
        style = {"edge": draw.LOST, "color": draw.LOST, "linestyle": draw.DASHED, "fill": 0}
    shown = cut.token.replace(" ", "") if cut.is_bytes else draw.visible(cut.token)
    if cut.is_bytes and 0.1 * len(shown) > width - 0.04:
        shown = ""
    if draw.text_width(shown) > width - 0.04:
        shown = re.sub("^(##|␣|▁)(?=.)", "", shown)
    draw.box(ax, x + 0.02, y, width - 0.04, shown, **style)


def tokens_by_language(
    samples: Mapping[str, str], cutters: Mapping[str, Callable[[str], Sequence[object]]]
) -> Axes:
    """Draw how many tokens each sample has, a row a sample, for up to three tokenizers.

    `cutters` gives for each tokenizer a function from a text to the list of its tokens or ids: the
    counts of the first are filled dots, of the second rings, of the third small dark squares. How
    many tokens are ``[UNK]`` is written at the end of the row.

    >>> ax = tokens_by_language({"French": "un été"}, {"words": str.split, "letters": list})
    >>> [int(dots.get_xdata()[0]) for dots in ax.lines[1:]]
    [2, 6]
    """
    found = {name: [cut(text) for text in samples.values()] for name, cut in cutters.items()}
    counts = np.array([[len(tokens) for tokens in row] for row in found.values()])
    rows = range(len(samples))
    with draw.axes(height=1.0 + 0.33 * len(samples)) as ax:
        for row, low, high in zip(rows, counts.min(axis=0), counts.max(axis=0), strict=True):
            ax.plot([low, high], [row, row], color=MUTED, linewidth=1, zorder=1)
        end = 1.08 * counts.max()
        for mark, (name, texts), numbers in zip(
            (DOT, RING, SQUARE), found.items(), counts, strict=False
        ):
            ax.plot(numbers, rows, **mark, linestyle="none", label=name)
            for row, tokens in enumerate(texts):
                if lost := tokens.count("[UNK]"):
                    draw.note(ax, f"{name}: {lost} [UNK]", (end, row), (0, 0), color=INK,
                              va="center_baseline", family=BOLD)  # fmt: skip
        draw.named_rows(ax, list(samples))
        ax.set(xlim=(0, end), ylim=(len(samples) - 0.4, -0.6), xlabel="tokens")
        ax.legend(loc="lower left", bbox_to_anchor=(-0.02, 1), ncols=3, borderpad=0,
                  handletextpad=0.2)  # fmt: skip
    return ax


def length_by_vocabulary(
    curves: Mapping[str, Mapping[int, int]], points: Mapping[str, tuple[int, int]]
) -> Axes:
    """Draw the number of tokens of a text against the size of the vocabulary.

    `curves` gives for each text the number of tokens for each size; `points` are two other
    tokenizers, a dot and a ring, each with its size and its number of tokens.

    >>> others = {"one": (1024, 50), "two": (2048, 40)}
    >>> ax = length_by_vocabulary({"story": {256: 100, 512: 60}}, others)
    >>> [label.get_text() for label in ax.texts]
    ['story', 'one', 'two']
    """
    most = max(max(curve.values()) for curve in curves.values())
    raised = _raised([list(curve.values())[-1] for curve in curves.values()], most / 11)
    with draw.axes(height=3.5) as ax:
        for line, up, (name, curve) in zip(CURVES, raised, curves.items(), strict=False):
            x, y = list(curve), list(curve.values())
            ax.plot(x, y, color=TOKEN, linewidth=2.2, linestyle=line)
            # `most` is 190 points high.
            draw.note(ax, name, (x[-1], y[-1]), (8, 190 * up / most), va="center")
        for mark, (name, (size, length)) in zip((DOT, RING), points.items(), strict=True):
            ax.plot([size], [length], **mark)
            draw.note(ax, name, (size, length), (0, 12), ha="right", color=INK)
        ax.set_xscale("log", base=2)
        draw.counted(ax)
        ax.set(xlim=(ax.dataLim.x0 * 0.9, ax.dataLim.x1 * 1.6), ylim=(0, most * 1.06))
        ax.set(xlabel="size of the vocabulary, V", ylabel="tokens")
    return ax


def _raised(heights: Sequence[float], gap: float) -> list[float]:
    """Return how far to raise each label so that no two are closer than a gap."""
    raised, last = [0.0] * len(heights), -math.inf
    for i in sorted(range(len(heights)), key=heights.__getitem__):
        last = max(heights[i], last + gap)
        raised[i] = last - heights[i]
    return raised
