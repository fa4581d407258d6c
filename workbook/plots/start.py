"""Figure of the page `start`."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import INPUT, MUTED, TOKEN


def language_model(pieces: Sequence[str], n_blocks: int) -> Axes:
    """Draw a language model from far away: pieces, a row for each, blocks, the next piece.

    >>> ax = language_model(["Once", " upon"], n_blocks=12)
    >>> [label.get_text() for label in ax.texts if label.get_text().startswith("block")]
    ['block 1', 'block 2', 'block 12']
    """
    step = 0.42
    foot = 0.4
    top = foot + step * len(pieces)
    middle, last = (top + foot) / 2, foot + step / 2
    with draw.canvas(height=top + 0.5) as ax:
        for i, piece in enumerate(pieces):
            y = top - step * (i + 0.5)
            draw.box(ax, 0.02, y, 0.78, draw.visible(piece))
            draw.arrow(ax, (0.82, y), (1.06, y))
            for cell in range(4):
                draw.number_cell(ax, 1.08 + 0.17 * cell, y, 0.17, "", edge=INPUT)
            draw.arrow(ax, (1.78, y), (2.06, y))
        for x, name in ((2.08, "block 1"), (2.8, "block 2"), (3.8, f"block {n_blocks}")):
            draw.number_cell(ax, x, middle, 0.69, "", height=top - foot, edge=MUTED)
            draw.write(ax, x + 0.345, middle, name, ha="center")
        draw.write(ax, 3.645, middle, "…", ha="center")
        draw.arrow(ax, (4.5, last), (4.76, last))
        draw.write(ax, 4.81, last, "next\npiece?", color=TOKEN, va="center")
        ax.plot(
            [0.02, 0.02, 1.76, 1.76], [top + 0.1, top + 0.18, top + 0.18, top + 0.1], color=MUTED
        )
        draw.write(ax, 0.88, top + 0.36, "this book", ha="center")
        draw.write(ax, 0.3, 0.2, "pieces", color=MUTED, ha="center")
        draw.write(ax, 1.42, 0.2, "rows of numbers", color=MUTED, ha="center")
    return ax
