"""The figures of the chapter `words` show its tokens, their ids and their counts."""

import itertools

import matplotlib as mpl
import pytest

mpl.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.patches import FancyBboxPatch, Rectangle

from companion import plots
from companion.bpe import gpt2
from companion.corpus import SENTENCE, load_story
from companion.plots._drawing import MONO
from companion.words import WordTokenizer, build_vocab, tokenize

TOKENIZER = WordTokenizer(build_vocab(load_story()))
TOKENS = tokenize(load_story())
TABLES = np.linspace(-1, 1, 348 * 8).reshape(348, 8), np.linspace(1, -1, 72).reshape(9, 8)


def texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.texts]


def test_text_to_ids_draws_each_token_with_its_id() -> None:
    ax = plots.text_to_ids(SENTENCE, TOKENIZER)
    labels = [text.get_text() for text in ax.texts]
    ids = TOKENIZER.encode(SENTENCE)
    assert labels[:4] == ["text", SENTENCE, "tokens", "ids"]
    assert labels[4::2] == SENTENCE.split()
    assert labels[5::2] == [str(token_id) for token_id in ids]
    assert len([patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]) == len(ids)


def test_text_to_ids_begins_a_new_row_where_the_tokens_are_too_many() -> None:
    once = plots.text_to_ids(SENTENCE, TOKENIZER)
    text = f"{SENTENCE} and there were four little bags"
    twice = plots.text_to_ids(text, TOKENIZER)
    assert [t.get_text() for t in once.texts].count("tokens") == 1
    assert [t.get_text() for t in twice.texts].count("tokens") == 2


def test_text_to_ids_of_an_empty_text_has_no_tokens() -> None:
    labels = [text.get_text() for text in plots.text_to_ids("", TOKENIZER).texts]
    assert labels == ["text", "", "tokens", "ids"]


def test_vocabulary_growth_counts_distinct_tokens() -> None:
    ax = plots.vocabulary_growth(TOKENS)
    distinct = ax.lines[0].get_ydata()
    for n in (0, 1, 17, 700, len(TOKENS)):
        assert distinct[n] == len(set(TOKENS[:n]))
    assert "348 distinct\nin 1,402 tokens" in [text.get_text() for text in ax.texts]


def test_rank_frequency_draws_all_counts_in_falling_order() -> None:
    ax = plots.rank_frequency(TOKENS)
    ranks, counts = ax.lines[0].get_data()
    assert list(ranks) == list(range(1, 349))
    assert sum(counts) == len(TOKENS)
    assert list(counts) == sorted(counts, reverse=True)
    assert counts[1] == TOKENS.count("the")
    assert list(ax.lines[1].get_ydata()) == [counts[0] / rank for rank in ranks]
    labels = [text.get_text() for text in ax.texts]
    assert "161 of 348 occur once" in labels
    assert {"comma", "the", "and", "a"} < set(labels)  # "," alone would look like a speck


def test_no_tokens_are_an_error() -> None:
    for draw in (plots.vocabulary_growth, plots.rank_frequency):
        with pytest.raises(ValueError, match=r"^there are no tokens to draw; "):
            draw([])


def test_sentence_path_draws_bytes_ids_and_the_sum_of_two_vectors() -> None:
    token_table, position_table = TABLES
    ax = plots.sentence_path(SENTENCE, TOKENIZER, token_table, position_table)
    labels = [text.get_text() for text in ax.texts]
    ids = TOKENIZER.encode(SENTENCE)
    for word, token_id in zip(SENTENCE.split(), ids, strict=True):
        i = labels.index(word)
        assert labels[i : i + 3] == [word, word.encode().hex(" "), str(token_id)]
    cells = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert len(cells) == 3 * 9 * 8
    # A larger number is a darker cell: the order of the first input vector is that of the sum.
    vector = token_table[ids[0]] + position_table[0]
    shades = [sum(cell.get_facecolor()[:3]) for cell in cells[16:24]]
    assert list(np.argsort(shades)) == list(np.argsort(-vector))


@pytest.mark.parametrize(
    ("tokens", "positions", "message"),
    [
        ((300, 8), (9, 8), "id 332 has no row in a token table of 300 rows"),
        ((348, 8), (5, 8), "9 tokens need 9 positions, but the position table has 5 rows"),
        (
            (348, 8),
            (9, 4),
            "token vectors of 8 numbers and position vectors of 4 cannot be added; "
            "make the widths equal",
        ),
    ],
)
def test_sentence_path_refuses_tables_that_do_not_fit(
    tokens: tuple[int, int], positions: tuple[int, int], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        plots.sentence_path(SENTENCE, TOKENIZER, np.zeros(tokens), np.zeros(positions))
