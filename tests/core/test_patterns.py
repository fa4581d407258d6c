"""Patterns: each reading against its own engine, `tokenizers` (Oniguruma) and `tiktoken`."""

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
import tiktoken
import tokenizers
from refusals import refused
from texts import ALL_QUICK_AND_SLOW, WORDS, all_characters, random_texts
from tokenizer_files import PUBLISHED
from tokenizers.pre_tokenizers import Split

from companion.patterns import Reading, pieces, read_pattern
from companion.unicode import _classes

# What else can be read, a few in each.
OTHERS = {
    "lines": r"^\p{Zs}+|\p{L}+$|\A.|.\z|[^\n]",
    "words": r"\b\w+\b|\B\W|[\w']|[^\W²]",
    "any case": r"(?i)ask|top|[a-f]|[^k\s]",
    "any case in a group": r"(?i:a|(?:k)|[b'])[sx]|b|(?i:x)a",
    "braces": r"a{2}?b|a{1,2}?|(?:\p{N}+){2}+|\p{N}{2,}+|\s{1,2}+ |{|}|]|b{,2}c",
    "classes": r"[]a]|[\p{L}&&[^a-z]\P{Lu}]|\P{L}\p{han}|[^a-c[^b]]|\x41\u00e9\x{4E00}|[a-]",
    "rounds": r"(?:\s?\n+|b{1,2}){2}+|(?:ab?)++|(?:\d|\d\d){2,}+",
    "look around": r"(?<=\p{L})\p{N}(?!\p{N})|(?<!\s)\s|(?=\p{L}).(?>\p{L}+)\p{L}?|(?<n>x)(?P<m>y)",
}
READINGS: tuple[Reading, ...] = ("tokenizers", "tiktoken")
CASES = [
    pytest.param(pattern.replace("(?P<m>y)", "(y)"), reading, id=f"{name}-{reading}")
    for name, pattern in (PUBLISHED | OTHERS).items()
    for reading in READINGS
    if (name, reading) != ("SuperBPE", "tiktoken")  # an empty match ends it
]
BORDERS = [
    *"aAbBfiIkKlmrsStTvxyzZ0129٣²½Ⅷⓐ🄰 \t\n\r\x0b\x0c\x1c\x1f\x85\xa0\u1680\u2003\u2028\u2029",
    *"\u3000\u200b\u200c\u200d\ufeff'’.,!?/()|[]{}_-…。،`~$+<=>^ſ\u212aKéÉßǅʰª请日カ가각ไक\u0301\u0345",
    *"\u0308ιΩ👍🏽𠮷𝟗\0\x1b\ue000", *WORDS, "123", "1234", "'s", "'LL", "\r\n", "\n\n", "   ",
    "ABC", "中文", "IMGIMGABZ", "ask", "TOP", "xA",
]  # fmt: skip


def hard_texts(n: int, seed: int) -> list[str]:
    """Return texts of borders, and some with any character at all; no surrogates."""
    rng = random.Random(seed)
    made = ("".join(rng.choices(BORDERS, k=rng.randrange(1, 20))) for _ in range(n))
    return [*made, *random_texts(n // 2, seed, surrogates=False)]


def differing(pattern: str, reading: Reading, texts: Sequence[str]) -> list[str]:
    """Return the texts in which the engine finds other words."""
    ours = read_pattern(pattern, reading=reading)
    if reading == "tokenizers":
        theirs = Split(tokenizers.Regex(pattern), "isolated").pre_tokenize_str
        cuts = [[p for p, _ in pieces(ours.finditer, text) if p] for text in texts]
        return [t for t, cut in zip(texts, cuts, strict=True) if cut != [w for w, _ in theirs(t)]]
    # tiktoken tells no words, but tokens. Each word is made a token, and each two neighbours are:
    # so a token is a word, unless its words are others.
    words = [[match.encode() for match in ours.findall(text)] for text in texts]
    tokens = {bytes([byte]): None for byte in range(256)}
    for found in words:
        tokens |= dict.fromkeys([*found, *map(b"".join, pairwise(found))])
    ranks = {token: rank for rank, token in enumerate(tokens)}
    encoding = tiktoken.Encoding("", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    cut = encoding.decode_tokens_bytes
    pairs = zip(texts, words, strict=True)
    return [text for text, found in pairs if found != cut(encoding.encode_ordinary(text))]


@pytest.mark.parametrize("n", [150, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("pattern", "reading"), CASES)
def test_the_words_are_those_of_the_engine(pattern: str, reading: Reading, n: int) -> None:
    assert differing(pattern, reading, hard_texts(n, seed=len(pattern))) == []


CLASSES = [*(rf"\p{{{name}}}" for name in _classes() if name != "Cs" and "-" not in name),
           r"\p{C}", r"\p{L}", r"\P{N}", r"\s", r"\d", r"\w", r"[\w]", r"[^\W]", ".",
           "(?i:[a-z])", "(?i:[^k])"]  # fmt: skip
CLASSES.remove(r"\p{White_Space}")


@ALL_QUICK_AND_SLOW
@pytest.mark.parametrize("reading", READINGS)
def test_the_classes_are_those_of_the_engines(reading: Reading, every: int) -> None:
    text = "".join(all_characters(every)[:: min(every, 10)])
    for pattern in CLASSES if every == 1 else CLASSES[::4]:
        assert differing(pattern, reading, [text]) == [], pattern


@pytest.mark.parametrize(
    ("pattern", "text"), [("b*", "abba"), ("(?=b)|b", "abb"), (r"$|\n", "a\n")]
)
def test_empty_matches(pattern: str, text: str) -> None:
    assert differing(pattern, "tokenizers", [text, text * 2, f"c{text}c"]) == []


UNREADABLE = r"""
(a a) [a [a- [] a\ *a {2} a** a{2}{3} (?=a)+ \b? (?x)a (?s). (?m:^a) (?-i:a) a(?i)b (?R) (?#n)
(?(1)) (?P=) (?|a) (?~a) [\b] [[:alpha:]] \pL \p{Emoji} \p{Script=Han} \x{110000} (a)\1 (a)\k
(a)\G (a)\X (a)\Z
[a-\d] [\w-a] [b-a] [a-[b]] [a--b]] [a~~b]] [a&&] [a&&&&b] (?<=a|bc)d (?<=a+)d a{3,1}
a{9999999999999} (?i)é (?i)[à-é] (?i)[\p{Lu}] (?i)\p{L}
"""
BOTH = [*UNREADABLE.split(), "(" * 5_000, "[" * 5_000]
ONLY = {"tokenizers": ["(?i)ss", "(?i)ff", "(?i)fi", "(?i)st", r"\xe9"], "tiktoken": [r"\<a"]}


@pytest.mark.parametrize("reading", READINGS)
def test_what_would_be_read_otherwise_is_refused(reading: Reading) -> None:
    for pattern in (*BOTH, *ONLY[reading]):
        with pytest.raises(ValueError, match="cannot be read"):
            pytest.fail(f"reads {read_pattern(pattern, reading=reading)}")


ANY: Any = read_pattern

test_a_refusal_names_the_place_and_the_way_out = refused(
    [
        (lambda: ANY("(a"), ValueError, "pattern '(a' has a ( without its ), which cannot be"),
        (lambda: ANY(b"a"), TypeError, "pattern must be a string, not bytes"),
        (lambda: ANY("a", reading="re"), ValueError, "'tokenizers' or 'tiktoken', not 're'"),
    ]
)
