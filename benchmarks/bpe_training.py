"""Learn BPE merges: the companion, `tokenizers`, and the algorithms of most tutorials.

    python benchmarks/bpe_training.py

The slow ones run to the end on a tenth of the text. On all of it they do their first merges only;
what all would take is their time multiplied, and marked so.
"""

import json
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import regex
from _measure import Contender, Row, compare, english, report
from tiktoken import _educational
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from companion.bpe import BYTE_TO_UNICODE, GPT2_PATTERN, train_bpe

Merges = list[tuple[bytes, bytes]]
UNICODE_TO_BYTE = {character: byte for byte, character in BYTE_TO_UNICODE.items()}
BYTE_ORDER = [UNICODE_TO_BYTE[character] for character in sorted(UNICODE_TO_BYTE)]
FIRST_MERGES = 10


def companion(text: str, vocab_size: int) -> Callable[[], Any]:
    """Learn with `companion.bpe`."""
    return lambda: train_bpe(text, vocab_size).merges


def compiled_tokenizers(text: str, vocab_size: int) -> Callable[[], Any]:
    """Learn with `tokenizers`."""

    def run() -> Merges:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator([text], trainer)
        merges = json.loads(tokenizer.to_str())["model"]["merges"]
        return [(as_bytes(left), as_bytes(right)) for left, right in merges]

    return run


def as_bytes(token: str) -> bytes:
    """Read a token that is written in the stand-ins of its bytes."""
    return bytes(UNICODE_TO_BYTE[character] for character in token)


def full_recount(text: str, vocab_size: int) -> Callable[[], Any]:
    """Learn as most tutorials do: count all pairs of the text for each merge, and rewrite it."""

    def run() -> Merges:
        words = [
            [BYTE_ORDER.index(byte) for byte in word.encode()]
            for word in regex.findall(GPT2_PATTERN, text)
        ]
        tokens = [bytes([byte]) for byte in BYTE_ORDER]
        merges = []
        for new in range(256, vocab_size):
            counts: dict[tuple[int, int], int] = {}
            for word in words:
                for pair in pairwise(word):
                    counts[pair] = counts.get(pair, 0) + 1
            left, right = min(counts, key=lambda pair: (-counts[pair], pair))
            words = [replaced(word, (left, right), new) for word in words]
            merges.append((tokens[left], tokens[right]))
            tokens.append(tokens[left] + tokens[right])
        return merges

    return run


def replaced(word: list[int], pair: tuple[int, int], new: int) -> list[int]:
    """Replace a pair in one word."""
    result = []
    i = 0
    while i < len(word):
        if i + 1 < len(word) and word[i] == pair[0] and word[i + 1] == pair[1]:
            result.append(new)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return result


def educational(text: str, vocab_size: int) -> Callable[[], Any]:
    """Learn with the trainer that `tiktoken` carries for teaching; its ties go another way."""

    def run() -> None:
        _educational.bpe_train(text, vocab_size, GPT2_PATTERN, visualise=None)

    return run


def with_size(vocab_size: int, *learners: Callable[..., Any]) -> dict[str, Contender]:
    """Fix the size for some of the learners."""
    return {NAMES[learner]: partial(learner, vocab_size=vocab_size) for learner in learners}


NAMES = {
    companion: "companion",
    compiled_tokenizers: "tokenizers (compiled)",
    full_recount: "full recount (most tutorials)",
    educational: "tiktoken, educational",
}


def first_merges_only(text: str, vocab_size: int, ours: Row) -> list[Row]:
    """Estimate what the slow ones would take, from their first merges."""
    slow = with_size(256 + FIRST_MERGES, full_recount, educational)
    rows = compare(ours.task, text, slow, rounds=1)
    for row in rows:
        row.seconds *= (vocab_size - 256) / FIRST_MERGES
        row.ratio = row.seconds / ours.seconds
        row.note = f"extrapolated from {FIRST_MERGES} of {vocab_size - 256:,} merges"
    return rows


def main() -> None:
    """Run all and report."""
    text = english(1_000_000)
    tenth = text[: len(text) // 10]
    task = "0.1 MB, 500 ids"
    rows = compare(
        task,
        tenth,
        with_size(500, companion, compiled_tokenizers, full_recount),
        rounds=3,
        same=list,
    )
    slowest = compare(task, tenth, with_size(500, educational), rounds=3)[0]
    slowest.ratio = slowest.seconds / rows[0].seconds
    rows.append(slowest)
    for size in (1_000, 5_000):
        fast = with_size(size, companion, compiled_tokenizers)
        both = compare(f"1 MB, {size:,} ids", text, fast, rounds=9, same=list)
        rows += both + first_merges_only(text, size, both[0])
    report("bpe_training", text, rows, ["tokenizers", "tiktoken", "regex"])


if __name__ == "__main__":
    main()
