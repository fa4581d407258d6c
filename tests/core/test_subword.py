"""What the subword tokenizers share."""

import copy
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from companion._subword import RunMemory, character_class, count_words, find_runs, valid_unicode

RUN, BORDER = re.compile(r" ?[a-z]+"), re.compile(r"[a-z](?= )")


def test_valid_unicode_is_left_as_it_is() -> None:
    for text in ("", "plain", "caf\u00e9 \U0001f600 \ufffd \x00"):
        assert valid_unicode(text) == text


def test_surrogates_become_characters_or_the_replacement_character() -> None:
    assert valid_unicode("a\ud83d\ude00b") == "a\U0001f600b"  # two that belong together
    assert valid_unicode("a\ud83db") == "a\ufffdb"
    assert valid_unicode("\ude00\ud83d") == "\ufffd\ufffd"  # in the wrong order
    # A character beyond U+FFFF beside a lone one, and a mark that UTF-16 could take for its own.
    assert valid_unicode("\ufeff\U0001f600\ud83d") == "\ufeff\U0001f600\ufffd"


def test_classes_of_characters_are_the_insides_of_brackets() -> None:
    letter = re.compile(f"[{character_class('letter')}]")
    number = re.compile(f"[{character_class('number')}]")
    assert all(letter.fullmatch(character) for character in "aZ\u00e9\u03b1\u4e2d")
    assert not any(letter.fullmatch(character) for character in "1 -_\u00bd")
    assert all(number.fullmatch(character) for character in "09\u00bd\u0663")
    assert not any(number.fullmatch(character) for character in "a -")
    # Eight digits each, so that no digit after them is taken for a part of the number.
    assert re.fullmatch(r"(\\U[0-9a-f]{8}(-\\U[0-9a-f]{8})?)+", character_class("mark"))


def test_runs_of_one_block_and_of_none() -> None:
    assert list(find_runs(RUN, BORDER, "a bc def")) == ["a", " bc", " def"]
    assert list(find_runs(RUN, BORDER, "")) == []


@pytest.mark.parametrize("length", [65_534, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073])
def test_no_run_is_cut_or_lost_where_a_block_ends(length: int) -> None:
    long = "x" * length
    text = f"{long} a {long} b"
    assert list(find_runs(RUN, BORDER, text)) == [long, " a", f" {long}", " b"]
    words = "ab " * length
    assert list(find_runs(RUN, BORDER, words)) == RUN.findall(words)


def test_a_block_ends_at_the_first_border_after_65_536_characters() -> None:
    seen: list[tuple[int, int]] = []

    class Run:
        def findall(self, text: str, start: int, end: int) -> list[str]:
            seen.append((start, end))
            return RUN.findall(text, start, end)

    runs: Iterator[str] = find_runs(Run(), BORDER, "ab " * 50_000)  # type: ignore[arg-type]
    assert seen == []  # nothing is read before it is asked for
    next(runs)
    assert seen == [(0, 65_537)]  # "ab ab a", cut after the "b" that a space follows
    list(runs)
    assert seen == [(0, 65_537), (65_537, 131_075), (131_075, 150_000)]


# ------------------------------------------------------------------------------ counts


def doubled(text: Any, cut: list[str]) -> Counter[str]:
    """Count words, where each run at white space is two words."""

    def words_of(run: str) -> list[str]:
        cut.append(run)
        return [run, run]

    return count_words(text, str.split, words_of)


@pytest.mark.parametrize("text", ["ab c ab", ["ab c", "ab"], ["ab", "c ab", ""]])
def test_a_run_is_cut_into_words_once(text: Any) -> None:
    cut: list[str] = []
    assert doubled(text, cut) == {"ab": 4, "c": 2}
    assert cut == ["ab", "c"]


test_what_is_refused = refused(
    [
        (lambda: doubled(b"ab", []), TypeError,
         "text must be a string or an iterable of strings, not bytes: b'ab'"),
        (lambda: doubled(7, []), TypeError,
         "text must be a string or an iterable of strings, not int: 7"),
        (lambda: doubled(["a", 7], []), TypeError, "string 1 of text must be a string, not int: 7"),
    ]
)  # fmt: skip


# ------------------------------------------------------------------------------ memory


class Computed:
    """Gives each run its length as an id, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, run: str) -> tuple[int, ...]:
        self.asked.append(run)
        return (len(run),)


def test_a_run_is_computed_once() -> None:
    compute = Computed()
    memory = RunMemory(compute)
    assert [memory[run] for run in ("a", "bc", "a", "bc")] == [(1,), (2,), (1,), (2,)]
    assert compute.asked == ["a", "bc"]


def test_ids_are_joined_and_a_copy_starts_empty() -> None:
    memory = RunMemory(Computed())
    assert memory.ids_of(["a", "bc", "a"]) == [1, 2, 1]
    again = copy.copy(memory)
    assert again == {}
    assert again.ids_of(["bc"]) == [2]


def test_long_runs_are_not_kept() -> None:
    compute = Computed()
    memory = RunMemory(compute)
    assert memory["x" * 129] == memory["x" * 129] == (129,)
    assert memory["x" * 128] == memory["x" * 128] == (128,)
    assert compute.asked == ["x" * 129, "x" * 129, "x" * 128]
    assert list(memory) == ["x" * 128]


def test_a_full_memory_forgets_everything() -> None:
    memory = RunMemory(Computed())
    assert memory.MAX_RUNS == 65_536
    memory.MAX_RUNS = 3
    for run in ("a", "b", "c"):
        memory[run]
    assert list(memory) == ["a", "b", "c"]
    assert memory["d"] == (1,)
    assert list(memory) == ["d"]


@given(st.lists(st.text("ab", max_size=3), max_size=30), st.integers(1, 4))
def test_memory_never_changes_an_answer_nor_grows_beyond_its_limit(
    runs: list[str], limit: int
) -> None:
    memory = RunMemory(Computed())
    memory.MAX_RUNS = limit
    for run in runs:
        assert memory[run] == (len(run),)
        assert len(memory) <= limit
