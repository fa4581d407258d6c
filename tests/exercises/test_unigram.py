"""The exercises of the chapter `unigram`: right and wrong answers."""

import math
from collections.abc import Collection, Mapping

from answers import Wrong, tried


def cuts(word: str, pieces: Collection[str]) -> list[list[str]]:
    if not word:
        return [[]]
    return [
        [word[:end], *rest]
        for end in range(1, len(word) + 1)
        if word[:end] in pieces
        for rest in cuts(word[end:], pieces)
    ]


def ways(word: str, pieces: Collection[str]) -> int:
    counts = [1]
    for end in range(1, len(word) + 1):
        counts.append(sum(counts[start] for start in range(end) if word[start:end] in pieces))
    return counts[-1]


def ranked(word: str, log_p: Mapping[str, float]) -> list[list[str]]:
    return sorted(cuts(word, log_p), key=lambda cut: sum(log_p[piece] for piece in cut))[::-1]


def share(word: str, log_p: Mapping[str, float]) -> float:
    weights = [math.exp(sum(log_p[piece] for piece in cut)) for cut in cuts(word, log_p)]
    return max(weights) / math.fsum(weights)


RIGHT = [
    ("unigram.count", ways),
    ("unigram.by-hand", iter(["ri", "ver"])),
    ("unigram.second", lambda word, log_p: ranked(word, log_p)[1]),
    ("unigram.characters", ["hugg", "gush"]),
    ("unigram.sample", share),
]

WRONG: Wrong = [
    ("unigram.count", lambda word, pieces: 1, "returns 1; it should return 3."),
    ("unigram.count", lambda word, pieces: len(cuts(word, pieces)), "one number for each position"),
    ("unigram.by-hand", "ri ver", "Hand in a list of pieces"),
    ("unigram.by-hand", ["ri", "v", "er"], "0.000120, and another"),
    ("unigram.by-hand", ["ri", "er"], "joined, they must give"),
    ("unigram.second", lambda word, log_p: list(word)[:1], "returns ['h']; it should return"),
    ("unigram.sample", lambda word, log_p: 100 * share(word, log_p), "That is in percent"),
]

test_answers = tried(RIGHT, WRONG)
