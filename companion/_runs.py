"""Runs of text, the parts that are encoded one by one: found, counted, and their ids remembered."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    words_of: Callable[[str], Iterable[str]] = lambda run: [run],
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


class RunMemory:
    """The ids of each run of text so far; `encode` gives those of a new one.

    Memory stays bounded: long runs, which hardly ever come again, are not kept, and when there
    are too many runs, all are forgotten.
    """

    MAX_RUNS = 65_536
    MAX_LENGTH = 128

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        self._encode = encode
        self._known: dict[str, Sequence[int]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._encode,)  # a copy for another process starts empty

    def ids_of(self, runs: Iterable[str]) -> list[int]:
        """Return the ids of runs, joined."""
        ids: list[int] = []
        for run in runs:
            found = self._known.get(run)
            if found is None:
                found = self._encode(run)
                if len(run) <= self.MAX_LENGTH:
                    if len(self._known) >= self.MAX_RUNS:
                        self._known.clear()
                    self._known[run] = found
            ids += found
        return ids
