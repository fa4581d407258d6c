"""The figures of the chapter `relative-positions` show the biases and rotations they are given."""

import numpy as np
import pytest
import torch
from figure_checks import cells, grid, is_filled, legend, points, reading, strengths, texts
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from companion import plots
from companion.positions import alibi_bias, rotate, t5_bucket

TOKENS = ["Once", "upon", "a", "time"]
PLACES = torch.arange(4)
RELATIVE = PLACES[None, :] - PLACES[:, None]
NO_LATER = torch.full((4, 4), -torch.inf).triu(1)


def test_relative_matrix_writes_each_number_in_the_row_of_its_query() -> None:
    buckets = t5_bucket(RELATIVE)
    ax = plots.relative_matrix(buckets, TOKENS)
    rows = zip(TOKENS, buckets.tolist(), strict=True)
    assert reading(ax) == [
        ["query, key", *TOKENS],
        *([token, *map(str, row)] for token, row in rows),
    ]
    # Filled are the keys up to the query.
    assert [[is_filled(cell) for cell in row] for row in grid(ax)] == np.tri(4).tolist()


def test_bucket_stairs_are_the_buckets() -> None:
    relative = torch.arange(-150, 151)
    lines = {
        "encoder": t5_bucket(relative),
        "decoder": t5_bucket(relative, bidirectional=False),
    }
    ax = plots.bucket_stairs(relative, lines)
    for line, buckets in zip(ax.lines, lines.values(), strict=True):
        assert points(line) == [*map(list, zip(relative.tolist(), buckets.tolist(), strict=True))]
        assert line.get_drawstyle() == "steps-mid"  # a bucket changes between two positions
    assert texts(ax) == ["encoder", "decoder"]
    # The first name stands at the right end of its line, the second at the left end.
    ends = [points(ax.lines[0])[-1], points(ax.lines[1])[0]]
    assert [list(label.xy) for label in ax.texts] == ends


def test_bias_matrices_darken_with_the_factor_and_leave_out_what_is_masked() -> None:
    bias = alibi_bias(8, 4) + NO_LATER
    ax = plots.bias_matrices({"one": bias[0], "another": bias[7]}, TOKENS)
    assert reading(ax) == [["one", "another"], *([token] for token in TOKENS)]
    for i, row in enumerate(grid(ax)):
        assert len(row) == 2 * (i + 1)
        for head, panel in ((0, row[: i + 1]), (7, row[i + 1 :])):
            factors = bias[head, i, : i + 1].exp().tolist()
            assert strengths(panel, plots.POSITION) == pytest.approx(factors)
    columns = {round(float(cell.get_x()), 6) for cell in cells(ax)}
    assert len(columns) == 8
    assert len(cells(plots.bias_matrices({"all": alibi_bias(8, 4)[0]}, TOKENS))) == 16


def test_rotating_pairs_draws_a_hand_for_each_position_by_one_scale() -> None:
    vector = torch.tensor([3.0, 4, 1, 0, 0, -2, 1, 1], dtype=torch.float64)
    turned = rotate(vector.repeat(6, 1))
    ax = plots.rotating_pairs(turned)
    hands = [line for line in ax.lines if len(points(line)) == 2]
    tips = [line for line in ax.lines if len(points(line)) == 1]
    dials = [patch for patch in ax.patches if isinstance(patch, Circle)]
    for i, dial in enumerate(dials):
        assert dial.radius == pytest.approx(0.09 * float(vector[2 * i : 2 * i + 2].norm()))
        for p in range(6):
            start, end = points(hands[6 * i + p])
            assert start == pytest.approx(dial.center)
            expected = turned[p, 2 * i : 2 * i + 2].numpy() * 0.09
            assert np.subtract(end, start) == pytest.approx(expected)
            assert points(tips[6 * i + p]) == [end]
        shades = [sum(hand.get_color()) for hand in hands[6 * i : 6 * i + 6]]
        assert shades == sorted(set(shades), reverse=True)  # the later the darker
    turns = [text for text in texts(ax) if text.startswith("a turn in")]
    assert turns == [f"a turn in\n{n} positions" for n in ("6.3", "62.8", "628", "6,283")]


def test_rotating_pairs_number_as_many_hands_as_there_is_room_for() -> None:
    def dial(step: float, n: int = 3) -> Axes:
        angles = step * np.arange(n)
        ax: Axes = plots.rotating_pairs(np.stack([np.cos(angles), np.sin(angles)], axis=1))
        return ax

    assert texts(dial(0.36))[:-2] == ["0", "1", "2"]
    assert texts(dial(0.34))[:-2] == ["0", "2"]
    assert texts(dial(-0.3))[:-2] == ["0", "2"]  # turned the other way
    ax = dial(0.16)
    assert texts(ax)[:-2] == ["0–2"]
    for label, tip in ((ax.texts[0], ax.lines[3]), (dial(0.34).texts[1], dial(0.34).lines[5])):
        away = np.subtract([label.get_position(), points(tip)[0]], points(ax.lines[0])[0])
        assert np.arctan2(*away[0][::-1]) == pytest.approx(np.arctan2(*away[1][::-1]))
    assert texts(dial(2 * np.pi / 100.04, 2))[-1] == "a turn in\n100 positions"
    assert texts(dial(2 * np.pi / 99.94, 2))[-1] == "a turn in\n99.9 positions"


def test_products_by_distance_draws_the_curves() -> None:
    curves = {"falling": torch.tensor([1.0, 0.5, -0.5]), "level": [1, 1, 1]}
    ax = plots.products_by_distance(torch.tensor([0, 2, 5]), curves)
    assert [points(line) for line in ax.lines] == [
        [[0, 1], [2, 0.5], [5, -0.5]],
        [[0, 1], [2, 1], [5, 1]],
    ]
    assert legend(ax) == [*curves]
    assert ax.get_ylim()[0] <= -0.5
