"""Figures of the chapter `more-tables`."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, INK, MUTED, TOKEN


def ngram_rows(
    tokens: Sequence[str], ids: Sequence[int], heads: Sequence[tuple[int, int]],
    picked: Sequence[Sequence[tuple[Sequence[int], int]]],
) -> Axes:  # fmt: skip
    r"""Draw the id of each token, and which row each head picks for the n-gram that ends there.

    `heads` gives for each head how many ids its n-grams have and how many rows it has, `picked` for
    each token an n-gram and its row in each head. Up to four heads. A row that a different n-gram
    of the text also picks in this head is filled, and has an exclamation mark.

    >>> picked = [[([1, 9], 5)], [([2, 1], 5)], [([3, 2], 4)]]
    >>> ax = ngram_rows(["a", "b", "c"], [1, 2, 3], [(2, 7)], picked)
    >>> [label.get_text() for label in ax.texts]
    ['1 id', '2 ids\n7 rows', 'a', '1', '5 !', 'b', '2', '5 !', 'c', '3', '4']
    """
    left, step, row = 1.48, 0.96, 0.34
    with draw.canvas(height=0.6 + row * len(tokens)) as ax:
        top = row * len(tokens)
        draw.write(ax, 1.22, top + 0.32, "1 id", va="center", ha="center", color=MUTED)
        for column, (size, n_rows) in enumerate(heads):
            draw.write(ax, left + (column + 0.5) * step, top + 0.32, f"{size} ids\n{n_rows} rows",
                       va="center", ha="center", color=MUTED, linespacing=1.1)  # fmt: skip
        for line, (token, token_id, cells) in enumerate(zip(tokens, ids, picked, strict=True)):
            y = top - (line + 0.5) * row
            shown = draw.visible(token)
            width = draw.text_width(shown) + 0.16
            draw.box(ax, 0.92 - width, y, width, shown)
            draw.write(ax, 1.22, y, f"{token_id}", ha="center", color=MUTED)
            for column, (_, found) in enumerate(cells):
                others = {tuple(each[column][0]) for each in picked if each[column][1] == found}
                text, style = str(found), dict[str, Any]()
                if len(others) > 1:
                    text, face = f"{found} !", draw.tint(TOKEN, 0.22)
                    style = {"face": face, "edge": INK, "family": BOLD}
                draw.number_cell(ax, left + column * step + 0.1, y, step - 0.2, text, **style)
    return ax


def table_sizes(tokens: Mapping[str, int], more: Mapping[str, int]) -> Axes:
    """Draw how many numbers the token tables of models have, and their other tables.

    A dot is a token table, a ring the other tables of the model, if it has any. The axis is
    logarithmic, and the numbers beside them are millions.

    >>> ax = table_sizes({"one": 2_000_000, "two": 3_000_000}, {"two": 50_000_000})
    >>> [label.get_text() for label in ax.texts]
    ['2', '3', '50']
    """
    with draw.axes(height=1.2 + 0.42 * len(tokens)) as ax:
        for i, (name, size) in enumerate(tokens.items()):
            for n, face in ((size, TOKEN), (more.get(name, 0), "white")):
                if n:
                    ax.plot([n / 1e6], [i], "o", color=TOKEN, markerfacecolor=face, markersize=9)
                    draw.note(ax, f"{n / 1e6:,.0f}", (n / 1e6, i), (0, 7), ha="center", color=INK)
        ax.set(ylim=(len(tokens) - 0.5, -0.5), xlim=(ax.dataLim.x0 / 2, ax.dataLim.x1 * 3))
        ax.set(xscale="log", xlabel="millions of numbers:\ntoken table (dot), other tables (ring)")
        draw.named_rows(ax, list(tokens))
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.minorticks_off()
    return ax
