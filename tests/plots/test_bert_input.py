"""The figures of the chapter `bert-input` show the tables and vectors that they are given."""

import numpy as np
import pytest
import torch
from figure_checks import cells, numbers, points, reading

from companion import plots
from companion.embeddings import BertEmbeddings
from companion.wordpiece import bert_uncased

PAIR = bert_uncased().encode_pair("what is ai?", "ai means artificial intelligence.")
BERT = BertEmbeddings(d_model=8)
TABLES = [table.weight.detach().numpy() for table in (BERT.token, BERT.segment, BERT.position)]


def test_pair_sum_writes_each_token_with_the_rows_it_takes() -> None:
    headings, *written = reading(plots.pair_sum(PAIR, *TABLES))
    assert headings == ["token\nvector", "segment\nvector", "position\nvector", "their\nsum"]
    rows = zip(PAIR.tokens, PAIR.ids, PAIR.segment_ids, range(12), strict=True)
    assert written == [
        [token, str(token_id), "+", str(segment), "+", str(position), "="]
        for token, token_id, segment, position in rows
    ]


@pytest.mark.parametrize("larger", [1, 30])
def test_pair_sum_shades_the_tables_and_the_sum_by_one_scale(larger: float) -> None:
    tables = [TABLES[0], TABLES[1] * larger, TABLES[2]]
    rows = PAIR.ids, PAIR.segment_ids, range(12)
    parts = [table[of_part] for table, of_part in zip(tables, rows, strict=True)]
    columns = [*parts, np.sum(parts, axis=0)]
    scale = np.abs(columns).max()
    drawn = np.array(cells(plots.pair_sum(PAIR, *tables))).reshape(12, 4, 8)
    colors = plots.TOKEN, plots.SEGMENT, plots.POSITION, plots.INPUT
    for column, (vectors, color) in enumerate(zip(columns, colors, strict=True)):
        shown = numbers(drawn[:, column].flatten(), color, scale)
        assert shown == pytest.approx(vectors.flatten(), abs=1e-6)
    places = [cell.get_x() for cell in drawn[0].flatten()]
    assert places == sorted(places)


def test_pair_sum_parts_the_texts_by_a_line() -> None:
    ax = plots.pair_sum(PAIR, *TABLES)
    heights = {label.get_text(): label.get_position()[1] for label in ax.texts}
    (line,) = ax.lines
    assert heights["means"] < line.get_ydata()[0] < heights["?"]
    assert not plots.pair_sum(bert_uncased().encode_pair("what is ai?"), *TABLES).lines


def test_vector_lengths_draws_open_dots_before_and_filled_dots_after() -> None:
    before = torch.tensor([[3.0, 4, 0, 0], [0, 0.5, 0, 0], [0, 0, 0, 20]])
    after = torch.tensor([[1.0, 1, -1, -1], [1, -1, 1, -1], [-1, -1, -1, 3]])
    ax = plots.vector_lengths(before, after, ["a", "b", "a"])
    opened, filled, *joints, root = ax.lines
    assert points(opened) == [[5, 0], [0.5, 1], [20, 2]]
    assert points(filled) == [[2, 0], [2, 1], [pytest.approx(12**0.5), 2]]
    assert (opened.get_markerfacecolor(), filled.get_markerfacecolor()) == ("white", plots.INPUT)
    for joint, *ends in zip(joints, points(opened), points(filled), strict=True):
        assert points(joint) == ends
    assert set(root.get_xdata()) == {2}  # the root of 4
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "a"]
    assert [(label.get_text(), label.get_position()[0]) for label in ax.texts] == [
        ("the sum", 5),
        ("normalized", 2),
    ]
    bottom, top = ax.get_ylim()
    assert top < 0 < 2 < bottom
    assert list(ax.get_xticks()) == [0.5, 1, 2, 5, 10, 20]
    # The root is in sight where all vectors are shorter.
    assert plots.vector_lengths(np.eye(2, 100), np.eye(2, 100), "ab").get_xlim()[1] > 10
