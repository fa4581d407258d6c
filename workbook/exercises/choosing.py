"""Exercises of the chapter `choosing`."""

from collections.abc import Callable
from functools import partial
from typing import Any

from companion.bpe import BPETokenizer, gpt2, o200k, train_bpe
from companion.story import SENTENCE, load_story
from workbook.exercises._grading import Exercise, Mistake

GREEK = "Μια φορά κι έναν καιρό ήταν τέσσερα μικρά κουνελάκια"
CHINESE = "从前有四只小兔子"


def _n_tokens(text: str) -> int:
    return len(gpt2().encode(text))


def _factors(
    text: str, reference: str, size: Any = str.encode,
    second: Callable[[float, float], float] = lambda larger, price: price / larger,
) -> tuple[float, float]:  # fmt: skip
    larger = len(size(text)) / len(size(reference))
    return larger, second(larger, _n_tokens(text) / _n_tokens(reference))


def _saving(text: str) -> float:
    return 1 - len(o200k().encode(text)) / _n_tokens(text)


def _shared(first: BPETokenizer, second: BPETokenizer) -> int:
    return len(first.vocab.keys() & second.vocab.keys())


def _group(digits: str) -> list[str]:
    ends = range(len(digits) % 3 or 3, len(digits) + 1, 3)
    return [digits[max(end - 3, 0) : end] for end in ends]


def _used(text: str, vocab_size: int) -> tuple[int, int, int]:
    """Count learned tokens, those of them that come up, and the bytes that come up."""
    tokenizer = train_bpe(text, vocab_size)
    used = set(tokenizer.encode(text))
    n_bytes = sum(token_id < 256 for token_id in used)
    return tokenizer.n_vocab - 256, len(used) - n_bytes, n_bytes


def _idle(text: str, vocab_size: int) -> tuple[int, int]:
    n_learned, n_used, n_bytes = _used(text, vocab_size)
    return n_learned - n_used, 256 - n_bytes


_RABBITS = train_bpe("four little rabbits, été", 275, special_tokens=["<|end|>"])
_HEDGEHOGS = train_bpe("four hedgehogs sit, naïf", 275, special_tokens=["<|end|>"])
_LEFT = BPETokenizer([(b"a", b"b"), (b"ab", b"c")])
_RIGHT = BPETokenizer([(b"b", b"c"), (b"a", b"bc")])  # the same token from other parts

EXERCISES = [
    Exercise("choosing.scripts", "One sentence, five scripts", topic="bytes and merges", level=2,
        minutes=15, right=_factors, tolerance=1e-3,
        cases=[(GREEK, SENTENCE), (CHINESE, SENTENCE), (SENTENCE, GREEK), ("café", "coffee")],
        hint="It takes two texts and returns two numbers.",
        mistakes=[
            Mistake(partial(_factors, size=str),
                    "The first factor compares bytes of UTF-8, and len(text) counts characters."),
            Mistake(partial(_factors, second=lambda larger, price: price),
                    "The second number is the price; divide it by the first."),
            Mistake(partial(_factors, second=lambda larger, price: larger / price),
                    "The second factor is upside down: fewer bytes per token cost more."),
        ]),
    Exercise("choosing.digits", "1234567", topic="digits", level=1, first=True, minutes=10,
        right=_group,
        cases=[("1234567",), ("12345678",), ("123456",), ("12",), ("2024",), ("007123",),
               ("1000000",), ("12345678901",)],
        mistakes=[
            Mistake(lambda digits: [digits[i : i + 3] for i in range(0, len(digits), 3)],
                    "These groups are counted from the left: the short one must come first."),
            Mistake(lambda digits: [*[""][len(digits) % 3 :], *_group(digits)],
                    "If all groups have three digits, do not add an empty string."),
            Mistake(lambda digits: f"{int(digits):,}".split(","),
                    "Zeros at the front are digits, too: cut the string, not the number."),
        ]),
    Exercise("choosing.saving", "What did o200k save?", topic="compression", level=1, first=True,
        minutes=10, right=_saving, tolerance=1e-3, asks="which returns a number",
        cases=[(GREEK,), (SENTENCE,), ("2019 and 2024",), ("    return 2 * x",)],
        mistakes=[
            Mistake(lambda text: 1 / (1 - _saving(text)) - 1,
                    "You divide by o200k's tokens; divide what is saved by GPT-2's."),
            Mistake(lambda text: round(_saving(text) * _n_tokens(text)),
                    "That is how many tokens are saved; divide it by GPT-2's."),
        ]),
    Exercise("choosing.shared", "Tokens that both know", topic="vocabularies", level=1, minutes=10,
        right=_shared, asks="which returns a count",
        cases=[(_RABBITS, _HEDGEHOGS), (_HEDGEHOGS, _RABBITS), (_RABBITS, _RABBITS),
               (_LEFT, _RIGHT)],
        mistakes=[
            Mistake(lambda a, b: len(set(a.vocab.items()) & set(b.vocab.items())),
                    "The same token may have another id in the other vocabulary; compare bytes."),
            Mistake(lambda a, b: _shared(a, b) + 1, "Special tokens do not count."),
        ]),
    Exercise("choosing.untouched", "Rows that are never read", topic="unused tokens",
        level=2, minutes=20, right=_idle,
        cases=[(load_story(), 600), (load_story(), 300), ("Rabbits, Rabbits", 258),
               ("a aaaa", 400)],
        hint="It takes a text and a vocabulary size, and returns two numbers.",
        mistakes=[
            Mistake(lambda text, size: (size - 256 - _used(text, size)[1], _idle(text, size)[1]),
                    "A short text may run out of pairs, so there may be fewer ids: see n_vocab."),
            Mistake(lambda text, size: (_idle(text, size)[0], 256 - len(set(text.encode()))),
                    "A byte may be part of a merge wherever it occurs: look at the ids."),
        ]),
]  # fmt: skip
