"""Figures of the chapter `wordpiece`."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from companion.plots._drawing import BOLD, MUTED, TOKEN, WIDTH, box, canvas, text_width
from companion.wordpiece import WordPieceTokenizer

__all__ = ["greedy_scan", "merges_side_by_side"]


def greedy_scan(tokenizer: WordPieceTokenizer, word: str, ax: Axes | None = None) -> Axes:
    """Draw how WordPiece reads a word: each stretch that is tried in vain, and each piece found.

    Parameters
    ----------
    tokenizer : WordPieceTokenizer
        Its vocabulary is searched.
    word : str
        One word as the tokenizer sees it after cleaning, so in lower case where it lower-cases.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. The letters stand on top. A thin line below them is a stretch that is
        not in the vocabulary, a box a piece that is; beside the box stands how many stretches were
        tried for it.

    Raises
    ------
    ValueError
        If `word` is not one word in the form that the tokenizer reads, or too long for it.

    Examples
    --------
    >>> from companion.plots import greedy_scan
    >>> from companion.wordpiece import WordPieceTokenizer
    >>> ax = greedy_scan(WordPieceTokenizer(["[UNK]", "hug", "##s"]), "hugs")
    >>> [label.get_text() for label in ax.texts]
    ['h', 'u', 'g', 's', 'hug', '2 tries', '##s', '1 try']
    """
    rounds = _greedy_rounds(tokenizer, word)
    found = [tokenizer.unk_token if piece is None else piece for _, _, piece in rounds]
    pieces = [tokenizer.unk_token] if tokenizer.unk_token in found else found
    if not word or tokenizer.tokenize(word) != pieces:
        raise ValueError(
            f"{word[:40]!r} is not one word in the form that the tokenizer reads; give a word "
            f"without white space or punctuation of at most {tokenizer.max_chars_per_word} "
            "characters, in lower case where the tokenizer lower-cases"
        )
    left, thin, thick = 0.08, 0.085, 0.36
    cell = min(0.34, (WIDTH - left - 0.9) / len(word))
    n_failed = sum(len(ends) - (piece is not None) for _, ends, piece in rounds)
    height = 0.5 + thin * n_failed + thick * len(rounds)
    with canvas(ax, height=height) as ax:
        y = height - 0.18
        for i, letter in enumerate(word):
            ax.text(
                left + (i + 0.5) * cell, y, letter, ha="center", va="center_baseline", family=BOLD
            )
        y -= 0.24
        for start, ends, piece in rounds:
            x = left + start * cell
            for end in ends if piece is None else ends[:-1]:
                stop = left + end * cell
                ax.plot([x + 0.03, stop - 0.03], [y, y], color=MUTED, linewidth=1)
                y -= thin
            y -= (thick - thin) / 2
            label = tokenizer.unk_token if piece is None else piece
            width = text_width(label) + 0.1 if piece is None else (ends[-1] - start) * cell
            box(ax, x - 0.02, y, width + 0.04, MUTED if piece is None else TOKEN)
            ax.text(x + width / 2, y, label, ha="center", va="center_baseline")
            ax.text(
                max(left + len(word) * cell, x + width) + 0.14,
                y,
                f"{len(ends)} tries" if len(ends) > 1 else "1 try",
                color=MUTED,
                va="center_baseline",
            )
            y -= (thick + thin) / 2
    return ax


def merges_side_by_side(
    columns: Mapping[str, Sequence[tuple[str, str, object]]], ax: Axes | None = None
) -> Axes:
    """Draw lists of merges beside each other, such as those of two rules on the same words.

    Parameters
    ----------
    columns : mapping of str to sequence of (str, str, object)
        For each heading its merges in order: left part, right part, and what the merge was chosen
        for, such as its count. A ``##`` before the right part vanishes in the result.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. A row holds the merge's number, the two parts, the result in a box, and
        the value.

    Raises
    ------
    ValueError
        If there is no column, or no merge in any.

    Examples
    --------
    >>> from companion.plots import merges_side_by_side
    >>> ax = merges_side_by_side({"count": [("t", "##he", 5)], "score": [("##c", "##k", "1/2")]})
    >>> [label.get_text() for label in ax.texts]
    ['count', 'score', '1', 't', '##he', 'the', '5', '##c', '##k', '##ck', '1/2']
    """
    n_rows = max(map(len, columns.values()), default=0)
    if not n_rows:
        raise ValueError("there is no merge to draw; give at least one column with one merge")
    margin, step = 0.34, 0.36
    column = (WIDTH - margin) / len(columns)
    with canvas(ax, height=0.5 + step * n_rows) as ax:
        top = 0.24 + step * n_rows
        for i, heading in enumerate(columns):
            ax.text(margin + i * column, top, heading, family=BOLD, va="center_baseline")
        for row in range(n_rows):
            y = top - step * (row + 1)
            ax.text(margin - 0.16, y, str(row + 1), color=MUTED, ha="right", va="center_baseline")
            for i, merges in enumerate(columns.values()):
                if row < len(merges):
                    _merge(ax, margin + i * column, y, column, *merges[row])
    return ax


def _greedy_rounds(
    tokenizer: WordPieceTokenizer, word: str
) -> list[tuple[int, list[int], str | None]]:
    """List for each piece where it starts, the ends that are tried for it, and what is found."""
    rounds: list[tuple[int, list[int], str | None]] = []
    start = 0
    while start < len(word):
        tried = []
        piece = None
        for end in range(len(word), start, -1):
            tried.append(end)
            stretch = ("##" if start else "") + word[start:end]
            if stretch in tokenizer.vocab:
                piece = stretch
                break
        rounds.append((start, tried, piece))
        if piece is None:
            break
        start = tried[-1]
    return rounds


def _merge(
    ax: Axes, x: float, y: float, width: float, left: str, right: str, value: object
) -> None:
    """Draw a merge in a row: the two parts, the piece they make, the value."""
    piece = left + right.removeprefix("##")
    ax.text(x, y, left, color=MUTED, va="center_baseline")
    ax.text(x + text_width(left) + 0.08, y, right, color=MUTED, va="center_baseline")
    around = text_width(piece) + 0.14
    box(ax, x + 0.4 * width, y, around, TOKEN)
    ax.text(x + 0.4 * width + around / 2, y, piece, ha="center", va="center_baseline")
    ax.text(x + width - 0.25, y, str(value), ha="right", va="center_baseline")
