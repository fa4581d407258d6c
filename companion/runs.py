"""Runs of text, the parts that are encoded one by one: counted, and their ids remembered."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Generic, TypeVar

from companion.checks import at_least, require_text


def count_words(
    text: str | Iterable[str] | Mapping[str, int], split: Callable[[str], Iterable[str]]
) -> Counter[str]:
    """Count the distinct words: "to be or not to be" -> {"to": 1, " be": 2, ..., " to": 1}."""
    # A mapping says how often each text counts.
    counts: Counter[str] = Counter()
    parts = [text] if isinstance(text, str) else text
    counted = parts.items() if isinstance(parts, Mapping) else zip(parts, repeat(1))
    for i, (part, times) in enumerate(counted):
        require_text(part, f"string {i} of text")
        at_least(1, times, f"the count of string {i} of text")
        for word in split(part):
            counts[word] += times
    return counts


Made = TypeVar("Made")  # an id, or a token with its id


class RunMemory(Generic[Made]):
    """The ids of each run of text so far; `encode` gives those of a new one.

    Long runs hardly ever come again and are not kept. When there are too many, all are forgotten.
    """

    MAX_RUNS = 65_536
    MAX_LENGTH = 128

    def __init__(self, encode: Callable[[str], Sequence[Made]]) -> None:
        self._encode = encode
        self._known: dict[str, Sequence[Made]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_known": {}}  # a copy for another process remembers nothing yet

    def ids_of(self, runs: Iterable[str]) -> list[Made]:
        """Return the ids of runs, joined."""
        ids: list[Made] = []
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
