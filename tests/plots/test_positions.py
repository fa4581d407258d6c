"""The figures of the chapter `positions` show what the models and tables give."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from figure_checks import in_sight

mpl.use("agg")

from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_hex, to_rgb
from matplotlib.patches import FancyBboxPatch, Rectangle

from companion import plots
from companion.windows import SlidingWindows

TOKENS = [" you", " eat", " fish"]
ORDER = [2, 0, 1]  # not its own inverse
FIRST = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]])


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def cells(ax: Axes) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def shade(cell: Rectangle) -> float:
    """How light a cell is."""
    return float(sum(to_rgb(cell.get_facecolor())))


# ---------------------------------------------------------------- two_orders


def test_two_orders_writes_each_order_and_joins_token_with_token() -> None:
    ax = plots.two_orders(TOKENS, ORDER, FIRST, FIRST[ORDER])
    assert texts(ax)[:10] == [*["token", "output"] * 2, "␣you", "␣eat", "␣fish",
                              "␣fish", "␣you", "␣eat"]  # fmt: skip
    upper, lower = ax.texts[4:7], ax.texts[7:10]
    assert len({label.get_position()[1] for label in upper}) == 1
    assert upper[0].get_position()[1] > lower[0].get_position()[1]
    columns = [label.get_position()[0] for label in upper]
    assert [label.get_position()[0] for label in lower] == pytest.approx(columns)
    assert len(ax.lines) == 3
    for i, line in enumerate(ax.lines):
        x, y = line.get_data()
        assert list(x) == pytest.approx([columns[ORDER[i]], columns[i]])
        assert y[0] > y[1]
    assert len([patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]) == 6


def test_two_orders_draws_the_vectors_under_their_tokens() -> None:
    second = FIRST[ORDER] + [[0.0], [10.0], [0.0]]
    ax = plots.two_orders(TOKENS, ORDER, FIRST, second)
    drawn = np.array([shade(cell) for cell in cells(ax)]).reshape(6, 3)
    numbers = np.concatenate([FIRST, second])
    # A larger number is a darker cell, on one scale for all.
    flat = numbers.flatten()
    darkest_first = drawn.flatten()[np.argsort(-flat, kind="stable")]
    assert list(darkest_first) == sorted(darkest_first)
    assert drawn.flatten()[flat.argmax()] < drawn.flatten()[flat.argmin()]
    middles = [cell.get_center()[0] for cell in cells(ax)[1::3]]
    names = [label.get_position()[0] for label in ax.texts[4:10]]
    assert middles == pytest.approx(names)


def test_two_orders_tells_equal_from_nearly_equal() -> None:
    second = FIRST[ORDER].copy()
    second[0] += 1e-12  # rounding: fish
    second[1, 2] -= 0.25  # you
    second[2] += [0.001, 0.0, 0.0]  # eat
    ax = plots.two_orders(TOKENS, ORDER, FIRST, second)
    assert texts(ax)[10:] == ["equal", "0.25", "0.00"]
    styles = [line.get_linestyle() for line in ax.lines]
    assert [style == "-" for style in styles] == [True, False, False]
    # Never by the line alone: the word is written in another colour too.
    assert [line.get_color() for line in ax.lines] == [plots.TOKEN, plots.MUTED, plots.MUTED]
    labels = ax.texts[10:]
    assert [label.get_color() for label in labels] == [plots.TOKEN, plots.INK, plots.INK]
    assert labels[0].get_fontfamily() != labels[1].get_fontfamily() == labels[2].get_fontfamily()
    # A label stands on its line, nearer to the lower end, where no other line crosses it.
    for label, line in zip(labels, ax.lines, strict=True):
        x, y = np.asarray(line.get_xydata()).T
        share = (label.get_position()[1] - y[1]) / (y[0] - y[1])
        assert 0 < share < 0.5
        assert label.get_position()[0] == pytest.approx(x[1] + share * (x[0] - x[1]))
        assert same_color(label.get_bbox_patch().get_facecolor(), "white")


def test_two_orders_calls_a_billionth_a_difference() -> None:
    ax = plots.two_orders(["a", "b"], [0, 1], np.zeros((2, 1)), [[1e-9], [0.9e-9]])
    assert texts(ax)[8:] == ["0.00", "equal"]


def test_two_orders_has_one_scale_for_numbers_of_either_sign() -> None:
    second = np.array([[-9.0, 9.5, 8.5], [-8.0, 7.5, -7.0], [-0.5, 0.5, 0.0]])
    ax = plots.two_orders(TOKENS, ORDER, FIRST - 4, second)
    numbers = np.concatenate([(FIRST - 4).flatten(), second.flatten()])
    shades = np.array([shade(cell) for cell in cells(ax)])
    for a, b in zip(*np.triu_indices(18), strict=True):
        assert np.sign(numbers[a] - numbers[b]) == np.sign(round(shades[b] - shades[a], 9))
    ink = cells(ax)[numbers.argmax()]
    assert to_hex(ink.get_facecolor()) == plots.INK
    negative = plots.two_orders(TOKENS, ORDER, FIRST - 8, np.zeros((3, 3)))
    assert len({shade(cell) for cell in cells(negative)[:9]}) == 9


def test_vectors_of_zeros_are_drawn_in_the_middle_of_the_scale() -> None:
    zeros = np.zeros((2, 2))
    for ax in (
        plots.two_orders(["a", "b"], [1, 0], zeros, zeros),
        plots.token_in_windows(SlidingWindows(range(3), 2), 1, np.zeros((3, 1)), np.zeros((2, 1))),
    ):
        assert cells(ax)
        for cell in cells(ax):
            assert np.isfinite(cell.get_facecolor()).all()
            assert 1 < shade(cell) < 2.5


@pytest.mark.parametrize("n", [2, 3, 4])
def test_two_orders_of_any_size_keeps_its_labels_apart(n: int) -> None:
    order = list(range(n))[::-1]
    ax = plots.two_orders(["token"] * n, order, np.eye(n), np.eye(n)[order] * 2)
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.texts]
    for i, one in enumerate(boxes):
        assert ax.figure.bbox.x0 <= one.x0 < one.x1 <= ax.figure.bbox.x1
        for other in boxes[:i]:
            assert not one.overlaps(other)


# ---------------------------------------------------------------- change_by_depth


PANELS = {
    "no mask": np.zeros((2, 4)),
    "causal mask": np.array([[0.0, 0.5, 0.25, 1e-15], [0.0, 1.234, 0.75, 0.001]]),
}
WORDS = ["Once", " upon", " a", " time"]


def test_change_by_depth_writes_percents_in_the_columns_of_the_tokens() -> None:
    ax = plots.change_by_depth(WORDS, (1, 2), PANELS)
    assert in_sight(ax)
    assert texts(ax) == [
        "swapped", "Once", "upon", "a", "time",
        "no mask", "layer 1", *"0000", "layer 2", *"0000",
        "causal mask", "layer 1", "0", "50", "25", "0", "layer 2", "0", "123", "75", "<1",
    ]  # fmt: skip
    columns = [label.get_position()[0] for label in ax.texts[1:5]]
    grid = np.array([cell.get_center()[0] for cell in cells(ax)]).reshape(4, 4)
    assert grid == pytest.approx(np.tile(columns, (4, 1)))
    heights = np.array([cell.get_center()[1] for cell in cells(ax)]).reshape(4, 4)
    assert (np.diff(heights, axis=0) < -cells(ax)[0].get_height()).all()
    # Each number is in its cell, each layer beside its cells, each name above them, at the left.
    written = {label.get_text(): label.get_position() for label in ax.texts}
    assert written["no mask"][1] > heights[0, 0] > heights[1, 0] > written["causal mask"][1]
    assert written["causal mask"][1] > heights[2, 0]
    above, below = (cells(ax)[4 * row].get_bbox() for row in (1, 2))
    assert above.y0 > written["causal mask"][1] + 0.1
    assert below.y1 < written["causal mask"][1] - 0.1
    assert {written[word.strip()][1] for word in WORDS} == {written["Once"][1]}
    assert written["Once"][1] > written["no mask"][1]
    beside = ax.texts[6].get_window_extent().x1
    assert beside < cells(ax)[0].get_window_extent().x0
    for panel in (0, 1):
        for layer in (0, 1):
            row = 2 * panel + layer
            label, *numbers = ax.texts[6 + 11 * panel + 5 * layer :][:5]
            assert label.get_position() == pytest.approx((0, heights[row, 0]))
            places = np.array([number.get_position() for number in numbers])
            assert places == pytest.approx(np.stack([grid[row], heights[row]], axis=1))
    assert written["no mask"][0] == written["causal mask"][0] == 0
    limits = ax.get_xlim()
    for cell, after in zip(cells(ax), [*cells(ax)[1:], None], strict=True):
        assert 0 < cell.get_x() < cell.get_x() + cell.get_width() < limits[1]
        if after and after.get_x() > cell.get_x():
            assert cell.get_x() + cell.get_width() < after.get_x()


def test_change_by_depth_of_ten_tokens_stays_inside_the_axes() -> None:
    ax = plots.change_by_depth(["a"] * 10, (8, 9), {"one": np.ones((1, 10))})
    assert in_sight(ax)
    assert len(cells(ax)) == 10


def test_change_by_depth_writes_0_only_where_nothing_changed() -> None:
    ax = plots.change_by_depth(["a", "b", "c"], (0, 2), {"one": [[0.005, 1e-9, 0.0051]]})
    assert texts(ax)[6:] == ["<1", "<1", "1"]
    none = plots.change_by_depth(["a", "b"], (0, 1), {"none": [[1e-10, 0]]})
    assert texts(none)[5:] == ["0", "0"]


def test_change_by_depth_fills_what_changed_and_nothing_else() -> None:
    ax = plots.change_by_depth(WORDS, (1, 2), PANELS)
    filled = [not same_color(cell.get_facecolor(), "white") for cell in cells(ax)]
    changes = np.concatenate([*PANELS.values()]).flatten()
    assert filled == [change > 1e-9 for change in changes]
    assert sum(filled) == 5
    numbers = [label for label in ax.texts if label.get_text().strip("<").isdigit()]
    for fill, cell, number in zip(filled, cells(ax), numbers, strict=True):
        assert number.get_color() == (plots.INK if fill else plots.MUTED)
        assert same_color(cell.get_edgecolor(), plots.INK) == fill
    order = np.argsort([shade(cell) for cell in cells(ax)], kind="stable")[:5]
    assert list(changes[order]) == sorted(changes, reverse=True)[:5]


@pytest.mark.parametrize("swapped", [(1, 3), (3, 1)])
def test_change_by_depth_marks_the_swapped_tokens(swapped: tuple[int, int]) -> None:
    ax = plots.change_by_depth(WORDS, swapped, PANELS)
    columns = [label.get_position()[0] for label in ax.texts[1:5]]
    bracket = ax.lines[0].get_xdata()
    assert {float(x) for x in bracket} == {columns[1], columns[3]}
    families = [label.get_fontfamily()[0] for label in ax.texts[1:5]]
    assert families[1] == families[3] != families[0] == families[2]
    # Above the tokens, the bracket opens downwards, and the word stands over its middle.
    left, upper, right, again = np.asarray(ax.lines[0].get_ydata())
    assert left == again < upper == right
    assert ax.texts[1].get_position()[1] < left
    assert list(bracket) == [bracket[0], bracket[0], bracket[2], bracket[2]]
    word = ax.texts[0]
    assert word.get_position()[0] == pytest.approx((bracket[0] + bracket[2]) / 2)
    assert word.get_horizontalalignment() == "center"
    assert upper < word.get_position()[1] < ax.get_ylim()[1]
    assert all(label.get_horizontalalignment() == "center" for label in ax.texts[1:5])


# ---------------------------------------------------------------- token_in_windows


TABLE = np.linspace(-1, 1, 30 * 6).reshape(30, 6)
PLACES = np.linspace(2, -2, 5 * 6).reshape(5, 6)


def test_token_in_windows_draws_the_same_token_at_each_of_its_positions() -> None:
    windows = SlidingWindows(range(20, 28), context_size=5)
    assert len(windows) == 1
    windows = SlidingWindows(range(20, 30), context_size=5, stride=2)
    ax = plots.token_in_windows(windows, 24, TABLE, PLACES)
    assert texts(ax)[:5] == [
        "inputs of a window", "position", "token\nvector", "position\nvector", "input\nvector",
    ]  # fmt: skip
    written = texts(ax)[5:]
    for inputs, position in [(range(20, 25), 4), (range(22, 27), 2), (range(24, 29), 0)]:
        row, written = written[:8], written[8:]
        assert row == [*map(str, inputs), str(position), "+", "="]
    assert not written
    bold = [label for label in ax.texts if label.get_text() == "24"]
    others = [label for label in ax.texts if label.get_text() == "25"]
    assert {str(label.get_color()) for label in bold} == {plots.TOKEN}
    assert {str(label.get_color()) for label in others} == {plots.MUTED}


def test_token_in_windows_adds_the_rows_of_the_tables() -> None:
    windows = SlidingWindows(range(20, 30), context_size=5, stride=2)
    ax = plots.token_in_windows(windows, 24, TABLE, PLACES)
    drawn = cells(ax)
    assert len(drawn) == 3 * 3 * 6
    token_strips = []
    for position in (4, 2, 0):
        strips, drawn = drawn[:18], drawn[18:]
        vectors = [TABLE[24], PLACES[position], TABLE[24] + PLACES[position]]
        for i, vector in enumerate(vectors):
            shades = [shade(cell) for cell in strips[6 * i : 6 * i + 6]]
            by_number = [shades[k] for k in np.argsort(-vector)]
            assert by_number == sorted(by_number)
        token_strips.append([shade(cell) for cell in strips[:6]])
    assert token_strips[0] == token_strips[1] == token_strips[2]


def test_token_in_windows_shades_by_the_largest_number_of_the_tables_rows() -> None:
    table = np.array([[0.5, -1, 0.25]] * 3)
    windows = SlidingWindows(range(3), context_size=2)
    drawn = np.array(cells(plots.token_in_windows(windows, 0, table, [[0, 0.5, 4], [9, 9, 9]])))
    assert len(drawn) == 9
    assert to_hex(drawn[5].get_facecolor()) == plots.POSITION  # 4, the largest
    assert to_hex(drawn[8].get_facecolor()) == plots.INPUT  # 4.25: no darker than the colour
    shades = [shade(cell) for cell in drawn[:3]]
    assert shades[1] > shades[2] > shades[0]
    lowest = cells(plots.token_in_windows(windows, 0, -8 * table, np.zeros((2, 3))))
    assert to_hex(lowest[1].get_facecolor()) == plots.TOKEN
    assert len({shade(cell) for cell in lowest[:3]}) == 3


def test_token_in_windows_leaves_out_windows_without_the_token() -> None:
    windows = SlidingWindows(range(20, 30), context_size=3)
    assert len(windows) == 3
    ax = plots.token_in_windows(windows, 24, TABLE, PLACES)
    assert texts(ax)[5:] == ["23", "24", "25", "1", "+", "="]


# ---------------------------------------------------------------- all


def test_the_figures_do_not_load_torch() -> None:
    code = "import sys, companion.plots.positions; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
