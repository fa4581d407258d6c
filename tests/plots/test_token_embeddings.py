"""The figures of the chapter `token-embeddings` show the tables and ids that they are given."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from figure_checks import cells, is_filled, numbers, points, texts
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

from companion import plots

TABLE = torch.linspace(-2, 2, 41)[:40].reshape(10, 4)  # one of its numbers is 1


def matrices(ax: Axes, *shapes: tuple[int, int]) -> list[tuple[list[str], Any, Any]]:
    """Of each matrix the names of its rows, its numbers, and which of its cells are filled."""
    written = {tuple(np.round(label.get_position(), 6)): label.get_text() for label in ax.texts}
    drawn, found = iter(cells(ax)), []
    for n, d in shapes:
        rows = [[next(drawn) for _ in range(d)] for _ in range(n)]
        middles = np.array([[cell.get_center() for cell in row] for row in rows]).round(6)
        assert (np.diff(middles[..., 0], axis=1) > 0).all()
        assert (np.diff(middles[..., 1], axis=0) < 0).all()
        names = [
            max((x, text) for (x, y), text in written.items() if y == at and x < first)[1]
            for first, at in middles[:, 0]
        ]
        inside = [
            [float(written[tuple(middle)].replace("−", "-")) for middle in row] for row in middles
        ]
        found.append((names, inside, [[is_filled(cell) for cell in row] for row in rows]))
    assert next(drawn, None) is None
    return found


def arrows(ax: Axes) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Where each arrow begins and ends, in the units of the drawing."""
    return [patch._posA_posB for patch in ax.patches if isinstance(patch, FancyArrowPatch)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("ids", [[2, 3, 5], [9], [0, 0, 7, 0]])
def test_the_product_writes_one_hot_table_and_rows(ids: list[int]) -> None:
    weight = torch.nn.Parameter(TABLE)  # a table that learns can be drawn too
    ax = plots.one_hot_product(torch.tensor(ids), weight)
    one_hot, table, product = matrices(ax, (len(ids), 10), (10, 4), (len(ids), 4))
    ones = np.eye(10)[ids]
    assert one_hot == ([*map(str, ids)], ones.tolist(), (ones == 1).tolist())
    taken = [[row in ids] * 4 for row in range(10)]
    assert table == ([*map(str, range(10))], pytest.approx(TABLE.numpy(), abs=1e-6), taken)
    assert product[1:] == (pytest.approx(TABLE[ids].numpy(), abs=1e-6), [[True] * 4] * len(ids))


def test_the_lookup_leads_from_rows_of_the_table_to_vectors_in_the_order_of_the_ids() -> None:
    table, ids = np.random.default_rng(0).normal(size=(2000, 8)), [71, 8, 1234, 5, 8]
    table[1000] = 100  # of a row that is not shown
    ax = plots.table_lookup(ids, table)
    assert {"table, (2000, 8)", "vectors, (5, 8)"} <= set(texts(ax))
    numbered = [label for label in ax.texts if label.get_text().isdigit()]
    rows = [0, 5, 8, 71, 1234, 1999, *ids]
    assert [int(label.get_text()) for label in numbered] == rows
    heights = [label.get_position()[1] for label in numbered]
    assert heights[:6] == sorted(heights[:6], reverse=True)
    assert heights[6:] == sorted(heights[6:], reverse=True)
    strips = np.array(cells(ax)).reshape(-1, 8)
    scale = np.abs(table[rows]).max()
    for strip, row, height in zip(strips, rows, heights, strict=True):
        assert numbers(strip, plots.TOKEN, scale) == pytest.approx(table[row])
        assert strip[0].get_center()[1] == pytest.approx(height)
    for (start, end), row, height in zip(arrows(ax), ids, heights[6:], strict=True):
        assert start[0] < end[0]
        assert (start[1], end[1]) == (heights[rows.index(row)], height)


@pytest.mark.parametrize(("ids", "n_rows", "n_dots"), [([1, 0], 2, 0), ([1], 4, 1), ([2], 5, 2)])
def test_dots_stand_for_rows_left_out_and_for_no_others(
    ids: list[int], n_rows: int, n_dots: int
) -> None:
    assert texts(plots.table_lookup(ids, np.zeros((n_rows, 3)))).count("⋮") == n_dots


def test_the_gradient_is_written_where_it_belongs() -> None:
    ids, gradients = [2, 3, 5, 3, 7, 7], torch.arange(1.0, 25.0).reshape(6, 4)
    gradients[5] = -gradients[4]  # the gradients of a row may cancel
    of_table = torch.zeros(10, 4).index_add_(0, torch.tensor(ids), gradients)
    ax = plots.table_gradient(ids, gradients, of_table)
    left, right = matrices(ax, (10, 4), (6, 4))
    assert left[:2] == ([*map(str, range(10))], of_table.tolist())
    assert left[2] == [[row in (2, 3, 5)] * 4 for row in range(10)]
    assert right == ([*map(str, ids)], gradients.tolist(), [[True] * 4] * 6)
    # Each arrow leads from a vector to the row of its id.
    heights = [cell.get_center()[1] for cell in cells(ax)[::4]]
    for i, (start, end) in enumerate(arrows(ax)):
        assert start[0] > end[0]
        assert (start[1], end[1]) == pytest.approx((heights[10 + i], heights[ids[i]]))


def test_the_losses_and_the_blind_guess_are_drawn() -> None:
    losses = {1.0: 50.0, 0.01: 4.7, 0.1: 5.2}
    ax = plots.first_loss(losses, 100, {0.01: "small", 1.0: "large"})
    curve, blind, *dots = ax.lines
    assert points(curve) == [[0.01, 4.7], [0.1, 5.2], [1, 50]]
    assert list(blind.get_ydata()) == pytest.approx([math.log(100)] * 2)
    assert blind.get_linestyle() == "--"
    assert [points(dot) for dot in dots] == [[[0.01, 4.7]], [[1, 50]]]
    assert [(label.get_text(), *label.xy) for label in ax.texts] == [
        ("a blind guess: ln V = 4.61", 0.01, math.log(100)),
        ("small: 4.7", 0.01, 4.7),
        ("large: 50.0", 1, 50),
    ]
    low, high = ax.get_ylim()
    assert low < math.log(100) < 50 < high
    assert list(ax.get_yticks()) == [5, 10, 20, 50]


def test_the_losses_need_no_marks_and_may_all_be_below_the_blind_guess() -> None:
    ax = plots.first_loss({0.1: 2.0, 0.2: 3.0}, 50257)
    assert texts(ax) == ["a blind guess: ln V = 10.82"]
    low, high = ax.get_ylim()
    assert low < 2 < math.log(50257) < high
