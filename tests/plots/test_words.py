"""The figures of the chapter `words` show its tokens, their ids and their counts."""

import warnings
from typing import Any

import matplotlib as mpl
import pytest

mpl.use("agg")

import numpy as np
from figure_checks import check_readable, is_centred
from matplotlib.colors import same_color, to_rgb
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.text import Text

from companion import plots
from companion.bpe import gpt2
from companion.plots._drawing import tint
from companion.story import SENTENCE, load_story
from companion.words import WordTokenizer, build_vocab, tokenize

TOKENIZER = WordTokenizer(build_vocab(load_story()))
TOKENS = tokenize(load_story())
TABLES = np.linspace(-1, 1, 348 * 8).reshape(348, 8), np.linspace(1, -1, 72).reshape(9, 8)


@pytest.fixture
def growth() -> Any:
    return plots.vocabulary_growth(TOKENS)


@pytest.fixture
def frequency() -> Any:
    return plots.rank_frequency(TOKENS)


@pytest.fixture
def path() -> Any:
    return plots.sentence_path(SENTENCE, TOKENIZER, *TABLES)


def texts(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.texts]


def test_text_to_ids_draws_each_token_with_its_id() -> None:
    ax = plots.text_to_ids(SENTENCE, TOKENIZER)
    labels = [text.get_text() for text in ax.texts]
    ids = TOKENIZER.encode(SENTENCE)
    assert labels[:4] == ["text", SENTENCE, "tokens", "ids"]
    assert labels[4::2] == SENTENCE.split()
    assert labels[5::2] == [str(token_id) for token_id in ids]
    assert len([patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]) == len(ids)


def labelled(ax: Any) -> list[tuple[FancyBboxPatch, Text, Text, Any]]:
    """Each box of `text_to_ids` with its token, its id and the line that joins the two."""
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    left = min(box.get_x() for box in boxes)
    labels = [label for label in ax.texts if label.get_position()[0] > left]
    return list(zip(boxes, labels[::2], labels[1::2], ax.lines, strict=True))


@pytest.mark.parametrize("text", [SENTENCE, "I"])
def test_text_to_ids_draws_a_token_in_its_box_and_its_id_below(text: str) -> None:
    tokenizer = gpt2()
    ids = tokenizer.encode(text)
    ax = plots.text_to_ids(text, tokenizer)
    drawn = labelled(ax)
    assert [token.get_text() for _, token, _, _ in drawn] == [
        tokenizer.decode([i]).replace(" ", "␣") for i in ids
    ]
    assert [label.get_text() for _, _, label, _ in drawn] == [str(i) for i in ids]
    for box, token, label, line in drawn:
        assert same_color(box.get_edgecolor(), plots.TOKEN)
        assert is_centred(token, box)
        around = box.get_window_extent()
        for text_in_column in (token, label):
            extent = text_in_column.get_window_extent()
            assert around.x0 - 1 < extent.x0
            assert extent.x1 < around.x1 + 1
        assert label.get_position()[0] == token.get_position()[0]
        assert label.get_position()[1] < token.get_position()[1]
        assert same_color(line.get_color(), plots.TOKEN)


def test_text_to_ids_names_its_rows_and_keeps_the_order() -> None:
    text = f"{SENTENCE} and there were four little bags"
    ax = plots.text_to_ids(text, TOKENIZER)
    check_readable(ax)
    drawn = labelled(ax)
    heights = [token.get_position()[1] for _, token, _, _ in drawn]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 2
    assert texts(ax)[:6] == ["text", text, *["tokens", "ids"] * 2]


def test_vocabulary_growth_counts_distinct_tokens(growth: Any) -> None:
    distinct = growth.lines[0].get_ydata()
    for n in (0, 1, 17, 700, len(TOKENS)):
        assert distinct[n] == len(set(TOKENS[:n]))
    assert "348 distinct\nin 1,402 tokens" in [text.get_text() for text in growth.texts]


