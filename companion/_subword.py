"""What the two subword tokenizers share: the characters they see, and a memory for their work."""

from collections.abc import Callable
from importlib.resources import files

# White space as Unicode has it, and as the patterns below are written: the \s of `re` adds
# U+001C to U+001F, which are white space neither to GPT-2 nor to BERT.
UNICODE_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


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
