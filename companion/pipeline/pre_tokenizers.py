"""Pre-tokenizers: a text is cut into pre-tokens, over whose ends no token reaches.

Each is a list of steps. A step cuts a piece of text into pieces, which the next step cuts further.
It is told whether the piece begins the text, and puts an empty piece first where it drops the
beginning; empty pieces are left out in the end.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from companion._unicode import category
from companion.bpe import GPT2_PATTERN
from companion.patterns import RUST_WORD, WHITE_SPACE
from companion.pipeline.normalizers import byte_signs
from companion.pipeline.parts import Cut, Part, field, made, pattern_of, sign
from companion.wordpiece import words_of

Step: TypeAlias = Callable[[str, bool], list[str]]

_S, _P = WHITE_SPACE, category("bert-punctuation")


def pre_tokenizer(part: object) -> list[Step]:
    """Return the steps of a file's pre-tokenizer; with null, a text is one pre-token."""
    return made("pre-tokenizer", part, _MAKERS) if part is not None else []


def pre_tokens(steps: Iterable[Step], text: str, begins: bool) -> list[str]:
    """Cut a stretch of text, which begins the whole text or not, step by step."""
    pieces = [text]
    for step in steps:
        found = [new for i, old in enumerate(pieces) for new in step(old, begins and i == 0)]
        begins = begins and found[:1] != [""]
        pieces = list(filter(None, found))
    return pieces


def _byte_level(part: Part) -> list[Step]:
    def spaced(text: str, begins: bool) -> list[str]:
        return [text if text.startswith(" ") else f" {text}"]

    steps: list[Step] = [spaced] if field(part, "add_prefix_space", bool, True) else []
    if field(part, "use_regex", bool, True):
        steps.append(_pieces(pattern_of({"pattern": {"Regex": GPT2_PATTERN}}), "Isolated"))
    return [*steps, lambda text, begins: [byte_signs(text)]]


def _metaspace(part: Part) -> list[Step]:
    mark, scheme = sign(part, "replacement", "▁"), prepend_scheme(part)
    is_split = field(part, "split", bool, True)
    pieces_of = re.compile("{0}[^{0}]*|[^{0}]+".format(re.escape(mark))).findall

    def marked(text: str, begins: bool) -> list[str]:
        text = text.replace(" ", mark)
        if (scheme == "always" or (scheme == "first" and begins)) and not text.startswith(mark):
            text = mark + text
        return pieces_of(text) if is_split else [text]

    return [marked]


def prepend_scheme(part: Part) -> str:
    """Return where `Metaspace` puts its sign before a text: always, first or never."""
    scheme = field(part, "prepend_scheme", str, "always")
    if scheme not in ("always", "first", "never"):
        raise ValueError(f"'prepend_scheme' is {scheme!r}; it must be always, first or never")
    return scheme if field(part, "add_prefix_space", bool, True) else "never"


# Whether a piece is joined to the one before it; each of them matches the pattern or does not.
_JOINS: Mapping[str, Callable[[bool, bool], bool]] = {
    "Isolated": lambda before, now: False,
    "Removed": lambda before, now: False,
    "Contiguous": operator.eq,
    "MergedWithPrevious": lambda before, now: now and not before,
    "MergedWithNext": lambda before, now: before and not now,
}


def _pieces(cut: Cut, behavior: str) -> Step:
    """Return the step that treats the matches of a pattern in one of five ways."""
    if behavior not in _JOINS:
        raise ValueError(f"'behavior' is {behavior!r}; it must be one of {', '.join(_JOINS)}")
    joins, is_removed = _JOINS[behavior], behavior == "Removed"

    def step(text: str, begins: bool) -> list[str]:
        pieces: list[str] = []
        before = False
        for piece, found in cut(text):
            if pieces and joins(before, found):
                pieces[-1] += piece
            else:
                pieces.append("" if found and is_removed else piece)
            before = found
        return pieces

    return step


def _split(part: Part) -> list[Step]:
    cut, turned = pattern_of(part), field(part, "invert", bool, False)
    behavior = field(part, "behavior", str)
    return [_pieces(lambda text: ((each, found != turned) for each, found in cut(text)), behavior)]


def _each(characters: str, behavior: str) -> list[Step]:
    """Return the step that treats each character of a class as a match of its own."""
    find = re.compile(f"([{characters}])|[^{characters}]+").finditer
    return [_pieces(lambda text: ((m[0], m[1] is not None) for m in find(text)), behavior)]


def _kept(pattern: str) -> list[Step]:
    """Return the step that keeps what matches and drops what is between."""
    compiled = re.compile(pattern)
    found = compiled.findall
    return [lambda text, begins: found(text) if compiled.match(text) else ["", *found(text)]]


_MAKERS: Mapping[str, Callable[[Part], list[Step]]] = {
    "ByteLevel": _byte_level,
    "Split": _split,
    "BertPreTokenizer": lambda part: [lambda text, begins: words_of(text)],
    "Metaspace": _metaspace,
    "Whitespace": lambda part: _kept(rf"[{RUST_WORD}]+|[^{RUST_WORD}{_S}]+"),
    "WhitespaceSplit": lambda part: _kept(rf"[^{_S}]+"),
    "Digits": lambda part: _each(
        category("N"), ("Contiguous", "Isolated")[field(part, "individual_digits", bool, False)]
    ),
    "Punctuation": lambda part: _each(_P, field(part, "behavior", str, "Isolated")),
    "CharDelimiterSplit": lambda part: _each(re.escape(sign(part, "delimiter")), "Removed"),
    "Sequence": lambda part: [
        step for each in field(part, "pretokenizers", list) for step in pre_tokenizer(each)
    ],
}
