"""Figures of the chapter `gpt2-input`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from workbook.plots import _drawing as draw
from workbook.plots._drawing import BOLD, BYTE, DASHED, INK, INPUT, MUTED, POSITION, TOKEN

if TYPE_CHECKING:  # importing them would load torch
    from torch import Tensor

    from companion.embeddings import GPT2Embeddings

# The columns of the flow: left edge and width of what stands in each.
_IDS, _TABLE, _TOKENS = (0.04, 0.56), (1.1, 0.98), (2.34, 0.7)
_POSITIONS, _SUMS = (3.6, 0.66), (4.44, 0.64)
_ROW, _BEHIND = 0.27, 0.08  # height of a row; how far the next sheet of a batch looks out
_SHOWN = 6  # numbers of a vector that are drawn


def gpt2_flow(embeddings: "GPT2Embeddings", ids: "Tensor") -> Axes:
    r"""Draw the way of a batch through the input of GPT-2 and back out, with every shape.

    `ids` is a batch of shape ``(B, n)``, up to four sequences of up to eight ids. A sheet is a
    sequence, and the sheets of a batch lie one behind another. The front sheets hold the ids and
    the first numbers of each vector, each a bar, up or down, on one scale for all. The sheets after
    the blocks are empty. The token table stands in both ways, because both use it.

    >>> import torch
    >>> from companion.embeddings import GPT2Embeddings
    >>> embeddings = GPT2Embeddings(vocab_size=100, context_size=8, d_model=6)
    >>> ax = gpt2_flow(embeddings, torch.tensor([[5, 17, 5], [99, 0, 1]]))
    >>> [label.get_text() for label in ax.texts][:4]
    ['ids', '(B, n)\n(2, 3)', 'token\nvectors', '(B, n, d)\n(2, 3, 6)']
    """
    batch = np.asarray(ids)
    n_sequences, n = batch.shape
    token_table = np.asarray(embeddings.token.weight.detach())
    rows = token_table[batch[0]], np.asarray(embeddings.position.weight.detach())[:n]
    vectors = [part[:, :_SHOWN] for part in (*rows, rows[0] + rows[1])]
    scale = max(float(np.abs(part).max()) for part in vectors)
    vocab_size, d = token_table.shape
    sheet, behind = n * _ROW, _BEHIND * (n_sequences - 1)
    low = 0.57  # the lower edge of the sheets on the way back; then that of those on the way in
    top = low + sheet + behind + 1.14
    with draw.canvas(height=top + sheet + behind + 0.54) as ax:
        sizes = {"B": n_sequences, "n": n, "d": d, "V": vocab_size}
        for y, (x, width), name, color, letters in (
            (top, _IDS, "ids", TOKEN, "(B, n)"),
            (top, _TOKENS, "token\nvectors", TOKEN, "(B, n, d)"),
            (top, _POSITIONS, "position\nvectors", POSITION, "(n, d)"),
            (top, _SUMS, "input", INPUT, "(B, n, d)"),
            (low, _TOKENS, "hidden\nvectors", BYTE, "(B, n, d)"),
            (low, _IDS, "logits", BYTE, "(B, n, V)"),
        ):
            shifts = [_BEHIND * i for i in range(n_sequences if "B" in letters else 1)]
            for shift in reversed(shifts):
                ax.add_patch(Rectangle((x + shift, y + shift), width, sheet, facecolor="white",
                                       edgecolor=color))  # fmt: skip
            draw.write(ax, x + width / 2, y + sheet + shifts[-1] + 0.06, name, color=color,
                       ha="center", va="bottom", linespacing=0.95)  # fmt: skip
            shape = tuple(sizes[letter] for letter in letters if letter in sizes)
            draw.write(ax, max(x + width / 2, 0.5), y - 0.08, f"{letters}\n{shape}", color=MUTED,
                       ha="center", va="top", linespacing=1.05)  # fmt: skip
        left_out = 0.2 if d > _SHOWN else 0.0
        columns = (_TOKENS, TOKEN), (_POSITIONS, POSITION), (_SUMS, INPUT)
        for row in range(n):
            y = top + sheet - _ROW * (row + 0.5)
            draw.write(ax, _IDS[0] + _IDS[1] / 2, y, str(batch[0, row]), ha="center")
            draw.write(ax, _POSITIONS[0] - 0.07, y, str(row), color=POSITION, ha="right")
            for ((x, width), color), part in zip(columns, vectors, strict=True):
                draw.vector_bars(ax, x + 0.05, y, width - 0.1 - left_out, _ROW,
                                 part[row], color, scale)  # fmt: skip
                if left_out:
                    draw.write(ax, x + width - 0.13, y, "…", color=color, ha="center")

        (x, width), end = _TABLE, top + sheet
        ax.add_patch(Rectangle((x, low), width, end - low, facecolor=draw.tint(TOKEN, 0.12),
                               edgecolor=TOKEN))  # fmt: skip
        for y, text, style in (
            (top + sheet / 2, "look up\nits rows", {}),
            ((low + end) / 2 + 0.2, "token table", {"family": BOLD}),
            ((low + end) / 2 - 0.16, f"(V, d)\n({vocab_size}, {d})", {"color": MUTED}),
            (low + sheet / 2, "multiply by\nits rows", {}),
        ):
            draw.write(ax, x + width / 2, y, text, ha="center", va="center", **style)
        left, right = _POSITIONS[0] + 0.1, _SUMS[0] + _SUMS[1]
        ax.add_patch(FancyBboxPatch((left + 0.05, low + 0.05), right - left - 0.1, sheet - 0.1,
                                    boxstyle="round,pad=0.05", facecolor=draw.tint(BYTE, 0.12),
                                    edgecolor=BYTE))  # fmt: skip
        draw.write(ax, (left + right) / 2, low + sheet / 2, "blocks of the\ntransformer",
                   ha="center", va="center")  # fmt: skip

        ends = {column: column[0] + column[1] + behind + 0.04 for column in (_IDS, _TOKENS)}
        middle, back, x_down = top + sheet / 2, low + sheet / 2, _SUMS[0] + _SUMS[1] / 2
        for at, sign in ((ends[_TOKENS] + 0.06, "+"), (4.35, "=")):
            draw.write(ax, at, middle, sign, size=15, color=MUTED, ha="center")
        for start, stop in (
            ((ends[_IDS], middle), (x - 0.02, middle)),
            ((x + width + 0.04, middle), (_TOKENS[0] - 0.02, middle)),
            ((x_down, top - 0.58), (x_down, low + sheet)),
            ((left - 0.02, back), (ends[_TOKENS], back)),
            ((_TOKENS[0] - 0.04, back), (x + width + 0.02, back)),
            ((x - 0.02, back), (ends[_IDS], back)),
        ):
            look = {"arrowstyle": "->", "color": MUTED, "linewidth": 1.3}
            ax.annotate("", stop, start, arrowprops=look)
    return ax


def tied_parameters(models: Mapping[str, Mapping[str, int]]) -> Axes:
    """Draw the parameters of models with one token table, and what a second one would add.

    `models` gives for each model the parameters of its token table, its position table and the
    rest, a filled bar. The open bar after it is a second token table on the same scale.

    >>> tiny = {"tokens": 1_000_000, "positions": 200_000, "rest": 2_800_000}
    >>> ax = tied_parameters({"tiny": tiny})
    >>> [label.get_text() for label in ax.texts][:2]
    ['4.0 M', '+ 1.0 M']
    """
    fills = [draw.tint(TOKEN, 0.75), draw.tint(POSITION, 0.75), draw.tint(BYTE, 0.15)]
    with draw.axes(height=0.95 + 0.44 * len(models)) as ax:
        for row, model in enumerate(models.values()):
            total, left = sum(model.values()), 0.0
            table, *_ = model.values()
            for n_parameters, fill in zip(model.values(), fills, strict=True):
                ax.barh(row, n_parameters / total, left=left, height=0.62, facecolor=fill)
                left += n_parameters / total
            ax.barh(row, 1, height=0.62, facecolor="none", edgecolor=INK, linewidth=0.8)
            ax.barh(row, table / total, left=1, height=0.62, facecolor="white", edgecolor=TOKEN,
                    linewidth=1.2, linestyle=DASHED)  # fmt: skip
            draw.write(ax, 0.98, row, f"{total / 1e6:,.1f} M", ha="right")
            draw.write(ax, 1.02 + table / total, row, f"+ {table / 1e6:,.1f} M", color=TOKEN,
                       family=BOLD)  # fmt: skip
        first, *_ = models.values()
        (tokens, n_tokens), (positions, n_positions), (rest, _) = first.items()
        draw.write(ax, 0, -0.52, tokens, color=TOKEN, va="bottom")
        draw.write(ax, 0.98, -0.52, rest, color=MUTED, ha="right", va="bottom")
        draw.write(ax, 1.02, -0.52, "a second token table", color=TOKEN, va="bottom")
        x = (n_tokens + n_positions / 2) / sum(first.values())
        ax.plot([x, x], [-0.34, -1.12], color=POSITION, linewidth=1.2)
        draw.write(ax, x + 0.02, -1.2, positions, color=POSITION)
        ax.set_yticks(range(len(models)), list(models))
        ax.set(xlim=(0, 1.62), ylim=(len(models) - 0.5, -1.4))
        draw.bare(ax)
    return ax
