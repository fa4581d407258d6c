"""What is remembered of runs of text changes nothing."""

from hypothesis import given
from hypothesis import strategies as st

from companion._runs import RunMemory


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
