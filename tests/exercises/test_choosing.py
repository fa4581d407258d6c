"""The exercises of the chapter `choosing`: right and wrong answers."""

import re

import numpy as np
from answers import Wrong, tried

from companion.bpe import BPETokenizer, gpt2, o200k, train_bpe


def n_bytes(text: str) -> int:
    return sum(1 + (c >= "\x80") + (c >= "\u0800") + (c >= "\U00010000") for c in text)


def n_tokens(text: str) -> int:
    return len(gpt2().encode(text))


def factors(text: str, reference: str) -> tuple[float, float]:
    packed, packed_in_reference = (n_bytes(t) / n_tokens(t) for t in (text, reference))
    return n_bytes(text) / n_bytes(reference), packed_in_reference / packed


def saving(text: str) -> float:
    return (n_tokens(text) - len(o200k().encode(text))) / n_tokens(text)


def shared(first: BPETokenizer, second: BPETokenizer) -> int:
    return sum(token in second.vocab for token in first.vocab)


def group(digits: str) -> list[str]:
    return re.findall(r"\d{1,3}(?=(?:\d{3})*$)", digits)


def idle_rows(text: str, vocab_size: int) -> tuple[int, int]:
    tokenizer = train_bpe(text, vocab_size)
    idle = np.ones(tokenizer.n_vocab, dtype=bool)
    idle[tokenizer.encode(text)] = False
    return idle[256:].sum(), idle[:256].sum()


def harmless_cuts(text: str) -> np.ndarray:
    counts = np.zeros(2, dtype=int)
    for match in re.finditer(" ", text):
        for i, at in enumerate((match.end(), match.start())):
            parts = gpt2().encode(text[:at]), gpt2().encode(text[at:])
            counts[i] += [*parts[0], *parts[1]] == gpt2().encode(text)
    return counts


RIGHT = [
    ("choosing.scripts", factors),
    ("choosing.digits", group),
    ("choosing.saving", saving),
    ("choosing.shared", shared),
    ("choosing.untouched", idle_rows),
    ("choosing.tail", harmless_cuts),
]

WRONG: Wrong = [
    ("choosing.digits",
     lambda digits: [digits[: len(digits) % 3], *group(digits[len(digits) % 3 :])], 1),
    ("choosing.saving", lambda text: 1 - saving(text), "the other part of the whole"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
