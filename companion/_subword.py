"""What the subword tokenizers share: classes of characters, runs of text, counts, a memory."""

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from companion._checks import require_text
from companion._files import bundled

_CLASSES_SHA256 = "2782cf6038ceb88453b44da815a27f09700126890c0d3e4e7989e8fba8da46be"


def valid_unicode(text: str) -> str:
    """Return a text that UTF-8 can encode, as `tiktoken` makes it.

    Two surrogates that belong together become their character, a lone one becomes U+FFFD.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


@functools.cache
def _character_classes() -> dict[str, str]:
    lines = bundled("unicode-classes.txt", _CLASSES_SHA256).decode().splitlines()
    named = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {name: ranges for name, _, ranges in named}


def character_class(name: str) -> str:
    """Return the inside of a regular expression's ``[...]`` for a class of characters.

    The classes are those of ``data/unicode-classes.txt``, which says what they mean. With
    `unicodedata` instead, another version of Python would give other ids.
    """
    return "".join(
        "-".join(f"\\U{int(end, 16):08x}" for end in part.split("-"))
        for part in _character_classes()[name].split()
    )


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
    text: str | Iterable[str],
    runs_of: Callable[[str], Iterable[str]],
    words_of: Callable[[str], Iterable[str]],
) -> Counter[str]:
    """Count the distinct words: "to be or not to be" -> {"to": 1, " be": 2, ..., " to": 1}.

    A run that occurs many times is cut into words once.
    """
    run_counts: Counter[str] = Counter()
    for i, part in enumerate([text] if isinstance(text, str) else text):
        require_text(part, f"string {i} of text")
        run_counts.update(runs_of(part))
    word_counts: Counter[str] = Counter()
    for run, count in run_counts.items():
        for word in words_of(run):
            word_counts[word] += count
    return word_counts


class RunMemory(dict[str, tuple[int, ...]]):
    """The ids of each run of text so far, so that the ids of a common word are computed once.

    `compute` gives the ids of a run that is new. Memory stays bounded: long runs, which hardly
    ever come again, are not kept, and when there are too many runs, all are forgotten.
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
