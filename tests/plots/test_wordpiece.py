"""The figures of the chapter `wordpiece` show what its tokenizer and its merges do."""

import pytest
from figure_checks import boxes, reading

from companion import plots
from companion.wordpiece import bert_uncased


@pytest.mark.parametrize(
    ("word", "tries"),
    [("unbelievability", [14, 11, 9, 7, 1]), ("mistrust", [5, 2, 1]), ("a", [1])],
)
def test_greedy_scan_draws_the_pieces_found_and_a_line_for_each_try_in_vain(
    word: str, tries: list[int]
) -> None:
    pieces = bert_uncased().tokenize(word)
    ax = plots.greedy_scan(bert_uncased(), word)
    letters, *rows = reading(ax)
    assert letters == [*word]
    told = ["1 try" if n == 1 else f"{n} tries" for n in tries]
    assert rows == [[piece, n] for piece, n in zip(pieces, told, strict=True)]
    columns = [label.get_position()[0] for label in ax.texts[: len(word)]]

    def covered(left: float, right: float) -> str:
        found = [letter for x, letter in zip(columns, word, strict=True) if left < x < right]
        return "".join(found)

    found = [covered(box.get_x(), box.get_x() + box.get_width()) for box in boxes(ax)]
    assert found == [piece.removeprefix("##") for piece in pieces]
    # What was tried in vain: ever shorter stretches, from where the piece begins.
    lines = [covered(*line.get_xdata()) for line in ax.lines]
    starts = ["".join(found[:i]) for i in range(len(found))]
    vain = [
        word[len(start) : end]
        for start, piece in zip(starts, found, strict=True)
        for end in range(len(word), len(start) + len(piece), -1)
    ]
    assert lines == vain


def test_merges_side_by_side_writes_parts_result_and_value_row_by_row() -> None:
    ax = plots.merges_side_by_side(
        {
            "count": [("##h", "##e", 167), ("t", "##he", 135)],
            "score": [("j", "##u", "1/87")],
        }
    )
    assert reading(ax) == [
        ["count", "score"],
        ["1", "##h", "##e", "##he", "167", "j", "##u", "ju", "1/87"],
        ["2", "t", "##he", "the", "135"],
    ]
    assert len(boxes(ax)) == 3
    places = {label.get_text(): label.get_position()[0] for label in ax.texts}
    assert places["167"] < places["score"] <= places["j"]
