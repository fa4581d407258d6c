"""The exercises of the chapter `choosing`: right and wrong answers."""

import re

import numpy as np
from answers import Wrong, tried

from companion.bpe import gpt2, train_bpe


def n_bytes(text: str) -> int:
    return sum(1 + (c >= "\x80") + (c >= "\u0800") + (c >= "\U00010000") for c in text)


def n_tokens(text: str) -> int:
    return len(gpt2().encode(text))


def factors(text: str, reference: str) -> tuple[float, float]:
    packed, packed_in_reference = (n_bytes(t) / n_tokens(t) for t in (text, reference))
    return n_bytes(text) / n_bytes(reference), packed_in_reference / packed


def group(digits: str) -> list[str]:
    groups: list[str] = []
    while digits:
        groups.insert(0, digits[-3:])
        digits = digits[:-3]
    return groups


def group_from_left(digits: str) -> list[str]:
    return re.findall(r"\d{1,3}", digits)


def idle_rows(text: str, vocab_size: int) -> tuple[int, int]:
    tokenizer = train_bpe(text, vocab_size)
    idle = np.ones(tokenizer.n_vocab, dtype=bool)
    idle[tokenizer.encode(text)] = False
    return idle[256:].sum(), idle[:256].sum()


def rows_in_use(text: str, vocab_size: int) -> tuple[int, int]:
    ids = set(train_bpe(text, vocab_size).encode(text))
    return len([i for i in ids if i > 255]), len([i for i in ids if i < 256])


def idle_rows_as_asked(text: str, vocab_size: int) -> tuple[int, int]:
    ids = set(train_bpe(text, vocab_size).encode(text))
    return len(set(range(256, vocab_size)) - ids), len(set(range(256)) - ids)


def bytes_not_in_text(text: str, vocab_size: int) -> tuple[int, int]:
    return idle_rows(text, vocab_size)[0], 256 - len(set(text.encode()))


def half_table(n_blocks: int, d: int) -> float:
    rest = n_blocks * (12 * d**2 + 13 * d) + 1024 * d + 2 * d
    return rest / d


def harmless_cuts(text: str) -> np.ndarray:
    counts = np.zeros(2, dtype=int)
    for match in re.finditer(" ", text):
        for i, at in enumerate((match.end(), match.start())):
            parts = gpt2().encode(text[:at]), gpt2().encode(text[at:])
            counts[i] += [*parts[0], *parts[1]] == gpt2().encode(text)
    return counts


def cuts_of_text(text: str) -> tuple[int, int]:
    n = 0
    for i in (i for i, c in enumerate(text) if c == " "):
        ids = gpt2().encode(text[:i]) + gpt2().encode(text[i:])
        n += gpt2().decode(ids) == text
    return n, n


def cuts_by_split(text: str) -> tuple[int, int]:
    words = text.split(" ")
    whole = gpt2().encode(text)
    n = 0
    for i in range(1, len(words)):
        left, right = " ".join(words[:i]), " ".join(words[i:])
        n += gpt2().encode(left) + gpt2().encode(right) == whole
    return n, n


RIGHT = [
    ("choosing.scripts", factors),
    ("choosing.scripts", lambda text, reference: np.round(factors(text, reference), 3)),
    ("choosing.digits", group),
    ("choosing.digits", lambda digits: re.findall(r"\d{1,3}(?=(?:\d{3})*$)", digits)),
    ("choosing.digits", lambda digits: tuple(group(digits))),
    ("choosing.untouched", idle_rows),
    ("choosing.untouched", lambda text, vocab_size: np.array(idle_rows(text, vocab_size))),
    ("choosing.half", half_table),
    ("choosing.half", lambda n_blocks, d: np.int64(half_table(n_blocks, d))),
    ("choosing.tail", harmless_cuts),
    ("choosing.tail", lambda text: (int(n) for n in harmless_cuts(text))),
]  # fmt: skip

WRONG: Wrong = [
    ("choosing.scripts",
     lambda text, reference: (len(text) / len(reference), factors(text, reference)[1]), 0),
    ("choosing.scripts",
     lambda text, reference: (
         len(text) / len(reference),
         (len(reference) / n_tokens(reference)) / (len(text) / n_tokens(text))),
     0),
    ("choosing.scripts",
     lambda text, reference: (factors(text, reference)[0], n_tokens(text) / n_tokens(reference)),
     2),
    ("choosing.scripts",
     lambda text, reference: (factors(text, reference)[0], 1 / factors(text, reference)[1]), 3),
    ("choosing.scripts", lambda text, reference: factors(reference, text), 4),
    ("choosing.scripts", lambda text, reference: factors(text, reference)[::-1], 5),
    ("choosing.scripts", lambda text: factors(text, "Once upon a time"),
     "The checker calls your function"),
    ("choosing.digits", group_from_left, 0),
    ("choosing.digits",
     lambda digits: [digits[: len(digits) % 3], *group(digits[len(digits) % 3 :])], 1),
    ("choosing.digits", lambda digits: format(int(digits), ",").split(","), 2),
    ("choosing.digits", lambda digits: group_from_left(digits[::-1]), 3),
    ("choosing.digits", lambda digits: group_from_left(digits[::-1])[::-1], 4),
    ("choosing.digits", lambda digits: group(digits)[::-1], 5),
    ("choosing.digits", lambda digits: [gpt2().decode([i]) for i in gpt2().encode(digits)], 6),
    ("choosing.digits", lambda digits: ",".join(group(digits)), "returns '1,234,567'"),
    ("choosing.untouched", rows_in_use, 0),
    ("choosing.untouched", idle_rows_as_asked, 1),
    ("choosing.untouched", bytes_not_in_text, 2),
    ("choosing.untouched", lambda text, size: idle_rows(text, size)[::-1], 3),
    ("choosing.untouched", lambda text, size: sum(idle_rows(text, size)), 4),
    ("choosing.untouched", (62, 210), "Pass the function itself"),
    ("choosing.half", lambda n_blocks, d: half_table(n_blocks, d) - 1024, 0),
    ("choosing.half", lambda n_blocks, d: half_table(n_blocks, d) - 2, 1),
    ("choosing.half", lambda n_blocks, d: half_table(n_blocks, d) * d, 2),
    ("choosing.half", lambda n_blocks, d: (50_257 * d + half_table(n_blocks, d) * d) / 2 / d, 3),
    ("choosing.half", lambda n_blocks, d: 2 * half_table(n_blocks, d), 4),
    ("choosing.half", lambda n_blocks, d: half_table(n_blocks, d) / 2, 5),
    ("choosing.half", lambda n_blocks, d: half_table(1, d), 6),
    ("choosing.half", lambda n_blocks, d: 111_774, "returns 111774"),
    ("choosing.tail", cuts_of_text, 0),
    ("choosing.tail", cuts_by_split, 1),
    ("choosing.tail", lambda text: harmless_cuts(text)[::-1], 2),
    ("choosing.tail", lambda text: text.count(" ") - harmless_cuts(text), 3),
    ("choosing.tail", lambda text: harmless_cuts(text) / text.count(" "), 4),
    ("choosing.tail", lambda text: (0, text.count(" ")), "returns [0, 2]"),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)
