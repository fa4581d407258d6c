"""Texts that are hard on a tokenizer, the same in every run."""

import random
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

import pytest

SURROGATES = range(0xD800, 0xE000)
SPACES = " \t\n\r\x0b\x0c\x1c\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"
BLOCKS = [range(0x21, 0x7F), range(0x250), range(0x300, 0x370), range(0x3000), range(0x10000),
          range(0x1F300, 0x1FB00), range(sys.maxunicode + 1)]  # fmt: skip
WORDS = [
    "the", "The", "unbelievability", "strawberries", "don't", "DON'T", "we'll've", "it's", "naïve",
    "İstanbul", "ΣΊΣΥΦΟΣ", "straße", "ﬁn", "e\u0301", "Å", "1234567", "３½²", "<|endoftext|>",
    "[CLS]", "[MASK]", "##ing", "👍🏽", "👨\u200d👩\u200d👧", "请问", "𠮷", "日本語",
    "नमस्ते", "שלום", "สวัสดี",
]  # fmt: skip


def random_texts(n: int, seed: int, *, surrogates: bool) -> Iterator[str]:
    """Yield texts of up to thirty parts, from plain words to any code point at all."""
    rng = random.Random(seed)
    parts: list[Callable[[], str]] = [
        lambda: rng.choice(WORDS),
        lambda: rng.choice(WORDS) + " ",
        lambda: rng.choice(SPACES) * rng.choice([1, 1, 2, 3, 9]),
        *(lambda block=block: chr(rng.choice(block)) for block in BLOCKS),
        *[lambda: chr(rng.choice(SURROGATES))] * surrogates,
    ]
    for _ in range(n):
        text = "".join(rng.choice(parts)() for _ in range(rng.randrange(30)))
        yield text if surrogates else "".join(c for c in text if ord(c) not in SURROGATES)


QUICK_AND_SLOW = pytest.mark.parametrize("n", [500, pytest.param(20_000, marks=pytest.mark.slow)])
ALL_QUICK_AND_SLOW = pytest.mark.parametrize("every", [37, pytest.param(1, marks=pytest.mark.slow)])


@cache
def all_characters(every: int) -> list[str]:
    """Return every character of Unicode, surrogates left out.

    Of the million code points that have no meaning, or a private one, only every so many: they are
    treated alike, and take six times as long as all the others.
    """
    characters = (chr(c) for c in range(sys.maxunicode + 1) if c not in SURROGATES)
    return [
        character
        for character in characters
        if ord(character) % every == 0 or unicodedata.category(character) not in {"Cn", "Co"}
    ]
