"""Figures of the chapter `libraries`."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, WIDTH


def conversation(tokens: Mapping[str, Sequence[str]], special_tokens: Collection[str]) -> Axes:
    """Draw the tokens of conversations, with the special tokens dark.

    `tokens` gives for each title the tokens of a conversation; a space may be written as Ġ. Where
    one special token follows another, a new line begins.

    >>> ax = conversation({"one message": ["<|user|>", "Hi", "<|end|>"]}, ["<|user|>", "<|end|>"])
    >>> [label.get_text() for label in ax.texts]
    ['one message', '<|user|>', 'Hi', '<|end|>']
    """
    placed = {title: list(_placed(row, special_tokens)) for title, row in tokens.items()}
    step = 0.36
    n_rows = sum(row for *_, (row, *_) in placed.values())
    height = 0.1 + step * (n_rows + len(placed)) + 0.15 * (len(placed) - 1)
    with draw.canvas(height) as ax:
        y = height - 0.2
        for title, boxes in placed.items():
            draw.write(ax, 0, y, title, family=BOLD)
            for row, x, width, text, is_special in boxes:
                style: dict[str, Any] = {"fill": 0.08}
                if is_special:
                    style = {"fill": 0.85, "family": BOLD, "color": "white"}
                draw.box(ax, x + 0.02, y - step * row, width, text, **style)
            y -= step * (row + 1) + 0.15
    return ax


def _placed(
    tokens: Sequence[str], special_tokens: Collection[str]
) -> Iterator[tuple[int, float, float, str, bool]]:
    """Yield the row of each token, its left edge, its width, its text, and if it is special."""
    row, x, before = 1, 0.0, False
    for token in tokens:
        text, is_special = draw.visible(token.replace("Ġ", " ")), token in special_tokens
        width = draw.text_width(text) * 1.06 + 0.2
        if (before and is_special) or (x and x + width > WIDTH - 0.04):
            row, x = row + 1, 0.0
        yield row, x, width, text, is_special
        x, before = x + width + 0.04, is_special
