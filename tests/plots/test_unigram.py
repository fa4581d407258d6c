"""The figures of the chapter `unigram` show the pieces and the cuts that they are given."""

from figure_checks import boxes, points, reading

from companion import plots

LOG_P = {"no": -3.0, "not": -3.51, "thing": -3.91, "hing": -6.91, "th": -3.91, "ing": -3.22}


def test_the_lattice_has_a_box_for_each_piece_below_its_letters() -> None:
    word = "nothing"
    ax = plots.lattice(word, LOG_P, ["no", "thing"])
    letters, best, *_ = reading(ax)
    assert letters == [*word]
    assert best == ["no −3.0", "thing −3.9"]
    others = {label.get_text() for label in ax.texts[9:]}
    assert others == {"not −3.5", "hing −6.9", "th −3.9", "ing −3.2"}
    columns = [label.get_position()[0] for label in ax.texts[:7]]
    for label, box in zip(ax.texts[7:], boxes(ax), strict=True):
        left, right = box.get_x(), box.get_x() + box.get_width()
        covered = [letter for x, letter in zip(columns, word, strict=True) if left < x < right]
        assert "".join(covered) == label.get_text().split()[0]
        assert (box.get_linestyle() == "solid") == (label.get_text() in best)
    # A piece that occurs twice has two boxes.
    pieces = {"aaaa"[:n]: -1.0 * n for n in range(1, 5)}
    assert len(boxes(plots.lattice("aaaa", pieces, ["aa", "aa"]))) == 10


def test_each_tokenizer_has_its_column_and_each_word_its_row() -> None:
    ax = plots.cuts_side_by_side(
        {"BPE": [["not", "hing"], ["ho", "ld"]], "Unigram": [["no", "thing"], ["h", "old"]]}
    )
    assert reading(ax) == [
        ["BPE", "Unigram"],
        ["not", "hing", "no", "thing"],
        ["ho", "ld", "h", "old"],
    ]
    places = {label.get_text(): label.get_position()[0] for label in ax.texts}
    assert places["hing"] < places["Unigram"] < places["no"]


def test_the_cost_is_drawn_at_each_size() -> None:
    costs = {100: 3.5, 200: 2.7, 400: 2.1}
    ax = plots.vocabulary_cost(costs)
    assert points(ax.lines[0]) == [[*point] for point in costs.items()]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["100", "200", "400"]
