"""Pre-tokenizers: a text is cut into pre-tokens, over whose ends no token reaches."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from companion.bpe.splitting import GPT2_PATTERN
from companion.patterns import RUST_WORD, WHITE_SPACE, pieces
from companion.unicode import category
from companion.wordpiece.cleaning import words_of
from inspector.normalizers import byte_signs
from inspector.parts import Cut, Kinds, one_of, pattern_of, sign

PreTokenize: TypeAlias = Callable[[str], list[str]]
SCHEMES = ("always", "first", "never")  # where `Metaspace` puts its sign before a text


def _byte_level(add_prefix_space: bool = True, use_regex: bool = True) -> PreTokenize:
    # Cut with GPT-2's pattern, unless a `Split` came before, and write the signs of bytes.
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
    # Write a sign for each space, put one before the text, and cut before each.
    # The scheme "first" puts it only before what `begins` the whole text. Older files have
    # `add_prefix_space` for the scheme.
    mark = re.escape(sign("replacement", replacement))
    pattern = re.compile(f"{mark}[^{mark}]*|[^{mark}]+")
    scheme = one_of("prepend_scheme", prepend_scheme, SCHEMES)
    is_marked = add_prefix_space and (scheme == "always" or (scheme == "first" and begins))

    def cut(text: str) -> list[str]:
        text = text.replace(" ", replacement)
        if is_marked and not text.startswith(replacement):
            text = replacement + text
        return pattern.findall(text) if split else [text]

    return cut


# Where a piece joins the one before it: whether that matches the pattern, and whether it does.
_JOINS: dict[str, tuple[tuple[bool, bool], ...]] = {
    "Isolated": (), "Removed": (), "Contiguous": ((True, True), (False, False)),
    "MergedWithPrevious": ((False, True),), "MergedWithNext": ((True, False),),
}  # fmt: skip


def _split(pattern: dict[str, str], behavior: str, invert: bool = False) -> PreTokenize:
    return _cutting(pattern_of(pattern), behavior, invert)


def _cutting(pattern: Cut, behavior: str, invert: bool = False) -> PreTokenize:
    # Treat the matches of a pattern in one of five ways; or with `invert` what is between.
    joins, is_removed = _JOINS[one_of("behavior", behavior, _JOINS)], behavior == "Removed"

    def cut(text: str) -> list[str]:
        found: list[str] = []
        before = False
        for piece, matches in pattern(text):
            now = matches != invert
            if found and (before, now) in joins:
                found[-1] += piece
            elif not (now and is_removed):
                found.append(piece)
            before = now
        return found

    return cut


def _sequence(pretokenizers: list[Any]) -> PreTokenize:
    # Run several pre-tokenizers: each cuts the pieces of the one before.
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


_SIGNS = partial(pieces, re.compile(f"[{category('bert-punctuation')}]").finditer)

KINDS: Kinds = {
    None: lambda: lambda text: [text],
    "ByteLevel": _byte_level, "Metaspace": _metaspace, "Split": _split, "Sequence": _sequence,
    # These cut at each digit, or only at the ends of a run; at each sign; at a sign that goes.
    "Digits": lambda individual_digits=False: _split(
        {"Regex": r"\p{N}"}, "Isolated" if individual_digits else "Contiguous"),
    "Punctuation": lambda behavior="Isolated": _cutting(_SIGNS, behavior),
    "CharDelimiterSplit": lambda delimiter: _split(
        {"String": sign("delimiter", delimiter)}, "Removed"),
    # These drop white space, and take what is between; runs of word characters and runs of others;
    # words and single signs of punctuation.
    "WhitespaceSplit": lambda: re.compile(f"[^{WHITE_SPACE}]+").findall,
    "Whitespace": lambda: re.compile(f"[{RUST_WORD}]+|[^{RUST_WORD}{WHITE_SPACE}]+").findall,
    "BertPreTokenizer": lambda: words_of,
}  # fmt: skip
