"""Figures of the chapter `relative-positions`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from companion.plots._drawing import (
    GRID,
    INK,
    MUTED,
    POSITION,
    TOKEN,
    WIDTH,
    axes,
    box,
    canvas,
    text_width,
    tint,
)

__all__ = [
    "bias_matrices",
    "bucket_stairs",
    "model_map",
    "products_by_distance",
    "relative_matrix",
    "rotating_pairs",
]

PLACES = {
    "added": "added to the input",
    "bias": "added to scores",
    "rotation": "turns q and k",
}
"""Where a position can enter a model, and what stands above its column in `model_map`."""


def relative_matrix(matrix: Any, tokens: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw a whole number for each query and key: a row for each query, a column for each key.

    Parameters
    ----------
    matrix : array or tensor of integers of shape (n, n)
        A number for each query and key, such as T5's buckets; n is up to 10.
    tokens : sequence of str
        The n tokens.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. It writes the tokens above the columns and beside the rows, and the
        numbers in cells: filled up to the query, open after it.

    Raises
    ------
    ValueError
        If the matrix does not fit the tokens, or there are too many.

    Examples
    --------
    >>> from companion.plots import relative_matrix
    >>> ax = relative_matrix([[0, 17], [1, 0]], ["four", "little"])
    >>> [label.get_text() for label in ax.texts]
    ['query, key', 'four', 'little', 'four', '0', '17', 'little', '1', '0']
    """
    values = _square(matrix, tokens)
    n, most, left, row = len(tokens), 10, 0.95, 0.3
    if n > most:
        raise ValueError(f"{n} tokens do not fit into a row of {most}; draw a part of the matrix")
    cell = min(0.6, (WIDTH - left - 0.02) / max(n, 1))
    with canvas(ax, height=row * (n + 1) + 0.06) as ax:
        top = row * (n + 0.5) + 0.03
        ax.text(0, top, "query, key", size=11, color=MUTED, va="center_baseline")
        for j, token in enumerate(tokens):
            ax.text(left + (j + 0.5) * cell, top, token, size=11, ha="center",
                    va="center_baseline")  # fmt: skip
        for i, token in enumerate(tokens):
            y = top - (i + 1) * row
            ax.text(left - 0.1, y, token, size=11, ha="right", va="center_baseline")
            for j in range(n):
                x = left + j * cell
                ax.add_patch(
                    Rectangle((x + 0.015, y - 0.13), cell - 0.03, 0.26, edgecolor=POSITION,
                              facecolor=tint(POSITION, 0.16) if j <= i else "white", linewidth=0.9)
                )  # fmt: skip
                ax.text(x + cell / 2, y, f"{values[i, j]:d}", size=11, ha="center",
                        va="center_baseline")  # fmt: skip
    return ax


