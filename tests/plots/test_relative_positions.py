"""The figures of the chapter `relative-positions` show the biases and rotations they are given."""

import math
from typing import Any

import matplotlib as mpl
import pytest
from figure_checks import in_sight

mpl.use("agg")

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_hex, to_rgb
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle
from matplotlib.text import Annotation

from companion import plots
from companion.positions import alibi_bias, rotate, t5_bucket

TOKENS = ["Once", "upon", "a", "time"]
PLACES = torch.arange(4)
RELATIVE = PLACES[None, :] - PLACES[:, None]
NO_LATER = torch.full((4, 4), -torch.inf).triu(1)


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def cells(ax: Axes) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


# --- matrix ---------------------------------------------------------------------------------------


def test_relative_matrix_writes_each_number_in_the_row_of_its_query() -> None:
    buckets = t5_bucket(RELATIVE)
    ax = plots.relative_matrix(buckets, TOKENS)
    assert texts(ax)[:5] == ["query, key", *TOKENS]
    columns = [label.get_position()[0] for label in ax.texts[1:5]]
    for i, token in enumerate(TOKENS):
        row = ax.texts[5 + 5 * i : 10 + 5 * i]
        assert row[0].get_text() == token
        assert [int(label.get_text()) for label in row[1:]] == buckets[i].tolist()
        assert [label.get_position()[0] for label in row[1:]] == pytest.approx(columns)
        assert len({label.get_position()[1] for label in row}) == 1


def test_relative_matrix_fills_the_keys_up_to_the_query() -> None:
    ax = plots.relative_matrix(RELATIVE, TOKENS)
    drawn = cells(ax)
    assert len(drawn) == 16
    for cell, (i, j) in zip(drawn, np.ndindex(4, 4), strict=True):
        assert same_color(cell.get_facecolor(), "white") == (j > i)
        assert same_color(cell.get_edgecolor(), plots.POSITION)


# --- stairs ---------------------------------------------------------------------------------------


def test_bucket_stairs_are_the_buckets() -> None:
    relative = torch.arange(-150, 151)
    lines = {
        "encoder": t5_bucket(relative),
        "decoder": t5_bucket(relative, bidirectional=False),
    }
    ax = plots.bucket_stairs(relative, lines)
    assert texts(ax) == ["encoder", "decoder"]
    for line, buckets in zip(ax.lines, lines.values(), strict=True):
        assert list(line.get_xdata()) == relative.tolist()
        assert list(line.get_ydata()) == buckets.tolist()
        assert line.get_drawstyle() == "steps-mid"  # a bucket changes between two positions
    assert ax.lines[0].get_linestyle() == "-" != ax.lines[1].get_linestyle()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("key position − query position", "bucket")
    assert {line.get_color() for line in ax.lines} == {plots.POSITION}
    low, high = ax.get_xlim()
    assert low < -150 < 150 < high
    low, high = ax.get_ylim()
    assert low < 0 < 31 < high


def test_bucket_stairs_names_stand_at_the_lines() -> None:
    relative = torch.arange(-20, 21)
    ax = plots.bucket_stairs(relative, {"a": t5_bucket(relative), "b": relative + 50})
    assert tuple(ax.texts[0].xy) == (20, t5_bucket(20))
    assert tuple(ax.texts[1].xy) == (-20, 30)
    for label in ax.texts:
        assert isinstance(label, Annotation)
        assert label.xyann[0] == 0 < label.xyann[1] < 10


# --- biases ---------------------------------------------------------------------------------------


def test_bias_matrices_leave_out_what_is_masked() -> None:
    bias = alibi_bias(8, 4) + NO_LATER
    ax = plots.bias_matrices({"one": bias[0], "another": bias[7]}, TOKENS)
    assert len(cells(ax)) == 2 * 10  # 1 + 2 + 3 + 4 keys
    assert len(cells(plots.bias_matrices({"all": alibi_bias(8, 4)[0]}, TOKENS))) == 16
    assert texts(ax) == ["one", *TOKENS, "another"]
    one, another = cells(ax)[:10], cells(ax)[10:]
    size = one[0].get_width()
    left, right = one[0].get_x(), another[0].get_x()
    assert left + 4 * size < right
    assert right + 4 * size < ax.get_xlim()[1]
    for (i, j), cell, other in zip(
        zip(*np.tril_indices(4), strict=True), one, another, strict=True
    ):
        assert cell.get_width() == cell.get_height() == other.get_width() == other.get_height()
        assert cell.get_x() == pytest.approx(left + j * size)
        assert other.get_x() == pytest.approx(right + j * size)
        token = ax.texts[1 + i]
        assert token.get_position()[1] == pytest.approx(cell.get_center()[1])
        assert cell.get_y() == other.get_y()
        assert token.get_position()[0] < left
    heights = [label.get_position()[1] for label in ax.texts[1:5]]
    assert -np.diff(heights) == pytest.approx([size] * 3)
    for name, x in ((ax.texts[0], left), (ax.texts[5], right)):
        assert name.get_position()[0] == x
        assert name.get_position()[1] > one[0].get_y() + size


