"""The parts that the figures share stand where they are told, in the colours they are told."""

from typing import Any

import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.colors import same_color

from companion import plots
from companion.plots import _drawing


@pytest.mark.parametrize(
    ("widths", "places"),
    [
        ([], []),
        ([1, 0.5, 1], [(0, 0), (0, 1.5), (1, 0)]),
        ([1, 1.5, 1], [(0, 0), (0, 1.5), (1, 0)]),  # the second ends where the row does
        ([1, 1.6, 0.5], [(0, 0), (1, 0), (1, 2.1)]),
        ([9, 1, 9, 1], [(0, 0), (1, 0), (2, 0), (3, 0)]),  # too wide, and yet no row is empty
    ],
)
def test_a_row_ends_where_the_next_box_would_leave_it(
    widths: list[float], places: list[tuple[int, float]]
) -> None:
    assert _drawing.flow(widths, gap=0.5, limit=3) == places


@pytest.mark.parametrize("text", ["four little rabbits", "Ġ", "请"])
def test_the_width_of_a_text_is_that_of_the_text_drawn(text: str) -> None:
    with _drawing.canvas(height=1) as ax:
        labels = [ax.text(0, 0.5, text, size=size) for size in (12, 11)]
    drawn = [label.get_window_extent().width / ax.figure.dpi for label in labels]
    assert _drawing.text_width(text) == pytest.approx(drawn[0], rel=0.06)
    assert _drawing.text_width(text, 11) == pytest.approx(drawn[1], rel=0.06)


def test_new_axes_are_in_the_style_of_the_book() -> None:
    with _drawing.axes(height=2) as ax:
        ax.set(xlabel="x", xticks=[0, 1])
    figure: Any = ax.figure
    assert list(figure.get_size_inches()) == [plots.WIDTH, 2]
    assert same_color(figure.get_facecolor(), "white")
    assert not ax.spines["top"].get_visible()
    # Also what is made late, when it is first drawn.
    (tick, _) = ax.get_xticklabels()
    assert same_color(tick.get_color(), plots.INK)
    assert tick.get_fontfamily() == _drawing.SANS


def test_the_fonts_of_the_figures_are_known() -> None:
    _drawing.load_fonts()
    known = {font.name for font in font_manager.fontManager.ttflist}
    assert {*_drawing.BOLD, *_drawing.MONO, *_drawing.LATIN_EXTENDED} <= known


def test_cosines_of_rows_of_any_length() -> None:
    half = 0.5**0.5
    expected = [[1, 0, half], [0, 1, half], [half, half, 1]]
    assert _drawing.cosines([[2, 0], [0, 3], [4, 4]]) == pytest.approx(np.array(expected))
