"""Runs of text, the parts that are encoded one by one: found, counted, and their ids remembered."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, repeat
from typing import Any

from companion._checks import at_least, require_text, shortened


def find_runs(run: re.Pattern[str], border: re.Pattern[str], text: str) -> Iterator[str]:
    """Find the runs of a text block by block, so that they are never all in memory at once.

    A block ends only where `border` matches; no run may cross such a place.
    """

    def blocks() -> Iterator[list[str]]:
        start = 0
        while start < len(text):
            found = border.search(text, start + 65_536)
            end = found.end() if found else len(text)
            yield run.findall(text, start, end)
            start = end

    return chain.from_iterable(blocks())


def count_words(
    text: str | Iterable[str] | Mapping[str, int],
    runs_of: Callable[[str], Iterable[str]],
    words_of: Callable[[str], Iterable[str]],
) -> Counter[str]:
    """Count the distinct words: "to be or not to be" -> {"to": 1, " be": 2, ..., " to": 1}.

    A run that occurs many times is cut into words once. A mapping says how often each text counts.
    """
    run_counts: Counter[str] = Counter()
    parts = [text] if isinstance(text, str) else text
    counted = parts.items() if isinstance(parts, Mapping) else zip(parts, repeat(1))
    for i, (part, times) in enumerate(counted):
        require_text(part, f"string {i} of text")
        if times == 1:
            run_counts.update(runs_of(part))
            continue
        at_least(1, times, f"the count of {shortened(part)}")
        for run in runs_of(part):
            run_counts[run] += times
    word_counts: Counter[str] = Counter()
    for run, count in run_counts.items():
        for word in words_of(run):
            word_counts[word] += count
    return word_counts


class RunMemory(dict[str, tuple[int, ...]]):
    """The ids of each run of text so far; `compute` gives those of a new one.

    Memory stays bounded: long runs, which hardly ever come again, are not kept, and when there
    are too many runs, all are forgotten.
    """

    MAX_RUNS = 65_536
    MAX_LENGTH = 128

    def __init__(self, compute: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._compute = compute

    def ids_of(self, runs: Iterable[str]) -> list[int]:
        """Return the ids of runs, joined."""
        return list(chain.from_iterable(map(self.__getitem__, runs)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._compute,)  # a copy for another process starts empty

    def __missing__(self, run: str) -> tuple[int, ...]:
        ids = self._compute(run)
        if len(run) <= self.MAX_LENGTH:
            if len(self) >= self.MAX_RUNS:
                self.clear()
            self[run] = ids
        return ids
