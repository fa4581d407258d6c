"""The figures of the chapter `words` show its tokens, their ids and their counts."""

import numpy as np
import pytest
from figure_checks import boxes, grid, is_centred, numbers, points, reading, texts

from companion import plots
from companion.bpe import gpt2
from companion.story import SENTENCE, load_story
from companion.words import WordTokenizer, build_vocab, tokenize

TOKENIZER = WordTokenizer(build_vocab(load_story()))
TOKENS = tokenize(load_story())


def test_text_to_ids_draws_a_token_in_its_box_and_its_id_below() -> None:
    text = " ".join("abcdefghijklmnopqr")  # so long that there are two rows
    ids = gpt2().encode(text)
    ax = plots.text_to_ids(text, gpt2())
    head, *rows = reading(ax)
    assert head == ["text", text]
    assert [row[0] for row in rows] == ["tokens", "ids"] * 2
    tokens = [gpt2().decode([i]).replace(" ", "␣") for i in ids]
    assert rows[0][1:] + rows[2][1:] == tokens
    assert rows[1][1:] + rows[3][1:] == [str(i) for i in ids]
    drawn = {label.get_text(): label for label in ax.texts if label.get_text() not in head}
    for box, line, token, token_id in zip(boxes(ax), ax.lines, tokens, ids, strict=True):
        assert is_centred(drawn[token], box)
        below = drawn[str(token_id)].get_position()[0]
        assert below == drawn[token].get_position()[0] == line.get_xdata()[0]


def test_vocabulary_growth_counts_distinct_tokens() -> None:
    n, distinct = len(TOKENS), len(set(TOKENS))
    ax = plots.vocabulary_growth(TOKENS)
    curve, new, end = ax.lines
    assert list(curve.get_xdata()) == [*range(n + 1)]
    for read in (0, 1, 17, 700, n):
        assert curve.get_ydata()[read] == len(set(TOKENS[:read]))
    assert points(new) == [[0, 0], [n, n]]
    assert points(end) == [[n, distinct]]
    assert texts(ax) == ["if every token\nwere new", "348 distinct\nin 1,402 tokens"]
    assert ax.texts[0].xy[0] == ax.texts[0].xy[1]
    assert list(ax.texts[1].xy) == points(end)[0]


def test_rank_frequency_draws_all_counts_in_falling_order() -> None:
    ax = plots.rank_frequency(TOKENS)
    ranks, counts = ax.lines[0].get_data()
    assert list(ranks) == [*range(1, 349)]
    assert list(counts) == sorted((TOKENS.count(token) for token in set(TOKENS)), reverse=True)
    assert points(ax.lines[1]) == [[rank, counts[0] / rank] for rank in ranks]
    law, *dots, once = ax.texts
    assert texts(ax) == [
        "highest count / rank", "comma", "the", "and", "a", "161 of 348 occur once",
    ]  # fmt: skip
    assert [dot.xy for dot in dots] == [(rank, counts[rank - 1]) for rank in (1, 2, 4, 8)]
    assert law.xy == (6, counts[0] / 6)
    assert once.xy == (348, 1)


@pytest.mark.filterwarnings("ignore:Glyph")  # no typeface draws a control character
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
    assert texts(plots.rank_frequency(tokens))[1:-1] == names


def test_sentence_path_draws_bytes_ids_and_the_sum_of_two_vectors_by_one_scale() -> None:
    generator = np.random.default_rng(0)
    token_table, position_table = generator.normal(size=(348, 8)), generator.normal(size=(9, 8))
    ids = TOKENIZER.encode(SENTENCE)
    ax = plots.sentence_path(SENTENCE, TOKENIZER, token_table, position_table)
    assert reading(ax)[1:] == [
        [word, word.encode().hex(" "), str(token_id), "+", "="]
        for word, token_id in zip(SENTENCE.split(), ids, strict=True)
    ]
    token, position = token_table[ids], position_table
    scale = np.abs([token, position, token + position]).max()
    for i, row in enumerate(grid(ax)):
        vectors = token[i], position[i], token[i] + position[i]
        colors = plots.TOKEN, plots.POSITION, plots.INPUT
        for place, (vector, color) in enumerate(zip(vectors, colors, strict=True)):
            shown = numbers(row[8 * place : 8 * place + 8], color, scale)
            assert shown == pytest.approx(vector)


def test_sentence_path_draws_a_space_as_a_mark_and_may_use_every_row() -> None:
    ids = gpt2().encode("I see")
    tables = np.ones((max(ids) + 1, 2)), np.ones((2, 2))
    rows = reading(plots.sentence_path("I see", gpt2(), *tables))
    assert rows[-1][:3] == ["␣see", "20 73 65 65", str(ids[1])]
