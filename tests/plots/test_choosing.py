"""The figures of the chapter `choosing` show the numbers that they are given."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from figure_checks import cells, is_filled, legend, points, strengths, texts

from companion import plots
from companion.wordpiece import bert_uncased

SAMPLES = {"English": "four rabbits", "emoji": "four 🐇", "Chinese": "四只小兔子"}
CUTTERS: dict[str, Callable[[str], Sequence[object]]] = {
    "words": str.split, "letters": list, "BERT": bert_uncased().tokenize,
}  # fmt: skip


def test_tokens_by_language_draws_and_writes_the_numbers_and_what_was_lost() -> None:
    ax = plots.tokens_by_language(SAMPLES, CUTTERS)
    assert legend(ax) == list(CUTTERS)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(SAMPLES)
    counts = [len(cut(text)) for cut in CUTTERS.values() for text in SAMPLES.values()]
    assert [bar.get_width() for bar in cells(ax)] == counts
    lost = {7: "   1 [UNK]", 8: "   2 [UNK]"}  # what BERT does not know
    assert texts(ax) == [f"{n}{lost.get(i, '')}" for i, n in enumerate(counts)]
    # The bars of a sample stand side by side, in the order of the tokenizers.
    downwards = np.array(cells(ax)).reshape(3, 3).T.flatten()
    for above, below in pairwise(downwards):
        assert above.get_y() + above.get_height() < below.get_y()


def test_length_by_vocabulary_draws_curves_and_single_points() -> None:
    curves = {"seen": {256: 100, 512: 60, 1024: 55}, "unseen": {256: 90, 512: 70, 1024: 69}}
    ax = plots.length_by_vocabulary(curves, {"small": (64, 55), "large": (4096, 50)})
    drawn = [[[*point] for point in curve.items()] for curve in curves.values()]
    drawn += [[[64, 55]], [[4096, 50]]]
    assert [points(line) for line in ax.lines] == drawn
    assert texts(ax) == ["seen", "unseen", "small", "large"]
    assert [list(label.xy) for label in ax.texts] == [line[-1] for line in drawn]
    ticks = np.asarray(ax.get_xticks())
    assert ticks[1:] / ticks[:-1] == pytest.approx(2)


def test_labels_of_curves_that_end_close_together_keep_their_order() -> None:
    curves = {"a": {1: 300, 2: 103}, "b": {1: 300, 2: 100}, "c": {1: 300, 2: 101}, "d": {2: 300}}
    ax = plots.length_by_vocabulary(curves)
    places = {label.get_text(): label.get_window_extent() for label in ax.texts}
    upwards = sorted(places, key=lambda name: places[name].y0)
    assert upwards == [*"bcad"]
    assert all(places[low].y1 <= places[high].y0 for low, high in pairwise(upwards))


MODELS = {
    "small": {"tokens": 310_000, "positions": 10_000, "segments": 0, "rest": 680_000},
    "large": {"tokens": 52 * 10**9, "positions": 8 * 10**9, "segments": 0, "rest": 940 * 10**9},
}


def test_parameter_shares_bars_add_up_to_one() -> None:
    ax = plots.parameter_shares(MODELS)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["small", "large"]
    assert legend(ax) == ["tokens", "positions", "segments", "rest"]
    for row, model in enumerate(MODELS.values()):
        parts, total = cells(ax)[4 * row : 4 * row + 4], sum(model.values())
        widths = [n / total for n in model.values()]
        assert [bar.get_width() for bar in parts] == pytest.approx(widths)
        assert [bar.get_x() for bar in parts] == pytest.approx([0, *np.cumsum(widths)[:-1]])
        assert {bar.get_center()[1] for bar in parts} == {row}
    tokens, positions, segments, rest = cells(ax)[:4]
    assert strengths([tokens], plots.TOKEN) == strengths([positions], plots.POSITION)
    assert not is_filled(segments)
    assert strengths([rest], plots.BYTE)[0] > 0
    explained = ax.get_legend()
    assert explained is not None
    faces = [patch.get_facecolor() for patch in explained.get_patches()]
    assert (
        faces
        == [bar.get_facecolor() for bar in cells(ax)[:4]]
        == [bar.get_facecolor() for bar in cells(ax)[4:]]
    )


def test_parameter_shares_writes_a_small_share_beside_its_part() -> None:
    ax = plots.parameter_shares(MODELS)
    assert texts(ax) == ["31.0 %", "1.0 M", "5.2 %", "1,000,000.0 M"]
    assert [label.get_position()[1] for label in ax.texts] == [0, 0, 1, 1]
    small, _, large, _ = ax.texts
    assert (small.get_position()[0], small.get_ha()) == (0.155, "center")
    assert small.get_color() == "white"
    assert (large.get_ha(), large.get_color()) == ("left", plots.INK)
    assert 0.052 < large.get_position()[0] < 0.1
