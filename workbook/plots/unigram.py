"""Figures of the chapter `unigram`."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, combinations, pairwise
from typing import Any

from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, DASHED, MUTED, TOKEN, WIDTH


def lattice(word: str, log_p: Mapping[str, float], best: Sequence[str]) -> Axes:
    """Draw all pieces that occur in a word, below its letters, and the best cut among them.

    `log_p` has the log probability of each piece. The pieces of the `best` cut are dark boxes with
    solid edges in the first row; the others are light boxes with dashed edges below it.

    >>> ax = lattice("no", {"n": -3.0, "o": -3.0, "no": -4.0}, ["no"])
    >>> [label.get_text() for label in ax.texts]
    ['n', 'o', 'no −4.0', 'n −3.0', 'o −3.0']
    """
    first = list(pairwise(accumulate(map(len, best), initial=0)))
    spans = [span for span in combinations(range(len(word) + 1), 2)
             if word[slice(*span)] in log_p and span not in first]  # fmt: skip
    rows = [first, *_rows(sorted(spans, key=lambda span: (span[0] - span[1], span)))]
    cell, step = min(0.82, WIDTH / len(word)), 0.4
    height = 0.45 + step * len(rows)
    with draw.canvas(height=height) as ax:
        left = (WIDTH - cell * len(word)) / 2
        for i, letter in enumerate(draw.visible(word)):
            draw.write(ax, left + (i + 0.5) * cell, height - 0.2, letter, ha="center", family=BOLD)
        for number, row in enumerate(rows):
            y = height - 0.58 - step * number
            for start, end in row:
                piece = word[start:end]
                text = f"{draw.visible(piece)} {log_p[piece]:.1f}".replace("-", "−")
                style: dict[str, Any] = {"fill": 0.03, "linestyle": DASHED}
                if row is first:
                    style = {"family": BOLD, "fill": 0.22, "linewidth": 1.6}
                x, width = left + start * cell + 0.03, (end - start) * cell - 0.06
                draw.box(ax, x, y, width, text, **style)
    return ax


def _rows(spans: Iterable[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Put spans that do not overlap into common rows, each into the first with room."""
    rows: list[list[tuple[int, int]]] = []
    for start, end in spans:
        free = [row for row in rows if all(end <= a or b <= start for a, b in row)]
        if free:
            free[0].append((start, end))
        else:
            rows.append([(start, end)])
    return rows


def vocabulary_cost(costs: Mapping[int, float], cuts: Mapping[int, Sequence[str]]) -> Axes:
    """Draw what a text costs with vocabularies of several sizes, and how each cuts some words.

    `costs` has the bits per character for each size, `cuts` the pieces of the same words. A row is
    a size: its bar is as long as the cost, and the pieces follow it.

    >>> ax = vocabulary_cost({400: 2.1, 100: 3.5}, {400: ["▁the"], 100: ["▁", "the"]})
    >>> [label.get_text() for label in ax.texts][2:]
    ['400', '2.10', '▁the', '100', '3.50', '▁', 'the']
    """
    left, longest, x_pieces, step = 0.6, 1.15, 2.36, 0.36
    scale = longest / max(costs.values())
    with draw.canvas(height=0.4 + step * len(costs)) as ax:
        top = 0.14 + step * len(costs)
        draw.write(ax, left, top, "pieces", color=MUTED, ha="right")
        draw.write(ax, left + 0.1, top, "bits per character", color=MUTED)
        for row, (size, cost) in enumerate(costs.items()):
            y = top - 0.3 - step * row
            draw.write(ax, left, y, f"{size:,}", ha="right")
            draw.number_cell(ax, left + 0.1, y, cost * scale, "", face=draw.tint(TOKEN, 0.75))
            draw.write(ax, left + 0.16 + cost * scale, y, f"{cost:.2f}", family=BOLD)
            x = x_pieces
            for piece in cuts[size]:
                width = draw.text_width(piece) + 0.12
                draw.box(ax, x, y, width, piece)
                x += width + 0.01
    return ax
