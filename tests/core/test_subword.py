"""What the subword tokenizers share."""

import re
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion._subword import RunMemory, character_class, count_words, find_runs, valid_unicode

RUN, BORDER = re.compile(r" ?[a-z]+"), re.compile(r"[a-z](?= )")


def test_surrogates_become_characters_or_the_replacement_character() -> None:
    assert valid_unicode("caf\u00e9 \U0001f600 \ufffd \x00") == "caf\u00e9 \U0001f600 \ufffd \x00"
    assert valid_unicode("a\ud83d\ude00b") == "a\U0001f600b"  # two that belong together
    assert valid_unicode("\ude00\ud83d") == "\ufffd\ufffd"  # in the wrong order
    # A character beyond U+FFFF beside a lone one, and a mark that UTF-16 could take for its own.
    assert valid_unicode("\ufeff\U0001f600\ud83d") == "\ufeff\U0001f600\ufffd"


def test_classes_of_characters_are_the_insides_of_brackets() -> None:
    for name, inside, outside in [
        ("letter", "aZ\u00e9\u03b1\u4e2d", "1 -_\u00bd"),
        ("number", "09\u00bd\u0663", "a -"),
    ]:
        assert re.fullmatch(f"[{character_class(name)}]+", inside)
        assert re.fullmatch(f"[^{character_class(name)}]+", outside)


@pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 131_072])
def test_no_run_is_cut_or_lost_where_a_block_ends(length: int) -> None:
    long = "x" * length
    text = f"{long} a {long} b"
    assert list(find_runs(RUN, BORDER, text)) == [long, " a", f" {long}", " b"]
    words = "ab " * length
    assert list(find_runs(RUN, BORDER, words)) == RUN.findall(words)


@pytest.mark.parametrize("text", ["ab c ab", ["ab c", "ab"], iter(["ab", "c ab", ""])])
def test_a_run_is_cut_into_words_once(text: str | Iterable[str]) -> None:
    cut: list[str] = []

    def words_of(run: str) -> list[str]:
        cut.append(run)
        return [run, run]

    assert count_words(text, str.split, words_of) == Counter(ab=4, c=2)
    assert cut == ["ab", "c"]


@given(st.lists(st.text("ab", max_size=3), max_size=30), st.integers(1, 4))
def test_memory_never_changes_an_answer_nor_grows_beyond_its_limit(
    runs: list[str], limit: int
) -> None:
    memory = RunMemory(lambda run: (len(run),))
    memory.MAX_RUNS = limit
    assert memory.ids_of(runs) == [len(run) for run in runs]
    assert len(memory) <= limit
    assert memory.ids_of(["x" * 10_000]) == [10_000]
    assert "x" * 10_000 not in memory
