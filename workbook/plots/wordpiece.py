"""Figures of the chapter `wordpiece`."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from matplotlib.axes import Axes

from companion.wordpiece import WordPieceTokenizer
from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, MUTED, WIDTH


def greedy_scan(tokenizer: WordPieceTokenizer, word: str) -> Axes:
    """Draw how WordPiece reads a word: each stretch that is tried in vain, and each piece found.

    The letters of the word are on top. A thin line below them is a stretch that is not in the
    vocabulary, and a box a piece that is, with the number of stretches tried for it. If no piece
    fits somewhere, the box of the unknown token is as wide as the word.

    >>> from companion.wordpiece import WordPieceTokenizer
    >>> ax = greedy_scan(WordPieceTokenizer(["[UNK]", "hug", "##s"]), "hugs")
    >>> [label.get_text() for label in ax.texts]
    ['h', 'u', 'g', 's', 'hug', '2 tries', '##s', '1 try']
    """
    pieces, word = tokenizer.tokenize(word), draw.visible(word)
    is_unknown = pieces == [tokenizer.unk_token]
    sizes = [len(word)] if is_unknown else [len(piece.removeprefix("##")) for piece in pieces]
    ends = list(accumulate(sizes))
    left, thin, thick = 0.08, 0.085, 0.36
    cell = min(0.34, (WIDTH - left - 0.9) / len(word))
    height = 0.5 + thin * sum(len(word) - end for end in ends) + thick * len(pieces)
    with draw.canvas(height=height) as ax:
        for i, letter in enumerate(word):
            draw.write(ax, left + (i + 0.5) * cell, height - 0.18, letter, ha="center", family=BOLD)
        y = height - 0.42
        for piece, start, found in zip(pieces, [0, *ends], ends, strict=False):
            x = left + start * cell
            for end in range(len(word), found, -1):
                ax.plot([x + 0.03, left + end * cell - 0.03], [y, y], color=MUTED, linewidth=1)
                y -= thin
            y -= (thick - thin) / 2
            draw.box(ax, x - 0.02, y, (found - start) * cell + 0.04, piece)
            tries = 1 + len(word) - found
            tried = "unknown" if is_unknown else f"{tries} tries" if tries > 1 else "1 try"
            draw.write(ax, left + len(word) * cell + 0.14, y, tried, color=MUTED)
            y -= (thick + thin) / 2
    return ax


def merges_side_by_side(columns: Mapping[str, Sequence[tuple[str, str, object]]]) -> Axes:
    """Draw lists of merges beside each other, such as those of two rules on the same words.

    Each heading has its merges in order: left part, right part, and what the merge was chosen for,
    such as its count. ``##`` before the right part is dropped in the result.

    >>> ax = merges_side_by_side({"count": [("t", "##he", 5)], "score": [("##c", "##k", "1/2")]})
    >>> [label.get_text() for label in ax.texts]
    ['1', 'count', 't', '##he', 'the', '5', 'score', '##c', '##k', '##ck', '1/2']
    """
    n_rows = max(map(len, columns.values()))
    margin, step = 0.34, 0.36
    column = (WIDTH - margin) / len(columns)
    with draw.canvas(height=0.5 + step * n_rows) as ax:
        top = 0.24 + step * n_rows
        for row in range(1, n_rows + 1):
            draw.write(ax, margin - 0.16, top - step * row, str(row), color=MUTED, ha="right")
        for i, (heading, merges) in enumerate(columns.items()):
            x = margin + i * column
            draw.write(ax, x, top, heading, family=BOLD)
            for row, (left, right, value) in enumerate(merges, 1):
                y, piece = top - step * row, left + right.removeprefix("##")
                draw.write(ax, x, y, left, color=MUTED)
                draw.write(ax, x + draw.text_width(left) + 0.08, y, right, color=MUTED)
                draw.box(ax, x + 0.4 * column, y, draw.text_width(piece) + 0.14, piece)
                draw.write(ax, x + column - 0.35, y, str(value), ha="right")
    return ax
