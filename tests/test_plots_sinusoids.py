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

from companion import plots
from companion.positions import sinusoidal


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def digits(n: int, k: int) -> list[list[int]]:
    return [[p >> i & 1 for i in range(k)] for p in range(n)]


def wave(x: Any, period: int) -> Any:
    return -np.sin(2 * np.pi * np.asarray(x) / period)


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
            [ax.patches[p].get_center()[0] for p in range(16)]  # type: ignore[attr-defined]
        )


@pytest.mark.parametrize("bits", [[0, 1, 0], digits(17, 5)])
def test_bits_that_cannot_be_drawn(bits: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^bits have shape \(.*\); give a matrix of up to 16 rows"
    ):
        plots.bits_and_waves(bits, wave)


def test_the_map_of_a_table_holds_the_table_and_names_wavelengths() -> None:
    table = sinusoidal(20, 16)
    lengths = 2 * np.pi * 10_000 ** (np.arange(8) / 8)
    ax = plots.position_waves(table, lengths)
    assert np.array_equal(ax.images[0].get_array(), table.numpy())
    assert ax.images[0].get_clim() == (-1, 1)
    assert texts(ax) == [f"{lengths[i]:,.0f}" for i in (0, 2, 4, 6, 7)]
    places = [label.xy[0] for label in ax.texts]  # type: ignore[attr-defined]
    assert places == [0.5, 4.5, 8.5, 12.5, 14.5]  # between the two columns of the pair


def test_the_larger_a_number_the_darker_its_cell() -> None:
    image = plots.position_waves([[-1, 0, 0.5, 1]], [6, 60]).images[0]
    shades = image.cmap(image.norm(image.get_array()))[0, :, :3].sum(axis=1)
    assert list(shades) == sorted(shades, reverse=True)
    assert len(set(shades)) == 4


@pytest.mark.parametrize(("shape", "n_lengths"), [((3, 4), 3), ((3, 5), 2), ((4,), 2)])
def test_wavelengths_that_do_not_fit_the_table(shape: tuple[int, ...], n_lengths: int) -> None:
    with pytest.raises(ValueError, match=f"does not go with {n_lengths} wavelengths; give one"):
        plots.position_waves(np.zeros(shape), np.ones(n_lengths))


def test_products_of_positions_are_constant_along_diagonals() -> None:
    products = plots.position_products(sinusoidal(12, 8)).images[0].get_array()
    assert products is not None
    assert products.shape == (12, 12)
    for k in range(12):
        assert np.allclose(np.diagonal(products, k), products[0, k], atol=1e-6)
        expected = np.cos(k * 10_000.0 ** (-np.arange(4) / 4)).mean()
        assert products[0, k] == pytest.approx(expected, abs=1e-6)


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


@pytest.mark.parametrize("n_tables", [0, 4])
def test_a_number_of_tables_that_cannot_be_drawn(n_tables: int) -> None:
    with pytest.raises(ValueError, match=f"^there are {n_tables} tables; give one to 3$"):
        plots.cosines_by_distance({str(i): np.ones((2, 2)) for i in range(n_tables)})


def test_a_row_of_zeros_has_no_direction() -> None:
    table = [[1.0, 0.0], [0.0, 0.0]]
    for draw in (plots.position_products, lambda rows: plots.cosines_by_distance({"t": rows})):
        with pytest.raises(ValueError, match=r"^row 1 of the table is zero and has no direction"):
            draw(table)


def test_cosines_are_counted_for_each_width() -> None:
    generator = np.random.default_rng(0)
    cosines = {d: generator.normal(size=4000).clip(-5, 5) / 5 / d for d in (1, 4, 25)}
    ax = plots.cosines_by_width(cosines)
    assert texts(ax)[::2] == ["d = 1", "d = 4", "d = 25"]
    assert texts(ax)[1::2] == ["1/√d = 1.000", "1/√d = 0.500", "1/√d = 0.200"]
    for row, (d, values) in enumerate(cosines.items()):
        values_drawn, edges, _ = ax.patches[row].get_data()  # type: ignore[attr-defined]
        heights = values_drawn - (2 - row)
        counts, _ = np.histogram(values, edges)
        assert heights / heights.max() == pytest.approx(counts / counts.max())
        marks = [line.get_xdata()[0] for line in ax.lines[2 * row : 2 * row + 2]]
        assert marks == pytest.approx([-(d**-0.5), d**-0.5])


@pytest.mark.parametrize("cosines", [{}, {4: []}])
def test_no_cosines_are_an_error(cosines: dict[int, list[float]]) -> None:
    with pytest.raises(ValueError, match=r"^there are no cosines to draw; give some"):
        plots.cosines_by_width(cosines)


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


def test_no_shares_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"^there are no shares to draw; give those of at least"):
        plots.recovery_by_scale({})
