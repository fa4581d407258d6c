"""What the figures share: colours, typefaces, sizes, and the small shapes they are made of."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.textpath import TextToPath
from matplotlib.transforms import ScaledTranslation

TOKEN = "#0b62a8"  # blue: tokens and their vectors
SEGMENT = "#b84a00"  # orange: segments
POSITION = "#00734f"  # green: positions
INPUT = "#6a3d9a"  # violet: the sum of all three
BYTE = "#4d5b66"  # grey: bytes
LOST = "#a3262a"  # red: text that a token hides
INK = "#1c2429"  # text
MUTED = "#56636d"  # labels in the background
GRID = "#d5dbe0"

# Width of every figure in inches: 360 pixels of a phone hold it with letters of 11 pixels.
WIDTH = 5.33
# Left free around a drawing, in inches: as much as matplotlib leaves around axes with a frame.
MARGIN = 0.04167

# The fonts are bundled, so that a figure looks the same on every machine.
for _path in sorted((Path(__file__).parent / "fonts").glob("*.ttf")):
    font_manager.fontManager.addfont(_path)
SANS = ["Text to Vectors Sans", "Text to Vectors Han", "Text to Vectors Emoji", "DejaVu Sans"]
BOLD = ["Text to Vectors Semibold", *SANS]
MONO = ["Text to Vectors Mono", "DejaVu Sans Mono"]
# For Ġ and its like, which the bundled fonts lack: they would set a letter and a loose accent.
LATIN_EXTENDED = ["DejaVu Sans"]
DASHED = (0, (3, 2))
# The line of what a curve is compared with.
REFERENCE = (0, (4, 3))
# The lines of curves that share a figure, the one to look at first.
CURVES: list[Any] = ["solid", (0, (4, 2)), (0, (1, 1.5))]
# GPT-2's tokenizer, where it is compared with others.
DOT: dict[str, Any] = {"marker": "o", "markersize": 8, "color": TOKEN, "zorder": 2.2}
# o200k.
RING = DOT | {"markersize": 13, "markerfacecolor": "white", "zorder": 2.1}
# Any other tokenizer.
SQUARE: dict[str, Any] = {"marker": "s", "markersize": 5.5, "color": INK, "zorder": 2.3}
STYLE: dict[Any, Any] = {
    **dict.fromkeys(("font.size", "axes.titlesize", "xtick.labelsize", "ytick.labelsize"), 12),
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), MUTED),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    **dict.fromkeys(("axes.grid", "axes.axisbelow"), True),
    "axes.facecolor": "white",
    "axes.titlelocation": "left",
    "font.family": SANS,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.parse_math": False,  # a token may hold dollar signs
}


def visible(text: str) -> str:
    """Show a token: a space as ␣, the end of a line as ⏎."""
    return text.replace(" ", "␣").replace("\n", "⏎")


def write(
    ax: Axes, x: float, y: float, text: str, *, va: str = "center_baseline", **style: Any
) -> None:
    """Write a text, its middle at `y` unless `va` says otherwise."""
    place = ax.transData
    if va == "center_baseline":  # half of a tall letter; most letters are lower
        place += ScaledTranslation(0, 1 / 72, ax.figure.dpi_scale_trans)
    ax.text(x, y, text, va=va, transform=place, **style)


def note(
    ax: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], **style: Any
) -> None:
    """Write a text beside a point of a plot, `offset` points of type away from it."""
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # over the grid, under data
    ax.annotate(text, at, offset, textcoords="offset points", bbox=ground, zorder=1.5,
                annotation_clip=False, **{"color": TOKEN, **style})  # fmt: skip


def box(
    ax: Axes, x: float, y: float, width: float, text: str, edge: str = TOKEN, *,
    fill: float = 0.12, linewidth: float = 1.1, linestyle: Any = "solid", **style: Any,
) -> None:  # fmt: skip
    """Draw a token in its rounded box: the left edge at `x`, the middle at `y`."""
    ax.add_patch(FancyBboxPatch((x + 0.05, y - 0.11), width - 0.1, 0.22, linestyle=linestyle,
                                boxstyle="round,pad=0.05", facecolor=tint(edge, fill),
                                edgecolor=edge, linewidth=linewidth))  # fmt: skip
    write(ax, x + width / 2, y, text, ha="center", **style)


def number_cell(
    ax: Axes, x: float, y: float, width: float, text: str, *, height: float = 0.26,
    gap: float = 0.03, face: Any = "white", edge: str = TOKEN, dashed: bool = False, **style: Any,
) -> None:  # fmt: skip
    """Draw a number in a cell of a grid: the left edge at `x`, the middle at `y`."""
    ax.add_patch(Rectangle((x + gap / 2, y - height / 2), width - gap, height, facecolor=face,
                           edgecolor=edge, linewidth=0.9,
                           linestyle=DASHED if dashed else "solid"))  # fmt: skip
    if text:
        write(ax, x + width / 2, y, text, ha="center", **style)


def vector_bars(
    ax: Axes, x: float, y: float, width: float, height: float, vector: Any, color: Any, scale: float
) -> None:
    """Draw a vector as bars, up or down from a line of zeros in the middle of the row at `y`."""
    step = width / len(vector)
    ax.plot([x, x + width], [y, y], color=MUTED, linewidth=0.5)
    # Where all numbers are 0, so is the scale.
    heights = np.asarray(vector, dtype=float) / (scale or 1) * height / 2
    ax.bar(x + step * (np.arange(len(vector)) + 0.5), heights, step * 0.8, bottom=y, color=color)


def bare(ax: Axes) -> None:
    """Take away what bars with numbers beside them do not need: grid, ticks, edges."""
    ax.set(xticks=[])
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False)
    ax.spines[["left", "bottom"]].set_visible(False)


def named_rows(ax: Axes, names: Sequence[str], **style: Any) -> None:
    """Name the rows of a plot at its left, which needs no edge and no lines there."""
    ax.set_yticks(range(len(names)), names, **style)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.spines["left"].set_visible(False)


def counted(ax: Axes, written: Any = "{x:,.0f}") -> None:
    """Write the numbers at both axes in one form."""
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(written)


def cosines(rows: Any) -> Any:
    """Return the cosine of all pairs of rows, of which none is zero: (n, d) -> (n, n)."""
    rows = np.asarray(rows, dtype=float)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def tint(color: str, strength: float) -> tuple[float, float, float]:
    """Mix a colour with white; `strength` 1 is the colour itself."""
    red, green, blue = (1 - strength * (1 - channel) for channel in to_rgb(color))
    return red, green, blue


def signed(color: str) -> LinearSegmentedColormap:
    """Return the colours of numbers from -1 to 1: 0 is the ground, and what is below it grey."""
    return LinearSegmentedColormap.from_list("signed", [BYTE, "white", color], N=65)


def text_width(text: str) -> float:
    """Width in inches of a text in the figures' typeface."""
    font = font_manager.FontProperties(family=SANS, size=12)
    width, _, _ = TextToPath().get_text_width_height_descent(text, font, False)
    return float(width) / 72


