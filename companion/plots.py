"""The figures of the book, one function a figure.

Each function takes the objects that a chapter has built, draws them, and returns the `Axes`. Give
it an `ax` to draw into a figure of your own.

One colour has one meaning throughout the book: blue for tokens and their vectors, orange for
segments, green for positions, violet for their sum, grey for text and bytes. The four differ in
lightness as well as in hue, and a label or a place says the same as each colour.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.textpath import TextToPath

from companion.tokenizer import Tokenizer

__all__ = [
    "BYTE",
    "INK",
    "INPUT",
    "MUTED",
    "POSITION",
    "SEGMENT",
    "TOKEN",
    "bytes_per_character",
    "rank_frequency",
    "sentence_path",
    "text_to_ids",
    "utf8_layout",
    "vocabulary_growth",
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
        Encodes the text. Each token is drawn as `tokenizer` decodes its id.
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
    tokens = [tokenizer.decode([token_id]) for token_id in ids]
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
        Encodes the sentence.
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
    columns = {"token": 0.0, "bytes": 0.72, "id": 2.56}
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
            ax.text(columns["token"], y, token, va="center_baseline", family=_BOLD)
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
