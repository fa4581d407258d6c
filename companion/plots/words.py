"""Figures of the chapter `words`."""

import unicodedata
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from companion.plots._drawing import (
    BOLD,
    BYTE,
    INPUT,
    MONO,
    MUTED,
    POSITION,
    TOKEN,
    WIDTH,
    axes,
    box,
    canvas,
    flow,
    text_width,
    vector_strip,
)
from companion.tokenizer import Tokenizer

__all__ = ["rank_frequency", "sentence_path", "text_to_ids", "vocabulary_growth"]


def text_to_ids(text: str, tokenizer: Tokenizer, ax: Axes | None = None) -> Axes:
    """Draw a text, its tokens in order, and under each token its id.

    Parameters
    ----------
    text : str
        A text of one line.
    tokenizer : Tokenizer
        Encodes the text. Each token is drawn as `tokenizer` decodes its id, a space as ␣.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in.

    Examples
    --------
    >>> from companion.plots import text_to_ids
    >>> from companion.words import WordTokenizer, build_vocab
    >>> ax = text_to_ids("the gate", WordTokenizer(build_vocab("the other gate")))
    >>> [label.get_text() for label in ax.texts]
    ['text', 'the gate', 'tokens', 'ids', 'the', '2', 'gate', '0']
    """
    ids = tokenizer.encode(text)
    tokens = [tokenizer.decode([token_id]).replace(" ", "␣") for token_id in ids]
    left, gap, padding, line = 0.66, 0.06, 0.14, 1.05
    widths = [
        max(text_width(token), text_width(str(token_id))) + padding
        for token, token_id in zip(tokens, ids, strict=True)
    ]
    places = flow(widths, gap, WIDTH - left)
    n_lines = 1 + max((row for row, _ in places), default=0)
    with canvas(ax, height=0.45 + line * n_lines) as ax:
        top = 0.25 + line * n_lines
        ax.text(0, top, "text", color=MUTED, va="center")
        ax.text(left, top, text, va="center")
        for row in range(n_lines):
            ax.text(0, top - 0.5 - line * row, "tokens", color=MUTED, va="center")
            ax.text(0, top - 1.0 - line * row, "ids", color=MUTED, va="center")
        for (row, x), width, token, token_id in zip(places, widths, tokens, ids, strict=True):
            y, middle = top - 0.5 - line * row, left + x + width / 2
            box(ax, left + x, y, width, TOKEN)
            ax.text(middle, y, token, ha="center", va="center_baseline")
            ax.plot([middle, middle], [y - 0.16, y - 0.36], color=TOKEN, linewidth=0.9)
            ax.text(middle, y - 0.5, str(token_id), ha="center", va="center_baseline")
    return ax


def vocabulary_growth(tokens: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw how many distinct tokens have been seen after each token of a text.

    Parameters
    ----------
    tokens : sequence of str
        The tokens of a text, in order.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in; the curve is its first line.

    Raises
    ------
    ValueError
        If there are no tokens.

    Examples
    --------
    >>> from companion.plots import vocabulary_growth
    >>> ax = vocabulary_growth(["drip", "and", "drip", "and", "drip-drop"])
    >>> [int(y) for y in ax.lines[0].get_ydata()]
    [0, 1, 2, 2, 2, 3]
    """
    _require_tokens(tokens)
    seen: set[str] = set()
    distinct = [0]
    for token in tokens:
        seen.add(token)
        distinct.append(len(seen))
    with axes(ax, height=3.1) as ax:
        n = len(tokens)
        ax.plot(range(n + 1), distinct, color=TOKEN, linewidth=2.2)
        ax.set(xlim=(0, n * 1.02), ylim=(0, distinct[-1] * 1.18))
        ax.set(xlabel="tokens read", ylabel="distinct tokens")
        ax.plot([0, n], [0, n], color=MUTED, linewidth=1.2, linestyle=(0, (4, 3)))
        limit = distinct[-1] * 1.06
        ax.annotate(
            "if every token\nwere new",
            (limit, limit),
            (8, -4),
            va="top",
            color=MUTED,
            textcoords="offset points",
        )
        ax.annotate(
            f"{distinct[-1]} distinct\nin {n:,} tokens",
            (n, distinct[-1]),
            (-6, -14),
            textcoords="offset points",
            ha="right",
            va="top",
            color=TOKEN,
        )
        ax.plot([n], [distinct[-1]], marker="o", color=TOKEN)
    return ax


def _readable(token: str) -> str:
    """Name a token that is a single mark: drawn as it is, a comma would look like a speck."""
    is_mark = len(token) == 1 and not token.isalnum()
    return unicodedata.name(token, token).lower() if is_mark else token


def rank_frequency(tokens: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw the count of each distinct token against its rank, both on logarithmic scales.

    Parameters
    ----------
    tokens : sequence of str
        The tokens of a text; order does not matter.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in; the counts are its first line, Zipf's law its second.

    Raises
    ------
    ValueError
        If there are no tokens.

    Examples
    --------
    >>> from companion.plots import rank_frequency
    >>> ax = rank_frequency(["drip"] * 20 + ["and"] * 10 + [*"abcdefghijklm"])
    >>> [int(y) for y in ax.lines[0].get_ydata()][:4]
    [20, 10, 1, 1]
    """
    _require_tokens(tokens)
    ranked = Counter(tokens).most_common()
    counts = [count for _, count in ranked]
    ranks = np.arange(1, len(counts) + 1)
    with axes(ax, height=3.4) as ax:
        ax.loglog(ranks, counts, color=TOKEN, marker="o", markersize=4, linestyle="none")
        ax.loglog(ranks, counts[0] / ranks, color=MUTED, linewidth=1.2, linestyle=(0, (4, 3)))
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:g}")
        ax.set(xlabel="rank of the token", ylabel="how often it occurs")
        ax.set(ylim=(0.7, counts[0] * 2))
        ax.set_xlim(left=0.6)  # room for the first label
        ax.annotate(
            "highest count / rank",
            (6, counts[0] / 6),
            (-6, -10),
            ha="right",
            va="top",
            textcoords="offset points",
            color=MUTED,
        )
        for rank in (1, 2, 4, 8):
            if rank <= len(counts):
                ax.annotate(
                    _readable(ranked[rank - 1][0]),
                    (rank, counts[rank - 1]),
                    (0, 8),
                    ha="center",
                    textcoords="offset points",
                    color=TOKEN,
                )
        once = counts.count(1)
        ax.annotate(
            f"{once} of {len(counts)} occur once",
            (ranks[-1], 1),
            (0, 62),
            ha="right",
            textcoords="offset points",
            color=TOKEN,
        )
    return ax