def bucket_stairs(relative: Any, buckets: Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """Draw the bucket of each relative position, a line of stairs for each way of sorting.

    Parameters
    ----------
    relative : array or tensor of shape (m,)
        Key position minus query position, rising.
    buckets : mapping of str to array or tensor of shape (m,)
        For one or two ways of sorting a name, and the bucket of each relative position.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. The first line is solid and named at its right end, the second dashed
        and named at its left end.

    Raises
    ------
    ValueError
        If there are no buckets, more than two lines, or a line of another length.

    Examples
    --------
    >>> from companion.plots import bucket_stairs
    >>> from companion.positions import t5_bucket
    >>> ax = bucket_stairs(range(-9, 10), {"encoder": t5_bucket(range(-9, 10))})
    >>> [label.get_text() for label in ax.texts]
    ['encoder']
    """
    places = np.asarray(relative)
    if not 1 <= len(buckets) <= 2:
        raise ValueError(f"there are {len(buckets)} lines to draw; give one or two")
    styles: list[Any] = ["-", (0, (4, 2))]
    with axes(ax, height=3.3) as ax:
        for i, (name, line) in enumerate(buckets.items()):
            steps = np.asarray(line)
            if steps.shape != places.shape:
                raise ValueError(
                    f"{name!r} has buckets of shape {steps.shape} for relative positions of "
                    f"shape {places.shape}; give a bucket for each"
                )
            ax.step(places, steps, where="mid", color=POSITION, linewidth=2 - 0.4 * i,
                    linestyle=styles[i])  # fmt: skip
            end = 0 if i else -1
            ax.annotate(
                name, (places[end], steps[end]), (0, 5), textcoords="offset points",
                ha="left" if i else "right", va="bottom",
            )  # fmt: skip
        ax.margins(x=0.02, y=0.14)
        ax.set(xlabel="key position − query position", ylabel="bucket")
    return ax


def bias_matrices(biases: Mapping[str, Any], tokens: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw what a bias does to the shares of attention, a panel for each head.

    Parameters
    ----------
    biases : mapping of str to array or tensor of shape (n, n)
        For each head its name, and the number added to the score of each query (row) and key
        (column). Minus infinity stands for a key that the query may not see. n is up to 10.
    tokens : sequence of str
        The n tokens.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, two panels in a row. A cell is the darker, the larger the factor
        e^bias; there is none where the bias is minus infinity.

    Raises
    ------
    ValueError
        If there is no head, or a matrix does not fit the tokens, or there are too many, or a
        bias is above zero.

    Examples
    --------
    >>> from companion.plots import bias_matrices
    >>> ax = bias_matrices({"slope 1": [[0.0, -1.0], [-1.0, 0.0]]}, ["four", "little"])
    >>> [label.get_text() for label in ax.texts]
    ['slope 1', 'four', 'little']
    """
    if not biases:
        raise ValueError("there is no head to draw; give at least one")
    n, most, left, gap, head = len(tokens), 10, 0.66, 0.3, 0.32
    if n > most:
        raise ValueError(f"{n} tokens do not fit into a panel of {most}; draw a part")
    cell = min(0.4, (WIDTH - left - gap) / 2 / max(n, 1))
    step = head + n * cell + 0.14
    rows = -(-len(biases) // 2)
    with canvas(ax, height=rows * step) as ax:
        for panel, (name, bias) in enumerate(biases.items()):
            factors = np.exp(_square(bias, tokens))
            if factors.max(initial=0) > 1:
                raise ValueError(f"a bias of {name!r} is above zero; these panels show penalties")
            x0 = left + (panel % 2) * (n * cell + gap)
            top = (rows - panel // 2) * step
            ax.text(x0, top - head / 2, name, va="center_baseline")
            for i, token in enumerate(tokens):
                y = top - head - (i + 1) * cell
                if panel % 2 == 0:
                    ax.text(x0 - 0.08, y + cell / 2, token, size=11, ha="right",
                            va="center_baseline")  # fmt: skip
                for j in np.flatnonzero(factors[i]):
                    ax.add_patch(
                        Rectangle((x0 + j * cell, y), cell, cell, edgecolor=GRID, linewidth=0.6,
                                  facecolor=tint(POSITION, float(factors[i, j])))
                    )  # fmt: skip
    return ax


def rotating_pairs(turned: Any, ax: Axes | None = None) -> Axes:
    r"""Draw a dial for each pair of coordinates: where a vector points at each position.

    Parameters
    ----------
    turned : array or tensor of shape (n, d)
        The same vector at the positions 0 to n - 1, as `rotate` turns it in the interleaved
        layout; n is 2 to 6, and d is 2 to 8.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. Each dial has a hand for each position, the later the darker, numbered
        where there is room, and tells in how many positions a full turn is made.

    Raises
    ------
    ValueError
        If there are too many or too few positions or coordinates, or a pair is zero or does not
        turn.

    Examples
    --------
    >>> import torch
    >>> from companion.plots import rotating_pairs
    >>> from companion.positions import rotate
    >>> ax = rotating_pairs(rotate(torch.ones(3, 2)))
    >>> [label.get_text() for label in ax.texts]
    ['0', '1', '2', 'pair 0', 'a turn in\n6.3 positions']
    """
    hands = np.asarray(turned, dtype=float)
    if hands.ndim != 2 or not 2 <= len(hands) <= 6 or hands.shape[1] not in (2, 4, 6, 8):
        raise ValueError(
            f"the vectors have shape {hands.shape}; draw 2 to 6 positions and 1 to 4 pairs"
        )
    n, n_pairs = len(hands), hands.shape[1] // 2
    pairs = hands.reshape(n, n_pairs, 2).swapaxes(0, 1)  # (n_pairs, n, 2)
    lengths = np.hypot(*pairs[:, 0].T)
    radius, width = 0.5, WIDTH / 4
    with canvas(ax, height=2.34) as ax:
        for i, pair in enumerate(pairs):
            angle = _angle(pair[0], pair[1]) if lengths[i] else 0.0
            if not angle:
                raise ValueError(f"pair {i} is zero or does not turn; there is no dial to draw")
            center = np.array([(i + 0.5) * width, 1.58])
            ends = center + radius * pair / lengths.max()
            ax.add_patch(Circle(tuple(center), radius * lengths[i] / lengths.max(), fill=False,
                                edgecolor=GRID, linewidth=1.0))  # fmt: skip
            for p, (x, y) in enumerate(ends):
                shade = tint(POSITION, 0.35 + 0.65 * p / (n - 1))
                ax.plot([center[0], x], [center[1], y], color=shade, linewidth=1.8)
                ax.plot([x], [y], "o", color=shade, markersize=4.5)
            for text, direction in _hand_labels(pair):
                x, y = center + (0.64 if len(text) == 1 else 0.71) * direction
                ax.text(x, y, text, size=11, ha="center",
                        va="center_baseline")  # fmt: skip
            ax.text(center[0], 0.64, f"pair {i}", ha="center", va="center_baseline")
            positions = 2 * np.pi / angle
            written = f"{positions:,.1f}" if positions < 100 else f"{positions:,.0f}"
            ax.text(center[0], 0.24, f"a turn in\n{written} positions", size=11, color=MUTED,
                    ha="center", va="center", linespacing=1.05)  # fmt: skip
    return ax


def products_by_distance(distances: Any, curves: Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """Draw how products of queries and keys change with the distance between them.

    Parameters
    ----------
    distances : array or tensor of shape (m,)
        Query position minus key position, rising.
    curves : mapping of str to array or tensor of shape (m,)
        Up to four names, and for each the products.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, with a line of its own style for each name and a legend above.

    Raises
    ------
    ValueError
        If there are no curves, more than four, or one of another length.

    Examples
    --------
    >>> from companion.plots import products_by_distance
    >>> ax = products_by_distance([0, 1, 2], {"falling": [1, 0.5, 0.2], "level": [1, 1, 1]})
    >>> len(ax.lines)
    2
    """
    x = np.asarray(distances)
    styles: list[tuple[Any, str, float]] = [
        ("-", POSITION, 2.2), ("-", INK, 1.0), ((0, (5, 2)), TOKEN, 1.8), ((0, (1, 1.4)), INK, 2.0)
    ]  # fmt: skip
    if not 1 <= len(curves) <= len(styles):
        raise ValueError(f"there are {len(curves)} curves to draw; give 1 to {len(styles)}")
    with axes(ax, height=3.6) as ax:
        for (name, curve), (style, color, width) in zip(curves.items(), styles, strict=False):
            y = np.asarray(curve)
            if y.shape != x.shape:
                raise ValueError(
                    f"{name!r} has shape {y.shape} for distances of shape {x.shape}; "
                    "give a product for each"
                )
            ax.plot(x, y, linestyle=style, color=color, linewidth=width, label=name)
        ax.set(xlabel="distance between query and key", ylabel="relative to its largest")
        ax.margins(x=0.02)
        ax.set_ylim(bottom=min(0.0, *(float(np.asarray(curve).min()) for curve in curves.values())))
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderpad=0, handlelength=2.6,
                  labelspacing=0.25)  # fmt: skip
    return ax


def model_map(models: Mapping[str, tuple[int, str, str]], ax: Axes | None = None) -> Axes:
    """Draw where published models take their positions in: a row a model, a column a place.

    Parameters
    ----------
    models : mapping of str to (int, str, str)
        For each model its name, and its year, the place ("added", "bias" or "rotation") and a
        few words on the scheme.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. The models keep their order.

    Raises
    ------
    ValueError
        If there is no model, a place is unknown, or a text is too long for its box.

    Examples
    --------
    >>> from companion.plots import model_map
    >>> ax = model_map({"GPT-2": (2019, "added", "1,024 rows")})
    >>> [label.get_text() for label in ax.texts][3:]
    ['GPT-2', '2019', '1,024 rows']
    """
    if not models:
        raise ValueError("there is no model to draw; give at least one")
    left, step, head = 1.84, 0.33, 0.36
    width = (WIDTH - left) / len(PLACES)
    places = list(PLACES)
    with canvas(ax, height=head + step * len(models) + 0.04) as ax:
        top = step * len(models) + 0.02
        for column, title in enumerate(PLACES.values()):
            ax.text(left + (column + 0.5) * width, top + head / 2, title, size=11, color=MUTED,
                    ha="center", va="center_baseline")  # fmt: skip
        for row, (name, (year, place, words)) in enumerate(models.items()):
            if place not in places:
                raise ValueError(
                    f"the place of {name!r} is {place!r}; it must be one of {', '.join(places)}"
                )
            if text_width(words, 11) > width - 0.1:
                raise ValueError(f"{words!r} is too long for its box; say it shorter")
            y = top - (row + 0.5) * step
            ax.plot([0, WIDTH], [y - step / 2] * 2, color=GRID, linewidth=0.6)
            ax.text(0, y, name, size=11, va="center_baseline")
            ax.text(left - 0.12, y, str(year), size=11, color=MUTED, ha="right",
                    va="center_baseline")  # fmt: skip
            x = left + places.index(place) * width
            box(ax, x, y, width, POSITION)
            ax.text(x + width / 2, y, words, size=11, ha="center", va="center_baseline")
    return ax


# ------------------------------------------------------------------------------ parts


def _square(matrix: Any, tokens: Sequence[str]) -> Any:
    values, n = np.asarray(matrix), len(tokens)
    if values.shape != (n, n):
        raise ValueError(
            f"the matrix has shape {values.shape}; {n} tokens need one of shape {(n, n)}"
        )
    return values


def _angle(first: Any, second: Any) -> float:
    """Return the angle between two vectors of two numbers."""
    cross = first[0] * second[1] - first[1] * second[0]
    return float(abs(np.arctan2(cross, first @ second)))


def _hand_labels(pair: Any) -> list[tuple[str, Any]]:
    """Number the hands of a dial as far as there is room: all, the first and last, or a range."""
    n = len(pair)
    directions = pair / np.hypot(*pair.T)[:, None]
    if _angle(pair[0], pair[1]) > 0.35:
        return [(str(p), direction) for p, direction in enumerate(directions)]
    if _angle(pair[0], pair[-1]) > 0.35:
        return [("0", directions[0]), (str(n - 1), directions[-1])]
    return [(f"0–{n - 1}", directions[n // 2])]
