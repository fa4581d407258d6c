"""The figures of the chapter `wordpiece` show what its tokenizer and its merges do."""

import matplotlib as mpl
import pytest

mpl.use("agg")

import matplotlib.pyplot as plt
from figure_checks import check_readable, is_centred
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import FancyBboxPatch

from companion import plots
from companion.wordpiece import WordPieceTokenizer, bert_uncased


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


@pytest.mark.parametrize("word", ["unbelievability", "rabbits"])
def test_greedy_scan_shows_what_is_tried_and_found_under_its_letters(word: str) -> None:
    tokenizer = bert_uncased()
    ax = plots.greedy_scan(tokenizer, word)
    check_readable(ax)
    letters = ax.texts[: len(word)]
    x = [label.get_position()[0] for label in letters]
    cell = (x[-1] - x[0]) / (len(word) - 1)
    assert cell == pytest.approx(0.335, abs=0.006)
    assert x == pytest.approx([0.08 + cell * (i + 0.5) for i in range(len(word))])
    (y,) = {label.get_position()[1] for label in letters}
    assert y == ax.get_ylim()[1] - 0.18
    assert {(label.get_ha(), label.get_va()) for label in letters} == {
        ("center", "center_baseline")
    }
    edges = [0.08 + cell * i for i in range(len(word) + 1)]
    lines, found, notes = list(ax.lines), boxes(ax), ax.texts[len(word) :]
    start = 0
    for piece in tokenizer.tokenize(word):
        end = len(word)
        # Longest first, and each try lower than the one before.
        while ("##" if start else "") + word[start:end] != piece:
            line = lines.pop(0)
            (x_start, y_line), (x_end, y_end) = line.get_xydata()
            assert (x_start, x_end) == pytest.approx((edges[start] + 0.03, edges[end] - 0.03))
            assert y - 0.5 < y_end == y_line < y
            assert same_color(line.get_color(), plots.MUTED)
            y, end = y_line, end - 1
        box, label, note = found.pop(0), notes.pop(0), notes.pop(0)
        outline = box.get_path().get_extents()
        assert (outline.x0, outline.x1) == pytest.approx((edges[start] - 0.02, edges[end] + 0.02))
        assert outline.y1 < y
        assert same_color(box.get_edgecolor(), plots.TOKEN)
        assert label.get_text() == piece
        assert is_centred(label, box)
        assert note.get_position()[0] == pytest.approx(edges[-1] + 0.14)
        assert note.get_position()[1] == label.get_position()[1]
        assert (note.get_ha(), note.get_va()) == ("left", "center_baseline")
        y, start = outline.y0, end
    assert not lines
    assert not found
    assert y > 0


def test_greedy_scan_says_unknown_beside_the_letters_it_does_not_know() -> None:
    tokenizer = WordPieceTokenizer(["[UNK]", "hug", "##g"])
    ax = plots.greedy_scan(tokenizer, "hugged")
    *pieces, unknown = boxes(ax)
    assert all(same_color(box.get_edgecolor(), plots.TOKEN) for box in pieces)
    assert same_color(unknown.get_edgecolor(), plots.MUTED)
    outline = unknown.get_path().get_extents()
    label, note = ax.texts[-2:]
    assert outline.x0 == pytest.approx(0.08 + 4 * 0.34 - 0.02)  # where the stretch "ed" begins
    assert is_centred(label, unknown)
    inner, outer = label.get_window_extent(), unknown.get_window_extent()
    assert outer.x0 < inner.x0
    assert inner.x1 < outer.x1
    # The count stands beside the letters, or beside a box that is wider.
    assert note.get_position()[0] == pytest.approx(max(0.08 + 6 * 0.34, outline.x1 - 0.02) + 0.14)
    check_readable(ax)


@pytest.mark.parametrize("word", ["z", "hugz"])
def test_greedy_scan_of_a_word_that_is_unknown(word: str) -> None:
    tokenizer = WordPieceTokenizer(["<what>", "hug"], unk_token="<what>")
    ax = plots.greedy_scan(tokenizer, word)
    assert texts(ax)[-2:] == ["<what>", "1 try"]
    assert texts(ax)[len(word) : -2] == (["hug", "2 tries"] if word == "hugz" else [])
    assert len(ax.lines) == len(word) - len(word) // 4 * 2


