"""The figures of the chapter `choosing` show the numbers that they are given."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import matplotlib as mpl
import pytest

mpl.use("agg")

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_rgb
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

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


def halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


def test_tokens_per_character_bars_stand_side_by_side_in_the_order_of_the_tokenizers() -> None:
    cutters: dict[str, Cutter] = {"words": str.split, "letters": list, "halves": halves}
    ax = plots.tokens_per_character(SAMPLES, cutters)
    assert ax.get_title(loc="left") == "tokens per character"
    assert list(ax.get_xticks()) == []
    bottom, top = ax.get_ylim()
    left, right = ax.get_xlim()
    found = np.array(bars(ax)).reshape(3, 3).T.flatten()  # sample by sample, downwards
    edges = [edge for bar in found for edge in (bar.get_y(), bar.get_y() + bar.get_height())]
    assert edges == sorted(edges)
    assert top < edges[0] < edges[-1] < bottom
    assert {bar.get_x() for bar in found} == {left} == {0}
    assert max(bar.get_width() for bar in found) < right
    assert all(same_color(bar.get_edgecolor(), plots.TOKEN) for bar in found)
    assert len({bar.get_facecolor() for bar in found}) == 3  # one for each tokenizer


def test_tokens_per_character_writes_each_number_at_the_end_of_its_bar() -> None:
    cutters: dict[str, Cutter] = {"letters": list, "BERT": bert_uncased().tokenize}
    ax = plots.tokens_per_character(SAMPLES, cutters)
    for label, bar in zip(ax.texts, bars(ax), strict=True):
        assert isinstance(label, Annotation)
        assert label.get_text().startswith(f"{bar.get_width():.2f}")
        assert label.xy == pytest.approx((bar.get_width(), bar.get_center()[1]))
        right, up = label.xyann
        assert 0 < right < 10
        assert up == 0


def test_tokens_per_character_counts_what_was_lost() -> None:
    ax = plots.tokens_per_character(SAMPLES, {"BERT": bert_uncased().tokenize})
    lost = [bert_uncased().tokenize(text).count("[UNK]") for text in SAMPLES.values()]
    assert lost == [0, 1, 2]
    assert texts(ax) == ["0.17", "0.33   1 [UNK]", "1.00   2 [UNK]"]
    plain, *bold = (label.get_fontfamily() for label in ax.texts)
    assert plain != bold[0] == bold[1]


def test_tokens_per_character_counts_another_unknown_token() -> None:
    ax = plots.tokens_per_character({"a": "no, no"}, {"words": str.split}, "no")
    assert texts(ax) == ["0.33   1 no"]
    assert legend(ax) == ["words"]


CURVES = {"seen": {256: 100, 512: 60, 1024: 55}, "unseen": {256: 90, 512: 70, 1024: 69}}


def test_length_by_vocabulary_draws_each_curve_in_its_own_style() -> None:
    ax = plots.length_by_vocabulary(CURVES)
    for line, curve in zip(ax.lines, CURVES.values(), strict=True):
        assert np.asarray(line.get_xydata()).tolist() == [[*point] for point in curve.items()]
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
    assert texts(ax) == ["seen", "unseen"]
    assert ax.get_ylim()[0] == 0
    for line, label in zip(ax.lines, ax.texts, strict=True):
        assert isinstance(label, Annotation)
        assert tuple(label.xy) == tuple(np.asarray(line.get_xydata())[-1])
        assert label.xyann[0] > 0  # behind the end of its curve
        assert label.xyann[1] == 0
        assert line.get_color() == label.get_color() == plots.TOKEN


def test_labels_of_curves_that_end_close_together_do_not_overlap() -> None:
    curves = {"a": {1: 300, 2: 103}, "b": {1: 300, 2: 100}, "c": {1: 300, 2: 101}, "d": {2: 300}}
    ax = plots.length_by_vocabulary(curves)
    figure = ax.get_figure()
    assert figure is not None
    figure.draw_without_rendering()
    boxes = sorted((label.get_window_extent() for label in ax.texts), key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 for low, high in pairwise(boxes))
    assert [
        label.get_text() for label in sorted(ax.texts, key=lambda t: t.get_window_extent().y0)
    ] == [*"bcad"]


def test_length_by_vocabulary_doubles_from_tick_to_tick() -> None:
    ax = plots.length_by_vocabulary(CURVES)
    assert ax.get_xscale() == "log"
    ticks = np.asarray(ax.get_xticks())
    assert ticks[1:] / ticks[:-1] == pytest.approx(2)
    assert ax.xaxis.get_major_formatter()(4096, 0) == "4,096"
    assert ax.yaxis.get_major_formatter()(2000.0, 0) == "2,000"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("size of the vocabulary, V", "tokens")


def test_length_by_vocabulary_marks_single_points_inside_the_axes() -> None:
    ax = plots.length_by_vocabulary(CURVES, {"small": (64, 55), "large": (4096, 50)})
    for point, label, place in zip(ax.lines[2:], ax.texts[2:], [(64, 55), (4096, 50)], strict=True):
        assert np.asarray(point.get_xydata()).tolist() == [[*place]]
        assert point.get_marker() not in (None, "None", "")
        assert point.get_color() == label.get_color() == plots.INK
        assert isinstance(label, Annotation)
        assert tuple(label.xy) == place
        assert 0 < label.xyann[1] < 20  # above its point
    assert texts(ax)[2:] == ["small", "large"]
    low, high = ax.get_xlim()
    assert low < 64 < 4096 < high
    assert max(CURVES["seen"].values()) < ax.get_ylim()[1]


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
        assert {bar.get_center()[1] for bar in parts} == {row}
    assert all(bar.get_height() < 1 for bar in found)
    assert all(same_color(bar.get_edgecolor(), plots.INK) for bar in found)  # one part is white
    assert legend(plots.parameter_shares({"only": MODELS["small"]})) == [*MODELS["small"]]
    bottom, top = ax.get_ylim()
    assert top < 0 < 1 < bottom  # the first model on top
    left, right = ax.get_xlim()
    assert left == 0
    assert max(label.get_position()[0] for label in ax.texts) < right
    assert list(ax.get_xticks()) == []


def test_parameter_shares_has_a_colour_for_each_part_and_tells_which() -> None:
    four = {"a": {"tokens": 4, "positions": 3, "segments": 2, "rest": 1}}
    ax = plots.parameter_shares({**four, "b": four["a"]})
    colors = [bar.get_facecolor() for bar in bars(ax)]
    assert colors[:4] == colors[4:]
    assert len(set(colors)) == 4
    for color, hue in zip(colors, (plots.TOKEN, plots.POSITION), strict=False):
        lack = 1 - np.array([color[:3], to_rgb(hue)])  # a tint lacks a share of what its hue lacks
        assert lack[0] / lack[1] == pytest.approx(lack[0][0] / lack[1][0])
    found = ax.get_legend()
    assert found is not None
    assert [patch.get_facecolor() for patch in found.get_patches()] == colors[:4]
    assert legend(ax) == [*four["a"]]


def test_parameter_shares_writes_share_and_total() -> None:
    ax = plots.parameter_shares({"a": {"t": 31_000_000, "r": 69_000_000}})
    assert texts(ax) == ["31.0 %", "100.0 M"]
    large = plots.parameter_shares({"a": {"t": 50_000_000_000, "r": 50_000_000_000}})
    assert texts(large) == ["50.0 %", "100,000.0 M"]


def test_parameter_shares_writes_a_small_share_beside_its_part() -> None:
    small, total, large, _ = plots.parameter_shares(MODELS).texts
    assert small.get_position() == (0.31 / 2, 0)  # in its part, so in white
    assert small.get_horizontalalignment() == "center"
    assert same_color(small.get_color(), "white")
    assert total.get_position()[0] > 1  # behind the bar
    assert total.get_position()[1] == 0
    assert large.get_text() == "5.2 %"
    assert large.get_position()[0] == pytest.approx(0.052, abs=0.05)
    assert large.get_position()[0] > 0.052
    assert large.get_position()[1] == 1
    assert large.get_horizontalalignment() == "left"
    assert large.get_color() == plots.INK
