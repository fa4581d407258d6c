"""The figures of the chapter `relative-positions` show the biases and rotations they are given."""

import math
import re
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import pytest

mpl.use("agg")

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgb
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

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
    drawn = cells(plots.relative_matrix(RELATIVE, TOKENS))
    assert len(drawn) == 16
    for cell, (i, j) in zip(drawn, np.ndindex(4, 4), strict=True):
        assert same_color(cell.get_facecolor(), "white") == (j > i)


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


def test_bucket_stairs_names_stand_at_the_lines() -> None:
    relative = torch.arange(-20, 21)
    ax = plots.bucket_stairs(relative, {"a": t5_bucket(relative), "b": relative + 50})
    assert tuple(ax.texts[0].xy) == (20, t5_bucket(20))
    assert tuple(ax.texts[1].xy) == (-20, 30)


# --- biases ---------------------------------------------------------------------------------------


def test_bias_matrices_leave_out_what_is_masked() -> None:
    bias = alibi_bias(8, 4) + NO_LATER
    ax = plots.bias_matrices({"one": bias[0], "another": bias[7]}, TOKENS)
    assert len(cells(ax)) == 2 * 10  # 1 + 2 + 3 + 4 keys
    assert len(cells(plots.bias_matrices({"all": alibi_bias(8, 4)[0]}, TOKENS))) == 16
    assert texts(ax) == ["one", *TOKENS, "another"]


def test_bias_matrices_darken_with_the_factor() -> None:
    bias = alibi_bias(8, 4) + NO_LATER
    drawn = cells(plots.bias_matrices({"head 0": bias[0], "head 7": bias[7]}, TOKENS))
    first, last = drawn[:10], drawn[10:]
    shades = [round(sum(cell.get_facecolor()[:3]), 6) for cell in first]
    factors = [math.exp(bias[0, i, j]) for i in range(4) for j in range(i + 1)]
    for a in range(10):
        for b in range(10):
            assert (shades[a] < shades[b]) == (factors[a] > factors[b])
    # The diagonal loses nothing, in any head.
    diagonal = [0, 2, 5, 9]
    for cell in [*(first[i] for i in diagonal), *(last[i] for i in diagonal)]:
        assert cell.get_facecolor()[:3] == pytest.approx(to_rgb(plots.POSITION))
    assert shades[6] > sum(last[6].get_facecolor()[:3])  # a slope of 1/2 takes more than 1/256


def test_bias_matrices_stand_two_in_a_row() -> None:
    bias = alibi_bias(8, 4)
    ax = plots.bias_matrices({f"head {h}": bias[h] for h in range(3)}, TOKENS)
    titles = {label.get_text(): label.get_position() for label in ax.texts}
    assert titles["head 0"][1] == titles["head 1"][1] > titles["head 2"][1]
    assert titles["head 0"][0] == titles["head 2"][0] < titles["head 1"][0]


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
    ax = plots.products_by_distance(torch.arange(3), curves)
    for line, (name, curve) in zip(ax.lines, curves.items(), strict=True):
        assert line.get_label() == name
        assert list(line.get_xdata()) == [0, 1, 2]
        assert list(line.get_ydata()) == list(curve)
    assert len({str(line.get_linestyle()) + str(line.get_color()) for line in ax.lines}) == 2
    assert ax.get_ylim()[0] <= -0.5
    assert plots.products_by_distance([0, 1], {"high": [3, 2]}).get_ylim()[0] == 0


# --- map ------------------------------------------------------------------------------------------


def test_model_map_puts_each_model_into_its_column() -> None:
    models = {
        "GPT-2": (2019, "added", "1,024 rows"),
        "T5": (2019, "bias", "32 buckets"),
        "Llama": (2023, "rotation", "base 10,000"),
    }
    ax = plots.model_map(models)
    columns = [label.get_position()[0] for label in ax.texts[:3]]
    assert texts(ax)[3:] == [text for name, (y, _, words) in models.items()
                             for text in (name, str(y), words)]  # fmt: skip
    schemes = ax.texts[5::3]
    assert [label.get_position()[0] for label in schemes] == pytest.approx(columns)
    heights = [label.get_position()[1] for label in schemes]
    assert heights == sorted(heights, reverse=True)
    assert len([patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]) == 3


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.relative_matrix([[0]], TOKENS),
         "the matrix has shape (1, 1); 4 tokens need one of shape (4, 4)"),
        (lambda: plots.relative_matrix(np.zeros((11, 11), int), ["a"] * 11),
         "11 tokens do not fit into a row of 10; draw a part of the matrix"),
        (lambda: plots.bucket_stairs([1], {}), "there are 0 lines to draw; give one or two"),
        (lambda: plots.bucket_stairs([1, 2], {"a": [1]}),
         "'a' has buckets of shape (1,) for relative positions of shape (2,); "
         "give a bucket for each"),
        (lambda: plots.bias_matrices({}, TOKENS), "there is no head to draw; give at least one"),
        (lambda: plots.bias_matrices({"a": np.zeros((11, 11))}, ["a"] * 11),
         "11 tokens do not fit into a panel of 10; draw a part"),
        (lambda: plots.bias_matrices({"a": np.ones((4, 4))}, TOKENS),
         "a bias of 'a' is above zero; these panels show penalties"),
        (lambda: plots.rotating_pairs(np.ones((7, 2))),
         "the vectors have shape (7, 2); draw 2 to 6 positions and 1 to 4 pairs"),
        (lambda: plots.rotating_pairs(np.ones((2, 3))),
         "the vectors have shape (2, 3); draw 2 to 6 positions and 1 to 4 pairs"),
        (lambda: plots.rotating_pairs(np.ones((2, 2))),
         "pair 0 is zero or does not turn; there is no dial to draw"),
        (lambda: plots.rotating_pairs([[1, 0, 0, 0], [0, 1, 0, 0]]),
         "pair 1 is zero or does not turn; there is no dial to draw"),
        (lambda: plots.products_by_distance([0], {}),
         "there are 0 curves to draw; give 1 to 4"),
        (lambda: plots.products_by_distance([0], {"a": [1, 2]}),
         "'a' has shape (2,) for distances of shape (1,); give a product for each"),
        (lambda: plots.model_map({}), "there is no model to draw; give at least one"),
        (lambda: plots.model_map({"a": (2020, "nowhere", "b")}),
         "the place of 'a' is 'nowhere'; it must be one of added, bias, rotation"),
        (lambda: plots.model_map({"a": (2020, "bias", "a text for which there is no room")}),
         "'a text for which there is no room' is too long for its box; say it shorter"),
    ],
)  # fmt: skip
def test_refuses(draw: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        draw()
