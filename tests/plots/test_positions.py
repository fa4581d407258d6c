"""The figures of the chapter `positions` show what the models and tables give."""

import subprocess
import sys

import numpy as np
import pytest
from figure_checks import boxes, cells, grid, is_filled, numbers, reading, strengths, texts

from companion import plots
from companion.windows import SlidingWindows

TOKENS = [" you", " eat", " fish"]
ORDER = [2, 0, 1]  # not its own inverse
FIRST = np.arange(9.0).reshape(3, 3) - 4


def test_two_orders_writes_each_order_and_joins_token_with_token() -> None:
    ax = plots.two_orders(TOKENS, ORDER, FIRST, FIRST[ORDER])
    assert reading(ax) == [
        ["token", "␣you", "␣eat", "␣fish"], ["output"], ["equal"] * 3, ["output"],
        ["token", "␣fish", "␣you", "␣eat"],
    ]  # fmt: skip
    columns = [label.get_position()[0] for label in ax.texts[4:7]]
    for i, line in enumerate(ax.lines):
        (x, y), (x_below, y_below) = line.get_xydata()
        assert (x, x_below) == pytest.approx((columns[ORDER[i]], columns[i]))
        assert y > y_below


def test_two_orders_draws_the_vectors_under_their_tokens_by_one_scale() -> None:
    second = FIRST[ORDER] + [[0], [10], [0]]
    ax = plots.two_orders(TOKENS, ORDER, FIRST, second)
    above, below = grid(ax)
    for row, vectors in ((above, FIRST), (below, second)):
        shown = numbers(row, plots.INK, np.abs(second).max())
        assert shown == pytest.approx(vectors.flatten())
        middles = [box.get_window_extent() for box in boxes(ax)[:3]]
        for cell, box in zip(row[1::3], middles, strict=True):
            extent = cell.get_window_extent()
            assert extent.x0 + extent.x1 == pytest.approx(box.x0 + box.x1)


def test_two_orders_tells_equal_from_nearly_equal() -> None:
    second = FIRST[ORDER] + [[1e-12] * 3, [0, 0, -0.25], [0.001, 0, 0]]
    ax = plots.two_orders(TOKENS, ORDER, FIRST, second)
    labels = ax.texts[10:]
    assert [label.get_text() for label in labels] == ["equal", "0.25", "0.00"]
    assert [line.get_linestyle() for line in ax.lines] == ["-", "--", "--"]
    # Never by the line alone: the word is written in another colour too.
    assert [label.get_color() for label in labels] == [plots.TOKEN, plots.INK, plots.INK]
    for label, line in zip(labels, ax.lines, strict=True):
        (x, y), (x_below, y_below) = line.get_xydata()
        share = (label.get_position()[1] - y_below) / (y - y_below)
        # It stands on its line, nearer to the lower end: half-way the lines may cross.
        assert 0 < share < 0.5
        assert label.get_position()[0] == pytest.approx(x_below + share * (x - x_below))
    almost = plots.two_orders(["a", "b"], [0, 1], np.zeros((2, 1)), [[1e-9], [0.9e-9]])
    assert texts(almost)[8:] == ["0.00", "equal"]


PANELS = {
    "no mask": np.zeros((2, 4)),
    "causal mask": np.array([[0.0, 0.5, 0.25, 1e-15], [0.0, 1.234, 0.75, 0.001]]),
}
WORDS = ["Once", " upon", " a", " time"]


def test_change_by_depth_writes_percents_in_the_columns_of_the_tokens() -> None:
    ax = plots.change_by_depth(WORDS, (1, 2), PANELS)
    assert reading(ax) == [
        ["swapped"], ["Once", "upon", "a", "time"],
        ["no mask"], ["layer 1", *"0000"], ["layer 2", *"0000"],
        ["causal mask"], ["layer 1", "0", "50", "25", "0"], ["layer 2", "0", "123", "75", "<1"],
    ]  # fmt: skip
    columns = [label.get_position()[0] for label in ax.texts[1:5]]
    for row in grid(ax):
        assert [cell.get_center()[0] for cell in row] == pytest.approx(columns)


def test_change_by_depth_writes_0_and_leaves_a_cell_open_only_where_nothing_changed() -> None:
    changes = [0.005, 1e-9, 0.0051, 1e-10, 0.8]
    ax = plots.change_by_depth([*"abcde"], (0, 2), {"one": [changes]})
    assert reading(ax)[-1] == ["layer 1", "<1", "<1", "1", "0", "80"]
    assert [is_filled(cell) for cell in cells(ax)] == [True, True, True, False, True]
    filled = [cell for cell in cells(ax) if is_filled(cell)]
    assert strengths(filled, plots.INK) == pytest.approx(
        [0.08 + 0.27 * change / 0.8 for change in changes if change > 1e-10]
    )
    none = plots.change_by_depth(["a", "b"], (0, 1), {"none": [[1e-10, 0]]})
    assert texts(none)[5:] == ["0", "0"]


@pytest.mark.parametrize("swapped", [(1, 3), (3, 1)])
def test_change_by_depth_marks_the_swapped_tokens(swapped: tuple[int, int]) -> None:
    ax = plots.change_by_depth(WORDS, swapped, PANELS)
    word, *tokens = ax.texts[:5]
    columns = [label.get_position()[0] for label in tokens]
    assert {float(x) for x in ax.lines[0].get_xdata()} == {columns[1], columns[3]}
    assert word.get_position()[0] == pytest.approx((columns[1] + columns[3]) / 2)
    families = [label.get_fontfamily()[0] for label in tokens]
    assert families[1] == families[3] != families[0] == families[2]


def test_token_in_windows_draws_the_same_token_at_each_of_its_positions() -> None:
    generator = np.random.default_rng(0)
    table, places = generator.normal(size=(30, 6)), generator.normal(size=(5, 6))
    windows = SlidingWindows(range(20, 35), context_size=5, stride=2)
    ax = plots.token_in_windows(windows, 24, table, places)
    inputs = [range(20, 25), range(22, 27), range(24, 29)]  # and two windows without it
    positions = [4, 2, 0]
    assert reading(ax)[1:] == [
        [*map(str, ids), str(position), "+", "="]
        for ids, position in zip(inputs, positions, strict=True)
    ]
    marked = [label.get_text() for label in ax.texts if label.get_color() == plots.TOKEN]
    assert marked == ["token\nvector", "24", "24", "24"]
    scale = max(np.abs(table[24]).max(), np.abs(places[positions]).max())
    for row, position in zip(grid(ax), positions, strict=True):
        token, place = table[24], places[position]
        parts = (plots.TOKEN, token), (plots.POSITION, place), (plots.INPUT, token + place)
        for i, (color, vector) in enumerate(parts):
            shown = numbers(row[6 * i : 6 * i + 6], color, scale)
            # A sum beyond the scale is no darker than its colour.
            assert shown == pytest.approx(vector.clip(-scale, scale))


def test_the_figures_do_not_load_torch() -> None:
    code = "import sys, companion.plots.positions; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