def test_vocabulary_growth_is_compared_with_a_text_of_new_tokens_only(growth: Any) -> None:
    n, distinct = len(TOKENS), len(set(TOKENS))
    curve, new, end = growth.lines
    assert list(curve.get_xdata()) == list(range(n + 1))
    assert new.get_xydata().tolist() == [[0, 0], [n, n]]
    assert (curve.get_linestyle(), new.get_linestyle()) == ("-", "--")
    assert same_color(curve.get_color(), plots.TOKEN)
    assert same_color(new.get_color(), plots.MUTED)
    assert end.get_xydata().tolist() == [[n, distinct]]
    assert end.get_marker() == "o"
    assert same_color(end.get_color(), plots.TOKEN)
    assert (growth.get_xlabel(), growth.get_ylabel()) == ("tokens read", "distinct tokens")
    assert (growth.get_xlim()[0], growth.get_ylim()[0]) == (0, 0)
    assert n < growth.get_xlim()[1] < 1.1 * n
    assert distinct < growth.get_ylim()[1] < 1.3 * distinct


def test_vocabulary_growth_counts_the_last_token_too() -> None:
    ax = plots.vocabulary_growth(["drip", "and", "drop"])
    assert texts(ax)[1] == "3 distinct\nin 3 tokens"
    assert ax.lines[2].get_xydata().tolist() == [[3, 3]]
    assert ax.texts[1].xy == (3, 3)
    assert 3 < ax.texts[0].xy[0] < ax.get_ylim()[1] < 4


def test_vocabulary_growth_names_its_lines(growth: Any) -> None:
    new, end = growth.texts
    assert texts(growth) == ["if every token\nwere new", "348 distinct\nin 1,402 tokens"]
    assert new.xy[0] == new.xy[1]
    assert same_color(new.get_color(), plots.MUTED)
    assert end.xy == (len(TOKENS), len(set(TOKENS)))
    assert same_color(end.get_color(), plots.TOKEN)


def test_rank_frequency_draws_all_counts_in_falling_order(frequency: Any) -> None:
    ranks, counts = frequency.lines[0].get_data()
    assert list(ranks) == list(range(1, 349))
    assert sum(counts) == len(TOKENS)
    assert list(counts) == sorted(counts, reverse=True)
    assert counts[1] == TOKENS.count("the")
    assert list(frequency.lines[1].get_ydata()) == [counts[0] / rank for rank in ranks]
    labels = [text.get_text() for text in frequency.texts]
    assert "161 of 348 occur once" in labels
    assert {"comma", "the", "and", "a"} < set(labels)  # "," alone would look like a speck


def test_rank_frequency_is_drawn_on_logarithmic_scales_with_plain_numbers(frequency: Any) -> None:
    assert (frequency.get_xscale(), frequency.get_yscale()) == ("log", "log")
    assert (frequency.get_xlabel(), frequency.get_ylabel()) == (
        "rank of the token",
        "how often it occurs",
    )
    counts, law = frequency.lines
    assert (counts.get_marker(), counts.get_linestyle()) == ("o", "None")
    assert (law.get_marker(), law.get_linestyle()) == ("None", "--")
    assert same_color(counts.get_color(), plots.TOKEN)
    assert same_color(law.get_color(), plots.MUTED)
    assert list(law.get_xdata()) == list(counts.get_xdata())
    for axis in (frequency.xaxis, frequency.yaxis):
        assert [axis.get_major_formatter()(x, 0) for x in (1, 10, 100)] == ["1", "10", "100"]
    assert 0.5 < frequency.get_xlim()[0] < 1
    assert frequency.get_xlim()[1] > 348
    assert 0.5 < frequency.get_ylim()[0] < 1
    highest = max(counts.get_ydata())
    assert 1.5 * highest < frequency.get_ylim()[1] < 3 * highest  # room for the first label


