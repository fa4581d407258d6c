"""The figures of the chapter `bert-input` show the tables and vectors that they are given."""

from typing import Any

import matplotlib as mpl
import pytest
from figure_checks import in_sight

mpl.use("agg")

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import same_color, to_hex, to_rgb
from matplotlib.patches import Rectangle

from companion import plots
from companion.embeddings import BertEmbeddings
from companion.wordpiece import PairEncoding, bert_uncased

PAIR = bert_uncased().encode_pair("what is ai?", "ai means artificial intelligence.")


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def cells(ax: Axes) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def darkness(cell: Rectangle) -> float:
    return 3 - sum(to_rgb(cell.get_facecolor()))


def tables(width: int = 8) -> list[Any]:
    torch.manual_seed(0)
    bert = BertEmbeddings(d_model=width)
    return [table.weight.detach().numpy() for table in (bert.token, bert.segment, bert.position)]


def test_pair_sum_writes_each_token_with_the_rows_it_takes() -> None:
    ax = plots.pair_sum(PAIR, *tables())
    written = texts(ax)
    assert [name.split("\n") for name in written[:4]] == [
        *([name, "vector"] for name in ("token", "segment", "position")), ["their", "sum"]
    ]  # fmt: skip
    rows = zip(PAIR.tokens, PAIR.ids, PAIR.segment_ids, range(12), strict=True)
    assert written[4:] == [text for row in rows for text in (*map(str, row), "+", "+", "=")]


def test_pair_sum_cells_darken_with_the_numbers_of_the_three_rows_and_their_sum() -> None:
    token, segment, position = tables()
    drawn = cells(plots.pair_sum(PAIR, token, segment, position))
    assert len(drawn) == 12 * 4 * 8
    strips = np.array([darkness(cell) for cell in drawn]).reshape(12, 4, 8)
    parts = [token[PAIR.ids], segment[PAIR.segment_ids], position[:12]]
    for column, numbers in enumerate([*parts, sum(parts)]):
        # One scale for a column: the shades of all its cells are in the order of the numbers.
        order = np.argsort(numbers, axis=None)
        assert (np.diff(strips[:, column].flatten()[order]) >= -1e-9).all()
        assert np.ptp(strips[:, column]) > 0.3
    # Equal rows look equal: both [SEP] as tokens, all of a text as segments, no two positions.
    assert strips[5, 0].tolist() == strips[11, 0].tolist() != strips[0, 0].tolist()
    assert len({tuple(strip) for strip in strips[:, 1]}) == 2
    assert len({tuple(strip) for strip in strips[:, 2]}) == 12


def test_pair_sum_has_its_colours_from_left_to_right() -> None:
    token, segment, position = (np.full_like(table, 1) for table in tables(width=1))
    first = cells(plots.pair_sum(PAIR, token, segment, position))[:4]
    colors = [plots.TOKEN, plots.SEGMENT, plots.POSITION, plots.INPUT]
    assert [to_hex(cell.get_facecolor()) for cell in first] == colors
    places = [cell.get_x() for cell in first]
    assert places == sorted(places)


def test_pair_sum_shades_the_tables_by_one_scale_and_the_sum_by_its_own() -> None:
    encoding = PairEncoding([0, 1], [0, 0], ["a", "b"])
    drawn = cells(plots.pair_sum(encoding, [[0, 1], [2, 1]], [[-4, 1]], [[0, 1], [0, 0]]))
    hues = [plots.TOKEN, plots.SEGMENT, plots.POSITION, plots.INPUT] * 2
    shares = []
    for cell, hue in zip(drawn, np.repeat(hues, 2), strict=True):
        lack = (1 - np.array(to_rgb(cell.get_facecolor()))) / (1 - np.array(to_rgb(hue)))
        shares.append(lack.mean())
    zero, lightest = shares[0], shares[2]
    numbers = [0, 1, -4, 1, 0, 1, -4, 3, 2, 1, -4, 1, 0, 0, -2, 2]
    assert shares == pytest.approx([zero + (zero - lightest) * n / 4 for n in numbers])
    # A larger sum makes no difference to the tables, and a smaller one is drawn as fully.
    drawn = cells(plots.pair_sum(encoding, [[0, 2], [0, 2]], [[1, -2]], [[0, 2], [0, 2]]))
    assert to_hex(drawn[1].get_facecolor()) == plots.TOKEN
    assert to_hex(drawn[7].get_facecolor()) == plots.INPUT
    drawn = cells(plots.pair_sum(encoding, [[0, 2], [0, 2]], [[1, -2]], [[0, 0], [0, 0]]))
    assert to_hex(drawn[6].get_facecolor()) == plots.INPUT


