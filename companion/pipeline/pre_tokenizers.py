"""Pre-tokenizers: a text is cut into pre-tokens, over whose ends no token reaches.

Each is called with a piece of text, and with whether this piece begins the whole text. It returns
the pieces of it, with an empty one in front where the beginning of the text is dropped.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from companion._unicode import category
from companion.bpe.splitting import GPT2_PATTERN
from companion.patterns import RUST_WORD, WHITE_SPACE, pieces
from companion.pipeline.normalizers import byte_signs
from companion.pipeline.parts import Cut, made, pattern_of, sign
from companion.wordpiece.cleaning import words_of

PreTokenize: TypeAlias = Callable[[str, bool], list[str]]

_S, _P, _N = WHITE_SPACE, category("bert-punctuation"), category("N")


def pre_tokenizer(part: object) -> PreTokenize:
    """Return the pre-tokenizer of a file; with null, a text is one pre-token."""
    return made("pre-tokenizer", part, _KINDS) if part is not None else Sequence([])


# GPT-2's pattern cuts, and each byte of a piece becomes its sign.
@dataclass
class ByteLevel:
    add_prefix_space: bool = True
    use_regex: bool = True  # false if a `Split` came before

    def __post_init__(self) -> None:
        self._split = Split({"Regex": GPT2_PATTERN}, "Isolated")

    def __call__(self, text: str, begins: bool) -> list[str]:
        if self.add_prefix_space and not text.startswith(" "):
            text = f" {text}"
        return [*map(byte_signs, self._split(text, begins) if self.use_regex else [text])]


# A space becomes a sign, one more sign comes before the text, and pieces begin with it.
@dataclass
class Metaspace:
    replacement: str = "▁"
    prepend_scheme: str = "always"
    split: bool = True
    add_prefix_space: bool = True  # in older files, for the scheme

    def __post_init__(self) -> None:
        mark = re.escape(sign("replacement", self.replacement))
        self.prepend_scheme = checked_scheme(self.prepend_scheme, self.add_prefix_space)
        self._pieces = re.compile(f"{mark}[^{mark}]*|[^{mark}]+")

    def __call__(self, text: str, begins: bool) -> list[str]:
        text = text.replace(" ", self.replacement)
        wants = self.prepend_scheme == "always" or (self.prepend_scheme == "first" and begins)
        if wants and not text.startswith(self.replacement):
            text = self.replacement + text
        return self._pieces.findall(text) if self.split else [text]


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


def _cutter(cut: Cut, behavior: str) -> Callable[[str], list[str]]:
    """Return the function that treats the matches of a pattern in one of five ways."""
    if behavior not in _JOINS:
        raise ValueError(f"'behavior' is {behavior!r}; it must be one of {', '.join(_JOINS)}")
    joins, is_removed = _JOINS[behavior], behavior == "Removed"

    def pieces_of(text: str) -> list[str]:
        found: list[str] = []
        before = False
        for piece, now in cut(text):
            if found and joins(before, now):
                found[-1] += piece
            else:
                found.append("" if now and is_removed else piece)
            before = now
        return found

    return pieces_of


class _Cutting:
    """What a pre-tokenizer with a pattern does: it cuts, wherever the piece stands."""

    _cut: Callable[[str], list[str]]

    def __call__(self, text: str, begins: bool) -> list[str]:
        return self._cut(text)


def _each(characters: str) -> Cut:
    """Return the cut whose matches are single characters of a class."""
    return partial(pieces, re.compile(f"[{characters}]").finditer)


# A pattern cuts; with `invert`, what is between its matches counts as the match.
@dataclass
class Split(_Cutting):
    pattern: dict[str, str]
    behavior: str
    invert: bool = False

    def __post_init__(self) -> None:
        cut = pattern_of(self.pattern)
        self._cut = _cutter(
            lambda text: ((piece, found != self.invert) for piece, found in cut(text)),
            self.behavior,
        )


# Each sign of punctuation is a match.
@dataclass
class Punctuation(_Cutting):
    behavior: str = "Isolated"

    def __post_init__(self) -> None:
        self._cut = _cutter(_each(_P), self.behavior)


# A run of digits is a pre-token, or each of them.
@dataclass
class Digits(_Cutting):
    individual_digits: bool = False

    def __post_init__(self) -> None:
        self._cut = _cutter(_each(_N), "Isolated" if self.individual_digits else "Contiguous")


# A character cuts, and goes.
@dataclass
class CharDelimiterSplit(_Cutting):
    delimiter: str

    def __post_init__(self) -> None:
        self._cut = _cutter(_each(re.escape(sign("delimiter", self.delimiter))), "Removed")


_NO_SPACE = re.compile(f"[^{_S}]+")
_WORD_OR_SIGNS = re.compile(f"[{RUST_WORD}]+|[^{RUST_WORD}{_S}]+")


def _kept(pattern: re.Pattern[str], text: str, begins: bool) -> list[str]:
    """Keep what matches, and drop what is between."""
    found = pattern.findall(text)
    return found if pattern.match(text) else ["", *found]


# Several pre-tokenizers: each cuts the pieces of the one before.
@dataclass
class Sequence:
    pretokenizers: list[Any]

    def __post_init__(self) -> None:
        self.pretokenizers = [*map(pre_tokenizer, self.pretokenizers)]

    def __call__(self, text: str, begins: bool) -> list[str]:
        found = [text]
        for each in self.pretokenizers:
            cut = [piece for i, old in enumerate(found) for piece in each(old, begins and i == 0)]
            begins = begins and cut[:1] != [""]
            found = [*filter(None, cut)]
        return found if begins else ["", *found]


def _bert(text: str, begins: bool) -> list[str]:
    return words_of(text) if _NO_SPACE.match(text) else ["", *words_of(text)]


# The last three have no settings, and drop white space: `Whitespace` takes runs of word characters
# and runs of others, `BertPreTokenizer` each sign of punctuation by itself.
_KINDS = {
    "ByteLevel": ByteLevel, "Split": Split, "Metaspace": Metaspace, "Digits": Digits,
    "Punctuation": Punctuation, "CharDelimiterSplit": CharDelimiterSplit, "Sequence": Sequence,
    "WhitespaceSplit": partial(_kept, _NO_SPACE), "Whitespace": partial(_kept, _WORD_OR_SIGNS),
    "BertPreTokenizer": _bert,
}  # fmt: skip
