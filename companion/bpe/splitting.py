"""How `companion.bpe` cuts a text into words."""

import functools
import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from companion._runs import find_runs
from companion.patterns import WHITE_SPACE, category, pieces, read_pattern

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The regular expression that cuts a text into GPT-2's words."""

O200K_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# The words of these patterns are the whole text: nothing is left between two of them.
WHOLE_TEXT_PATTERNS = (GPT2_PATTERN, O200K_PATTERN)

_S = WHITE_SPACE


def cutters(pattern: str) -> tuple[Callable[[str], Iterable[str]], Callable[[str], list[str]]]:
    """Return a function that cuts a text into runs, and one that cuts a run into words."""
    if pattern in WHOLE_TEXT_PATTERNS:
        run, border, words_of = _gpt2() if pattern == GPT2_PATTERN else _o200k()
        return functools.partial(find_runs, run, border), words_of
    # Any other pattern may look around its words, so a word can only be found in the whole text.
    return _words_by(pattern), lambda word: [word]


# The two patterns in two steps, with Python's own `re`, which is some three times as fast. First
# cut runs, then words. No word crosses from one run into another, so the ids of a run can be
# remembered; only a new run is cut into words. A border is a place where no run crosses either.


Expressions: TypeAlias = tuple[re.Pattern[str], re.Pattern[str], Callable[[str], list[str]]]


@functools.cache
def _gpt2() -> Expressions:
    letter, number = category("L"), category("N")
    word = rf"'(?:s|t|re|ve|m|ll|d)| ?[{letter}]+| ?[{number}]+| ?[^{_S}{letter}{number}]+|[{_S}]+"
    # A run is of no white space, with the space before it, or of white space alone, which leaves
    # its last character to the text that follows.
    return (
        re.compile(rf" ?[^{_S}]++|[{_S}]+(?![^{_S}])|[{_S}]+"),
        re.compile(rf"[^{_S}](?=[{_S}])"),
        re.compile(word).findall,
    )


@functools.cache
def _o200k() -> Expressions:
    either = "".join(map(category, ("Lm", "Lo", "M")))
    word = _o200k_word(
        letter=category("L"),
        number=category("N"),
        upper=category("Lu") + category("Lt") + either,
        lower=category("Ll") + either,
    )
    # To find that a character is in none of the hundreds of ranges takes ten times as long.
    ascii_word = _o200k_word(letter="A-Za-z", number="0-9", upper="A-Z", lower="a-z")
    # Here a word may go on over a line break, as in ".\n". A run starts at a space that follows no
    # white space, because a word holds such a space only as its first character. (With ++ and *+,
    # which never give back what they took, `re` finds the runs a third faster; on the group, Python
    # before 3.11.5 would lose characters.)
    other_space = _S.replace(r"\U00000020", "")
    return (
        re.compile(rf" *+[^ ]++(?:(?<=[{other_space}]) ++[^ ]*+)*| ++"),
        re.compile(rf"[^{_S}](?= )"),
        lambda run: (ascii_word if run.isascii() else word).findall(run),
    )


def _o200k_word(letter: str, number: str, upper: str, lower: str) -> re.Pattern[str]:
    start, end = rf"[^\r\n{letter}{number}]?", "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    return re.compile(
        rf"{start}[{upper}]*[{lower}]+{end}|{start}[{upper}]+[{lower}]*{end}|[{number}]{{1,3}}|"
        rf" ?[^{_S}{letter}{number}]+[\r\n/]*|[{_S}]*[\r\n]+|[{_S}]+(?![^{_S}])|[{_S}]+"
    )


def _words_by(pattern: str) -> Callable[[str], list[str]]:
    """Return a function that cuts a text by a pattern of the caller's own."""
    compiled = read_pattern(pattern)
    # What matches the empty string only beside certain characters, such as \b or (?=a), shows
    # between two characters that the pattern names or that are typical.
    characters = sorted({*pattern, *"aA1 .\né请"})
    pairs = "".join(first + second for first in characters for second in characters)
    if not all([compiled.findall("") == [], *compiled.findall(pairs)]):
        raise ValueError(
            f"pattern {pattern!r} matches the empty string; let it match at least one character, "
            "with + instead of *"
        )
    return lambda text: [word for word, _ in pieces(compiled.finditer, text)]
