"""Pre-tokenizers: a text is cut into pre-tokens, over whose ends no token reaches."""

import operator
import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from companion.bpe.splitting import GPT2_PATTERN
from companion.patterns import RUST_WORD, WHITE_SPACE, pieces
from companion.unicode import category
from companion.wordpiece.cleaning import words_of
from inspector.normalizers import byte_signs
from inspector.parts import Cut, Kinds, Stage, made, pattern_of, sign

PreTokenize: TypeAlias = Callable[[str], list[str]]


def pre_tokenizer(part: object, *, begins: bool = True) -> Stage:
    """Return the pre-tokenizer of a file, for what `begins` a text or for what follows.

    These differ in the scheme "first" of `Metaspace`. With null, a text is one pre-token.
    """
    return made("pre-tokenizer", part, _KINDS, begins=begins)


def _byte_level(add_prefix_space: bool = True, use_regex: bool = True) -> PreTokenize:
    """Cut with GPT-2's pattern, unless a `Split` came before, and write the signs of bytes."""
    split = _split({"Regex": GPT2_PATTERN}, "Isolated")

    def cut(text: str) -> list[str]:
        if add_prefix_space and not text.startswith(" "):
            text = f" {text}"
        return [*map(byte_signs, split(text) if use_regex else [text])]

    return cut


def _metaspace(
    begins: bool,
    replacement: str = "▁",
    prepend_scheme: str = "always",
    split: bool = True,
    add_prefix_space: bool = True,
) -> PreTokenize:
    """Write a sign for each space, put one before the text, and cut before each.

    Older files have `add_prefix_space` for the scheme.
    """
    mark = re.escape(sign("replacement", replacement))
    pattern = re.compile(f"{mark}[^{mark}]*|[^{mark}]+")
    scheme = checked_scheme(prepend_scheme, add_prefix_space)
    is_marked = scheme == "always" or (scheme == "first" and begins)

    def cut(text: str) -> list[str]:
        text = text.replace(" ", replacement)
        if is_marked and not text.startswith(replacement):
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


def _split(pattern: dict[str, str], behavior: str, invert: bool = False) -> PreTokenize:
    """Cut with a pattern."""
    return _cutting(pattern_of(pattern), behavior, invert)


def _cutting(pattern: Cut, behavior: str, invert: bool = False) -> PreTokenize:
    """Treat the matches of a pattern in one of five ways; or with `invert` what is between."""
    if behavior not in _JOINS:
        raise ValueError(f"'behavior' is {behavior!r}; it must be one of {', '.join(_JOINS)}")
    joins, is_removed = _JOINS[behavior], behavior == "Removed"

    def cut(text: str) -> list[str]:
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


def _punctuation(behavior: str = "Isolated") -> PreTokenize:
    """Cut at each sign of punctuation."""
    signs = re.compile(f"[{category('bert-punctuation')}]")
    return _cutting(partial(pieces, signs.finditer), behavior)


def _digits(individual_digits: bool = False) -> PreTokenize:
    """Make a pre-token of a run of digits, or of each of them."""
    return _split({"Regex": r"\p{N}"}, "Isolated" if individual_digits else "Contiguous")


def _delimiter(delimiter: str) -> PreTokenize:
    """Cut at a character, which goes."""
    return _split({"String": sign("delimiter", delimiter)}, "Removed")


def _sequence(pretokenizers: list[Any]) -> PreTokenize:
    """Run several pre-tokenizers: each cuts the pieces of the one before."""
    # Which piece begins the text depends in the library on what each stage before has changed.
    if "prepend_scheme='first'" in repr(pretokenizers[1:]):
        raise ValueError(
            "'prepend_scheme' is 'first' in a Metaspace after another pre-tokenizer; supported "
            "there are always and never"
        )

    def cut(text: str) -> list[str]:
        found = [text]
        for each in pretokenizers:
            found = [piece for part in found for piece in each(part)]
        return found

    return cut


# The last three drop white space: `Whitespace` takes runs of word characters and runs of others,
# `BertPreTokenizer` each sign of punctuation by itself.
_KINDS: Kinds = {
    "ByteLevel": _byte_level, "Split": _split, "Metaspace": _metaspace, "Digits": _digits,
    "Punctuation": _punctuation, "CharDelimiterSplit": _delimiter, "Sequence": _sequence,
    None: lambda: lambda text: [text], "BertPreTokenizer": lambda: words_of,
    "WhitespaceSplit": lambda: re.compile(f"[^{WHITE_SPACE}]+").findall,
    "Whitespace": lambda: re.compile(f"[{RUST_WORD}]+|[^{RUST_WORD}{WHITE_SPACE}]+").findall,
}  # fmt: skip