@pytest.mark.parametrize(
    ("texts", "borders"), [(("what is ai?",), 0), (("what is ai?", "ai means artificial"), 1)]
)
def test_pair_sum_parts_the_texts_by_a_line(texts: tuple[str, ...], borders: int) -> None:
    encoding = bert_uncased().encode_pair(*texts)
    ax = plots.pair_sum(encoding, *tables())
    assert len(ax.lines) == borders
    heights = {label.get_text(): label.get_position()[1] for label in ax.texts}
    for line in ax.lines:  # below the last token of segment 0
        assert heights["artificial"] < line.get_ydata()[0] < heights["?"]
        last, first = (ax.texts[8 + 7 * row].get_position()[1] for row in (5, 6))
        assert [encoding.segment_ids[row] for row in (5, 6)] == [0, 1]
        assert list(line.get_ydata()) == pytest.approx([(last + first) / 2] * 2)
        assert list(line.get_xdata()) == [0, plots.WIDTH]


def test_pair_sum_stays_inside_the_figure() -> None:
    assert in_sight(plots.pair_sum(PAIR, *tables()))


def test_pair_sum_of_zeros_is_drawn() -> None:
    zeros = [np.zeros_like(table) for table in tables()]
    assert len({cell.get_facecolor() for cell in cells(plots.pair_sum(PAIR, *zeros))}) == 4


BEFORE = [[3.0, 4, 0, 0], [0, 0.5, 0, 0], [0, 0, 0, 20]]
AFTER = [[1.0, 1, -1, -1], [1, -1, 1, -1], [-1, -1, -1, 3]]


def test_vector_lengths_draws_open_dots_before_and_filled_dots_after() -> None:
    ax = plots.vector_lengths(torch.tensor(BEFORE), torch.tensor(AFTER), ["a", "b", "c"])
    opened, filled = ax.lines[:2]
    assert list(opened.get_xdata()) == [5, 0.5, 20]
    assert list(filled.get_xdata()) == pytest.approx([2, 2, 12**0.5])
    assert list(opened.get_ydata()) == list(filled.get_ydata()) == [0, 1, 2]
    assert same_color(opened.get_markerfacecolor(), "white")
    assert same_color(filled.get_markerfacecolor(), plots.INPUT)
    assert list(ax.lines[-1].get_xdata()) == [2, 2]  # the root of 4
    assert texts(ax) == ["the sum", "normalized"]
    for label, dots in zip(ax.texts, (opened, filled), strict=True):
        assert label.get_position()[0] == pytest.approx(dots.get_xdata()[0])
        assert ax.get_ylim()[1] < label.get_position()[1] < -0.5  # above the first row
        assert label.get_color() == plots.INPUT
    assert {line.get_linestyle() for line in (opened, filled)} == {"None"}
    assert {line.get_marker() for line in (opened, filled)} == {"o"}
    assert {line.get_color() for line in (opened, filled, ax.lines[-1])} == {plots.INPUT}
    for row, joint in enumerate(ax.lines[2:-1]):
        assert list(joint.get_ydata()) == [row, row]
        assert list(joint.get_xdata()) == [dots.get_xdata()[row] for dots in (opened, filled)]
        assert joint.get_zorder() < opened.get_zorder()
    low, high = ax.lines[-1].get_ydata()
    assert low < 0 < 2 < high
    assert ax.lines[-1].get_linestyle() == "--"


def test_vector_lengths_names_the_rows_from_top_to_bottom_and_keeps_all_in_sight() -> None:
    ax = plots.vector_lengths(BEFORE, AFTER, ["a", "b", "a"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "a"]
    bottom, top = ax.get_ylim()
    assert top < 0 < 2 < bottom
    low, high = ax.get_xlim()
    assert low < 0.5 < 20 < high
    assert list(ax.get_xticks()) == [0.5, 1, 2, 5, 10, 20]
    assert list(ax.get_xticks(minor=True)) == []
    assert ax.get_xscale() == "log"
    assert ax.xaxis.get_major_formatter()(0.5, 0) == "0.5"
    assert list(ax.get_yticks()) == [0, 1, 2]
    assert ax.get_xlabel() == "length of the vector"
    # The root is in sight where all vectors are shorter.
    assert plots.vector_lengths(np.eye(2, 100), np.eye(2, 100), "ab").get_xlim()[1] > 10
