"""The figures of the chapter `sinusoids` show the waves, tables and shares they are given."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")

import torch
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from companion import plots
from companion.positions import sinusoidal


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def digits(n: int, k: int) -> list[list[int]]:
    return [[p >> i & 1 for i in range(k)] for p in range(n)]


def wave(x: Any, period: int) -> Any:
    return -np.sin(2 * np.pi * np.asarray(x) / period)


def shades_of_bar(ax: Axes) -> list[float]:
    """The numbers that the bar of shades beside a map explains."""
    assert ax.figure is not None
    _, bar = ax.figure.axes
    assert ax.images[0].colorbar is not None
    assert ax.images[0].colorbar.ax is bar
    return [float(tick) for tick in bar.get_yticks()]


@pytest.mark.parametrize(("n", "k"), [(16, 4), (8, 3), (5, 2)])
def test_bits_are_written_in_filled_and_open_cells_the_slowest_on_top(n: int, k: int) -> None:
    ax = plots.bits_and_waves(digits(n, k), wave)
    written = texts(ax)
    for row, i in enumerate(reversed(range(k))):
        of_row = written[row * (n + 1) : (row + 1) * (n + 1)]
        assert of_row == [f"period {2 ** (i + 1)}", *(str(p >> i & 1) for p in range(n))]
    assert written[-n - 1 :] == ["position", *map(str, range(n))]
    cells = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    filled = [not same_color(cell.get_facecolor(), "white") for cell in cells]
    assert filled == [bool(p >> i & 1) for i in reversed(range(k)) for p in range(n)]
    heights = [cell.get_y() for cell in cells]
    assert heights == sorted(heights, reverse=True)
    # A column is a binary number: the cells of a position stand under each other.
    lefts = np.array([cell.get_x() for cell in cells]).reshape(k, n)
    assert np.allclose(lefts, lefts[0])
    assert (np.diff(lefts[0]) > 0).all()


def test_the_dots_of_a_wave_are_above_the_middle_where_its_bit_is_one() -> None:
    ax = plots.bits_and_waves(digits(16, 4), wave)
    for row, i in enumerate(reversed(range(4))):
        middle, curve, dots = (line.get_ydata() for line in ax.lines[3 * row : 3 * row + 3])
        assert list(np.asarray(dots) > middle[0]) == [bool(p >> i & 1) for p in range(16)]
        assert len(curve) > 10 * len(dots)
        assert max(abs(np.asarray(dots) - middle[0])) <= max(abs(np.asarray(curve) - middle[0]))
        assert list(ax.lines[3 * row + 2].get_xdata()) == pytest.approx(
            [ax.patches[p].get_center()[0] for p in range(16)]
        )


def test_the_map_of_a_table_holds_the_table_and_names_wavelengths() -> None:
    table = sinusoidal(20, 16)
    lengths = 2 * np.pi * 10_000 ** (np.arange(8) / 8)
    ax = plots.position_waves(table, lengths)
    assert np.array_equal(ax.images[0].get_array(), table.numpy())
    assert ax.images[0].get_clim() == (-1, 1)
    assert texts(ax) == [f"{lengths[i]:,.0f}" for i in (0, 2, 4, 6, 7)]
    places = [label.xy[0] for label in ax.texts]
    assert places == [0.5, 4.5, 8.5, 12.5, 14.5]  # between the two columns of the pair
    for label in ax.texts:
        assert isinstance(label, Annotation)
        assert label.xy[1] == ax.get_ylim()[1] == -0.5  # the upper edge of the first position
        assert label.xyann[0] == 0 < label.xyann[1] < 10
    assert ax.get_title(loc="left") == "wavelength, in positions"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("coordinate", "position")
    assert shades_of_bar(ax) == [-1, 0, 1]
    assert ax.images[0].get_interpolation() == "nearest"  # no number that the table lacks
    assert ax.get_aspect() == "auto"


def test_the_larger_a_number_the_darker_its_cell() -> None:
    ax = plots.position_waves([[-0.9, 0, 0.5, 0.9, 0.9, 0.9]], [6, 60, 6000])
    assert texts(ax) == ["6", "60", "6,000"]  # few as they are, all are named
    assert ax.images[0].get_clim() == (-1, 1)
    image = ax.images[0]
    shades = image.cmap(image.norm(image.get_array()))[0, :, :3].sum(axis=1)
    assert list(shades) == sorted(shades, reverse=True)
    assert len(set(shades)) == 4


def test_cosines_by_distance_are_those_with_the_first_row() -> None:
    tables = {"wide": sinusoidal(30, 64), "narrow": sinusoidal(30, 4), "other": torch.ones(5, 2)}
    ax = plots.cosines_by_distance(tables)
    assert texts(ax) == list(tables)
    for line, table in zip(ax.lines, tables.values(), strict=True):
        rows = table.double()
        expected = torch.nn.functional.cosine_similarity(rows[:1], rows)
        assert list(line.get_ydata()) == pytest.approx(expected.tolist())
    assert len({str(line.get_linestyle()) for line in ax.lines}) > 1
    assert ax.get_xlim() == (0, 29)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("distance in positions", "cosine of the two rows")
    for line, label in zip(ax.lines, ax.texts, strict=True):
        assert list(line.get_xdata()) == [*range(len(line.get_ydata()))]
        assert line.get_color() == label.get_color() == plots.POSITION
        assert isinstance(label, Annotation)
        assert label.xy == pytest.approx((line.get_xdata()[-1], line.get_ydata()[-1]))
        assert 0 < label.xyann[0] < 15  # behind the end of its line
        assert label.xyann[1] == 0


def test_cosines_are_counted_for_each_width() -> None:
    generator = np.random.default_rng(0)
    cosines = {d: generator.normal(size=4000).clip(-5, 5) / 5 / d for d in (1, 4, 25)}
    ax = plots.cosines_by_width(cosines)
    assert texts(ax)[::2] == ["d = 1", "d = 4", "d = 25"]
    assert texts(ax)[1::2] == ["1/√d = 1.000", "1/√d = 0.500", "1/√d = 0.200"]
    for row, (d, values) in enumerate(cosines.items()):
        values_drawn, edges, _ = ax.patches[row].get_data()
        heights = values_drawn - (2 - row)
        counts, _ = np.histogram(values, edges)
        assert heights / heights.max() == pytest.approx(counts / counts.max())
        marks = [line.get_xdata()[0] for line in ax.lines[2 * row : 2 * row + 2]]
        assert marks == pytest.approx([-(d**-0.5), d**-0.5])
        # All are equally high, each stands on a floor of its own, under the name of its width.
        assert ax.patches[row].get_data().baseline == 2 - row
        assert 0.5 < heights.max() < 1
        assert len(edges) == 101
        assert (edges[0], edges[-1]) == ax.get_xlim() == (-1, 1)
        for line in ax.lines[2 * row : 2 * row + 2]:
            assert line.get_xdata()[0] == line.get_xdata()[1]
            low, high = line.get_ydata()
            assert low == 2 - row
            assert heights.max() < high - low < 1
        for label, edge in zip(ax.texts[2 * row : 2 * row + 2], ("left", "right"), strict=True):
            assert 2 - row < label.get_position()[1] < 3 - row
            assert label.get_position()[0] == pytest.approx({"left": -1, "right": 1}[edge], abs=0.1)
            assert abs(label.get_position()[0]) < 1
        assert ax.texts[2 * row].get_color() == plots.TOKEN
        assert ax.patches[row].get_fill()
        assert same_color(ax.patches[row].get_edgecolor(), plots.TOKEN)
        assert not same_color(ax.patches[row].get_facecolor(), "white")
    assert ax.get_ylim() == (0, 3)
    assert list(ax.get_yticks()) == []
    assert list(ax.get_xticks()) == [-1, -0.5, 0, 0.5, 1]
    assert ax.get_xlabel() == "cosine of two random rows"


def test_shares_are_drawn_in_per_cent_with_marks() -> None:
    shares = {0.1: (0.0, 1.0), 1.0: (0.75, 0.9), 4.0: (1.0, 0.25)}
    ax = plots.recovery_by_scale(shares, {"here": 0.5})
    tokens, positions = ax.lines[:2]
    assert list(tokens.get_data()[0]) == list(positions.get_data()[0]) == list(shares)
    assert list(tokens.get_data()[1]) == [0, 75, 100]
    assert list(positions.get_data()[1]) == [100, 90, 25]
    assert tokens.get_color() == plots.TOKEN
    assert positions.get_color() == plots.POSITION
    assert tokens.get_marker() != positions.get_marker()
    assert set(ax.lines[2].get_xdata()) == {0.5}
    assert texts(ax) == ["tokens", "positions", "here"]
    for curve, label in zip((tokens, positions), ax.texts, strict=False):
        assert isinstance(label, Annotation)
        assert label.xy == (curve.get_xdata()[0], curve.get_ydata()[0])
        assert label.get_color() == curve.get_color()
        assert label.xyann[0] == 0
    # Both begin at an end of the axis: the names stand inside.
    above, below, here = (label.xyann[1] for label in ax.texts)
    assert below < 0 < above < 20
    bottom, top = ax.get_ylim()
    assert bottom < 0 < 100 < top
    assert ax.texts[2].xy == (0.5, top)
    assert 0 < here < 10
    assert ax.texts[2].anncoords == "offset points"
    assert ax.texts[2].get_ha() == "center"
    assert list(ax.get_yticks()) == [0, 25, 50, 75, 100]
    assert ax.get_xscale() == "log"
    assert ax.xaxis.get_major_formatter()(0.01, 0) == "0.01"
    assert ax.get_xlabel() == "standard deviation of the token vectors"
    assert ax.get_ylabel() == "found, in %"
    assert tokens.get_linestyle() != positions.get_linestyle()
    assert texts(plots.recovery_by_scale(shares)) == ["tokens", "positions"]