def test_greedy_scan_ends_where_no_piece_fits() -> None:
    tokenizer = WordPieceTokenizer(["[UNK]", "hug", "##g"])
    ax = plots.greedy_scan(tokenizer, "hugged")
    assert texts(ax)[6:] == ["hug", "4 tries", "##g", "3 tries", "[UNK]", "2 tries"]
    assert len(ax.lines) == 3 + 2 + 2


@pytest.mark.parametrize("word", ["", "two words", "Rabbits", "don't", "a" * 101])
def test_greedy_scan_refuses_what_is_not_one_word(word: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        plots.greedy_scan(bert_uncased(), word)
    assert str(caught.value) == (
        f"{word[:40]!r} is not one word in the form that the tokenizer reads; give a word without "
        "white space or punctuation of at most 100 characters, in lower case where the tokenizer "
        "lower-cases"
    )


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


def test_merges_side_by_side_sets_parts_result_and_value_in_a_row() -> None:
    ax = plots.merges_side_by_side(COLUMNS)
    width = (plots.WIDTH - 0.34) / 2
    headings, rest = ax.texts[:2], ax.texts[2:]
    assert [label.get_position()[0] for label in headings] == pytest.approx([0.34, 0.34 + width])
    assert len({label.get_position()[1] for label in headings}) == 1
    assert {label.get_fontfamily()[0] for label in headings} == {"Text to Vectors Semibold"}
    top = headings[0].get_position()[1]
    for row, (number, *labels) in enumerate((rest[:9], rest[9:])):
        y = number.get_position()[1]
        assert y == pytest.approx(top - 0.36 * (row + 1))
        assert number.get_position()[0] < 0.3
        assert number.get_ha() == "right"
        assert same_color(number.get_color(), plots.MUTED)
        for i in range(len(labels) // 4):
            x = 0.34 + width * i
            left, right, piece, value = labels[4 * i : 4 * i + 4]
            box = boxes(ax)[2 * row + i]
            assert {label.get_position()[1] for label in (left, right, piece, value)} == {y}
            assert {label.get_va() for label in (left, right, piece, value)} == {"center_baseline"}
            assert left.get_position()[0] == pytest.approx(x)
            gap = right.get_window_extent().x0 - left.get_window_extent().x1
            assert 5 < gap < 25  # the right part follows the left one, in pixels of 900
            assert is_centred(piece, box)
            assert box.get_path().get_extents().x0 == pytest.approx(x + 0.4 * width)
            inner, outer = piece.get_window_extent(), box.get_window_extent()
            assert outer.x0 < inner.x0
            assert inner.x1 < outer.x1
            assert value.get_position()[0] == pytest.approx(x + width - 0.25)
            assert value.get_ha() == "right"
            assert same_color(box.get_edgecolor(), plots.TOKEN)
    assert min(box.get_path().get_extents().y0 for box in boxes(ax)) > 0
    check_readable(ax)


def test_merges_side_by_side_keeps_each_column_to_itself() -> None:
    ax = plots.merges_side_by_side(COLUMNS)
    x = {label.get_text(): label.get_position()[0] for label in ax.texts}
    assert x["##h"] < x["##he"] < x["167"] < x["j"] < x["ju"] < x["1/87"] <= plots.WIDTH


@pytest.mark.parametrize("columns", [{}, {"count": [], "score": []}])
def test_merges_side_by_side_refuses_to_draw_nothing(
    columns: dict[str, list[tuple[str, str, object]]],
) -> None:
    message = "there is no merge to draw; give at least one column with one merge"
    with pytest.raises(ValueError, match=f"^{message}$"):
        plots.merges_side_by_side(columns)


def test_figures_draw_in_given_axes() -> None:
    ax = plt.figure().add_subplot()
    assert plots.greedy_scan(bert_uncased(), "rabbits", ax) is ax
    assert plots.merges_side_by_side(COLUMNS, ax) is ax
