"""The figures of the book, one function a figure.

Each function takes the objects that a chapter has built, draws them, and returns the `Axes`. Give
it an `ax` to draw into a figure of your own.

One colour has one meaning throughout the book: blue for tokens and their vectors, orange for
segments, green for positions, violet for their sum, grey for text and bytes. The four differ in
lightness as well as in hue, and a label or a place says the same as each colour.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.textpath import TextToPath

from companion.bpe import BYTE_TO_UNICODE, BPETokenizer
from companion.tokenizer import Tokenizer
from companion.wordpiece import WordPieceTokenizer

if TYPE_CHECKING:  # importing it would load torch
    from companion.windows import PaddedBatch, SlidingWindows

__all__ = [
    "BYTE",
    "INK",
    "INPUT",
    "MUTED",
    "POSITION",
    "SEGMENT",
    "TOKEN",
    "byte_alphabet",
    "bytes_per_character",
    "derivation_tree",
    "greedy_scan",
    "id_ranges",
    "length_by_vocabulary",
    "merge_ladder",
    "merges_side_by_side",
    "padded_batch",
    "parameter_shares",
    "rank_frequency",
    "sentence_path",
    "text_to_ids",
    "tokens_per_character",
    "tokens_per_merge",
    "utf8_layout",
    "vocabulary_growth",
    "window_bricks",
    "window_coverage",
]

TOKEN = "#0b62a8"
SEGMENT = "#b84a00"
POSITION = "#00734f"
INPUT = "#6a3d9a"
BYTE = "#4d5b66"
INK = "#1c2429"
MUTED = "#56636d"
GRID = "#d5dbe0"

WIDTH = 6.0
"""Width of every figure, in inches: its letters stay readable on a phone."""

_SANS = ["Text to Vectors Sans", "Text to Vectors Han", "Text to Vectors Emoji", "DejaVu Sans"]
_BOLD = ["Text to Vectors Semibold", *_SANS]
_MONO = ["Text to Vectors Mono", "DejaVu Sans Mono"]
# For Ġ and its like, which the bundled fonts lack: they would set a letter and a loose accent.
_LATIN_EXTENDED = ["DejaVu Sans"]
_STYLE: dict[Any, Any] = {
    "font.family": _SANS,
    "font.size": 12,
    "axes.facecolor": "white",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "text.color": INK,
    "legend.frameon": False,
}


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
        max(_text_width(token), _text_width(str(token_id))) + padding
        for token, token_id in zip(tokens, ids, strict=True)
    ]
    places = _flow(widths, gap, WIDTH - left)
    n_lines = 1 + max((row for row, _ in places), default=0)
    with _canvas(ax, height=0.45 + line * n_lines) as ax:
        top = 0.25 + line * n_lines
        ax.text(0, top, "text", color=MUTED, va="center")
        ax.text(left, top, text, va="center")
        for row in range(n_lines):
            ax.text(0, top - 0.5 - line * row, "tokens", color=MUTED, va="center")
            ax.text(0, top - 1.0 - line * row, "ids", color=MUTED, va="center")
        for (row, x), width, token, token_id in zip(places, widths, tokens, ids, strict=True):
            y, middle = top - 0.5 - line * row, left + x + width / 2
            _box(ax, left + x, y, width, TOKEN)
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
    with _axes(ax, height=3.1) as ax:
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
    >>> ax = rank_frequency(["drip", "and", "drip", "and", "drip"])
    >>> [int(y) for y in ax.lines[0].get_ydata()]
    [3, 2]
    """
    _require_tokens(tokens)
    ranked = Counter(tokens).most_common()
    counts = [count for _, count in ranked]
    ranks = np.arange(1, len(counts) + 1)
    with _axes(ax, height=3.4) as ax:
        ax.loglog(ranks, counts, color=TOKEN, marker="o", markersize=4, linestyle="none")
        ax.loglog(ranks, counts[0] / ranks, color=MUTED, linewidth=1.2, linestyle=(0, (4, 3)))
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:g}")
        ax.set(xlabel="rank of the token", ylabel="how often it occurs")
        ax.set(ylim=(0.7, counts[0] * 2))
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
                    ranked[rank - 1][0],
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
    parts = (token_rows[ids], position_rows[: len(ids)])
    scale = max((float(np.abs(part).max()) for part in parts if part.size), default=1.0)
    step, strip = 0.34, 0.84
    columns = {"token": 0.0, "bytes": 0.7, "id": 2.66}
    strips = [
        ("token\nvector", 2.84, TOKEN, parts[0]),
        ("position\nvector", 3.96, POSITION, parts[1]),
        ("input\nvector", 5.1, INPUT, parts[0] + parts[1]),
    ]
    with _canvas(ax, height=0.62 + step * len(ids)) as ax:
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
            ax.text(
                columns["token"], y, token.replace(" ", "␣"), va="center_baseline", family=_BOLD
            )
            ax.text(
                columns["bytes"],
                y,
                token.encode().hex(" "),
                va="center_baseline",
                size=9,
                family=_MONO,
                color=BYTE,
            )
            ax.text(columns["id"], y, str(token_id), va="center_baseline", ha="right")
            for _, x, color, vectors in strips:
                _strip(ax, x, y, strip, step * 0.72, vectors[row], color, scale)
            for x, sign in ((3.82, "+"), (4.95, "=")):
                ax.annotate(sign, (x, y), color=MUTED, ha="center", va="center_baseline")
    return ax


