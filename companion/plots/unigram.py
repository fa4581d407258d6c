"""Figures of the chapter `unigram`."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from companion.plots._drawing import BOLD, MUTED, TOKEN, WIDTH, axes, canvas, text_width, tint

__all__ = ["cuts_side_by_side", "lattice", "vocabulary_cost"]


def lattice(
    word: str, log_p: Mapping[str, float], best: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Draw all pieces that occur in a word, below its letters, and the best cut among them.

    Parameters
    ----------
    word : str
        Up to a dozen letters.
    log_p : mapping of str to float
        The log probability of each piece.
    best : sequence of str
        The pieces of the best cut: dark boxes with solid edges in the first row. The others are
        light boxes with dashed edges below it.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. Each box holds a piece and its log probability.

    Examples
    --------
    >>> from companion.plots import lattice
    >>> ax = lattice("no", {"n": -3.0, "o": -3.0, "no": -4.0}, ["no"])
    >>> [label.get_text() for label in ax.texts]
    ['n', 'o', 'no −4.0', 'n −3.0', 'o −3.0']
    """
    ends = [0]
    for piece in best:
        ends.append(ends[-1] + len(piece))
    first = list(pairwise(ends))
    spans = [
        (start, end)
        for start in range(len(word))
        for end in range(start + 1, len(word) + 1)
        if word[start:end] in log_p and (start, end) not in first
    ]
    rows = [first, *_rows(sorted(spans, key=lambda span: (span[0] - span[1], span)))]
    cell, step = min(0.82, WIDTH / len(word)), 0.4
    height = 0.45 + step * len(rows)
    with canvas(ax, height=height) as ax:
        left = (WIDTH - cell * len(word)) / 2
        for i, letter in enumerate(word):
            ax.text(
                left + (i + 0.5) * cell,
                height - 0.2,
                letter,
                ha="center",
                va="center_baseline",
                family=BOLD,
            )
        for number, row in enumerate(rows):
            y = height - 0.58 - step * number
            for start, end in row:
                piece, is_best = word[start:end], number == 0
                ax.add_patch(
                    FancyBboxPatch(
                        (left + start * cell + 0.08, y - 0.115), (end - start) * cell - 0.16, 0.2,
                        boxstyle="round,pad=0.05", edgecolor=TOKEN,
                        facecolor=tint(TOKEN, 0.22 if is_best else 0.03),
                        linestyle="solid" if is_best else (0, (3, 2)),
                        linewidth=1.6 if is_best else 1,
                    )
                )  # fmt: skip
                ax.text(
                    left + (start + end) / 2 * cell,
                    y,
                    f"{piece} {log_p[piece]:.1f}".replace("-", "−"),
                    ha="center",
                    va="center_baseline",
                    size=11,
                    family=BOLD if is_best else None,
                )
    return ax


def _rows(spans: Iterable[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Put spans that do not overlap into common rows, each into the first with room."""
    rows: list[list[tuple[int, int]]] = []
    for start, end in spans:
        for row in rows:
            if all(end <= other_start or other_end <= start for other_start, other_end in row):
                row.append((start, end))
                break
        else:
            rows.append([(start, end)])
    return rows


def cuts_side_by_side(cuts: Mapping[str, Sequence[Sequence[str]]], ax: Axes | None = None) -> Axes:
    """Draw the same words as several tokenizers cut them, a row for each word.

    Parameters
    ----------
    cuts : mapping of str to sequence of sequence of str
        For each tokenizer's name the pieces of each word.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, a column for each tokenizer and a box for each piece.

    Examples
    --------
    >>> from companion.plots import cuts_side_by_side
    >>> ax = cuts_side_by_side({"BPE": [["not", "hing"]], "Unigram": [["no", "thing"]]})
    >>> [label.get_text() for label in ax.texts]
    ['BPE', 'not', 'hing', 'Unigram', 'no', 'thing']
    """
    step = 0.42
    n_rows = max(map(len, cuts.values()))
    height = 0.45 + step * n_rows
    column = WIDTH / len(cuts)
    with canvas(ax, height=height) as ax:
        for number, (name, words) in enumerate(cuts.items()):
            ax.text(number * column + 0.06, height - 0.2, name, family=BOLD, va="center_baseline")
            for row, pieces in enumerate(words):
                x, y = number * column + 0.06, height - 0.6 - step * row
                for piece in pieces:
                    width = text_width(piece, 11) + 0.08
                    ax.add_patch(
                        FancyBboxPatch(
                            (x + 0.03, y - 0.115), width - 0.06, 0.2, boxstyle="round,pad=0.03",
                            facecolor=tint(TOKEN, 0.12), edgecolor=TOKEN, linewidth=1,
                        )
                    )  # fmt: skip
                    ax.text(x + width / 2, y, piece, size=11, ha="center", va="center_baseline")
                    x += width + 0.05
    return ax


def vocabulary_cost(costs: Mapping[int, float], ax: Axes | None = None) -> Axes:
    """Draw the cost of a text against the size of the vocabulary that was left to cut it.

    Parameters
    ----------
    costs : mapping of int to float
        For each size the cost of the text in bits per character.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, with a logarithmic axis of sizes, each of which has its tick.

    Examples
    --------
    >>> from companion.plots import vocabulary_cost
    >>> ax = vocabulary_cost({100: 3.5, 400: 2.1})
    >>> ax.get_xticks().tolist()
    [100, 400]
    """
    with axes(ax, height=2.9) as ax:
        ax.plot(list(costs), list(costs.values()), color=TOKEN, marker="o", linewidth=2)
        ax.set_xscale("log")
        ax.set_xticks(list(costs), [f"{size:,}" for size in costs])
        ax.minorticks_off()
        ax.set_ylim(0, 1.1 * max(costs.values()))
        ax.set(xlabel="pieces in the vocabulary", ylabel="bits per character")
        ax.tick_params(colors=MUTED, labelcolor=ax.xaxis.label.get_color())
    return ax