def test_rank_frequency_names_four_dots_the_line_and_the_last_dots(frequency: Any) -> None:
    check_readable(frequency)
    counts = list(frequency.lines[0].get_ydata())
    law, *dots, once = frequency.texts
    assert texts(frequency) == [
        "highest count / rank",
        "comma",
        "the",
        "and",
        "a",
        "161 of 348 occur once",
    ]
    assert [dot.xy for dot in dots] == [(rank, counts[rank - 1]) for rank in (1, 2, 4, 8)]
    assert all(same_color(dot.get_color(), plots.TOKEN) for dot in (*dots, once))
    assert law.xy == (6, counts[0] / 6)
    assert same_color(law.get_color(), plots.MUTED)
    assert once.xy == (348, 1)


@pytest.mark.parametrize(
    ("tokens", "names"),
    [
        (["a", "a", "b"], ["a", "b"]),
        ([*"aaaabbbccd"], ["a", "b", "d"]),  # the last of four dots is the fourth
        (["--", "--", "!", "é"], ["--", "exclamation mark"]),
        (["\x07", "\x07", "7"], ["\x07", "7"]),  # a control character has no name
    ],
)
def test_rank_frequency_names_the_tokens_there_are(tokens: list[str], names: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no typeface draws a control character
        ax = plots.rank_frequency(tokens)
    assert texts(ax)[1:-1] == names


def test_sentence_path_draws_bytes_ids_and_the_sum_of_two_vectors(path: Any) -> None:
    token_table, position_table = TABLES
    labels, ids = texts(path), TOKENIZER.encode(SENTENCE)
    for word, token_id in zip(SENTENCE.split(), ids, strict=True):
        i = labels.index(word)
        assert labels[i : i + 3] == [word, word.encode().hex(" "), str(token_id)]
    cells = [patch for patch in path.patches if isinstance(patch, Rectangle)]
    assert len(cells) == 3 * 9 * 8
    # A larger number is a darker cell: the order of the first input vector is that of the sum.
    vector = token_table[ids[0]] + position_table[0]
    shades = [sum(to_rgb(cell.get_facecolor())) for cell in cells[16:24]]
    assert list(np.argsort(shades)) == list(np.argsort(-vector))


def test_sentence_path_draws_all_vectors_by_one_scale() -> None:
    token_table, position_table = np.zeros((348, 4)), np.zeros((9, 4))
    first = TOKENIZER.encode(SENTENCE)[0]
    # The sum is larger than either part, and its shades are told apart as theirs are.
    token_table[first], position_table[0] = [4, -4, 2, 0], [4, 0, 1, -2]
    ax = plots.sentence_path(SENTENCE, TOKENIZER, token_table, position_table)
    expected = zip(
        (plots.TOKEN, plots.POSITION, plots.INPUT),
        ([0.75, 0.25, 0.625, 0.5], [0.75, 0.5, 0.5625, 0.375], [1, 0.25, 0.6875, 0.375]),
        strict=True,
    )
    shades = [tint(color, 0.08 + 0.92 * share) for color, of in expected for share in of]
    for cell, shade in zip(ax.patches[:12], shades, strict=True):
        assert cell.get_facecolor()[:3] == pytest.approx(shade)


def test_sentence_path_of_zeros() -> None:
    cells = plots.sentence_path("the", TOKENIZER, np.zeros((348, 4)), np.zeros((1, 4))).patches
    for color, cell in zip((plots.TOKEN, plots.POSITION, plots.INPUT), cells[::4], strict=True):
        assert same_color(cell.get_facecolor(), tint(color, 0.54))


def test_sentence_path_draws_a_space_as_a_mark_and_may_use_every_row() -> None:
    tokenizer = gpt2()
    ids = tokenizer.encode("I see")
    ax = plots.sentence_path("I see", tokenizer, np.ones((max(ids) + 1, 2)), np.ones((2, 2)))
    assert texts(ax)[11:14] == ["␣see", "20 73 65 65", str(ids[1])]