def utf8_layout(characters: Iterable[str], ax: Axes | None = None) -> Axes:
    """Draw the bits of each character in UTF-8: those that mark a byte, and those that carry.

    Parameters
    ----------
    characters : iterable of str
        The characters, one code point each, a row each; a string will do. The figures' typeface
        has the Latin letters, 请, 👍 and 🙂.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. Each row writes the character and its code point, then for each byte
        its eight bits and its value in hexadecimal.

    Raises
    ------
    ValueError
        If there is nothing to draw, a string is not one code point, or it is a lone surrogate.

    Examples
    --------
    >>> from companion.plots import utf8_layout
    >>> ax = utf8_layout("é")
    >>> [label.get_text() for label in ax.texts if len(label.get_text()) == 2]
    ['C3', 'A9']
    """
    rows = [(character, _utf8_character(character)) for character in characters]
    if not rows:
        raise ValueError("there is no character to draw; give at least one, such as 'é'")
    left, cell, gap, step = 0.98, 0.148, 0.08, 0.8
    with _canvas(ax, height=0.5 + step * len(rows)) as ax:
        top = 0.02 + step * len(rows)
        legend = [(left, True, "marks the kind of byte"), (left + 2.4, False, "carries the number")]
        for x, marks, meaning in legend:
            _bit(ax, x, top + 0.25, cell, "1", marks)
            ax.text(x + cell + 0.08, top + 0.25, meaning, color=MUTED, va="center_baseline")
        for row, (character, data) in enumerate(rows):
            y = top - step * row - 0.2
            ax.text(0, y, character, size=18, va="center_baseline")
            ax.text(0, y - 0.33, f"U+{ord(character):04X}", color=MUTED, va="center_baseline")
            for i, byte in enumerate(data):
                x, n_marks = left + i * (8 * cell + gap), _marker_bits(byte)
                for place, bit in enumerate(f"{byte:08b}"):
                    _bit(ax, x + place * cell, y, cell, bit, place < n_marks)
                ax.text(x + 4 * cell, y - 0.33, f"{byte:02X}", family=_MONO, ha="center",
                        va="center_baseline")  # fmt: skip
    return ax


def bytes_per_character(samples: Mapping[str, str], ax: Axes | None = None) -> Axes:
    """Draw how many bytes of UTF-8 a character takes in each sample, fewest first.

    Parameters
    ----------
    samples : mapping of str to str
        A name for each sample, such as its language, and its text. Samples of the same number
        keep their order.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. A bar is as long as bytes / code points; after it stand this number, the
        number of code points and the number of bytes.

    Raises
    ------
    ValueError
        If there is no sample, a sample is empty, or it holds a lone surrogate.

    Examples
    --------
    >>> from companion.plots import bytes_per_character
    >>> ax = bytes_per_character({"Chinese": "四只兔子", "French": "été"})
    >>> [label.get_text() for label in ax.texts]
    ['bytes per character', 'characters', 'bytes', '1.67', '3', '5', '3.00', '4', '12']
    """
    if not samples:
        raise ValueError("there is no sample to draw; give at least one, such as {'French': 'été'}")
    sizes = {}
    for name, text in samples.items():
        if not text:
            raise ValueError(f"the sample {name!r} is empty; give it at least one character")
        sizes[name] = (len(text), len(_utf8(text, f"the sample {name!r}")))
    names = sorted(sizes, key=lambda name: sizes[name][1] / sizes[name][0])
    rates = [sizes[name][1] / sizes[name][0] for name in names]
    with _axes(ax, height=0.5 + 0.29 * len(names)) as ax:
        ax.barh(range(len(names)), rates, height=0.66, color=_tint(BYTE, 0.75))
        ax.set_yticks(range(len(names)), names)
        ax.set(xlim=(0, 6.4), ylim=(len(names) - 0.4, -1.3), xticks=[])
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.text(0, -0.95, "bytes per character", color=MUTED, va="center_baseline")
        columns = {"characters": 5.5, "bytes": 6.4}
        for heading, x in columns.items():
            ax.text(x, -0.95, heading, color=MUTED, ha="right", va="center_baseline")
        for y, (name, rate) in enumerate(zip(names, rates, strict=True)):
            ax.text(rate + 0.08, y, f"{rate:.2f}", va="center_baseline", family=_BOLD)
            for x, number in zip(columns.values(), sizes[name], strict=True):
                ax.text(x, y, f"{number:,}", ha="right", va="center_baseline")
    return ax


def merge_ladder(tokenizer: BPETokenizer, word: str | bytes, ax: Axes | None = None) -> Axes:
    """Draw how a word merges: a row for its bytes, then a row for each merge.

    Parameters
    ----------
    tokenizer : BPETokenizer
        Its `merge_steps` gives the rows.
    word : str or bytes
        The word, of 1 to 20 bytes.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. A token is as wide as its bytes; the token that a row made is filled,
        and the rank of its merge stands to the left. A space is drawn as ␣, and what is no
        printable text by its bytes in hexadecimal.

    Raises
    ------
    ValueError
        If the word has no byte or more than 20.

    Examples
    --------
    >>> from companion.bpe import train_bpe
    >>> from companion.plots import merge_ladder
    >>> ax = merge_ladder(train_bpe("low lower lowest", 258), "low")
    >>> [label.get_text() for label in ax.texts]
    ['rank', 'bytes', 'l', 'o', 'w', '0', 'lo', 'w', '1', 'low']
    """
    steps = _steps(tokenizer, word)
    ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
    left, step = 0.74, 0.37
    cell = min(0.42, (WIDTH - left) / len(steps[0]))
    with _canvas(ax, height=0.26 + step * len(steps)) as ax:
        top = step * (len(steps) - 0.5)
        ax.text(left - 0.14, top + 0.32, "rank", color=MUTED, ha="right", va="center_baseline")
        for row, tokens in enumerate(steps):
            y, made, label = top - step * row, -1, "bytes"
            if row:
                before = steps[row - 1]
                made = _made(before, tokens)
                label = f"{ranks[before[made], before[made + 1]]:,}"
            ax.text(left - 0.14, y, label, color=INK if row else MUTED, ha="right",
                    va="center_baseline")  # fmt: skip
            x = left
            for i, token in enumerate(tokens):
                _token_box(ax, x, y, cell * len(token), token, filled=i == made)
                x += cell * len(token)
    return ax