@contextmanager
def new_figure(height: float) -> Iterator[Figure]:
    """Give a new figure, and the style of the book to what is drawn in it."""
    # Outside the style: the first figure of a session makes pyplot choose its backend and turn
    # interactive mode on, and the end of rc_context would turn that off again.
    figure = plt.figure(figsize=(WIDTH, height), dpi=105, facecolor="white")
    with plt.rc_context(STYLE):
        yield figure
    figure.stale = False  # or pyplot draws it at the end of the cell, where nobody sees it


@contextmanager
def axes(height: float) -> Iterator[Axes]:
    """Give the axes of a new figure in the style of the book."""
    with new_figure(height) as figure:
        figure.set_layout_engine("constrained")
        yield figure.add_subplot()
        # Ticks are made when they are first drawn: draw once while the style holds.
        figure.draw_without_rendering()


@contextmanager
def canvas(height: float) -> Iterator[Axes]:
    """Give axes for a drawing: no frame, and units of about an inch from the lower left corner."""
    with new_figure(height) as figure:
        x, y = MARGIN / WIDTH, MARGIN / height
        ax = figure.add_axes((x, y, 1 - 2 * x, 1 - 2 * y), xlim=(0, WIDTH), ylim=(0, height))
        ax.axis("off")
        yield ax
