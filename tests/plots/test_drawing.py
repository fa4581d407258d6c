"""The parts that the figures share stand where they are told, in the colours they are told."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_checks import boxes, cells, is_centred, numbers, reading, strengths
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgb

from companion import plots
from companion.plots import _drawing


@pytest.fixture
def ax() -> Axes:
    return plt.figure().add_subplot()


def test_a_tint_lies_between_white_and_the_colour() -> None:
    assert _drawing.tint(plots.TOKEN, 0) == (1, 1, 1)
    assert _drawing.tint(plots.TOKEN, 1) == pytest.approx(to_rgb(plots.TOKEN))
    assert _drawing.tint("#ff0000", 0.25) == pytest.approx((1, 0.75, 0.75))


def test_a_strip_has_a_cell_for_each_number_darker_up_to_the_scale(ax: Axes) -> None:
    _drawing.vector_strip(ax, 1, 2, 3, 0.5, np.array([-9, -2, 0, 1, 2, 9]), plots.POSITION, 2)
    assert [list(cell.get_bbox().extents) for cell in cells(ax)] == [
        pytest.approx([1 + 0.5 * i, 1.75, 1.5 + 0.5 * i, 2.25]) for i in range(6)
    ]
    shares = [0.08, 0.08, 0.54, 0.77, 1, 1]  # the smallest is still a cell
    assert strengths(ax.patches, plots.POSITION) == pytest.approx(shares)


def test_a_strip_of_zeros_has_the_shade_of_zero(ax: Axes) -> None:
    _drawing.vector_strip(ax, 0, 0, 1, 1, [0.0, 0.0], plots.TOKEN, 0)
    assert strengths(ax.patches, plots.TOKEN) == pytest.approx([0.54, 0.54])


def test_a_box_is_as_wide_as_told_and_of_its_colour(ax: Axes) -> None:
    _drawing.box(ax, 1, 2, 3, "##s", plots.SEGMENT)
    (drawn,), (label,) = boxes(ax), ax.texts
    assert label.get_text() == "##s"
    assert is_centred(label, drawn)
    outline = drawn.get_path().get_extents()
    assert (outline.x0, outline.x1) == pytest.approx((1, 4))
    assert (outline.y0 + outline.y1) / 2 == pytest.approx(2)
    assert same_color(drawn.get_edgecolor(), plots.SEGMENT)
    assert strengths([drawn], plots.SEGMENT) == pytest.approx([0.12])


@pytest.mark.parametrize("dashed", [True, False])
def test_a_number_is_in_the_middle_of_its_cell(ax: Axes, dashed: bool) -> None:
    _drawing.number_cell(ax, 1, 2, 0.5, "640", face="white", edge=plots.POSITION, dashed=dashed)
    (cell,), (label,) = cells(ax), ax.texts
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
    assert reading(ax) == [["a\nb", "c\nd", "e"], ["+", "="]]
    plus, equal = (label.get_position()[0] for label in ax.texts[3:])
    assert 0.84 < plus < 1 < 1.84 < equal < 2
    vectors = zip(columns, [[1, 2], [3, 4], [4, 6]], [4, 4, 6], strict=True)
    for i, ((x, color, _), vector, scale) in enumerate(vectors):
        strip = cells(ax)[2 * i : 2 * i + 2]
        assert strip[0].get_x() == x
        assert numbers(strip, color, scale) == pytest.approx(vector)
        assert same_color(ax.texts[i].get_color(), color)


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


def test_cosines_of_rows_of_any_length() -> None:
    half = 0.5**0.5
    expected = [[1, 0, half], [0, 1, half], [half, half, 1]]
    assert _drawing.cosines([[2, 0], [0, 3], [4, 4]]) == pytest.approx(np.array(expected))