@pytest.mark.parametrize("n", [1, 10])
def test_bias_matrices_of_any_size_stay_inside_and_apart(n: int) -> None:
    ax = plots.bias_matrices({str(i): np.zeros((n, n)) for i in range(4)}, ["a"] * n)
    assert in_sight(ax)
    drawn = cells(ax)
    assert len(drawn) == 4 * n * n
    corners = [drawn[i * n * n] for i in range(4)]
    width = n * drawn[0].get_width()
    assert corners[0].get_x() > 0
    assert corners[0].get_x() + width < corners[1].get_x()
    assert corners[1].get_x() + width <= ax.get_xlim()[1]
    assert [label.get_text() for label in ax.texts].count("a") == 2 * n  # at the left panels
    assert min(cell.get_y() for cell in drawn) >= 0
    lowest = min(cell.get_y() for cell in drawn[: n * n])
    assert lowest > ax.texts[-n - 1].get_position()[1] > max(c.get_y() for c in drawn[2 * n * n :])


def test_bias_matrices_darken_with_the_factor() -> None:
    bias = alibi_bias(8, 4) + NO_LATER
    panels = {"head 0": bias[0], "head 7": bias[7]}
    ax = plots.bias_matrices(panels, TOKENS)
    drawn = cells(ax)
    first, last = drawn[:10], drawn[10:]
    shades = [round(sum(to_rgb(cell.get_facecolor())), 6) for cell in first]
    factors = [math.exp(bias[0, i, j]) for i in range(4) for j in range(i + 1)]
    for a in range(10):
        for b in range(10):
            assert (shades[a] < shades[b]) == (factors[a] > factors[b])
    # The diagonal loses nothing, in any head.
    diagonal = [0, 2, 5, 9]
    for cell in [*(first[i] for i in diagonal), *(last[i] for i in diagonal)]:
        assert cell.get_facecolor()[:3] == pytest.approx(to_rgb(plots.POSITION))
    assert shades[6] > sum(to_rgb(last[6].get_facecolor()))  # a slope of 1/2 takes more than 1/256


# --- dials ----------------------------------------------------------------------------------------


def test_rotating_pairs_draws_a_hand_for_each_position() -> None:
    turned = rotate(torch.ones(6, 8, dtype=torch.float64))
    ax = plots.rotating_pairs(turned)
    circles = [patch for patch in ax.patches if isinstance(patch, Circle)]
    assert len(circles) == 4
    hands = [line for line in ax.lines if len(line.get_xdata()) == 2]
    assert len(hands) == 4 * 6
    for i, circle in enumerate(circles):
        for p in range(6):
            x, y = (np.asarray(data) for data in hands[6 * i + p].get_data())
            assert (x[0], y[0]) == pytest.approx(circle.center)
            drawn = np.array([x[1] - x[0], y[1] - y[0]]) / circle.radius
            expected = turned[p, 2 * i : 2 * i + 2] / 2**0.5
            assert drawn == pytest.approx(expected.numpy())
            assert hands[6 * i + p].get_marker() in (None, "None")
        shades = [sum(to_rgb(hand.get_color())) for hand in hands[6 * i : 6 * i + 6]]
        assert shades == sorted(shades, reverse=True)  # the later the darker
        assert len(set(shades)) == 6
        assert to_hex(hands[6 * i + 5].get_color()) == plots.POSITION
        assert not circle.get_fill()
    tips = [line for line in ax.lines if len(line.get_xdata()) == 1]
    for tip, hand in zip(tips, hands, strict=True):
        assert (tip.get_xdata()[0], tip.get_ydata()[0]) == (
            hand.get_xdata()[1],
            hand.get_ydata()[1],
        )
        assert tip.get_color() == hand.get_color()
        assert tip.get_marker() == "o"


def test_rotating_pairs_share_a_scale() -> None:
    ax = plots.rotating_pairs(rotate(torch.tensor([[3.0, 4, 1, 0]] * 2, dtype=torch.float64)))
    large, small = (patch for patch in ax.patches if isinstance(patch, Circle))
    assert small.radius == pytest.approx(large.radius / 5)
    for shape in ((2, 2), (6, 6)):
        plots.rotating_pairs(rotate(torch.ones(*shape)))


def test_rotating_pairs_number_as_many_hands_as_there_is_room_for() -> None:
    def dial(step: float, n: int) -> Any:
        angles = step * np.arange(n)
        return plots.rotating_pairs(np.stack([np.cos(angles), np.sin(angles)], axis=1))

    assert texts(dial(0.36, 3))[:-2] == ["0", "1", "2"]
    assert texts(dial(0.34, 3))[:-2] == ["0", "2"]
    ax = dial(0.16, 3)
    assert texts(ax)[:-2] == ["0–2"]
    center, end = np.asarray(ax.lines[2].get_xydata())  # beyond the middle one
    away = np.array(ax.texts[0].get_position()) - center
    assert 1.3 < np.hypot(*away) / np.hypot(*(end - center)) < 1.5
    assert np.arctan2(*away[::-1]) == pytest.approx(0.16)
    assert texts(dial(-0.3, 3))[:-2] == ["0", "2"]  # turned the other way
    assert texts(dial(2 * np.pi / 100.04, 2))[-1] == "a turn in\n100 positions"
    assert texts(dial(2 * np.pi / 99.94, 2))[-1] == "a turn in\n99.9 positions"


