"""Runs of text: none is lost, and what is remembered of them changes nothing."""

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion._runs import RunMemory
from companion.patterns import blocks

RUN, BORDER = re.compile(r" ?[a-z]+"), re.compile(r"[a-z](?= )")


@pytest.mark.parametrize("length", [4_095, 4_096, 4_097])
def test_no_run_is_cut_or_lost_where_a_block_ends(length: int) -> None:
    text = f"{'x' * length} a {'ab ' * length}"
    found = [RUN.findall(block) for block in blocks(text, BORDER)]
    assert len(found) > 1
    assert [*chain.from_iterable(found)] == RUN.findall(text)


@given(st.lists(st.text("ab", max_size=3), max_size=30), st.integers(1, 4))
def test_memory_never_changes_an_answer_nor_grows_beyond_its_limit(
    runs: list[str], limit: int
) -> None:
    memory = RunMemory(lambda run: [len(run)])
    memory.MAX_RUNS = limit
    assert memory.ids_of(runs) == [len(run) for run in runs]
    assert memory.ids_of(["x" * 10_000]) == [10_000]
    assert len(memory._known) <= limit
    assert "x" * 10_000 not in memory._known