def derivation_tree(tokenizer: BPETokenizer, word: str | bytes, ax: Axes | None = None) -> Axes:
    """Draw how the tokens of a word are built from its bytes: a tree for each token.

    Parameters
    ----------
    tokenizer : BPETokenizer
        Its `merge_steps` gives the merges.
    word : str or bytes
        The word, of 1 to 14 bytes.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. The bytes stand at the bottom; each join shows the token it makes and,
        under it, the rank of its merge; the tokens of the encoded word are filled.

    Raises
    ------
    ValueError
        If the word has no byte or more than 14.

    Examples
    --------
    >>> from companion.bpe import train_bpe
    >>> from companion.plots import derivation_tree
    >>> ax = derivation_tree(train_bpe("low lower lowest", 258), "slow")
    >>> [label.get_text() for label in ax.texts]
    ['s', 'l', 'o', 'w', 'lo', '0', 'low', '1']
    """
    steps = _steps(tokenizer, word, most=14)
    ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
    size = len(steps[0])
    cell, level = min(0.62, WIDTH / size), 0.78
    left = (WIDTH - cell * size) / 2
    roots = [_Node(token, left + cell * (i + 0.5)) for i, token in enumerate(steps[0])]
    nodes = list(roots)
    for before, after in pairwise(steps):
        i = _made(before, after)
        parts = roots[i], roots[i + 1]
        edge = parts[0].x - cell * len(parts[0].token) / 2
        roots[i : i + 2] = [_Node(after[i], edge + cell * len(after[i]) / 2, parts)]
        nodes.append(roots[i])
    with _canvas(ax, height=0.5 + level * max(node.level for node in nodes)) as ax:
        for node in nodes:
            y, width = 0.25 + level * node.level, max(0.3, _text_width(_label(node.token)) + 0.2)
            _token_box(ax, node.x - width / 2, y, width, node.token, filled=node in roots)
            for part in node.parts:
                ax.plot([node.x, part.x], [y, 0.25 + level * part.level], color=MUTED,
                        linewidth=1, zorder=0)  # fmt: skip
            if node.parts:  # the rank stands on white, so that no line crosses it
                ax.add_patch(Rectangle((node.x - 0.16, y - 0.4), 0.32, 0.26, color="white",
                                       zorder=0.5))  # fmt: skip
                rank = ranks[node.parts[0].token, node.parts[1].token]
                ax.text(node.x, y - 0.28, f"{rank:,}", size=11, color=MUTED, ha="center",
                        va="center_baseline")  # fmt: skip
    return ax


def tokens_per_merge(
    tokenizer: BPETokenizer, texts: Mapping[str, str], ax: Axes | None = None
) -> Axes:
    """Draw how many tokens each text becomes with the first merges of a tokenizer only.

    Parameters
    ----------
    tokenizer : BPETokenizer
        Its merges are used from none to all, at about fifty places between.
    texts : mapping of str to str
        A name for each text, and the text.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in; a line for each text, in their order.

    Raises
    ------
    ValueError
        If there is no text.

    Examples
    --------
    >>> from companion.bpe import train_bpe
    >>> from companion.plots import tokens_per_merge
    >>> text = "low lower lowest"
    >>> ax = tokens_per_merge(train_bpe(text, 259), {"the text": text})
    >>> [int(y) for y in ax.lines[0].get_ydata()]
    [16, 13, 10, 8]
    """
    if not texts:
        raise ValueError("there is no text to draw; give at least one, such as {'story': story}")
    n_merges = len(tokenizer.merges)
    sizes = sorted({round(n_merges * (i / 50) ** 1.5) for i in range(51)})
    counts: dict[str, list[int]] = {name: [] for name in texts}
    for size in sizes:
        shorter = BPETokenizer(tokenizer.merges[:size], pattern=tokenizer.pattern)
        for name, text in texts.items():
            counts[name].append(len(shorter.encode_ordinary(text)))
    styles = ["solid", (0, (4, 2)), (0, (1, 1.5))]
    with _axes(ax, height=3.2) as ax:
        for i, (name, lengths) in enumerate(counts.items()):
            ax.plot(sizes, lengths, color=TOKEN, linewidth=2.2, linestyle=styles[i % 3],
                    label=f"{name}: {lengths[0]:,} to {lengths[-1]:,}")  # fmt: skip
        ax.legend(loc="upper right", handlelength=2.6)
        ax.set(xlim=(0, max(n_merges, 1) * 1.02), ylim=(0, 1.05 * max(map(max, counts.values()))))
        ax.set(xlabel="merges", ylabel="tokens")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:,.0f}")
    return ax


