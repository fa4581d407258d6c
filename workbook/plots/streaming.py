"""Figures of the chapter `streaming`."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from matplotlib.axes import Axes

from companion.bpe import BPETokenizer
from workbook.plots import _drawing as draw


def knife(tokenizer: BPETokenizer, cuts: Mapping[str, tuple[str, str]]) -> Axes:
    """Draw texts that are cut in two: above the ids of the two parts, below those of the whole.

    `cuts` names the two parts of each. Where the rows differ, tokens have a dashed edge, no fill.

    >>> from companion.bpe import gpt2
    >>> ax = knife(gpt2(), {"early": ("a time", " there"), "late": ("a time ", "there")})
    >>> [text.get_text() for text in ax.texts if "safe" in text.get_text()]
    ['early: safe', 'late: not safe']
    """
    height = 1.72
    with draw.canvas(height=height * len(cuts)) as ax:
        for i, (name, (left, right)) in enumerate(cuts.items()):
            top = height * (len(cuts) - i) - 0.22
            parts = [tokenizer.encode(part) for part in (left, right)]
            joined, whole = parts[0] + parts[1], tokenizer.encode(left + right)
            n_first, n_last = _shared(joined, whole), _shared(joined[::-1], whole[::-1])
            verdict = "safe" if joined == whole else "not safe"
            draw.write(ax, 0, top, f"{name}: {verdict}", family=draw.BOLD)
            for y, which, ids in ((top - 0.42, "parts", joined), (top - 1.02, "whole", whole)):
                draw.write(ax, 0, y, which, color=draw.MUTED)
                x = 0.75
                for place, token_id in enumerate(ids):
                    if ids is joined and place == len(parts[0]):
                        ax.plot([x + 0.1] * 2, [y - 0.36, y + 0.24], color=draw.INK, linewidth=1.6)
                        x += 0.2
                    text = draw.visible(tokenizer.decode([token_id]))
                    width = max(map(draw.text_width, (text, str(token_id)))) + 0.24
                    differs = joined != whole and n_first <= place < len(ids) - n_last
                    style: dict[str, Any] = {"fill": 0, "linestyle": draw.DASHED}
                    draw.box(ax, x, y, width, text, **style if differs else {})
                    draw.write(ax, x + width / 2, y - 0.29, str(token_id), color=draw.MUTED,
                               ha="center")  # fmt: skip
                    x += width + 0.05
    return ax


def _shared(first: Sequence[int], second: Sequence[int]) -> int:
    """Count the entries with which both begin."""
    return len([*takewhile(bool, map(int.__eq__, first, second))])
