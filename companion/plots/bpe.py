"""Figures of the chapter `bpe`."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from companion.bpe import BPETokenizer
from companion.plots._drawing import (
    BOLD,
    BYTE,
    INK,
    MUTED,
    TOKEN,
    WIDTH,
    axes,
    canvas,
    text_width,
    tint,
)

__all__ = ["derivation_tree", "merge_ladder", "tokens_per_merge"]


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
    with canvas(ax, height=0.26 + step * len(steps)) as ax:
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
    with canvas(ax, height=0.5 + level * max(node.level for node in nodes)) as ax:
        for node in nodes:
            y, width = 0.25 + level * node.level, max(0.3, text_width(_label(node.token)) + 0.2)
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
    with axes(ax, height=3.2) as ax:
        for i, (name, lengths) in enumerate(counts.items()):
            ax.plot(sizes, lengths, color=TOKEN, linewidth=2.2, linestyle=styles[i % 3],
                    label=f"{name}: {lengths[0]:,} to {lengths[-1]:,}")  # fmt: skip
        ax.legend(loc="upper right", handlelength=2.6)
        ax.set(xlim=(0, max(n_merges, 1) * 1.02), ylim=(0, 1.05 * max(map(max, counts.values()))))
        ax.set(xlabel="merges", ylabel="tokens")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:,.0f}")
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
                       facecolor=color if filled else tint(color, 0.1), edgecolor=color,
                       linewidth=1)
    )  # fmt: skip
    style: dict[str, Any] = {"color": "white", "family": BOLD} if filled else {"color": INK}
    ax.text(x + width / 2, y, _label(token), ha="center", va="center_baseline", **style)
