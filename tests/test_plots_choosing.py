"""The figures of the chapter `choosing` show the numbers that they are given."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import matplotlib as mpl
import pytest

mpl.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import Rectangle

from companion import plots
from companion.wordpiece import bert_uncased


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def bars(ax: Axes) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def ticks(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def legend(ax: Axes) -> list[str]:
    found = ax.get_legend()
    assert found is not None
    return [label.get_text() for label in found.get_texts()]


SAMPLES = {"English": "four rabbits", "emoji": "four 🐇", "Chinese": "四只小兔子"}
Cutter = Callable[[str], Sequence[object]]


def test_tokens_per_character_bars_are_the_ratios() -> None:
    cutters: dict[str, Cutter] = {"letters": list, "BERT": bert_uncased().tokenize}
    ax = plots.tokens_per_character(SAMPLES, cutters)
    assert ticks(ax) == list(SAMPLES)
    assert legend(ax) == list(cutters)
    found = bars(ax)
    assert len(found) == 2 * len(SAMPLES)
    for i, cut in enumerate(cutters.values()):
        for row, text in enumerate(SAMPLES.values()):
            bar = found[i * len(SAMPLES) + row]
            assert bar.get_width() == pytest.approx(len(cut(text)) / len(text))
            assert abs(bar.get_y() + bar.get_height() / 2 - row) < 0.4
            assert same_color(bar.get_facecolor(), "white") == (i == 1)


def test_tokens_per_character_counts_what_was_lost() -> None:
    ax = plots.tokens_per_character(SAMPLES, {"BERT": bert_uncased().tokenize})
    lost = [bert_uncased().tokenize(text).count("[UNK]") for text in SAMPLES.values()]
    assert lost == [0, 1, 2]
    assert texts(ax) == ["0.17", "0.33   1 [UNK]", "1.00   2 [UNK]"]


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ({}, "there is nothing to draw"),
        ({"French": ""}, "the sample 'French' is empty"),
    ],
)
def test_tokens_per_character_refuses_what_has_no_ratio(
    samples: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        plots.tokens_per_character(samples, {"letters": list})


def test_tokens_per_character_needs_a_tokenizer() -> None:
    with pytest.raises(ValueError, match="there is nothing to draw"):
        plots.tokens_per_character(SAMPLES, {})


CURVES = {"seen": {256: 100, 512: 60}, "unseen": {256: 90, 512: 70}}


def test_length_by_vocabulary_draws_each_curve_in_its_own_style() -> None:
    ax = plots.length_by_vocabulary(CURVES)
    for line, curve in zip(ax.lines, CURVES.values(), strict=True):
        assert np.asarray(line.get_xydata()).tolist() == [[*point] for point in curve.items()]
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
    assert texts(ax) == ["seen", "unseen"]
    assert ax.get_xscale() == "log"
    assert ax.get_ylim()[0] == 0


def test_length_by_vocabulary_marks_single_points_inside_the_axes() -> None:
    ax = plots.length_by_vocabulary(CURVES, {"other": (4096, 50)})
    point = ax.lines[-1]
    assert np.asarray(point.get_xydata()).tolist() == [[4096, 50]]
    assert ax.get_xlim()[1] > 4096
    assert texts(ax)[-1] == "other"


def test_length_by_vocabulary_refuses_to_draw_nothing() -> None:
    with pytest.raises(ValueError, match="there is no curve to draw"):
        plots.length_by_vocabulary({})


MODELS = {
    "small": {"tokens": 310, "positions": 10, "rest": 680},
    "large": {"tokens": 520, "positions": 80, "rest": 9400},
}


def test_parameter_shares_bars_add_up_to_one() -> None:
    ax = plots.parameter_shares(MODELS)
    assert ticks(ax) == ["small", "large"]
    assert legend(ax) == ["tokens", "positions", "rest"]
    found = bars(ax)
    for row, model in enumerate(MODELS.values()):
        parts = found[3 * row : 3 * row + 3]
        total = sum(model.values())
        assert [bar.get_width() for bar in parts] == pytest.approx(
            [n / total for n in model.values()]
        )
        assert parts[0].get_x() == 0
        for left, right in pairwise(parts):
            assert right.get_x() == pytest.approx(left.get_x() + left.get_width())


def test_parameter_shares_writes_share_and_total() -> None:
    ax = plots.parameter_shares({"a": {"t": 31_000_000, "r": 69_000_000}})
    assert texts(ax) == ["31.0 %", "100.0 M"]


def test_parameter_shares_writes_a_small_share_beside_its_part() -> None:
    large = plots.parameter_shares(MODELS).texts[2]
    assert large.get_text() == "5.2 %"
    assert large.get_position()[0] > 0.052


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({}, "there is no model to draw"),
        ({"a": {"t": 1}, "b": {"u": 1}}, r"the parts of 'b' are \['u'\], not \['t'\]"),
    ],
)
def test_parameter_shares_refuses_unequal_parts(
    models: dict[str, dict[str, int]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        plots.parameter_shares(models)


def test_figures_draw_in_given_axes() -> None:
    ax = plt.figure().add_subplot()
    assert plots.tokens_per_character(SAMPLES, {"letters": list}, ax=ax) is ax
    assert plots.length_by_vocabulary(CURVES, ax=plt.figure().add_subplot()) is not ax
    assert plots.parameter_shares(MODELS, ax) is ax
