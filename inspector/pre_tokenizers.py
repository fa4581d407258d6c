"""Pre-tokenizers: a text is cut into pre-tokens, over whose ends no token reaches.

Each is called with a piece of text, and with how many of its characters stand for the first one of
the whole text: none, if the piece does not begin it.
"""

import operator
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from companion.bpe.splitting import GPT2_PATTERN
from companion.patterns import RUST_WORD, WHITE_SPACE, pieces
from companion.unicode import category
from companion.wordpiece.cleaning import words_of
from inspector.normalizers import byte_signs
from inspector.parts import Cut, Kinds, Stage, made, pattern_of, sign

PreTokenize: TypeAlias = Callable[[str, int], list[str]]

_S, _P, _N = WHITE_SPACE, category("bert-punctuation"), category("N")


def pre_tokenizer(part: object) -> Stage:
    """Return the pre-tokenizer of a file; with null, a text is one pre-token."""
    return made("pre-tokenizer", part, _KINDS)


def _byte_level(add_prefix_space: bool = True, use_regex: bool = True) -> PreTokenize:
    """Cut with GPT-2's pattern, unless a `Split` came before, and write the signs of bytes."""
    split = _split({"Regex": GPT2_PATTERN}, "Isolated")

    def cut(text: str, first: int) -> list[str]:
        if add_prefix_space and not text.startswith(" "):
            text = f" {text}"
        return [*map(byte_signs, split(text, first) if use_regex else [text])]

    return cut


def _metaspace(
    replacement: str = "▁",
    prepend_scheme: str = "always",
    split: bool = True,
    add_prefix_space: bool = True,
) -> PreTokenize:
    """Write a sign for each space, put one before the text, and cut before each.

    Older files have `add_prefix_space` for the scheme.
    """
    mark = re.escape(sign("replacement", replacement))
    scheme = checked_scheme(prepend_scheme, add_prefix_space)
    pattern = re.compile(f"{mark}[^{mark}]*|[^{mark}]+")

    def cut(text: str, first: int) -> list[str]:
        text = text.replace(" ", replacement)
        wants = scheme == "always" or (scheme == "first" and first > 0)
        if wants and not text.startswith(replacement):
            text = replacement + text
        return pattern.findall(text) if split else [text]

    return cut


def checked_scheme(scheme: str, add_prefix_space: bool) -> str:
    """Return where `Metaspace` puts its sign before a text: always, first or never."""
    if scheme not in ("always", "first", "never"):
        raise ValueError(f"'prepend_scheme' is {scheme!r}; it must be always, first or never")
    return scheme if add_prefix_space else "never"


# Whether a piece is joined to the one before it; each of them matches the pattern or does not.
_JOINS: dict[str, Callable[[bool, bool], bool]] = {
    "Isolated": lambda before, now: False,
    "Removed": lambda before, now: False,
    "Contiguous": operator.eq,
    "MergedWithPrevious": lambda before, now: now and not before,
    "MergedWithNext": lambda before, now: before and not now,
}


def _cutting(pattern: Cut, behavior: str, invert: bool = False) -> PreTokenize:
    """Treat the matches of a pattern in one of five ways; or with `invert` what is between."""
    if behavior not in _JOINS:
        raise ValueError(f"'behavior' is {behavior!r}; it must be one of {', '.join(_JOINS)}")
    joins, is_removed = _JOINS[behavior], behavior == "Removed"

    def cut(text: str, first: int) -> list[str]:
        found: list[str] = []
        before = False
        for piece, matches in pattern(text):
            now = matches != invert
            if found and joins(before, now):
                found[-1] += piece
            elif not (now and is_removed):
                found.append(piece)
            before = now
        return found

    return cut


def _split(pattern: dict[str, str], behavior: str, invert: bool = False) -> PreTokenize:
    """Cut with a pattern."""
    return _cutting(pattern_of(pattern), behavior, invert)


def _each(characters: str) -> Cut:
    """Return the cut whose matches are single characters of a class."""
    return partial(pieces, re.compile(f"[{characters}]").finditer)


def _punctuation(behavior: str = "Isolated") -> PreTokenize:
    """Cut at each sign of punctuation."""
    return _cutting(_each(_P), behavior)


def _digits(individual_digits: bool = False) -> PreTokenize:
    """Make a pre-token of a run of digits, or of each of them."""
    return _cutting(_each(_N), "Isolated" if individual_digits else "Contiguous")


def _delimiter(delimiter: str) -> PreTokenize:
    """Cut at a character, which goes."""
    return _cutting(_each(re.escape(sign("delimiter", delimiter))), "Removed")


_NO_SPACE = re.compile(f"[^{_S}]+")
_WORD_OR_SIGNS = re.compile(f"[{RUST_WORD}]+|[^{RUST_WORD}{_S}]+")


def _kept(pattern: re.Pattern[str], text: str, first: int) -> list[str]:
    """Keep what matches, and drop what is between."""
    return pattern.findall(text)


def _sequence(pretokenizers: list[Any]) -> PreTokenize:
    """Run several pre-tokenizers: each cuts the pieces of the one before."""

    def cut(text: str, first: int) -> list[str]:
        found, firsts = [text], [first]  # these belong to the pieces in front
        for each in pretokenizers:
            old, counts, found, firsts = found, firsts, [], []
            for text, n in zip(old, counts, strict=False):
                pieces = each(text, n)
                firsts += _firsts(text, n, pieces, each.kind == "ByteLevel") if n else []
                found += pieces
            found += [piece for text in old[len(counts) :] for piece in each(text, 0)]
        return found

    return cut


def _firsts(text: str, n: int, pieces: list[str], has_bytes: bool) -> Iterator[int]:
    """Yield for each piece that begins the text how many characters stand for the first."""
    # What is put in front stands for it too, and each byte of what stood for it.
    size, at = sum(map(len, pieces)), 0
    n = max(n, size - len(text[n:].encode() if has_bytes else text[n:]))
    for piece in pieces:
        at = text.find(piece, at) if size < len(text) else at  # something is dropped
        if at >= n:
            break
        yield n - at
        at += len(piece)


# The last three drop white space: `Whitespace` takes runs of word characters and runs of others,
# `BertPreTokenizer` each sign of punctuation by itself.
_KINDS: Kinds = {
    "ByteLevel": _byte_level, "Split": _split, "Metaspace": _metaspace, "Digits": _digits,
    "Punctuation": _punctuation, "CharDelimiterSplit": _delimiter, "Sequence": _sequence,
    None: lambda: lambda text, first: [text],
    "WhitespaceSplit": lambda: partial(_kept, _NO_SPACE),
    "Whitespace": lambda: partial(_kept, _WORD_OR_SIGNS),
    "BertPreTokenizer": lambda: lambda text, first: words_of(text),
}  # fmt: skip
