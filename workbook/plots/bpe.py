"""Figures of the chapter `bpe`."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from companion.bpe import BPETokenizer
from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, BYTE, CURVES, INK, MUTED, TOKEN, WIDTH


def merge_ladder(tokenizer: BPETokenizer, word: str | bytes) -> Axes:
    """Draw how a word merges: a row for its bytes, then a row for each merge.

    The rows are those of `BPETokenizer.merge_steps` for a word of up to 20 bytes, with the rank of
    each merge on the left. A token is as wide as its bytes, and filled in the row that made it. A
    space is drawn as ␣, and bytes that are no printable text in hexadecimal.

    >>> from companion.bpe import train_bpe
    >>> ax = merge_ladder(train_bpe("low lower lowest", 258), "lolow")
    >>> [label.get_text() for label in ax.texts][7:]
    ['0', 'lo', 'l', 'o', 'w', '0', 'lo', 'lo', 'w', '1', 'lo', 'low']
    """
    steps = tokenizer.merge_steps(word)
    ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
    left, step = 0.74, 0.37
    cell = min(0.42, (WIDTH - left) / len(steps[0]))
    with draw.canvas(height=0.26 + step * len(steps)) as ax:
        top = step * (len(steps) - 0.5)
        draw.write(ax, left - 0.14, top + 0.32, "rank", color=MUTED, ha="right")
        for row, tokens in enumerate(steps):
            y, x, made, label = top - step * row, left, -1, "bytes"
            if row:
                made, pair = _made(steps[row - 1], tokens)
                label = f"{ranks[pair]:,}"
            draw.write(ax, left - 0.14, y, label, color=INK if row else MUTED, ha="right")
            for i, token in enumerate(tokens):
                _token_box(ax, x, y, cell * len(token), token, filled=i == made)
                x += cell * len(token)
    return ax


def derivation_tree(tokenizer: BPETokenizer, word: str | bytes) -> Axes:
    """Draw how the tokens of a word are built from its bytes: a tree for each token.

    The bytes of a word, up to 14, are at the bottom. Each join shows the token it makes and, under
    it, the rank of its merge. The tokens of the encoded word are filled.

    >>> from companion.bpe import train_bpe
    >>> ax = derivation_tree(train_bpe("low lower lowest", 258), "slow")
    >>> [label.get_text() for label in ax.texts]
    ['s', 'l', 'o', 'w', 'lo', '0', 'low', '1']
    """
    steps = tokenizer.merge_steps(word)
    ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
    size = len(steps[0])
    cell, level = min(0.62, WIDTH / size), 0.78
    left = (WIDTH - cell * size) / 2
    roots = [_Node(token, left + cell * (i + 0.5)) for i, token in enumerate(steps[0])]
    nodes = list(roots)
    for before, after in pairwise(steps):
        i, (first, second) = _made(before, after)
        parts, x = roots[i : i + 2], roots[i].x + cell * len(second) / 2
        roots[i : i + 2] = [_Node(first + second, x, 1 + max(p.level for p in parts), parts)]
        nodes.append(roots[i])
    with draw.canvas(height=0.5 + level * max(node.level for node in nodes)) as ax:
        for node in nodes:
            y = 0.25 + level * node.level
            width = max(0.3, draw.text_width(_label(node.token)) + 0.2)
            _token_box(ax, node.x - width / 2, y, width, node.token, filled=node in roots)
            for part in node.parts:
                ax.plot([node.x, part.x], [y, 0.25 + level * part.level], color=MUTED,
                        linewidth=1, zorder=0)  # fmt: skip
            if node.parts:  # the rank stands on white, so that no line crosses it
                ax.add_patch(Rectangle((node.x - 0.16, y - 0.4), 0.32, 0.26, color="white",
                                       zorder=0.5))  # fmt: skip
                rank = ranks[node.parts[0].token, node.parts[1].token]
                draw.write(ax, node.x, y - 0.28, f"{rank:,}", color=MUTED, ha="center")
    return ax


def tokens_per_merge(tokenizer: BPETokenizer, texts: Mapping[str, str]) -> Axes:
    """Draw how many tokens each text becomes with only the first merges of a tokenizer.

    A line for each named text, counted at about fifty numbers of merges, from none to all.

    >>> from companion.bpe import train_bpe
    >>> text = "low lower lowest"
    >>> ax = tokens_per_merge(train_bpe(text, 259), {"the text": text})
    >>> [int(y) for y in ax.lines[0].get_ydata()]
    [16, 13, 10, 8]
    """
    n_merges = len(tokenizer.merges)
    sizes = sorted({round(n_merges * (i / 50) ** 1.5) for i in range(51)})
    shorter = [BPETokenizer(tokenizer.merges[:n], pattern=tokenizer.pattern) for n in sizes]
    with draw.axes(height=3.2) as ax:
        for line, (name, text) in zip(CURVES, texts.items(), strict=False):
            lengths = [len(each.encode_ordinary(text)) for each in shorter]
            ax.plot(sizes, lengths, color=TOKEN, linewidth=2.2, linestyle=line,
                    label=f"{name}: {lengths[0]:,} to {lengths[-1]:,}")  # fmt: skip
        ax.legend(loc="upper right", handlelength=2.6)
        ax.set(xlim=(0, n_merges * 1.02), ylim=(0, 1.05 * ax.dataLim.y1))
        ax.set(xlabel="merges", ylabel="tokens")
        draw.counted(ax)
    return ax


class _Node(NamedTuple):
    """A token in a derivation tree: its middle, its height, and the two tokens it was made of."""

    token: bytes
    x: float
    level: int = 0
    parts: "Sequence[_Node]" = ()


def _made(before: Sequence[bytes], after: Sequence[bytes]) -> tuple[int, tuple[bytes, bytes]]:
    """Where the token stands that a merge has made, and of which pair."""
    i = next(i for i, token in enumerate(after) if token != before[i])
    return i, (before[i], before[i + 1])


def _label(token: bytes) -> str:
    """Write a token: a space as ␣, and what is no printable text in hexadecimal."""
    text = token.decode("utf-8", "replace")
    is_text = text.isprintable() and "\ufffd" not in text
    return draw.visible(text) if is_text else token.hex(" ").upper()


def _token_box(ax: Axes, x: float, y: float, width: float, token: bytes, *, filled: bool) -> None:
    """Draw a token in its box, single bytes in grey; filled boxes have bold letters."""
    style: dict[str, Any] = {"fill": 0.1, "linewidth": 1}
    if filled:
        style |= {"fill": 1, "color": "white", "family": BOLD}
    edge = TOKEN if len(token) > 1 else BYTE
    draw.box(ax, x + 0.015, y, width - 0.03, _label(token), edge, **style)
