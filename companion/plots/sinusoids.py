"""Figures of the chapter `sinusoids`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.patches import Rectangle

from companion.plots._drawing import (
    GRID,
    INK,
    MUTED,
    POSITION,
    TOKEN,
    WIDTH,
    axes,
    canvas,
    tint,
)

__all__ = [
    "bits_and_waves",
    "cosines_by_distance",
    "cosines_by_width",
    "position_products",
    "position_waves",
    "recovery_by_scale",
]

_SHADES = LinearSegmentedColormap.from_list("position", [to_hex(tint(POSITION, 0.02)), POSITION])
# The first line is the one to look at; those behind it are broken, and thinner.
_LINES: list[dict[str, Any]] = [
    {"linestyle": "-", "linewidth": 2.2},
    {"linestyle": (0, (4, 2)), "linewidth": 1.8},
    {"linestyle": (0, (1, 1.5)), "linewidth": 1.3},
]


def bits_and_waves(
    bits: npt.ArrayLike, wave: Callable[[Any, int], npt.ArrayLike], ax: Axes | None = None
) -> Axes:
    """Draw a binary counter, and above each digit the wave of which it is the sign.

    Parameters
    ----------
    bits : array of shape (n, k)
        The digits of the numbers 0 to n - 1, up to 16 of them: column i counts in steps of 2^i.
    wave : callable
        Given places and a period, returns the height of the wave there, from -1 to 1. The middle
        of number p is the place p + 1/2, and digit i has the period 2^(i + 1).
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in. The slowest digit is on top, so that a column reads as a binary number.
        Each row writes its period and its digits, filled where they are 1; its wave is one line,
        followed by the line of its values at the middles.

    Raises
    ------
    ValueError
        If the digits are no matrix of up to 16 rows.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.plots import bits_and_waves
    >>> bits = [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> ax = bits_and_waves(bits, lambda x, period: -np.sin(2 * np.pi * np.asarray(x) / period))
    >>> [label.get_text() for label in ax.texts][:10]
    ['period 4', '0', '0', '1', '1', 'period 2', '0', '1', '0', '1']
    """
    digits, most = np.asarray(bits), 16
    if digits.ndim != 2 or len(digits) > most:
        raise ValueError(
            f"bits have shape {digits.shape}; give a matrix of up to {most} rows, a number a row"
        )
    left, step, half = 0.86, 0.92, 0.22
    n, n_bits = digits.shape
    cell = (WIDTH - left - 0.04) / max(n, 1)
    with canvas(ax, height=0.34 + step * n_bits) as ax:
        for row, i in enumerate(reversed(range(n_bits))):
            base, period = 0.34 + step * (n_bits - 1 - row), 2 ** (i + 1)
            middle = base + 0.34 + half
            ax.text(0, middle, f"period {period}", color=MUTED, va="center_baseline")
            ax.plot([left, left + n * cell], [middle, middle], color=GRID, linewidth=0.8)
            for places, style in (
                (np.linspace(0, n, 40 * n + 1), {"linewidth": 1.8}),
                (np.arange(n) + 0.5, {"marker": "o", "markersize": 4.5, "linestyle": "none"}),
            ):
                heights = middle + half * np.asarray(wave(places, period))
                ax.plot(left + places * cell, heights, color=POSITION, **style)
            for p, digit in enumerate(digits[:, i]):
                ax.add_patch(
                    Rectangle((left + p * cell + 0.01, base), cell - 0.02, 0.28, linewidth=0.8,
                              facecolor=tint(POSITION, 0.3) if digit else "white",
                              edgecolor=POSITION)
                )  # fmt: skip
                ax.text(left + (p + 0.5) * cell, base + 0.14, str(digit), ha="center",
                        va="center_baseline", size=11)  # fmt: skip
        ax.text(0, 0.15, "position", color=MUTED, va="center_baseline")
        for p in range(n):
            ax.text(left + (p + 0.5) * cell, 0.15, str(p), color=MUTED, ha="center",
                    va="center_baseline", size=11)  # fmt: skip
    return ax


def position_waves(
    table: npt.ArrayLike, wavelengths: npt.ArrayLike, ax: Axes | None = None
) -> Axes:
    """Draw a table of position vectors as a map: the larger a number, the darker its cell.

    Parameters
    ----------
    table : array of shape (n, d)
        A row for each position, of numbers from -1 to 1; d is even.
    wavelengths : array of shape (d / 2,)
        For each pair of columns the number of positions after which it repeats.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, positions downwards. Above some of the columns stands their wavelength.

    Raises
    ------
    ValueError
        If there is not one wavelength for two columns.

    Examples
    --------
    >>> from companion.plots import position_waves
    >>> ax = position_waves([[0, 1, 0, 1], [0.84, 0.54, 0.01, 1]], [6.3, 628.3])
    >>> [label.get_text() for label in ax.texts]
    ['6', '628']
    """
    rows, lengths = np.asarray(table), np.asarray(wavelengths)
    if rows.ndim != 2 or rows.shape[1] != 2 * lengths.size:
        raise ValueError(
            f"a table of shape {rows.shape} does not go with {lengths.size} wavelengths; "
            "give one for each pair of columns"
        )
    n_pairs = lengths.size
    named = sorted({*range(0, n_pairs, max(1, n_pairs // 4)), n_pairs - 1})
    with axes(ax, height=4.3) as ax:
        image = ax.imshow(
            rows, cmap=_SHADES, vmin=-1, vmax=1, aspect="auto", interpolation="nearest"
        )
        ax.set(xlabel="coordinate", ylabel="position")
        ax.set_title("wavelength, in positions", color=MUTED, pad=24)
        for i in named:
            ax.annotate(f"{lengths[i]:,.0f}", (2 * i + 0.5, -0.5), (0, 5), ha="center",
                        textcoords="offset points", color=INK, annotation_clip=False)  # fmt: skip
        _finish_map(ax, image, [-1, 0, 1])
    return ax


def position_products(table: npt.ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the products of all pairs of rows of a table, each row with itself being 1.

    Parameters
    ----------
    table : array of shape (n, d)
        A row for each position, none of them zero.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in: a map of n x n cells, the larger the product, the darker. The products
        are divided by the lengths of the two rows.

    Raises
    ------
    ValueError
        If a row is zero.

    Examples
    --------
    >>> from companion.plots import position_products
    >>> ax = position_products([[1, 0], [0, 2]])
    >>> ax.images[0].get_array().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    cosines = _cosines(np.asarray(table, dtype=float))
    with axes(ax, height=4.8) as ax:
        image = ax.imshow(
            cosines, cmap=_SHADES, vmin=0, vmax=1, aspect="auto", interpolation="nearest"
        )
        ax.set(xlabel="position", ylabel="position")
        _finish_map(ax, image, [0, 0.5, 1])
    return ax


def cosines_by_distance(tables: Mapping[str, npt.ArrayLike], ax: Axes | None = None) -> Axes:
    """Draw the cosine between the first row of a table and each later one, for several tables.

    Parameters
    ----------
    tables : mapping of str to array of shape (n, d)
        A name for each table, and its rows, none of them zero; up to three.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, with a line for each table: the product of the two rows, divided by
        their lengths.

    Raises
    ------
    ValueError
        If there is no table, or more than three, or a row is zero.

    Examples
    --------
    >>> from companion.plots import cosines_by_distance
    >>> ax = cosines_by_distance({"two rows": [[1, 0], [3, 4]]})
    >>> [round(float(y), 2) for y in ax.lines[0].get_ydata()]
    [1.0, 0.6]
    """
    if not 1 <= len(tables) <= len(_LINES):
        raise ValueError(f"there are {len(tables)} tables; give one to {len(_LINES)}")
    with axes(ax, height=3.3) as ax:
        longest = 0
        for style, (name, table) in zip(_LINES, tables.items(), strict=False):
            curve = _cosines(np.asarray(table, dtype=float))[0]
            longest = max(longest, len(curve) - 1)
            ax.plot(curve, color=POSITION, **style)
            ax.annotate(name, (len(curve) - 1, curve[-1]), (8, 0), textcoords="offset points",
                        va="center", color=POSITION, annotation_clip=False)  # fmt: skip
        ax.set(xlim=(0, longest), xlabel="distance in positions", ylabel="cosine of the two rows")
    return ax


def cosines_by_width(cosines: Mapping[int, npt.ArrayLike], ax: Axes | None = None) -> Axes:
    """Draw how the cosines between random rows are spread, for several widths of the rows.

    Parameters
    ----------
    cosines : mapping of int to array
        For each width d the cosines of the angles between pairs of rows.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in: a histogram for each width, all of the same height, with marks at
        plus and minus 1/√d.

    Raises
    ------
    ValueError
        If there is no width, or none of its cosines.

    Examples
    --------
    >>> from companion.plots import cosines_by_width
    >>> ax = cosines_by_width({4: [0.5, -0.1, 0.2], 16: [0.1, -0.1, 0.3]})
    >>> [label.get_text() for label in ax.texts]
    ['d = 4', '1/√d = 0.500', 'd = 16', '1/√d = 0.250']
    """
    if not cosines or not all(np.size(values) for values in cosines.values()):
        raise ValueError("there are no cosines to draw; give some for each width")
    edges = np.linspace(-1, 1, 101)
    with axes(ax, height=0.7 + 0.85 * len(cosines)) as ax:
        for row, (width, values) in enumerate(cosines.items()):
            floor = float(len(cosines) - 1 - row)
            counts, _ = np.histogram(np.asarray(values), edges)
            ax.stairs(floor + 0.75 * counts / max(counts), edges, baseline=floor, fill=True,
                      facecolor=tint(TOKEN, 0.45), edgecolor=TOKEN)  # fmt: skip
            spread = 1 / np.sqrt(width)
            for x in (-spread, spread):
                ax.plot([x, x], [floor, floor + 0.85], color=INK, linewidth=1,
                        linestyle=(0, (3, 2)))  # fmt: skip
            ax.text(-0.99, floor + 0.72, f"d = {width}", color=TOKEN, va="center_baseline")
            ax.text(0.99, floor + 0.72, f"1/√d = {spread:.3f}", ha="right",
                    va="center_baseline")  # fmt: skip
        ax.set(xlim=(-1, 1), ylim=(0, len(cosines)), yticks=[], xlabel="cosine of two random rows")
        ax.set_xticks([-1, -0.5, 0, 0.5, 1])
        ax.spines["left"].set_visible(False)
    return ax


def recovery_by_scale(
    shares: Mapping[float, tuple[float, float]],
    marks: Mapping[str, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw which share of tokens and of positions is read back from sums, by the tokens' scale.

    Parameters
    ----------
    shares : mapping of float to (float, float)
        For each scale, in rising order, the shares of tokens and of positions, from 0 to 1.
    marks : mapping of str to float, optional
        Scales to be named above the figure.
    ax : Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    Axes
        The axes drawn in, the scale on a logarithmic axis. The first line is that of the tokens,
        the second that of the positions.

    Raises
    ------
    ValueError
        If there are no shares.

    Examples
    --------
    >>> from companion.plots import recovery_by_scale
    >>> ax = recovery_by_scale({0.1: (0.0, 1.0), 1.0: (1.0, 0.9)}, {"a start": 0.1})
    >>> [label.get_text() for label in ax.texts]
    ['tokens', 'positions', 'a start']
    """
    if not shares:
        raise ValueError("there are no shares to draw; give those of at least one scale")
    scales = list(shares)
    with axes(ax, height=3.5) as ax:
        for which, (name, color, marker) in enumerate(
            [("tokens", TOKEN, "o"), ("positions", POSITION, "s")]
        ):
            curve = [100 * pair[which] for pair in shares.values()]
            ax.plot(scales, curve, color=color, marker=marker, markersize=5, **_LINES[which])
            ax.annotate(name, (scales[0], curve[0]), (0, -16 if which else 8), color=color,
                        textcoords="offset points", annotation_clip=False)  # fmt: skip
        for name, scale in (marks or {}).items():
            ax.axvline(scale, color=MUTED, linewidth=1, linestyle=(0, (3, 2)), zorder=1)
            ax.annotate(name, (scale, 106), (0, 3), textcoords="offset points", ha="center",
                        color=MUTED, annotation_clip=False)  # fmt: skip
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set(ylim=(-4, 106), yticks=[0, 25, 50, 75, 100])
        ax.set(xlabel="standard deviation of the token vectors", ylabel="read back, in %")
    return ax


def _cosines(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the products of all pairs of rows, divided by their lengths."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all():
        zero = int(np.flatnonzero(lengths == 0)[0])
        raise ValueError(f"row {zero} of the table is zero and has no direction; leave it out")
    unit = rows / lengths
    products: npt.NDArray[Any] = unit @ unit.T
    return products


def _finish_map(ax: Axes, image: Any, ticks: list[float]) -> None:
    """Give a map its bar of shades, and take the grid away."""
    bar = ax.figure.colorbar(image, ax=ax, ticks=ticks, fraction=0.05, pad=0.02)
    bar.outline.set_edgecolor(MUTED)
    ax.grid(visible=False)
