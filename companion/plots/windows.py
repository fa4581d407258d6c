"""Figures of the chapter `windows`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from companion.plots._drawing import GRID, MUTED, TOKEN, WIDTH, canvas, id_cell, tint
from companion.tokenizer import Tokenizer

if TYPE_CHECKING:  # importing it would load torch
    from companion.windows import PaddedBatch, SlidingWindows

__all__ = ["padded_batch", "window_bricks", "window_coverage"]


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
    with canvas(ax, height=head + 0.06 + step * len(windows)) as ax:
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
                    id_cell(ax, x, y - 0.32 * shift, cell, str(token_id), filled=shift == 0)
                if row == 0 and x + cell + 0.65 < WIDTH:
                    name = ("inputs", "targets")[shift]
                    ax.text(x + cell + 0.08, y - 0.32 * shift, name, size=11, color=MUTED,
                            va="center_baseline")  # fmt: skip
    return ax


def window_coverage(settings: Sequence["SlidingWindows"], ax: Axes | None = None) -> Axes:
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
    with canvas(ax, height=0.42 + step * len(settings)) as ax:
        for row, (windows, of_row) in enumerate(zip(settings, counts, strict=True)):
            y = 0.42 + step * (len(settings) - row - 0.5)
            ax.text(0, y, f"stride {windows.stride}", va="center_baseline")
            for i, count in enumerate(of_row):
                shade = tint(TOKEN, 0.08 + 0.5 * count / highest) if count else "white"
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
    with canvas(ax, height=2 * height + gap + 0.08) as ax:
        for name, grid, top in (
            ("ids", ids, 2 * height + gap + 0.04),
            ("attention\nmask", mask, height + 0.04),
        ):
            ax.text(0, top - height / 2, name, color=MUTED, va="center", linespacing=1.0)
            for row, numbers in enumerate(grid):
                for i, number in enumerate(numbers):
                    y = top - step * (row + 0.5)
                    id_cell(ax, left + i * cell, y, cell, str(number), filled=mask[row][i] == 1)
    return ax


def _target_counts(windows: "SlidingWindows") -> list[int]:
    """Count for each place of the sequence in how many windows it is a target."""
    counts = [0] * windows.n_tokens
    for start in windows.starts:
        for place in range(start + 1, start + windows.context_size + 1):
            counts[place] += 1
    return counts
