"""Pre-tokenizers: a text is cut into pre-tokens, over whose ends no token reaches.

Each is a list of steps. A step cuts a piece of text into pieces, which the next step cuts further.
It is told whether the piece begins the text, and puts an empty piece first where it drops the
beginning; empty pieces are left out in the end.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import TypeAlias

from companion._bert_text import words_of
from companion._unicode import category
from companion.bpe.splitting import GPT2_PATTERN, WHOLE_TEXT_PATTERNS, cutters
from companion.patterns import RUST_WORD, WHITE_SPACE
from companion.pipeline.normalizers import byte_signs
from companion.pipeline.parts import Cut, Part, field, made, pattern_of, sign

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
        steps.append(_built_in(GPT2_PATTERN))
    return [*steps, lambda text, begins: [byte_signs(text)]]


def _built_in(pattern: str) -> Step:
    """Return the step for a pattern that `companion.bpe` reads faster."""
    runs_of, words_of = cutters(pattern)
    return lambda text, begins: [word for run in runs_of(text) for word in words_of(run)]


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


def _split(part: Part) -> list[Step]:
    cut, behavior = pattern_of(part), field(part, "behavior", str)
    if field(part, "invert", bool, False):
        return [_pieces(lambda text: ((piece, not found) for piece, found in cut(text)), behavior)]
    pattern = part["pattern"].get("Regex")
    is_built_in = behavior == "Isolated" and pattern in WHOLE_TEXT_PATTERNS
    return [_built_in(pattern) if is_built_in else _pieces(cut, behavior)]


def _pieces(cut: Cut, behavior: str) -> Step:
    """Return the step that treats the matches of a pattern in one of five ways."""
    if behavior == "Removed":
        return lambda text, begins: ["" if found else piece for piece, found in cut(text)]
    if behavior == "Isolated":
        return lambda text, begins: [piece for piece, _ in cut(text)]
    if behavior == "Contiguous":
        return lambda text, begins: [
            "".join(piece for piece, _ in group)
            for _, group in groupby(cut(text), key=lambda item: item[1])
        ]
    if behavior not in ("MergedWithPrevious", "MergedWithNext"):
        raise ValueError(f"the behavior {behavior!r} is not supported")
    forward = behavior == "MergedWithPrevious"

    def joined(text: str, begins: bool) -> list[str]:
        pieces: list[str] = []
        follows = False
        for piece, found in cut(text) if forward else reversed(list(cut(text))):
            if found and not follows and pieces:
                pieces[-1] = pieces[-1] + piece if forward else piece + pieces[-1]
            else:
                pieces.append(piece)
            follows = found
        return pieces if forward else pieces[::-1]

    return joined


def _each(characters: str, behavior: str) -> list[Step]:
    """Return the step that treats each character of a class as a match of its own."""
    whole = re.compile(f"([{characters}])|[^{characters}]+")
    return [
        _pieces(lambda text: ((m[0], m[1] is not None) for m in whole.finditer(text)), behavior)
    ]


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
        category("N"),
        "Isolated" if field(part, "individual_digits", bool, False) else "Contiguous",
    ),
    "Punctuation": lambda part: _each(_P, field(part, "behavior", str, "Isolated")),
    "CharDelimiterSplit": lambda part: _each(re.escape(sign(part, "delimiter")), "Removed"),
    "Sequence": lambda part: [
        step for each in field(part, "pretokenizers", list) for step in pre_tokenizer(each)
    ],
}
