"""Figures of the chapter `libraries`."""

from collections.abc import Collection, Mapping, Sequence

from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, INK, SANS, WIDTH


def conversation(tokens: Mapping[str, Sequence[str]], special_tokens: Collection[str]) -> Axes:
    """Draw the tokens of conversations, with the special tokens dark.

    `tokens` gives for each title the tokens of a conversation; a space may be written as Ġ. Where
    one special token follows another, a new line begins.

    >>> ax = conversation({"one message": ["<|user|>", "Hi", "<|end|>"]}, ["<|user|>", "<|end|>"])
    >>> [label.get_text() for label in ax.texts]
    ['one message', '<|user|>', 'Hi', '<|end|>']
    """
    lines = [(title, _lines(row, special_tokens)) for title, row in tokens.items()]
    rows = [_placed(line) for _, found in lines for line in found]
    step = 0.36
    n_rows = sum(max(row for row, *_ in placed) + 1 for placed in rows)
    height = 0.1 + step * (n_rows + len(lines)) + 0.15 * (len(lines) - 1)
    with draw.canvas(height) as ax:
        y = height - 0.2
        for title, found in lines:
            draw.write(ax, 0, y, title, family=BOLD)
            y -= step
            for line in found:
                placed = _placed(line)
                for row, x, token in placed:
                    _draw_token(ax, x, y - step * row, token, token in special_tokens)
                y -= step * (placed[-1][0] + 1)
            y -= 0.15
    return ax


def _lines(tokens: Sequence[str], special_tokens: Collection[str]) -> list[list[str]]:
    """Begin a new line where one special token follows another."""
    lines: list[list[str]] = []
    for token in tokens:
        follows = bool(lines) and not (token in special_tokens and lines[-1][-1] in special_tokens)
        if follows:
            lines[-1].append(token)
        else:
            lines.append([token])
    return lines


def _written(token: str) -> str:
    return draw.visible(token.replace("Ġ", " "))


def _width(token: str) -> float:
    return draw.text_width(_written(token)) * 1.06 + 0.2


def _placed(line: Sequence[str]) -> list[tuple[int, float, str]]:
    """Return the row, the left edge and the text of each token of a line."""
    places = draw.flow([_width(token) for token in line], 0.04, WIDTH - 0.04)
    return [(row, x + 0.02, token) for (row, x), token in zip(places, line, strict=True)]


def _draw_token(ax: Axes, x: float, y: float, token: str, is_special: bool) -> None:
    draw.box(
        ax, x, y, _width(token), _written(token),
        fill=0.85 if is_special else 0.08, family=BOLD if is_special else SANS,
        color="white" if is_special else INK,
    )  # fmt: skip
