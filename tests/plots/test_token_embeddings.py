"""The figures of the chapter `token-embeddings` show the tables and ids that they are given."""

import math

import matplotlib as mpl
import pytest

mpl.use("agg")

import numpy as np
import torch
from figure_checks import check_readable
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgb
from matplotlib.patches import FancyArrowPatch, Rectangle

from companion import plots
from companion.plots._drawing import GRID, WIDTH, tint

TABLE = torch.linspace(-2, 2, 40).reshape(10, 4)


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def cells(ax: Axes) -> list[tuple[str, float, float, bool]]:
    """The cells in the order drawn: the text inside, their place, and whether they are filled."""
    found = []
    for patch in ax.patches:
        if isinstance(patch, Rectangle):
            inside = [
                label.get_text()
                for label in ax.texts
                if patch.get_bbox().contains(*label.get_position())
            ]
            assert len(inside) == 1
            x, y = patch.get_center()
            filled = not same_color(patch.get_facecolor(), "white")
            found.append((inside[0], float(x), float(y), filled))
    return found


def arrows(ax: Axes) -> list[FancyArrowPatch]:
    return [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]


def ends(arrow: FancyArrowPatch) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where an arrow begins and ends, in the units of the drawing."""
    start, end = arrow._posA_posB  # type: ignore[attr-defined]
    return start, end


def height_of(ax: Axes, text: str, *, left: bool) -> float:
    """The height of the only label with a text in one half of the figure."""
    (y,) = {
        label.get_position()[1]
        for label in ax.texts
        if label.get_text() == text and (label.get_position()[0] < WIDTH / 2) == left
    }
    return float(y)


def check_numbers(ax: Axes) -> None:
    """Each number is in the middle of its cell, in the colours of one that is filled or open."""
    labels = iter(label for label in ax.texts)
    rectangles = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    places = {tuple(np.round(label.get_position(), 6)): label for label in labels}
    for cell in rectangles:
        label = places[tuple(np.round(cell.get_center(), 6))]
        filled = not same_color(cell.get_facecolor(), "white")
        if filled:
            assert same_color(cell.get_facecolor(), tint(plots.TOKEN, 0.22))
        assert same_color(cell.get_edgecolor(), plots.TOKEN if filled else GRID)
        assert same_color(label.get_color(), plots.INK if filled else plots.MUTED)
        inner, outer = label.get_window_extent(), cell.get_window_extent()
        assert outer.x0 < inner.x0
        assert inner.x1 < outer.x1


def written(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")


# ------------------------------------------------------------------------------ one_hot_product


@pytest.mark.parametrize("ids", [[2, 3, 5], [9], [0, 0, 7, 0]])
def test_the_product_writes_one_hot_table_and_rows(ids: list[int]) -> None:
    ax = plots.one_hot_product(torch.tensor(ids), TABLE)
    drawn, n = cells(ax), len(ids)
    assert len(drawn) == 10 * n + 10 * 4 + 4 * n
    one_hot, table, product = drawn[: 10 * n], drawn[10 * n : 10 * n + 40], drawn[10 * n + 40 :]
    assert [int(text) for text, *_ in one_hot] == np.eye(10, dtype=int)[ids].flatten().tolist()
    assert [filled for *_, filled in one_hot] == [text == "1" for text, *_ in one_hot]
    assert [text for text, *_ in table] == [written(x) for x in TABLE.flatten().tolist()]
    assert [filled for *_, filled in table] == [row in ids for row in range(10) for _ in range(4)]
    assert [text for text, *_ in product] == [written(x) for x in TABLE[ids].flatten().tolist()]
    assert all(filled for *_, filled in product)
    # In each part a row has one height, and the next row is lower.
    for part, width in ((one_hot, 10), (table, 4), (product, 4)):
        heights = [{y for _, _, y, _ in part[i : i + width]} for i in range(0, len(part), width)]
        assert all(len(of_row) == 1 for of_row in heights)
        levels = [next(iter(of_row)) for of_row in heights]
        assert levels == sorted(levels, reverse=True)


@pytest.mark.parametrize("table", [[[1.0, -1.0], [0.25, 1.0]], [[-0.5]]])
def test_the_product_fills_by_place_not_by_number(table: list[list[float]]) -> None:
    drawn = cells(plots.one_hot_product([0], table))
    n_rows, d = np.shape(table)
    assert [text for text, *_ in drawn[n_rows:]] == [
        written(x) for row in (*table, table[0]) for x in row
    ]
    open_or_filled = [filled for *_, filled in drawn]
    assert open_or_filled == [
        *(row == 0 for row in range(n_rows)),
        *(row == 0 for row in range(n_rows) for _ in range(d)),
        *[True] * d,
    ]


@pytest.mark.parametrize(("n_rows", "d", "n"), [(1, 1, 1), (3, 1, 10), (10, 4, 10), (2, 4, 1)])
def test_the_product_stays_inside_the_figure(n_rows: int, d: int, n: int) -> None:
    ax = plots.one_hot_product([n_rows - 1] * n, np.full((n_rows, d), -1.5))
    edges = [patch.get_bbox() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert min(edge.x0 for edge in edges) >= 0
    assert max(edge.x1 for edge in edges) <= WIDTH
    assert min(edge.y0 for edge in edges) >= 0


# ------------------------------------------------------------------------------ table_lookup


def test_the_lookup_shows_rows_in_the_order_of_the_table_and_vectors_in_that_of_the_ids() -> None:
    table = np.linspace(-1, 1, 2000 * 8).reshape(2000, 8)
    ids = [71, 8, 1234, 5]
    ax = plots.table_lookup(ids, table)
    rows = [0, 5, 8, 71, 1234, 1999]
    levels = [height_of(ax, str(row), left=True) for row in rows]
    assert levels == sorted(levels, reverse=True)
    levels = [height_of(ax, str(i), left=False) for i in ids]
    assert levels == sorted(levels, reverse=True)
    assert {"table, (2000, 8)", "vectors, (4, 8)"} <= set(texts(ax))


def test_arrows_of_the_lookup_lead_from_rows_to_vectors() -> None:
    ids = [71, 8, 1234, 5, 8]
    ax = plots.table_lookup(ids, np.zeros((2000, 8)))
    drawn = [ends(arrow) for arrow in arrows(ax)]
    assert len(drawn) == len(ids)
    assert [start[1] for start, _ in drawn] == [height_of(ax, str(i), left=True) for i in ids]
    vectors = [label for label in ax.texts if label.get_position()[0] > WIDTH / 2][2:]
    assert [label.get_text() for label in vectors if label.get_text().isdigit()] == [*map(str, ids)]
    levels = [label.get_position()[1] for label in vectors if label.get_text().isdigit()]
    assert [end[1] for _, end in drawn] == levels
    assert all(start[0] < end[0] for start, end in drawn)


def test_a_vector_has_the_shades_of_its_row() -> None:
    rng = np.random.default_rng(0)
    table, ids = rng.normal(size=(50, 6)), [31, 4]
    ax = plots.table_lookup(ids, table)
    strips: dict[tuple[float, bool], list[tuple[float, float]]] = {}
    for patch in ax.patches:
        if isinstance(patch, Rectangle):
            x, y = patch.get_center()
            shade = sum(to_rgb(patch.get_facecolor()))
            strips.setdefault((round(float(y), 6), bool(x < WIDTH / 2)), []).append((x, shade))
    for i in ids:
        row, vector = (
            [shade for _, shade in sorted(strips[round(height_of(ax, str(i), left=left), 6), left])]
            for left in (True, False)
        )
        assert len(row) == 6
        assert row == vector
        assert list(np.argsort(row)) == list(np.argsort(-table[i]))


def test_the_lookup_of_neighbours_leaves_no_room_and_has_room_for_ten() -> None:
    ids = [0, 1, 2, 2, 1, 0, 2, 2, 2, 1]
    ax = plots.table_lookup(ids, np.zeros((3, 16)))
    check_readable(ax)
    levels = [label.get_position()[1] for label in ax.texts[4:]]
    assert np.diff(levels[:3]) == pytest.approx([-0.36] * 2)
    assert np.diff(levels[3:]) == pytest.approx([-0.36] * 9)
    assert ax.get_ylim()[1] == pytest.approx(3.6 + 0.34)
    # Numbers that are all zero have the shade of zero.
    assert same_color(ax.patches[0].get_facecolor(), tint(plots.TOKEN, 0.54))


def test_the_lookup_has_the_scale_of_the_rows_it_shows() -> None:
    table = np.zeros((9, 2))
    table[3], table[5] = [2, -1], [100, 100]
    cells = [p for p in plots.table_lookup([3], table).patches if isinstance(p, Rectangle)]
    shades = [0.54, 0.54, 1, 0.08 + 0.92 / 4, 0.54, 0.54, 1, 0.08 + 0.92 / 4]
    assert len(cells) == len(shades)
    for cell, shade in zip(cells, shades, strict=True):
        assert cell.get_facecolor()[:3] == pytest.approx(tint(plots.TOKEN, shade))


def test_dots_stand_for_rows_left_out_and_for_no_others() -> None:
    assert texts(plots.table_lookup([1, 0], np.zeros((2, 3)))).count("⋮") == 0
    assert texts(plots.table_lookup([1], np.zeros((4, 3)))).count("⋮") == 1
    assert texts(plots.table_lookup([2], np.zeros((5, 3)))).count("⋮") == 2


# ------------------------------------------------------------------------------ table_gradient


def test_the_gradient_is_written_where_it_belongs() -> None:
    ids, gradients = [2, 3, 5, 3], torch.arange(1.0, 17.0).reshape(4, 4)
    table_gradient = torch.zeros(10, 4).index_add_(0, torch.tensor(ids), gradients)
    ax = plots.table_gradient(ids, gradients, table_gradient)
    drawn = cells(ax)
    assert [int(text) for text, *_ in drawn[:40]] == table_gradient.flatten().tolist()
    assert [filled for *_, filled in drawn[:40]] == [r in ids for r in range(10) for _ in range(4)]
    assert [int(text) for text, *_ in drawn[40:]] == list(range(1, 17))
    # Each arrow leads from a vector to the row of its id.
    row_levels = [drawn[4 * row][2] for row in range(10)]
    vector_levels = [drawn[40 + 4 * i][2] for i in range(4)]
    for i, arrow in enumerate(arrows(ax)):
        start, end = ends(arrow)
        assert start[0] > end[0]
        assert start[1] == pytest.approx(vector_levels[i])
        assert end[1] == pytest.approx(row_levels[ids[i]])
    assert len(arrows(ax)) == 4


def test_the_heading_of_narrow_gradients_stays_inside_the_figure() -> None:
    ax = plots.table_gradient([0] * 10, np.ones((10, 1)), [[10]])
    check_readable(ax)
    right = ax.texts[3].get_window_extent().x1
    assert ax.figure.bbox.x1 - 30 < right < ax.figure.bbox.x1
    assert ax.get_ylim()[1] == pytest.approx(3.3)


def test_a_row_whose_gradients_cancel_is_open() -> None:
    ax = plots.table_gradient([1, 1], [[1, 2], [-1, -2]], np.zeros((3, 2)))
    filled = [filled for *_, filled in cells(ax)]
    assert filled == [False] * 6 + [True] * 4


# ------------------------------------------------------------------------------ first_loss


def test_the_losses_and_the_blind_guess_are_drawn() -> None:
    losses = {1.0: 50.0, 0.01: 4.7, 0.1: 5.2}
    ax = plots.first_loss(losses, 100, {0.01: "small", 1.0: "large"})
    curve, blind = ax.lines[:2]
    assert list(curve.get_xdata()) == [0.01, 0.1, 1.0]
    assert list(curve.get_ydata()) == [4.7, 5.2, 50.0]
    assert list(blind.get_ydata()) == pytest.approx([math.log(100)] * 2)
    assert texts(ax) == ["a blind guess: ln V = 4.61", "small: 4.7", "large: 50.0"]
    assert [tuple(line.get_xydata()[0]) for line in ax.lines[2:]] == [(0.01, 4.7), (1.0, 50.0)]
    low, high = ax.get_ylim()
    assert low < math.log(100)
    assert high > 50


def test_the_losses_are_drawn_on_logarithmic_scales_with_plain_ticks() -> None:
    ax = plots.first_loss({0.001: 0.7, 0.1: 14.8, 1.0: 400.0}, 2, {1.0: "torch", 0.001: "tiny"})
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "standard deviation σ of the table",
        "first loss",
    )
    assert list(ax.get_yticks()) == [1, 2, 5, 10, 20, 50, 100, 200, 500]
    assert not ax.yaxis.get_minorticklocs().size
    for axis in (ax.xaxis, ax.yaxis):
        assert [axis.get_major_formatter()(x, 0) for x in (0.01, 1, 20)] == ["0.01", "1", "20"]
    assert ax.get_ylim() == pytest.approx((math.log(2) / 1.8, 600))
    curve, blind, *dots = ax.lines
    assert (curve.get_linestyle(), blind.get_linestyle()) == ("-", "--")
    assert [dot.get_marker() for dot in dots] == ["o", "o"]
    guess, *names = ax.texts
    for line in (curve, *dots, *names):
        assert same_color(line.get_color(), plots.TOKEN)
    for muted in (blind, guess):
        assert same_color(muted.get_color(), plots.MUTED)
    # The name of the dashed line stands under its left end, that of a dot left above it.
    assert guess.xy == (0.001, pytest.approx(math.log(2)))
    (x, y), extent = ax.transData.transform(guess.xy), guess.get_window_extent()
    assert x - 3 < extent.x0 < x + 30
    assert y - 40 < extent.y1 < y
    assert [name.xy for name in names] == [(1.0, 400.0), (0.001, 0.7)]
    for name in names:
        (x, y), extent = ax.transData.transform(name.xy), name.get_window_extent()
        assert x - 40 < extent.x1 < x
        assert y < extent.y0 < y + 40


def test_the_losses_need_no_marks_and_may_all_be_below_the_blind_guess() -> None:
    ax = plots.first_loss({0.1: 2.0, 0.2: 3.0}, 50257)
    assert len(ax.lines) == 2
    assert texts(ax) == ["a blind guess: ln V = 10.82"]
    assert list(ax.get_yticks()) == [2, 5, 10]
    assert ax.get_ylim() == pytest.approx((2 / 1.1, math.log(50257) * 1.5))


# ------------------------------------------------------------------------------ errors


def test_a_table_that_learns_can_be_drawn() -> None:
    table = torch.nn.Embedding(10, 4)
    plots.one_hot_product([2], table.weight)
    plots.table_lookup([2], table.weight)
