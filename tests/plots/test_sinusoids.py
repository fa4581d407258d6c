"""The figures of the chapter `sinusoids` show the waves, tables and shares they are given."""

from typing import Any

import numpy as np
import pytest
import torch
from figure_checks import grid, is_filled, points, reading, texts

from companion import plots
from companion.positions import sinusoidal


def wave(x: Any, period: int) -> Any:
    return -np.sin(2 * np.pi * np.asarray(x) / period)


@pytest.mark.parametrize(("n", "k"), [(16, 4), (5, 2)])
def test_bits_are_written_in_filled_and_open_cells_below_their_wave(n: int, k: int) -> None:
    digits = np.array([[p >> i & 1 for i in range(k)] for p in range(n)])
    ax = plots.bits_and_waves(digits, wave)
    slowest_first = digits.T[::-1]
    *rows, positions = reading(ax)
    assert positions == ["position", *map(str, range(n))]
    assert rows[::2] == [[f"period {2 ** (i + 1)}"] for i in reversed(range(k))]
    assert rows[1::2] == [[*map(str, row)] for row in slowest_first]
    cells = grid(ax)
    assert [[is_filled(cell) for cell in row] for row in cells] == slowest_first.tolist()
    # The dot of a bit is above the middle of its wave where the bit is one.
    for row, bits in enumerate(slowest_first):
        middle, curve, dots = ax.lines[3 * row : 3 * row + 3]
        heights = np.asarray(dots.get_ydata())
        assert (heights > middle.get_ydata()[0]).tolist() == bits.tolist()
        middles = [cell.get_center()[0] for cell in cells[row]]
        assert list(dots.get_xdata()) == pytest.approx(middles)
        assert np.interp(middles, *curve.get_data()) == pytest.approx(heights, abs=1e-3)


def test_the_map_of_a_table_holds_the_table_and_names_wavelengths() -> None:
    table = sinusoidal(20, 16)
    lengths = 2 * np.pi * 10_000 ** (np.arange(8) / 8)
    ax = plots.position_waves(table, lengths)
    (image,) = ax.images
    assert np.array_equal(image.get_array(), table.numpy())
    assert image.get_interpolation() == "nearest"  # no number that the table lacks
    assert image.get_clim() == (-1, 1)
    shades = image.cmap(image.norm([-1, 0, 0.5, 1]))[:, :3].sum(axis=1).tolist()
    assert shades == sorted(set(shades), reverse=True)  # the larger, the darker
    assert image.colorbar.ax.get_yticks().tolist() == [-1, 0, 1]
    assert texts(ax) == [f"{lengths[i]:,.0f}" for i in (0, 2, 4, 6, 7)]
    # Each stands above the first position, between the two columns of its pair.
    assert [label.xy for label in ax.texts] == [(x, -0.5) for x in (0.5, 4.5, 8.5, 12.5, 14.5)]
    assert ax.get_ylim()[1] == -0.5
    assert ax.get_title(loc="left") == "wavelength, in positions"
    few = plots.position_waves(table[:, :6], [6, 60, 6000])
    assert texts(few) == ["6", "60", "6,000"]


def test_cosines_by_distance_are_those_with_the_first_row() -> None:
    tables = {"wide": sinusoidal(30, 64), "narrow": sinusoidal(30, 4), "other": torch.ones(5, 2)}
    ax = plots.cosines_by_distance(tables)
    assert texts(ax) == list(tables)
    for line, label, table in zip(ax.lines, ax.texts, tables.values(), strict=True):
        expected = torch.nn.functional.cosine_similarity(table[:1].double(), table.double())
        assert list(line.get_xdata()) == [*range(len(table))]
        assert list(line.get_ydata()) == pytest.approx(expected.tolist())
        assert list(label.xy) == points(line)[-1]


def test_cosines_are_counted_for_each_width() -> None:
    generator = np.random.default_rng(0)
    cosines = {d: generator.normal(size=4000).clip(-5, 5) / 5 / d for d in (1, 4, 25)}
    ax = plots.cosines_by_width(cosines)
    assert reading(ax) == [[f"d = {d}", f"1/√d = {d**-0.5:.3f}"] for d in cosines]
    for row, (d, values) in enumerate(cosines.items()):
        drawn, edges, floor = ax.patches[row].get_data()
        counts, _ = np.histogram(values, edges)
        heights = drawn - floor
        assert heights / heights.max() == pytest.approx(counts / counts.max())
        # All are equally high, each on a floor of its own, under the name of its width.
        assert (floor, heights.max()) == (2 - row, pytest.approx(0.75))
        assert floor + 0.5 < ax.texts[2 * row].get_position()[1] < floor + 1
        assert (edges[0], edges[-1], len(edges)) == (-1, 1, 101)
        marks = [line.get_xdata()[0] for line in ax.lines[2 * row : 2 * row + 2]]
        assert marks == pytest.approx([-(d**-0.5), d**-0.5])


def test_shares_are_drawn_in_per_cent_with_marks() -> None:
    shares = {0.1: (0.0, 1.0), 1.0: (0.75, 0.9), 4.0: (1.0, 0.25)}
    ax = plots.recovery_by_scale(shares, {"here": 0.5})
    tokens, positions, mark = ax.lines
    assert points(tokens) == [[0.1, 0], [1, 75], [4, 100]]
    assert points(positions) == [[0.1, 100], [1, 90], [4, 25]]
    assert (tokens.get_color(), positions.get_color()) == (plots.TOKEN, plots.POSITION)
    assert tokens.get_marker() != positions.get_marker()
    assert set(mark.get_xdata()) == {0.5}
    assert [(label.get_text(), *label.xy) for label in ax.texts] == [
        ("tokens", 0.1, 0),
        ("positions", 0.1, 100),
        ("here", 0.5, ax.get_ylim()[1]),
    ]
    assert texts(plots.recovery_by_scale(shares)) == ["tokens", "positions"]
