"""Figures of the chapter `windows`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from companion.tokenizer import Tokenizer
from workbook.plots import _drawing as draw
from workbook.plots._drawing import GRID, MUTED, TOKEN, WIDTH

if TYPE_CHECKING:  # importing it would load torch
    from companion.windows import PaddedBatch, SlidingWindows


def window_bricks(windows: "SlidingWindows", tokenizer: Tokenizer) -> Axes:
    """Draw the windows of a short sequence under it: inputs in filled cells, targets in open ones.

    It writes up to eleven ids under their tokens. Then each window has its inputs and its targets,
    each id in the column of its position in the sequence.

    >>> from companion.bpe import gpt2
    >>> from companion.windows import SlidingWindows
    >>> ax = window_bricks(SlidingWindows(range(20, 27), context_size=3, stride=2), gpt2())
    >>> [label.get_text() for label in ax.texts][15:24]
    ['window 0', '20', '21', '22', 'inputs', '21', '22', '23', 'targets']
    """
    left = 0.32
    cell = min(0.56, (WIDTH - left - 0.02) / windows.n_tokens)
    ids = [int(token_id) for token_id in windows.token_ids]
    step, head = 1.0, 0.82
    with draw.canvas(height=head + 0.06 + step * len(windows)) as ax:
        y = head + step * len(windows) - 0.14
        for i, token_id in enumerate(ids):
            token = draw.visible(tokenizer.decode([token_id]))
            # Every other one a line lower: long tokens are wider than a cell.
            draw.write(ax, left + (i + 0.5) * cell, y - 0.24 * (i % 2), token, ha="center")
        draw.write(ax, 0, y - 0.52, "ids", color=MUTED)
        for i, token_id in enumerate(ids):
            draw.write(ax, left + (i + 0.5) * cell, y - 0.52, str(token_id), ha="center")
        for row, (start, pair) in enumerate(zip(windows.starts, windows, strict=True)):
            y = step * (len(windows) - row) - 0.42
            draw.write(ax, left + start * cell, y + 0.3, f"window {row}", color=MUTED)
            for shift, part in enumerate(pair):
                face = "white" if shift else draw.tint(TOKEN, 0.16)
                for i, token_id in enumerate(part.tolist()):
                    x = left + (start + shift + i) * cell
                    draw.number_cell(ax, x, y - 0.32 * shift, cell, str(token_id), face=face,
                                     dashed=shift == 1)  # fmt: skip
                if row == 0 and x + cell + 0.65 < WIDTH:
                    name = ("inputs", "targets")[shift]
                    draw.write(ax, x + cell + 0.08, y - 0.32 * shift, name, color=MUTED)
    return ax


def window_coverage(settings: Sequence["SlidingWindows"]) -> Axes:
    """Draw how often each id of a sequence is a target, a row for each choice of windows.

    The strides differ; the sequence, of up to 33 ids, is the same. A cell of no target is open.

    >>> from companion.windows import SlidingWindows
    >>> ax = window_coverage([SlidingWindows(range(8), 4, stride) for stride in (1, 4)])
    >>> [label.get_text() for label in ax.texts][:9]
    ['stride 1', '0', '1', '2', '3', '4', '3', '2', '1']
    """
    left, n = 0.66, settings[0].n_tokens
    cell = (WIDTH - left - 0.02) / n
    # In how many windows each position of the sequence is a target.
    counts = [
        [sum(start < i <= start + windows.context_size for start in windows.starts)
         for i in range(n)] for windows in settings
    ]  # fmt: skip
    highest = max(map(max, counts))
    step = 0.5
    with draw.canvas(height=0.42 + step * len(settings)) as ax:
        for row, (windows, of_row) in enumerate(zip(settings, counts, strict=True)):
            y = 0.42 + step * (len(settings) - row - 0.5)
            draw.write(ax, 0, y, f"stride {windows.stride}")
            for i, count in sorted(enumerate(of_row), key=lambda pair: pair[1] > 0):
                shade = draw.tint(TOKEN, 0.08 + 0.4 * count / highest) if count else "white"
                edge = TOKEN if count else GRID
                draw.number_cell(ax, left + i * cell, y, cell, str(count), height=0.34, gap=0,
                                 face=shade, edge=edge)  # fmt: skip
        draw.write(ax, 0, 0.24, "position", color=MUTED)
        for i in range(0, n, 4):
            draw.write(ax, left + (i + 0.5) * cell, 0.24, str(i), color=MUTED, ha="center")
    return ax


def padded_batch(batch: "PaddedBatch") -> Axes:
    """Draw the ids of a padded batch of up to eleven columns and, under them, its mask.

    Cells are filled where the attention mask is 1.

    >>> from companion.windows import pad_batch
    >>> ax = padded_batch(pad_batch([[5, 6, 7], [8]], pad_id=0))
    >>> [label.get_text() for label in ax.texts]
    ['ids', '5', '6', '7', '8', '0', '0', 'attention mask', '1', '1', '1', '1', '0', '0']
    """
    step, head = 0.34, 0.36
    ids, mask = (part.tolist() for part in batch)
    cell = min(0.56, (WIDTH - 0.02) / len(ids[0]))
    height = step * len(ids)
    grids = {2 * height + head + 0.04: ("ids", ids), height + 0.04: ("attention mask", mask)}
    with draw.canvas(height=2 * (height + head) + 0.04) as ax:
        for top, (name, grid) in grids.items():
            draw.write(ax, 0.02, top + 0.18, name, color=MUTED)
            for row, numbers in enumerate(grid):
                y = top - step * (row + 0.5)
                for i, number in enumerate(numbers):
                    filled = {"face": draw.tint(TOKEN, 0.16)}
                    style: dict[str, Any] = filled if mask[row][i] else {"edge": GRID}
                    draw.number_cell(ax, i * cell, y, cell, str(number), **style)
    return ax
