"""How `companion.bpe` encodes: cut the text into words, then merge the bytes of each word."""

import heapq
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise

from companion._bpe_files import BYTE_IDS
from companion._checks import require_text
from companion._subword import character_class, find_runs

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The regular expression (of the package `regex`) that cuts a text into GPT-2's words."""

# White space as Unicode defines it. The \s of `re` would add U+001C to U+001F, which are not
# white space to GPT-2.
_S = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_L, _N = character_class("letter"), character_class("number")
# GPT-2's pattern in two steps, with Python's own `re`, which is some three times as fast. First
# cut runs: of no white space, with the space before it, or of white space alone, which leaves its
# last character to the text that follows. No word crosses from one run into another, so the ids
# of a run can be remembered; only a new run is cut into words.
_RUN = re.compile(rf" ?[^{_S}]+|[{_S}]+(?![^{_S}])|[{_S}]+")
_BORDER = re.compile(rf"[^{_S}](?=[{_S}])")
_WORD = re.compile(rf"'(?:s|t|re|ve|m|ll|d)| ?[{_L}]+| ?[{_N}]+| ?[^{_S}{_L}{_N}]+|[{_S}]+")
# Patterns that `re` and `regex` read alike, but for white space: letters, digits, spaces, \s and
# \S, each at most with a + or a ?, and alternatives of them.
_SIMPLE = re.compile(r"(?:(?:[A-Za-z0-9 ]|\\[sS])[+?]?|\|)+")


def cutters(
    pattern: str,
) -> tuple[Callable[[str], Iterable[str]], Callable[[str], list[str]]]:
    """Return a function that cuts a text into runs, and one that cuts a run into words."""
    if pattern == GPT2_PATTERN:
        return partial(find_runs, _RUN, _BORDER), _WORD.findall
    # Any other pattern may look around its words, so a word can only be found in the whole text.
    return _words_by(pattern), lambda word: [word]


def needs_regex(pattern: str) -> bool:
    r"""Return whether the package `regex` is needed to cut a text by a pattern.

    Examples
    --------
    >>> needs_regex(GPT2_PATTERN), needs_regex(r" ?\S+|\s+"), needs_regex(r"\w+|\W")
    (False, False, True)
    """
    return pattern != GPT2_PATTERN and not _SIMPLE.fullmatch(pattern)


def _compiled_by_regex(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that `re` would not read, or would read differently."""
    try:
        import regex  # here, because GPT-2's pattern does without
    except ImportError as error:
        raise ImportError(
            "a pattern of your own needs the package regex: pip install regex"
        ) from error
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"pattern {pattern!r} is no regular expression: {error}") from error
    if compiled.flags & regex.REVERSE:
        raise ValueError(f"pattern {pattern!r} searches backwards; leave (?r) out")
    found: re.Pattern[str] = compiled
    return found


def _words_by(pattern: str) -> Callable[[str], list[str]]:
    """Return a function that cuts a text by a pattern of the caller's own."""
    require_text(pattern, "pattern")
    if needs_regex(pattern):
        compiled = _compiled_by_regex(pattern)
    else:
        compiled = re.compile(pattern.replace(r"\s", f"[{_S}]").replace(r"\S", f"[^{_S}]"))
    # What matches the empty string only beside certain characters, such as \b or (?=a), shows
    # between two characters that the pattern names or that are typical.
    characters = sorted({*pattern, *"aA1 .\né请"})
    pairs = "".join(first + second for first in characters for second in characters)
    if compiled.fullmatch("") or not all(match.group() for match in compiled.finditer(pairs)):
        raise ValueError(
            f"pattern {pattern!r} matches the empty string; let it match at least one character, "
            "with + instead of *"
        )

    def words(text: str) -> list[str]:
        found, end = [], 0
        for match in compiled.finditer(text):
            found += [text[end : match.start()], match.group()]
            end = match.end()
        return [word for word in [*found, text[end:]] if word]

    return words


def merged(word: bytes, ranks: Mapping[tuple[int, int], int], results: Sequence[int]) -> list[int]:
    """Merge the bytes of one word: always the pair of the lowest rank, and of equals the leftmost.

    Looking at all pairs before each merge would take time with the square of the word's length.
    Here the positions of possible merges wait in a heap, and each symbol that is left knows its
    neighbours, so a merge costs the same in a word of any size.
    `ranks` has the rank of each pair of ids that merges, `results` the id that each rank makes.
    """
    symbols = [BYTE_IDS[byte] for byte in word]
    after = [i + 1 for i in range(len(symbols))]
    before = [i - 1 for i in range(len(symbols))]
    heap = [
        (rank, i)
        for i, pair in enumerate(pairwise(symbols))
        if (rank := ranks.get(pair)) is not None
    ]
    heapq.heapify(heap)
    while heap:
        rank, i = heapq.heappop(heap)
        j = after[i]
        # One of the two may have merged with its other neighbour since this entry was made.
        if j == len(symbols) or ranks.get((symbols[i], symbols[j])) != rank:
            continue
        symbols[i] = results[rank]
        symbols[j] = -1  # gone: no pair contains -1
        after[i] = after[j]
        if after[j] < len(symbols):
            before[after[j]] = i
        for k in (before[i], i):
            if k >= 0 and after[k] < len(symbols):
                new_rank = ranks.get((symbols[k], symbols[after[k]]))
                if new_rank is not None:
                    heapq.heappush(heap, (new_rank, k))
    return [symbol for symbol in symbols if symbol >= 0]
