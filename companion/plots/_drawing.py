"""What the figures share: colours, typefaces, sizes, and the small shapes they are made of."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.textpath import TextToPath

TOKEN = "#0b62a8"
"""Blue, the colour of tokens and their vectors."""
SEGMENT = "#b84a00"
"""Orange, the colour of segments."""
POSITION = "#00734f"
"""Green, the colour of positions."""
INPUT = "#6a3d9a"
"""Violet, the colour of the sum of all three."""
BYTE = "#4d5b66"
"""Grey, the colour of bytes."""
INK = "#1c2429"
"""The colour of text."""
MUTED = "#56636d"
"""The colour of labels that stand back."""
GRID = "#d5dbe0"

WIDTH = 6.0
"""Width of every figure in inches; its letters stay readable on a phone."""

SANS = ["Text to Vectors Sans", "Text to Vectors Han", "Text to Vectors Emoji", "DejaVu Sans"]
BOLD = ["Text to Vectors Semibold", *SANS]
MONO = ["Text to Vectors Mono", "DejaVu Sans Mono"]
# For Ġ and its like, which the bundled fonts lack: they would set a letter and a loose accent.
LATIN_EXTENDED = ["DejaVu Sans"]
STYLE: dict[Any, Any] = {
    "font.family": SANS,
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


def vector_strip(
    ax: Axes, x: float, y: float, width: float, height: float, vector: Any, color: str, scale: float
) -> None:
    """Draw a vector as a row of cells: the larger the number, the darker the cell."""
    cell = width / len(vector)
    for i, value in enumerate(vector):
        # Where all numbers are 0, so is the scale.
        share = float(np.clip(0.5 + 0.5 * value / (scale or 1), 0, 1))
        ax.add_patch(
            Rectangle((x + i * cell, y - height / 2), cell, height,
                      facecolor=tint(color, 0.08 + 0.92 * share), edgecolor="white", linewidth=0.6)
        )  # fmt: skip


def box(ax: Axes, x: float, y: float, width: float, color: str) -> None:
    """Draw the rounded box of a token: its left edge at `x`, its middle at `y`."""
    ax.add_patch(
        FancyBboxPatch((x + 0.05, y - 0.11), width - 0.1, 0.22, boxstyle="round,pad=0.05",
                       facecolor=tint(color, 0.12), edgecolor=color, linewidth=1.1)
    )  # fmt: skip


def tint(color: str, strength: float) -> tuple[float, float, float]:
    """Mix a colour with white; `strength` 1 is the colour itself."""
    red, green, blue = (1 - strength * (1 - channel) for channel in to_rgb(color))
    return red, green, blue


def flow(widths: Sequence[float], gap: float, limit: float) -> list[tuple[int, float]]:
    """Set boxes side by side and begin a new row at `limit`: the row and left edge of each."""
    places: list[tuple[int, float]] = []
    row, x = 0, 0.0
    for width in widths:
        if x and x + width > limit:
            row, x = row + 1, 0.0
        places.append((row, x))
        x += width + gap
    return places


def text_width(text: str, size: float = 12) -> float:
    """Width in inches of a text in the figures' typeface."""
    load_fonts()
    font = font_manager.FontProperties(family=SANS, size=size)
    width, _, _ = TextToPath().get_text_width_height_descent(text, font, False)
    return float(width) / 72


@contextmanager
def axes(ax: Axes | None, height: float) -> Iterator[Axes]:
    """Give axes in the style of the book: `ax`, or those of a new figure."""
    load_fonts()
    # Outside the style: the first figure of a session makes pyplot choose its backend and turn
    # interactive mode on, and the end of rc_context would turn that off again.
    figure = plt.figure(figsize=(WIDTH, height), dpi=150, facecolor="white") if ax is None else None
    with plt.rc_context(STYLE):
        if figure is not None:
            figure.set_layout_engine("constrained")
            ax = figure.add_subplot()
        assert ax is not None
        yield ax
        # Ticks are made when they are first drawn: draw once while the style holds.
        ax.figure.canvas.figure.draw_without_rendering()


@contextmanager
def canvas(ax: Axes | None, height: float) -> Iterator[Axes]:
    """Give axes for a drawing: no frame, and units of an inch from the lower left corner."""
    with axes(ax, height) as canvas:
        canvas.set(xlim=(0, WIDTH), ylim=(0, height))
        canvas.axis("off")
        yield canvas


@cache
def load_fonts() -> None:
    """Tell matplotlib of the bundled fonts, so that a figure looks the same on every machine."""
    with as_file(files("companion").joinpath("data", "fonts")) as folder:
        for path in sorted(folder.glob("*.ttf")):
            font_manager.fontManager.addfont(path)


def id_cell(ax: Axes, x: float, y: float, width: float, text: str, *, filled: bool) -> None:
    """Draw an id in its cell: filled, with a solid edge, or open, with a dashed one."""
    ax.add_patch(
        Rectangle((x + 0.015, y - 0.13), width - 0.03, 0.26, linewidth=1.1, edgecolor=TOKEN,
                  facecolor=tint(TOKEN, 0.16) if filled else "white",
                  linestyle="solid" if filled else (0, (3, 2)))
    )  # fmt: skip
    ax.text(x + width / 2, y, text, size=11, ha="center", va="center_baseline")