def test_rotating_pairs_tell_the_length_of_a_turn() -> None:
    written = texts(plots.rotating_pairs(rotate(torch.ones(6, 8, dtype=torch.float64))))
    turns = [text.split("\n")[1] for text in written if text.startswith("a turn in")]
    assert turns == ["6.3 positions", "62.8 positions", "628 positions", "6,283 positions"]
    assert written[:6] == ["0", "1", "2", "3", "4", "5"]
    assert written[8:10] == ["0", "5"]  # too near for all numbers
    assert written[12] == written[15] == "0–5"


# --- curves ---------------------------------------------------------------------------------------


def test_products_by_distance_draws_the_curves() -> None:
    curves = {"falling": torch.tensor([1.0, 0.5, -0.5]), "level": [1, 1, 1]}
    ax = plots.products_by_distance(torch.tensor([0, 2, 5]), curves)
    for line, (name, curve) in zip(ax.lines, curves.items(), strict=True):
        assert line.get_label() == name
        assert list(line.get_xdata()) == [0, 2, 5]
        assert list(line.get_ydata()) == np.asarray(curve).tolist()
    assert len({str(line.get_linestyle()) + str(line.get_color()) for line in ax.lines}) == 2
    assert ax.get_ylim()[0] <= -0.5
    assert plots.products_by_distance([0, 1], {"high": [3, 2]}).get_ylim()[0] == 0
    assert ax.get_xlabel() == "distance between query and key"
    assert ax.get_ylabel() == "relative to its largest"
    found = ax.get_legend()
    assert found is not None
    assert [label.get_text() for label in found.get_texts()] == [*curves]
    low, high = ax.get_xlim()
    assert low < 0 < 5 < high
    assert ax.get_ylim()[1] > 1


def test_products_by_distance_tells_four_curves_apart() -> None:
    ax = plots.products_by_distance([0, 1], {str(i): [1, i] for i in range(4)})
    looks = [(line.get_color(), str(line._unscaled_dash_pattern)) for line in ax.lines]
    assert len(set(looks)) == 4
    assert [color for color, _ in looks] == [plots.POSITION, plots.INK, plots.TOKEN, plots.INK]
    assert ax.lines[0].get_linewidth() > ax.lines[1].get_linewidth()


# --- map ------------------------------------------------------------------------------------------


def test_model_map_puts_each_model_into_its_column() -> None:
    models = {
        "GPT-2": (2019, "added", "1,024 rows"),
        "T5": (2019, "bias", "32 buckets"),
        "Llama": (2023, "rotation", "base 10,000"),
    }
    ax = plots.model_map(models)
    assert in_sight(ax)
    columns = [label.get_position()[0] for label in ax.texts[:3]]
    assert texts(ax)[3:] == [text for name, (y, _, words) in models.items()
                             for text in (name, str(y), words)]  # fmt: skip
    schemes = ax.texts[5::3]
    assert [label.get_position()[0] for label in schemes] == pytest.approx(columns)
    heights = [label.get_position()[1] for label in schemes]
    assert heights == sorted(heights, reverse=True)
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert texts(ax)[:3] == ["added to the input", "added to scores", "rotates q and k"]
    assert len({label.get_position()[1] for label in ax.texts[:3]}) == 1
    assert ax.texts[0].get_position()[1] > heights[0]
    to_inches = ax.transData.inverted()
    edges = [0.0]
    for row, (frame, line) in enumerate(zip(boxes, ax.lines, strict=True)):
        name, year, words = ax.texts[3 + 3 * row : 6 + 3 * row]
        assert name.get_position()[1] == year.get_position()[1] == words.get_position()[1]
        assert name.get_position()[0] == 0 < year.get_position()[0]
        around = frame.get_window_extent().transformed(to_inches)
        written = words.get_window_extent().transformed(to_inches)
        assert year.get_position()[0] < around.x0 < written.x0 < written.x1 < around.x1
        assert (around.y0 + around.y1) / 2 == pytest.approx(words.get_position()[1])
        assert (around.x0 + around.x1) / 2 == pytest.approx(words.get_position()[0])
        assert edges[-1] <= around.x0 + 1e-9
        edges.append(around.x1)
        assert same_color(frame.get_edgecolor(), plots.POSITION)
        # A line under each row.
        assert list(line.get_xdata()) == [0, plots.WIDTH]
        assert line.get_ydata()[0] == line.get_ydata()[1]
        below = heights[row + 1] if row < 2 else 0
        assert heights[row] > line.get_ydata()[0] > below
    assert edges[-1] <= plots.WIDTH + 1e-9


# --- bad input ------------------------------------------------------------------------------------
