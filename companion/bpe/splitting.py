"""How `companion.bpe` splits a text into words: where a regular expression says so."""

import functools
from collections.abc import Callable, Iterator

from companion.patterns import Pattern, read_pattern

# As in `split` of the chapter `bpe`, a word is:
GPT2_PATTERN = (
    r"'s|'t|'re|'ve|'m|'ll|'d"  # an ending,
    r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"  # letters, numbers or signs, one space in front,
    r"|\s+(?!\S)"  # spaces but the last, which goes with the next word,
    r"|\s+"  # or other white space.
)
"""The regular expression that cuts a text into GPT-2's words."""

O200K_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# The words of these patterns are the whole text: nothing is left between two of them. And a text
# can be cut before a space that follows another character: a word holds such a space only in front.
WHOLE_TEXT_PATTERNS = (GPT2_PATTERN, O200K_PATTERN)


def splitter(pattern: str) -> Callable[[str], Iterator[str]]:
    """Return the function that splits a text into words by a pattern."""
    # In short it is `compiled.findall`; `words` also keeps what is between two matches.
    compiled = read_pattern(pattern)
    _require_no_empty_match(compiled, pattern)
    return functools.partial(compiled.words, in_blocks=pattern in WHOLE_TEXT_PATTERNS)


def _require_no_empty_match(compiled: Pattern, pattern: str) -> None:
    """Refuse a pattern that matches the empty string: such a word would have no token."""
    # Some patterns do so only beside certain characters, such as \b or (?=a): try it between every
    # two characters that it names or that are typical.
    characters = sorted({*pattern, *"aA1 .\né请"})
    pairs = "".join(first + second for first in characters for second in characters)
    if any(match == "" for probe in ("", pairs) for match in compiled.findall(probe)):
        raise ValueError(f"pattern {pattern!r} matches the empty string; write + instead of *")