def byte_alphabet(alphabet: Mapping[int, str], ax: Axes | None = None) -> Axes:
    """Draw the character that stands for each of the 256 bytes, in 16 rows of 16.

    Parameters
    ----------
    alphabet : mapping of int to str
        Each byte and its character, such as `companion.bpe.BYTE_TO_UNICODE`.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. The row is the first hexadecimal digit of a byte, the column its second;
        cells are open where the byte's own character stands for it, as in Latin-1, and filled
        where another one does.

    Raises
    ------
    ValueError
        If a byte has no character.

    Examples
    --------
    >>> from companion.bpe import BYTE_TO_UNICODE
    >>> from companion.plots import byte_alphabet
    >>> ax = byte_alphabet(BYTE_TO_UNICODE)
    >>> [label.get_text() for label in ax.texts][:2]
    ['its own character: 188', 'a stand-in: 68']
    """
    if missing := set(range(256)) - set(alphabet):
        raise ValueError(f"byte {min(missing)} has no character; give one for each of 0 to 255")
    left, cell = 0.4, 0.345
    own = {byte for byte in range(256) if alphabet[byte] == chr(byte)}
    with _canvas(ax, height=0.87 + 16 * cell) as ax:
        top = 0.02 + 16 * cell
        legend = [(left, True, f"its own character: {len(own)}"),
                  (left + 2.6, False, f"a stand-in: {256 - len(own)}")]  # fmt: skip
        for x, is_own, meaning in legend:
            _alphabet_cell(ax, x, top + 0.5, cell, "", is_own)
            ax.text(x + cell + 0.1, top + 0.5 + cell / 2, meaning, va="center_baseline")
        for i in range(16):
            ax.text(left + cell * (i + 0.5), top + 0.16, f"{i:X}", family=_MONO, color=MUTED,
                    ha="center", va="center_baseline")  # fmt: skip
            ax.text(left - 0.2, top - cell * (i + 0.5), f"{i:X}", family=_MONO, color=MUTED,
                    ha="center", va="center_baseline")  # fmt: skip
        for byte in range(256):
            x, y = left + cell * (byte % 16), top - cell * (byte // 16 + 1)
            _alphabet_cell(ax, x, y, cell, alphabet[byte], byte in own)
    return ax


def id_ranges(tokenizer: BPETokenizer, ax: Axes | None = None) -> Axes:
    """Draw what the ids of a tokenizer stand for: the bytes, the merges, the special tokens.

    Parameters
    ----------
    tokenizer : BPETokenizer
        The tokenizer.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in: a box for each kind of token, with its ids, how many there are, and the
        first and the last of them. The boxes are not to scale.

    Examples
    --------
    >>> from companion.bpe import train_bpe
    >>> from companion.plots import id_ranges
    >>> ax = id_ranges(train_bpe("low lower lowest", 259, special_tokens=["<|end|>"]))
    >>> [label.get_text() for label in ax.texts][5:10]
    ['256 … 257', '2 merges', 'lo', '…', 'low']
    """
    tokens = ["".join(BYTE_TO_UNICODE[byte] for byte in token) for token in tokenizer.vocab]
    kinds = [("bytes", BYTE, tokens[:256]), ("merges", TOKEN, tokens[256:])]
    kinds.append(("special", INK, list(tokenizer.special_tokens)))
    kinds = [kind for kind in kinds if kind[2]]
    gap, first = 0.12, 0
    width = (WIDTH - gap * (len(kinds) - 1)) / len(kinds)
    with _canvas(ax, height=1.5) as ax:
        for i, (name, color, members) in enumerate(kinds):
            x, last = i * (width + gap), first + len(members) - 1
            ax.add_patch(Rectangle((x + 0.01, 0.02), width - 0.02, 1.08, linewidth=1.1,
                                   facecolor=_tint(color, 0.12), edgecolor=color))  # fmt: skip
            ids = f"{first:,} … {last:,}" if last > first else f"{last:,}"
            ax.text(x + width / 2, 1.3, ids, ha="center", va="center_baseline")
            ax.text(x + width / 2, 0.8, f"{len(members):,} {name}", ha="center",
                    va="center_baseline", family=_BOLD)  # fmt: skip
            ends = [members[0], "…", members[-1]] if len(members) > 1 else members
            for j, token in enumerate(ends):
                extended = any("\u0100" <= character < "\u0180" for character in token)
                ax.text(x + width * (j + 1) / (len(ends) + 1), 0.36, token, ha="center",
                        va="center_baseline", size=11 if extended else 12,
                        family=_LATIN_EXTENDED if extended else _SANS)  # fmt: skip
            first = last + 1
    return ax


class _Node:
    """A token in a derivation tree: the middle of its bytes, and the two tokens it was made of."""

    def __init__(self, token: bytes, x: float, parts: "tuple[_Node, ...]" = ()) -> None:
        self.token, self.x, self.parts = token, x, parts
        self.level: int = 1 + max((part.level for part in parts), default=-1)


def _steps(tokenizer: BPETokenizer, word: str | bytes, most: int = 20) -> list[list[bytes]]:
    """Return the steps of a word that is neither empty nor too wide to draw."""
    steps = tokenizer.merge_steps(word)
    if not 1 <= len(steps[0]) <= most:
        raise ValueError(
            f"the word {word!r} has {len(steps[0])} bytes; the figure has room for 1 to {most}"
        )
    return steps


def _made(before: Sequence[bytes], after: Sequence[bytes]) -> int:
    """Where the token stands that a merge has made."""
    return next(i for i, token in enumerate(after) if token != before[i])


def _label(token: bytes) -> str:
    """Write a token: a space as ␣, and what is no printable text in hexadecimal."""
    text = token.decode("utf-8", "replace")
    if not text.isprintable() or "\ufffd" in text:
        return token.hex(" ").upper()
    return text.replace(" ", "␣")


def _token_box(ax: Axes, x: float, y: float, width: float, token: bytes, *, filled: bool) -> None:
    """Draw a token in its box, single bytes in grey; filled boxes have bold letters."""
    color = TOKEN if len(token) > 1 else BYTE
    ax.add_patch(
        FancyBboxPatch((x + 0.06, y - 0.1), width - 0.12, 0.2, boxstyle="round,pad=0.045",
                       facecolor=color if filled else _tint(color, 0.1), edgecolor=color,
                       linewidth=1)
    )  # fmt: skip
    style: dict[str, Any] = {"color": "white", "family": _BOLD} if filled else {"color": INK}
    ax.text(x + width / 2, y, _label(token), ha="center", va="center_baseline", **style)


def _alphabet_cell(ax: Axes, x: float, y: float, size: float, character: str, own: bool) -> None:
    """Draw one cell of the byte alphabet: open for a byte's own character, filled for another."""
    ax.add_patch(
        Rectangle((x, y), size, size, facecolor="white" if own else BYTE, edgecolor=MUTED,
                  linewidth=0.8)
    )  # fmt: skip
    if character:
        family = _SANS if character < "\u0100" else _LATIN_EXTENDED
        ax.text(x + size / 2, y + size / 2, character, color=INK if own else "white",
                family=family, ha="center", va="center_baseline")  # fmt: skip


def _utf8_character(character: str) -> bytes:
    """Encode a string that must be one code point."""
    if len(character) != 1:
        points = " ".join(f"U+{ord(part):04X}" for part in character[:8])
        found = f"is {len(character)} code points ({points})" if character else "is empty"
        raise ValueError(f"the character {character[:8]!r} {found}; give one code point a row")
    return _utf8(character, "the character")


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{what} holds the lone surrogate U+{ord(text[error.start]):04X}, which UTF-8 cannot "
            "encode; replace it, for example by U+FFFD"
        ) from None


