"""The figures of the chapter `unigram` show the pieces and the cuts that they are given."""

import matplotlib as mpl
import pytest

mpl.use("agg")

from figure_checks import check_readable, in_sight, is_centred
from matplotlib.patches import FancyBboxPatch

from companion import plots

LOG_P = {"no": -3.0, "not": -3.51, "thing": -3.91, "hing": -6.91, "th": -3.91, "ing": -3.22}


def test_the_lattice_has_a_box_for_each_piece_below_its_letters() -> None:
    word = "nothing"
    ax = plots.lattice(word, LOG_P, ["no", "thing"])
    labels = [label.get_text() for label in ax.texts]
    assert labels[:7] == list(word)
    assert labels[7:9] == ["no −3.0", "thing −3.9"]
    assert set(labels[9:]) == {"not −3.5", "hing −6.9", "th −3.9", "ing −3.2"}
    letters = [label.get_position()[0] for label in ax.texts[:7]]
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    for label, box in zip(ax.texts[7:], boxes, strict=True):
        piece = label.get_text().split()[0]
        start = word.index(piece)
        left, right = box.get_x(), box.get_x() + box.get_width()
        covered = [letter for x, letter in zip(letters, word, strict=True) if left < x < right]
        assert "".join(covered) == piece == word[start : start + len(piece)]
        assert is_centred(label, box)
    assert {box.get_linestyle() == "solid" for box in boxes[:2]} == {True}
    assert {box.get_linestyle() == "solid" for box in boxes[2:]} == {False}
    check_readable(ax)
    assert in_sight(ax)


def test_boxes_of_the_lattice_do_not_overlap() -> None:
    pieces = {"aaaa"[:n]: -1.0 * n for n in range(1, 5)}
    ax = plots.lattice("aaaa", pieces, ["aa", "aa"])
    boxes = [patch.get_window_extent() for patch in ax.patches]
    assert len(boxes) == 10
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_each_tokenizer_has_its_column_and_each_word_its_row() -> None:
    ax = plots.cuts_side_by_side(
        {"BPE": [["not", "hing"], ["ho", "ld"]], "Unigram": [["no", "thing"], ["h", "old"]]}
    )
    places = {label.get_text(): label.get_position() for label in ax.texts}
    assert places["BPE"][0] < places["not"][0] < places["hing"][0] < places["Unigram"][0]
    assert places["not"][1] == places["thing"][1] > places["ld"][1] == places["old"][1]
    check_readable(ax)
    assert in_sight(ax)


def test_the_cost_is_drawn_over_a_logarithmic_axis() -> None:
    ax = plots.vocabulary_cost({100: 3.5, 200: 2.7, 400: 2.1})
    assert ax.lines[0].get_xydata().tolist() == [[100, 3.5], [200, 2.7], [400, 2.1]]
    assert ax.get_xscale() == "log"
    low, high = ax.get_ylim()
    assert low == 0
    assert high == pytest.approx(3.85)
