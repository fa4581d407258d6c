"""The figures of the chapter `wordpiece` show what its tokenizer and its merges do."""

import matplotlib as mpl
import pytest

mpl.use("agg")

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from companion import plots
from companion.wordpiece import bert_uncased


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def boxes(ax: Axes) -> list[FancyBboxPatch]:
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def test_greedy_scan_writes_the_letters_and_the_pieces_that_the_tokenizer_finds() -> None:
    word = "unbelievability"
    shown = texts(plots.greedy_scan(bert_uncased(), word))
    assert shown[: len(word)] == list(word)
    assert shown[len(word) :: 2] == bert_uncased().tokenize(word)
    tries = ["14 tries", "11 tries", "9 tries", "7 tries", "1 try"]
    assert shown[len(word) + 1 :: 2] == tries


@pytest.mark.parametrize("word", ["unbelievability", "mistrust", "a", "strawberries"])
def test_greedy_scan_draws_a_line_for_each_try_in_vain(word: str) -> None:
    ax = plots.greedy_scan(bert_uncased(), word)
    n_tries = sum(int(text.split()[0]) for text in texts(ax) if text.endswith(("tries", "try")))
    assert len(ax.lines) == n_tries - len(boxes(ax))
    assert len(boxes(ax)) == len(bert_uncased().tokenize(word))


def test_greedy_scan_boxes_cover_the_word_from_left_to_right_and_downwards() -> None:
    found = boxes(plots.greedy_scan(bert_uncased(), "unbelievability"))
    assert [box.get_x() for box in found] == sorted(box.get_x() for box in found)
    assert [box.get_y() for box in found] == sorted((box.get_y() for box in found), reverse=True)
    widths = [box.get_width() for box in found]
    letters = [2, 3, 2, 2, 6]
    cell = (widths[1] - widths[0]) / (letters[1] - letters[0])
    for width, n_letters in zip(widths, letters, strict=True):
        assert width - widths[0] == pytest.approx((n_letters - letters[0]) * cell)


@pytest.mark.parametrize("word", ["unbelievability", "internationalization", "a", "x" * 24])
def test_greedy_scan_stays_inside_the_figure(word: str) -> None:
    ax = plots.greedy_scan(bert_uncased(), word)
    assert all(box.get_x() + box.get_width() <= plots.WIDTH for box in boxes(ax))
    figure = ax.figure.canvas.figure
    extents = [label.get_window_extent() for label in ax.texts]
    assert max(extent.x1 for extent in extents) <= figure.bbox.x1
    assert min(extent.y0 for extent in extents) >= figure.bbox.y0


COLUMNS: dict[str, list[tuple[str, str, object]]] = {
    "count": [("##h", "##e", 167), ("t", "##he", 135)],
    "score": [("j", "##u", "1/87")],
}


def test_merges_side_by_side_writes_parts_result_and_value_row_by_row() -> None:
    ax = plots.merges_side_by_side(COLUMNS)
    assert texts(ax) == [
        *("count", "score"),
        *("1", "##h", "##e", "##he", "167", "j", "##u", "ju", "1/87"),
        *("2", "t", "##he", "the", "135"),
    ]
    assert len(boxes(ax)) == 3


def test_merges_side_by_side_keeps_each_column_to_itself() -> None:
    ax = plots.merges_side_by_side(COLUMNS)
    x = {label.get_text(): label.get_position()[0] for label in ax.texts}
    assert x["##h"] < x["##he"] < x["167"] < x["j"] < x["ju"] < x["1/87"] <= plots.WIDTH
