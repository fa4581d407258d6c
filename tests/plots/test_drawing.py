"""The parts that the figures share stand where they are told, in the colours they are told."""

from typing import Any

import matplotlib as mpl
import pytest

mpl.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from figure_checks import is_centred
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgb
from matplotlib.patches import FancyBboxPatch, Rectangle

from companion import plots
from companion.plots import _drawing


@pytest.fixture
def ax() -> Axes:
    return plt.figure().add_subplot()


def test_a_tint_lies_between_white_and_the_colour() -> None:
    assert _drawing.tint(plots.TOKEN, 0) == (1, 1, 1)
    assert _drawing.tint(plots.TOKEN, 1) == pytest.approx(to_rgb(plots.TOKEN))
    assert _drawing.tint("#ff0000", 0.25) == pytest.approx((1, 0.75, 0.75))
    assert _drawing.tint("#0000ff", 0.75) == pytest.approx((0.25, 0.25, 1))


def test_a_strip_has_a_cell_for_each_number_from_left_to_right(ax: Axes) -> None:
    _drawing.vector_strip(ax, 1, 2, 3, 0.5, [0.5, -1, 2, 0], plots.POSITION, 1)
    cells = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [list(cell.get_bbox().extents) for cell in cells] == [
        pytest.approx([1 + 0.75 * i, 1.75, 1 + 0.75 * (i + 1), 2.25]) for i in range(4)
    ]


def test_a_strip_darkens_from_minus_the_scale_to_the_scale(ax: Axes) -> None:
    _drawing.vector_strip(ax, 0, 0, 1, 1, np.array([-9, -2, 0, 1, 2, 9]), plots.TOKEN, 2)
    shares = [0.0, 0.0, 0.5, 0.75, 1.0, 1.0]
    for cell, share in zip(ax.patches, shares, strict=True):
        assert same_color(cell.get_facecolor(), _drawing.tint(plots.TOKEN, 0.08 + 0.92 * share))
    assert ax.patches[-1].get_facecolor() == pytest.approx((*to_rgb(plots.TOKEN), 1))
    assert not same_color(ax.patches[0].get_facecolor(), "white")  # the smallest is still a cell


def test_a_box_is_as_wide_as_told_and_of_its_colour(ax: Axes) -> None:
    _drawing.box(ax, 1, 2, 3, "##s", plots.SEGMENT)
    (drawn,), (label,) = ax.patches, ax.texts
    assert label.get_text() == "##s"
    assert is_centred(label, drawn)
    assert isinstance(drawn, FancyBboxPatch)
    outline = drawn.get_path().get_extents()
    assert (outline.x0, outline.x1) == pytest.approx((1, 4))
    assert (outline.y0 + outline.y1) / 2 == pytest.approx(2)
    assert 0.25 < outline.height < 0.36  # a line of text, and less than a row of any figure
    assert same_color(drawn.get_edgecolor(), plots.SEGMENT)
    assert same_color(drawn.get_facecolor(), _drawing.tint(plots.SEGMENT, 0.12))


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
        label = ax.text(0, 0.5, text)
        small = ax.text(0, 0.5, text, size=11)
    drawn, small_drawn = (t.get_window_extent().width / ax.figure.dpi for t in (label, small))
    assert _drawing.text_width(text) == pytest.approx(drawn, rel=0.06)
    assert _drawing.text_width(text, 11) == pytest.approx(small_drawn, rel=0.06)
    assert _drawing.text_width(text, 24) == pytest.approx(2 * _drawing.text_width(text))


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
    assert tick.get_fontsize() == 11
    assert tick.get_fontfamily() == _drawing.SANS


def test_a_canvas_measures_in_inches_from_the_lower_left_corner() -> None:
    with _drawing.canvas(height=1.5) as ax:
        ax.text(1, 1, "here")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, plots.WIDTH), (0, 1.5))
    assert not ax.axison
    assert ax.figure.bbox.height == 1.5 * ax.figure.dpi


def test_the_fonts_of_the_figures_are_known() -> None:
    _drawing.load_fonts()
    known = {font.name for font in font_manager.fontManager.ttflist}
    assert {*_drawing.BOLD, *_drawing.MONO, *_drawing.LATIN_EXTENDED} <= known


@pytest.mark.parametrize("dashed", [True, False])
def test_a_number_is_in_the_middle_of_its_cell(ax: Axes, dashed: bool) -> None:
    _drawing.number_cell(ax, 1, 2, 0.5, "640", face="white", edge=plots.POSITION, dashed=dashed)
    (cell,), (label,) = ax.patches, ax.texts
    assert isinstance(cell, Rectangle)
    assert 0.4 < cell.get_width() < 0.5  # cells side by side do not touch
    assert label.get_text() == "640"
    assert is_centred(label, cell)
    assert same_color(cell.get_edgecolor(), plots.POSITION)
    assert (cell.get_linestyle() == "solid") != dashed


def test_columns_of_vectors_add_up_from_left_to_right(ax: Axes) -> None:
    columns = [(0.0, plots.TOKEN, "a\nb"), (1.0, plots.POSITION, "c\nd"), (2.0, plots.INPUT, "e")]
    sums = _drawing.RowSum(ax, columns, aside=0.08)
    sums.head(1)
    sums.row(0.5, 0.2, [[1, 2], [3, 4], [4, 6]], [4, 4, 6])
    assert [label.get_text() for label in ax.texts] == ["a\nb", "c\nd", "e", "+", "="]
    assert 0.84 < ax.texts[3].get_position()[0] < 1 < ax.texts[4].get_position()[0] < 2
    assert len(ax.patches) == 3 * 2
    for label, cell, color in zip(ax.texts, ax.patches[1::2], _COLORS, strict=False):
        assert same_color(label.get_color(), color)
        strength = 0.08 + 0.92 * {plots.TOKEN: 0.75}.get(color, 1)
        assert same_color(cell.get_facecolor(), _drawing.tint(color, strength))


_COLORS = (plots.TOKEN, plots.POSITION, plots.INPUT)


def test_cosines_of_rows_of_any_length() -> None:
    found = _drawing.cosines([[2, 0], [0, 3], [4, 4]])
    assert found == pytest.approx(
        np.array([[1, 0, 0.5**0.5], [0, 1, 0.5**0.5], [0.5**0.5] * 2 + [1]])
    )