def sentence_path(
    text: str,
    tokenizer: Tokenizer,
    token_table: npt.ArrayLike,
    position_table: npt.ArrayLike,
    ax: Axes | None = None,
) -> Axes:
    """Draw the whole path of a sentence, a token a row: token, bytes, id, vectors, sum.

    Parameters
    ----------
    text : str
        A sentence of about ten tokens.
    tokenizer : Tokenizer
        Encodes the sentence; each token must be whole characters. A space in it is drawn as ␣.
    token_table : array of shape (n_vocab, d_model)
        A vector for each id.
    position_table : array of shape (at least n, d_model)
        A vector for each position, where n is the number of tokens.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in.

    Raises
    ------
    ValueError
        If a table has fewer rows than the sentence needs, or the widths of the two differ.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.plots import sentence_path
    >>> from companion.words import WordTokenizer, build_vocab
    >>> tokenizer = WordTokenizer(build_vocab("the other gate"))
    >>> ax = sentence_path("the gate", tokenizer, np.eye(3, 4), np.eye(2, 4))
    >>> [label.get_text() for label in ax.texts][-5:]
    ['gate', '67 61 74 65', '0', '+', '=']
    """
    ids = tokenizer.encode(text)
    token_rows, position_rows = np.asarray(token_table), np.asarray(position_table)
    if max(ids, default=-1) >= len(token_rows):
        raise ValueError(f"id {max(ids)} has no row in a token table of {len(token_rows)} rows")
    if len(ids) > len(position_rows):
        raise ValueError(
            f"{len(ids)} tokens need {len(ids)} positions, "
            f"but the position table has {len(position_rows)} rows"
        )
    if token_rows.shape[1] != position_rows.shape[1]:
        raise ValueError(
            f"token vectors of {token_rows.shape[1]} numbers and position vectors of "
            f"{position_rows.shape[1]} cannot be added; make the widths equal"
        )
    tokens = [tokenizer.decode([token_id]) for token_id in ids]
    token_vectors, position_vectors = token_rows[ids], position_rows[: len(ids)]
    total = token_vectors + position_vectors
    drawn = (token_vectors, position_vectors, total)
    scale = max((float(np.abs(vectors).max()) for vectors in drawn if vectors.size), default=0.0)
    step, strip = 0.34, 0.84
    columns = {"token": 0.0, "bytes": 0.7, "id": 2.66}
    strips = [
        ("token\nvector", 2.84, TOKEN, token_vectors),
        ("position\nvector", 3.96, POSITION, position_vectors),
        ("input\nvector", 5.1, INPUT, total),
    ]
    with canvas(ax, height=0.62 + step * len(ids)) as ax:
        top = 0.08 + step * len(ids)
        for name, x in columns.items():
            right = name == "id"
            ax.text(x, top + 0.05, name, color=MUTED, va="bottom", ha="right" if right else "left")
        for name, x, color, _ in strips:
            ax.text(
                x + strip / 2,
                top + 0.05,
                name,
                color=color,
                ha="center",
                va="bottom",
                linespacing=0.95,
            )
        for row, (token, token_id) in enumerate(zip(tokens, ids, strict=True)):
            y = top - step * (row + 0.5)
            ax.text(columns["token"], y, token.replace(" ", "␣"), va="center_baseline", family=BOLD)
            ax.text(
                columns["bytes"],
                y,
                token.encode().hex(" "),
                va="center_baseline",
                size=9,
                family=MONO,
                color=BYTE,
            )
            ax.text(columns["id"], y, str(token_id), va="center_baseline", ha="right")
            for _, x, color, vectors in strips:
                vector_strip(ax, x, y, strip, step * 0.72, vectors[row], color, scale)
            for x, sign in ((3.82, "+"), (4.95, "=")):
                ax.annotate(sign, (x, y), color=MUTED, ha="center", va="center_baseline")
    return ax


def _require_tokens(tokens: Sequence[str]) -> None:
    if not tokens:
        raise ValueError("there are no tokens to draw; give those of a text that is not empty")
