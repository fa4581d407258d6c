"""The exercises of the chapter `unigram`: right answers pass, each wrong one hears why."""

import math
from collections.abc import Collection, Mapping

import numpy as np
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
    ("unigram.count", lambda word, pieces: np.int64(ways(word, pieces))),
    ("unigram.by-hand", ["ri", "ver"]),
    ("unigram.by-hand", ("ri", "ver")),
    ("unigram.second", lambda word, log_p: ranked(word, log_p)[1]),
    ("unigram.second", lambda word, log_p: tuple(ranked(word, log_p)[1])),
    ("unigram.characters", ["gush", "hugg"]),
    ("unigram.sample", share),
    ("unigram.sample", lambda word, log_p: np.float32(share(word, log_p))),
]

WRONG: Wrong = [
    ("unigram.count", lambda word, pieces: sum(word.count(piece) for piece in pieces), 0),
    ("unigram.count", lambda word, pieces: 2 ** (len(word) - 1), 1),
    ("unigram.count", lambda word, pieces: 1, "3"),
    ("unigram.by-hand", ["river"], 0),
    ("unigram.by-hand", ["ri", "v", "er"], 1),
    ("unigram.by-hand", "ri ver", "it should be a list"),
    ("unigram.second", lambda word, log_p: ranked(word, log_p)[0], 0),
    ("unigram.second", lambda word, log_p: ranked(word, log_p)[-1], 1),
    ("unigram.second", lambda word, log_p: list(word)[:1], "hugs"),
    ("unigram.characters", ["hug", "hugs", "gush", "shug", "hugg"], 0),
    ("unigram.characters", ["hug", "hugs", "shug"], 1),
    ("unigram.characters", ["gush"], 2),
    ("unigram.sample", lambda word, log_p: 1 / len(cuts(word, log_p)), 0),
    ("unigram.sample", lambda word, log_p: share(word, log_p) * sum(
        math.exp(sum(log_p[piece] for piece in cut)) for cut in cuts(word, log_p)), 1),
    ("unigram.sample", lambda word, log_p: 100 * share(word, log_p), 2),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)