def _marker_bits(byte: int) -> int:
    """How many leading bits of a byte of UTF-8 are marks: the ones up to the first zero, and it."""
    return f"{byte:08b}".index("0") + 1


def _bit(ax: Axes, x: float, y: float, width: float, bit: str, marks: bool) -> None:
    """Draw one bit: bold on a dark cell if it marks the byte, plain on white if it carries."""
    ax.add_patch(
        Rectangle((x, y - 0.14), width, 0.28, facecolor=BYTE if marks else "white",
                  edgecolor=BYTE, linewidth=0.8)
    )  # fmt: skip
    style: dict[str, Any] = {"color": "white", "family": _BOLD} if marks else {"color": INK}
    ax.text(x + width / 2, y, bit, ha="center", va="center_baseline", **style)


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
    with _canvas(ax, height=height) as ax:
        y = height - 0.18
        for i, letter in enumerate(word):
            ax.text(
                left + (i + 0.5) * cell, y, letter, ha="center", va="center_baseline", family=_BOLD
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
            width = _text_width(label) + 0.1 if piece is None else (ends[-1] - start) * cell
            _box(ax, x - 0.02, y, width + 0.04, MUTED if piece is None else TOKEN)
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
    with _canvas(ax, height=0.5 + step * n_rows) as ax:
        top = 0.24 + step * n_rows
        for i, heading in enumerate(columns):
            ax.text(margin + i * column, top, heading, family=_BOLD, va="center_baseline")
        for row in range(n_rows):
            y = top - step * (row + 1)
            ax.text(margin - 0.16, y, str(row + 1), color=MUTED, ha="right", va="center_baseline")
            for i, merges in enumerate(columns.values()):
                if row < len(merges):
                    _merge(ax, margin + i * column, y, column, *merges[row])
    return ax


def tokens_per_character(
    samples: Mapping[str, str],
    cutters: Mapping[str, Callable[[str], Sequence[object]]],
    unknown: str = "[UNK]",
    ax: Axes | None = None,
) -> Axes:
    """Draw how many tokens a character costs in each sample, for several tokenizers.

    Parameters
    ----------
    samples : mapping of str to str
        A name for each sample, such as its language, and its text.
    cutters : mapping of str to callable
        A name for each tokenizer, and what turns a text into a list of its tokens or ids.
    unknown : str, optional
        The token that stands for what was lost; it is counted beside the bar.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. The samples keep their order. A bar is as long as tokens / characters;
        those of the first tokenizer are filled, those of the others open.

    Raises
    ------
    ValueError
        If there is no sample or no tokenizer, or a sample is empty.

    Examples
    --------
    >>> from companion.plots import tokens_per_character
    >>> ax = tokens_per_character({"French": "un été"}, {"words": str.split, "letters": list})
    >>> [label.get_text() for label in ax.texts]
    ['0.33', '1.00']
    """
    if not samples or not cutters:
        raise ValueError("there is nothing to draw; give at least one sample and one tokenizer")
    for name, text in samples.items():
        if not text:
            raise ValueError(f"the sample {name!r} is empty; give it at least one character")
    thick = 0.8 / len(cutters)
    with _axes(ax, height=0.75 + 0.235 * len(samples) * len(cutters)) as ax:
        longest = 0.0
        for i, (tokenizer, cut) in enumerate(cutters.items()):
            for row, text in enumerate(samples.values()):
                tokens = cut(text)
                rate, lost = len(tokens) / len(text), tokens.count(unknown)
                longest = max(longest, rate)
                y = row - 0.4 + thick * (i + 0.5)
                ax.barh(
                    y,
                    rate,
                    height=thick * 0.86,
                    facecolor="white" if i else _tint(TOKEN, 0.75),
                    edgecolor=TOKEN,
                    label=tokenizer if row == 0 else None,
                )
                note = f"{rate:.2f}" + (f"   {lost} {unknown}" if lost else "")
                ax.annotate(
                    note,
                    (rate, y),
                    (5, 0),
                    textcoords="offset points",
                    size=11,
                    va="center_baseline",
                    family=_BOLD if lost else _SANS,
                )
        ax.set_yticks(range(len(samples)), list(samples))
        ax.set(xlim=(0, longest * 1.12), ylim=(len(samples) - 0.45, -0.55), xticks=[])
        ax.set_title("tokens per character", color=MUTED)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.legend(loc="upper right", handlelength=1.2)
    return ax


def length_by_vocabulary(
    curves: Mapping[str, Mapping[int, int]],
    points: Mapping[str, tuple[int, int]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the number of tokens of a text against the size of the vocabulary.

    Parameters
    ----------
    curves : mapping of str to mapping of int to int
        For each text its name, and the number of tokens for each size of the vocabulary.
    points : mapping of str to (int, int), optional
        Single tokenizers: a name, the size of the vocabulary, the number of tokens.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, the size on a logarithmic scale; the curves are its first lines.

    Raises
    ------
    ValueError
        If there is no curve.

    Examples
    --------
    >>> from companion.plots import length_by_vocabulary
    >>> ax = length_by_vocabulary({"story": {256: 100, 512: 60}}, {"another": (1024, 50)})
    >>> [label.get_text() for label in ax.texts]
    ['story', 'another']
    """
    if not curves:
        raise ValueError("there is no curve to draw; give at least one")
    marked = points or {}
    sizes = [size for curve in curves.values() for size in curve]
    sizes += [size for size, _ in marked.values()]
    most = max(length for curve in curves.values() for length in curve.values())
    styles: list[Any] = ["-", (0, (4, 2)), (0, (1, 1.5))]
    with _axes(ax, height=3.5) as ax:
        for i, (name, curve) in enumerate(curves.items()):
            x, y = list(curve), list(curve.values())
            ax.plot(x, y, color=TOKEN, linewidth=2.2, linestyle=styles[i % len(styles)])
            ax.annotate(
                name, (x[-1], y[-1]), (8, 0), textcoords="offset points", va="center", color=TOKEN
            )
        for name, (size, length) in marked.items():
            ax.plot([size], [length], marker="D", color=INK)
            ax.annotate(
                name, (size, length), (0, 10), textcoords="offset points", ha="right", color=INK
            )
        ax.set_xscale("log", base=2)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:,.0f}")
        ax.set(xlim=(min(sizes) * 0.9, max(sizes) * 1.6), ylim=(0, most * 1.06))
        ax.set(xlabel="size of the vocabulary, V", ylabel="tokens")
    return ax


def parameter_shares(models: Mapping[str, Mapping[str, int]], ax: Axes | None = None) -> Axes:
    """Draw which share of its parameters each model spends on what.

    Parameters
    ----------
    models : mapping of str to mapping of str to int
        For each model its name, and how many parameters each of its parts has. All models have
        the same parts; the first is the table of tokens.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. Each bar is all parameters of a model; the share of the first part is
        written into it, and behind it stands the number of all in millions.

    Raises
    ------
    ValueError
        If there is no model, or two models have different parts.

    Examples
    --------
    >>> from companion.plots import parameter_shares
    >>> ax = parameter_shares({"tiny": {"tokens": 1_000_000, "rest": 3_000_000}})
    >>> [label.get_text() for label in ax.texts]
    ['25.0 %', '4.0 M']
    """
    parts = next((list(model) for model in models.values()), [])
    if not parts:
        raise ValueError("there is no model to draw; give at least one with its parts")
    for name, model in models.items():
        if list(model) != parts:
            raise ValueError(
                f"the parts of {name!r} are {list(model)}, not {parts} as of the first"
            )
    fills = [_tint(TOKEN, 0.75), _tint(POSITION, 0.75), "white", _tint(BYTE, 0.3)]
    with _axes(ax, height=0.8 + 0.42 * len(models)) as ax:
        for row, model in enumerate(models.values()):
            total, left = sum(model.values()), 0.0
            for i, (part, n_parameters) in enumerate(model.items()):
                share = n_parameters / total
                ax.barh(
                    row,
                    share,
                    left=left,
                    height=0.66,
                    facecolor=fills[i % len(fills)],
                    edgecolor=INK,
                    linewidth=0.8,
                    label=part if row == 0 else None,
                )
                left += share
            share = model[parts[0]] / total
            inside = share > 0.12
            ax.text(
                share / 2 if inside else share + 0.03,
                row,
                f"{100 * share:.1f} %",
                ha="center" if inside else "left",
                va="center_baseline",
                family=_BOLD,
                color="white" if inside else INK,
            )
            ax.text(1.02, row, f"{total / 1e6:,.1f} M", va="center_baseline")
        ax.set_yticks(range(len(models)), list(models))
        ax.set(xlim=(0, 1.24), ylim=(len(models) - 0.5, -0.5), xticks=[])
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=False)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.legend(
            loc="lower left", bbox_to_anchor=(0, 1), ncols=len(parts), handlelength=1.2,
            columnspacing=1.2, borderpad=0,
        )  # fmt: skip
    return ax


def window_bricks(
    windows: "SlidingWindows", tokenizer: Tokenizer | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the windows of a short sequence under it: inputs in filled cells, targets in open ones.

    Parameters
    ----------
    windows : SlidingWindows
        The windows of up to eleven ids.
    tokenizer : Tokenizer, optional
        Writes above each id the token that it stands for.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. It writes the sequence, then for each window its name, its inputs and
        its targets, each id in the column of its place in the sequence. Beside the first window
        it says which are which, if there is room.

    Raises
    ------
    ValueError
        If there are more ids than a row has room for.

    Examples
    --------
    >>> from companion.plots import window_bricks
    >>> from companion.windows import SlidingWindows
    >>> ax = window_bricks(SlidingWindows(range(20, 27), context_size=3, stride=2))
    >>> [label.get_text() for label in ax.texts][8:17]
    ['window 0', '20', '21', '22', 'inputs', '21', '22', '23', 'targets']
    """
    left, most = 0.82, 11
    if windows.n_tokens > most:
        raise ValueError(
            f"{windows.n_tokens} ids do not fit into a row of {most}; draw the windows of a part"
        )
    cell = min(0.56, (WIDTH - left - 0.02) / windows.n_tokens)
    ids = [int(token_id) for token_id in windows.token_ids]
    step, head = 0.84, 0.4 if tokenizer is None else 0.68
    with _canvas(ax, height=head + 0.06 + step * len(windows)) as ax:
        y = head + step * len(windows) - 0.14
        if tokenizer is not None:
            for i, token_id in enumerate(ids):
                token = tokenizer.decode([token_id]).strip()
                ax.text(left + (i + 0.5) * cell, y, token, size=11, ha="center",
                        va="center_baseline")  # fmt: skip
            y -= 0.28
        ax.text(0, y, "ids", color=MUTED, va="center_baseline")
        for i, token_id in enumerate(ids):
            ax.text(left + (i + 0.5) * cell, y, str(token_id), size=11, ha="center",
                    va="center_baseline")  # fmt: skip
        for row, (start, pair) in enumerate(zip(windows.starts, windows, strict=True)):
            y = step * (len(windows) - row) - 0.2
            ax.text(0, y - 0.16, f"window {row}", color=MUTED, va="center_baseline")
            for shift, part in enumerate(pair):
                for i, token_id in enumerate(part.tolist()):
                    x = left + (start + shift + i) * cell
                    _cell(ax, x, y - 0.32 * shift, cell, str(token_id), filled=shift == 0)
                if row == 0 and x + cell + 0.65 < WIDTH:
                    name = ("inputs", "targets")[shift]
                    ax.text(x + cell + 0.08, y - 0.32 * shift, name, size=11, color=MUTED,
                            va="center_baseline")  # fmt: skip
    return ax


def window_coverage(settings: "Sequence[SlidingWindows]", ax: Axes | None = None) -> Axes:
    """Draw how often each id of a sequence is a target, a row for each choice of windows.

    Parameters
    ----------
    settings : sequence of SlidingWindows
        Windows of different strides over the same sequence, of up to 33 ids.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. Each row writes its stride and, in a cell for each place of the
        sequence, how often the id there is a target; the cell is open where that is never.

    Raises
    ------
    ValueError
        If there are no windows, sequences of different lengths, or too many ids for a row.

    Examples
    --------
    >>> from companion.plots import window_coverage
    >>> from companion.windows import SlidingWindows
    >>> ax = window_coverage([SlidingWindows(range(8), 4, stride) for stride in (1, 4)])
    >>> [label.get_text() for label in ax.texts][:9]
    ['stride 1', '0', '1', '2', '3', '4', '3', '2', '1']
    """
    left, most = 0.86, 33
    lengths = {windows.n_tokens for windows in settings}
    if len(lengths) != 1:
        raise ValueError(f"the windows must be of sequences of one length, not of {len(lengths)}")
    (n,) = lengths
    if n > most:
        raise ValueError(f"{n} ids do not fit into a row of {most}; draw a shorter sequence")
    cell = (WIDTH - left - 0.02) / n
    counts = [_target_counts(windows) for windows in settings]
    highest = max(map(max, counts))
    step = 0.5
    with _canvas(ax, height=0.42 + step * len(settings)) as ax:
        for row, (windows, of_row) in enumerate(zip(settings, counts, strict=True)):
            y = 0.42 + step * (len(settings) - row - 0.5)
            ax.text(0, y, f"stride {windows.stride}", va="center_baseline")
            for i, count in enumerate(of_row):
                shade = _tint(TOKEN, 0.08 + 0.5 * count / highest) if count else "white"
                ax.add_patch(
                    Rectangle((left + i * cell, y - 0.17), cell, 0.34, facecolor=shade,
                              edgecolor=TOKEN if count else GRID, linewidth=0.8)
                )  # fmt: skip
                ax.text(left + (i + 0.5) * cell, y, str(count), size=11, ha="center",
                        va="center_baseline")  # fmt: skip
        ax.text(0, 0.24, "place", color=MUTED, va="center_baseline")
        for i in range(0, n, 4):
            ax.text(left + (i + 0.5) * cell, 0.24, str(i), size=11, color=MUTED, ha="center",
                    va="center_baseline")  # fmt: skip
    return ax


def padded_batch(batch: "PaddedBatch", ax: Axes | None = None) -> Axes:
    r"""Draw the ids of a padded batch and, under them, its attention mask.

    Parameters
    ----------
    batch : PaddedBatch
        A batch of up to eleven columns, as `pad_batch` makes it.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. It writes the ids, filled where the mask is 1, and the mask.

    Raises
    ------
    ValueError
        If the batch has more columns than a row has room for.

    Examples
    --------
    >>> from companion.plots import padded_batch
    >>> from companion.windows import pad_batch
    >>> ax = padded_batch(pad_batch([[5, 6, 7], [8]], pad_id=0))
    >>> [label.get_text() for label in ax.texts]
    ['ids', '5', '6', '7', '8', '0', '0', 'attention\nmask', '1', '1', '1', '1', '0', '0']
    """
    left, most, step, gap = 0.86, 11, 0.34, 0.24
    ids, mask = (part.tolist() for part in batch)
    n = len(ids[0])
    if n > most:
        raise ValueError(f"{n} columns do not fit into a row of {most}; draw a part of the batch")
    cell = min(0.56, (WIDTH - left - 0.02) / max(n, 1))
    height = step * len(ids)
    with _canvas(ax, height=2 * height + gap + 0.08) as ax:
        for name, grid, top in (
            ("ids", ids, 2 * height + gap + 0.04),
            ("attention\nmask", mask, height + 0.04),
        ):
            ax.text(0, top - height / 2, name, color=MUTED, va="center", linespacing=1.0)
            for row, numbers in enumerate(grid):
                for i, number in enumerate(numbers):
                    y = top - step * (row + 0.5)
                    _cell(ax, left + i * cell, y, cell, str(number), filled=mask[row][i] == 1)
    return ax


def _require_tokens(tokens: Sequence[str]) -> None:
    if not tokens:
        raise ValueError("there are no tokens to draw; give those of a text that is not empty")


def _strip(
    ax: Axes, x: float, y: float, width: float, height: float, vector: Any, color: str, scale: float
) -> None:
    """Draw a vector as a row of cells: the larger the number, the darker the cell."""
    cell = width / len(vector)
    for i, value in enumerate(vector):
        share = float(np.clip(0.5 + 0.5 * value / scale, 0, 1))
        ax.add_patch(
            Rectangle((x + i * cell, y - height / 2), cell, height,
                      facecolor=_tint(color, 0.08 + 0.92 * share), edgecolor="white", linewidth=0.6)
        )  # fmt: skip


def _box(ax: Axes, x: float, y: float, width: float, color: str) -> None:
    """Draw the rounded box of a token: its left edge at `x`, its middle at `y`."""
    ax.add_patch(
        FancyBboxPatch((x + 0.05, y - 0.11), width - 0.1, 0.22, boxstyle="round,pad=0.05",
                       facecolor=_tint(color, 0.12), edgecolor=color, linewidth=1.1)
    )  # fmt: skip


def _tint(color: str, strength: float) -> tuple[float, float, float]:
    """Mix a colour with white; `strength` 1 is the colour itself."""
    red, green, blue = (1 - strength * (1 - channel) for channel in to_rgb(color))
    return red, green, blue


def _flow(widths: Sequence[float], gap: float, limit: float) -> list[tuple[int, float]]:
    """Set boxes side by side and begin a new row at `limit`: the row and left edge of each."""
    places: list[tuple[int, float]] = []
    row, x = 0, 0.0
    for width in widths:
        if x and x + width > limit:
            row, x = row + 1, 0.0
        places.append((row, x))
        x += width + gap
    return places


def _text_width(text: str, size: float = 12) -> float:
    """Width in inches of a text in the figures' typeface."""
    _load_fonts()
    font = font_manager.FontProperties(family=_SANS, size=size)
    width, _, _ = TextToPath().get_text_width_height_descent(text, font, False)
    return float(width) / 72


@contextmanager
def _axes(ax: Axes | None, height: float) -> Iterator[Axes]:
    """Give axes in the style of the book: `ax`, or those of a new figure."""
    _load_fonts()
    # Outside the style: the first figure of a session makes pyplot choose its backend and turn
    # interactive mode on, and the end of rc_context would turn that off again.
    figure = plt.figure(figsize=(WIDTH, height), dpi=150, facecolor="white") if ax is None else None
    with plt.rc_context(_STYLE):
        if figure is not None:
            figure.set_layout_engine("constrained")
            ax = figure.add_subplot()
        assert ax is not None
        yield ax
        # Ticks are made when they are first drawn: draw once while the style holds.
        ax.figure.canvas.figure.draw_without_rendering()


@contextmanager
def _canvas(ax: Axes | None, height: float) -> Iterator[Axes]:
    """Give axes for a drawing: no frame, and units of an inch from the lower left corner."""
    with _axes(ax, height) as canvas:
        canvas.set(xlim=(0, WIDTH), ylim=(0, height))
        canvas.axis("off")
        yield canvas


@cache
def _load_fonts() -> None:
    """Tell matplotlib of the bundled fonts, so that a figure looks the same on every machine."""
    with as_file(files("companion").joinpath("data", "fonts")) as folder:
        for path in sorted(folder.glob("*.ttf")):
            font_manager.fontManager.addfont(path)


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
    ax.text(x + _text_width(left) + 0.08, y, right, color=MUTED, va="center_baseline")
    box = _text_width(piece) + 0.14
    _box(ax, x + 0.4 * width, y, box, TOKEN)
    ax.text(x + 0.4 * width + box / 2, y, piece, ha="center", va="center_baseline")
    ax.text(x + width - 0.25, y, str(value), ha="right", va="center_baseline")


def _target_counts(windows: "SlidingWindows") -> list[int]:
    """Count for each place of the sequence in how many windows it is a target."""
    counts = [0] * windows.n_tokens
    for start in windows.starts:
        for place in range(start + 1, start + windows.context_size + 1):
            counts[place] += 1
    return counts


def _cell(ax: Axes, x: float, y: float, width: float, text: str, *, filled: bool) -> None:
    """Draw an id in its cell: filled, with a solid edge, or open, with a dashed one."""
    ax.add_patch(
        Rectangle((x + 0.015, y - 0.13), width - 0.03, 0.26, linewidth=1.1, edgecolor=TOKEN,
                  facecolor=_tint(TOKEN, 0.16) if filled else "white",
                  linestyle="solid" if filled else (0, (3, 2)))
    )  # fmt: skip
    ax.text(x + width / 2, y, text, size=11, ha="center", va="center_baseline")
