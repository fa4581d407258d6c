"""What the two subword tokenizers share: the characters they see, and a memory for their work."""

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from itertools import chain


def valid_unicode(text: str) -> str:
    """Return a text that UTF-8 can hold, as `tiktoken` makes it.

    Two surrogates that belong together become their character, a lone one becomes U+FFFD.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def character_class(name: str) -> str:
    """Return the inside of a regular expression's ``[...]`` for a class of characters.

    The classes are those of ``data/unicode-classes.txt``, which says what they mean. Asking
    `unicodedata` instead would give other ids under another version of Python.
    """
    lines = files("companion").joinpath("data", "unicode-classes.txt").read_text("ascii")
    for line in lines.splitlines():
        found, _, ranges = line.partition(" ")
        if found == name:
            return "".join(
                "-".join(f"\\U{int(end, 16):08x}" for end in part.split("-"))
                for part in ranges.split()
            )
    raise ValueError(f"there is no class of characters {name!r} in unicode-classes.txt")


def find_runs(run: re.Pattern[str], border: re.Pattern[str], text: str) -> Iterator[str]:
    """Find the runs of a text, block by block, so that they never lie in memory all at once.

    A block may end only where `border` matches, which no run may cross.
    """

    def blocks() -> Iterator[list[str]]:
        start = 0
        while start < len(text):
            found = border.search(text, start + 65_536)
            end = found.end() if found else len(text)
            yield run.findall(text, start, end)
            start = end

    return chain.from_iterable(blocks())


class RunMemory(dict[str, tuple[int, ...]]):
    """The ids of each run of text met so far, so that a common word is worked out once.

    Look a run up; if it is new, its ids are computed and kept. Memory stays bounded: long runs
    hardly come again and are not kept, and when there are too many runs all are forgotten.

    Parameters
    ----------
    compute : callable
        Gives the ids of a run.
    """

    MAX_RUNS = 65_536
    MAX_LENGTH = 64

    def __init__(self, compute: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, run: str) -> tuple[int, ...]:
        """Compute the ids of a run that is not there."""
        ids = self._compute(run)
        if len(run) <= self.MAX_LENGTH:
            if len(self) >= self.MAX_RUNS:
                self.clear()
            self[run] = ids
        return ids
