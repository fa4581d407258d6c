"""Figures of the chapter `sinusoids`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from workbook.plots import _drawing as draw
from workbook.plots._drawing import CURVES, DASHED, GRID, INK, MUTED, POSITION, TOKEN, WIDTH

# The first line is the one to look at; those behind it are broken, and thinner.
_LINES = [{"linestyle": s, "linewidth": w} for s, w in zip(CURVES, (2.2, 1.8, 1.3), strict=True)]


def bits_and_waves(bits: npt.ArrayLike, wave: Callable[[Any, int], npt.ArrayLike]) -> Axes:
    """Draw a binary counter, and above each digit the wave of which it is the sign.

    `bits` are the digits of the numbers 0 to n - 1, ``(n, k)``; column i counts in steps of 2^i.
    `wave(places, period)` is the height of a wave, from -1 to 1: the middle of number p is at
    p + 1/2, and digit i has the period 2^(i + 1). The slowest digit is on top; ones are filled.

    >>> import numpy as np
    >>> bits = [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> ax = bits_and_waves(bits, lambda x, period: -np.sin(2 * np.pi * np.asarray(x) / period))
    >>> [label.get_text() for label in ax.texts][:10]
    ['period 4', '0', '0', '1', '1', 'period 2', '0', '1', '0', '1']
    """
    digits = np.asarray(bits)
    left, step, half = 0.86, 0.92, 0.22
    n, n_bits = digits.shape
    cell = (WIDTH - left - 0.04) / n
    line, dots = np.linspace(0, n, 40 * n + 1), np.arange(n) + 0.5
    with draw.canvas(height=0.34 + step * n_bits) as ax:
        for i in reversed(range(n_bits)):
            base, period = 0.34 + step * i, 2 ** (i + 1)
            middle = base + 0.34 + half
            draw.write(ax, 0, middle, f"period {period}", color=MUTED)
            ax.plot([left, left + n * cell], [middle, middle], color=GRID, linewidth=0.8)
            for places, look in ((line, "-"), (dots, "o")):
                heights = middle + half * np.asarray(wave(places, period))
                ax.plot(left + places * cell, heights, look, color=POSITION, linewidth=1.8,
                        markersize=4.5)  # fmt: skip
            for p, digit in enumerate(digits[:, i]):
                face = draw.tint(POSITION, 0.3) if digit else "white"
                draw.number_cell(ax, left + p * cell, base + 0.14, cell, str(digit), height=0.28,
                                 gap=0.02, face=face, edge=POSITION)  # fmt: skip
        draw.write(ax, 0, 0.15, "position", color=MUTED)
        for p in range(n):
            draw.write(ax, left + (p + 0.5) * cell, 0.15, str(p), color=MUTED, ha="center")
    return ax


def position_waves(table: npt.ArrayLike, wavelengths: npt.ArrayLike) -> Axes:
    """Draw a table of position vectors as a map: 0 is white, what is above it green, below it grey.

    `table` is ``(n, d)``; above it are some of the `wavelengths`, one for each pair of columns.

    >>> ax = position_waves([[0, 1, 0, 1], [0.84, 0.54, 0.01, 1]], [6.3, 628.3])
    >>> [label.get_text() for label in ax.texts]
    ['6', '628']
    """
    lengths = np.asarray(wavelengths)
    last = lengths.size - 1
    named = sorted({*range(0, last, max(1, lengths.size // 4)), last})
    with draw.axes(height=4.3) as ax:
        image = ax.imshow(np.asarray(table), cmap=draw.signed(POSITION), vmin=-1, vmax=1,
                          aspect="auto", interpolation="nearest")  # fmt: skip
        ax.set(xlabel="coordinate", ylabel="position")
        ax.set_title("wavelength, in positions", color=MUTED, pad=24)
        for i in named:
            draw.note(ax, f"{lengths[i]:,.0f}", (2 * i + 0.5, -0.5), (0, 5), ha="center", color=INK)
        bar = ax.figure.colorbar(image, ax=ax, ticks=[-1, 0, 1], fraction=0.05, pad=0.02)
        bar.ax.spines["outline"].set_edgecolor(MUTED)
        ax.grid(visible=False)
    return ax


def cosines_by_distance(tables: Mapping[str, Any]) -> Axes:
    """Draw the cosine between the first row of a table and each later one.

    A line for each of up to three named tables.

    >>> ax = cosines_by_distance({"two rows": [[1, 0], [3, 4]]})
    >>> [round(float(y), 2) for y in ax.lines[0].get_ydata()]
    [1.0, 0.6]
    """
    longest = max(map(len, tables.values())) - 1
    with draw.axes(height=3.3) as ax:
        for style, (name, table) in zip(_LINES, tables.items(), strict=False):
            curve = draw.cosines(table)[0]
            ax.plot(curve, color=POSITION, **style)
            draw.note(ax, name, (len(curve) - 1, curve[-1]), (8, 0), va="center", color=POSITION)
        ax.set(xlim=(0, longest), xlabel="distance in positions", ylabel="cosine of the two rows")
    return ax


def cosines_by_width(cosines: Mapping[int, npt.ArrayLike]) -> Axes:
    """Draw how the cosines between random rows are spread, for several widths of the rows.

    A histogram for each width d, all of the same height, with dashed marks at plus and minus 1/√d.

    >>> ax = cosines_by_width({4: [0.5, -0.1, 0.2], 16: [0.1, -0.1, 0.3]})
    >>> [label.get_text() for label in ax.texts]
    ['d = 4', '1/√d = 0.500', 'd = 16', '1/√d = 0.250']
    """
    edges = np.linspace(-1, 1, 101)
    with draw.axes(height=0.7 + 0.85 * len(cosines)) as ax:
        for row, (width, values) in enumerate(cosines.items()):
            floor = float(len(cosines) - 1 - row)
            counts, _ = np.histogram(np.asarray(values), edges)
            ax.stairs(floor + 0.75 * counts / max(counts), edges, baseline=floor, fill=True,
                      facecolor=draw.tint(TOKEN, 0.45), edgecolor=TOKEN)  # fmt: skip
            spread = 1 / np.sqrt(width)
            ax.vlines([-spread, spread], floor, floor + 0.85, INK, DASHED, linewidth=1)
            draw.write(ax, -0.99, floor + 0.72, f"d = {width}", color=TOKEN)
            draw.write(ax, 0.99, floor + 0.72, f"1/√d = {spread:.3f}", ha="right")
        ax.set(xlim=(-1, 1), xticks=[-1, -0.5, 0, 0.5, 1], xlabel="cosine of two random rows")
        ax.set(ylim=(0, len(cosines)), yticks=[])
        ax.spines["left"].set_visible(False)
    return ax


def recovery_by_scale(
    shares: Mapping[float, tuple[float, float]], marks: Mapping[str, float]
) -> Axes:
    """Draw which share of tokens and positions is read back from sums, by the tokens' scale.

    `shares` has both shares, from 0 to 1, for rising scales; `marks` names some scales on top.

    >>> ax = recovery_by_scale({0.1: (0.0, 1.0), 1.0: (1.0, 0.9)}, {"a start": 0.1})
    >>> [label.get_text() for label in ax.texts]
    ['tokens', 'positions', 'a start']
    """
    scales = list(shares)
    looks = ("tokens", TOKEN, "o", (2, 8)), ("positions", POSITION, "s", (-6, -12))
    with draw.axes(height=3.5) as ax:
        for which, (name, color, marker, offset) in enumerate(looks):
            curve = [100 * pair[which] for pair in shares.values()]
            ax.plot(scales, curve, color=color, marker=marker, markersize=5, **_LINES[which])
            draw.note(ax, name, (scales[-1], curve[-1]), offset, ha="right", color=color)
        for name, scale in marks.items():
            ax.axvline(scale, color=MUTED, linewidth=1, linestyle=DASHED, zorder=1)
            draw.note(ax, name, (scale, 106), (0, 3), ha="center", color=MUTED)
        ax.set(xscale="log", xlabel="standard deviation of the token vectors")
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set(ylim=(-4, 106), yticks=[0, 25, 50, 75, 100], ylabel="found, in %")
    return ax
