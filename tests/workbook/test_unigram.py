"""The exercises of the chapter `unigram`: right and wrong answers."""

from collections.abc import Collection

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


RIGHT = [
    ("unigram.by-hand", iter(["ri", "ver"])),
]

WRONG: Wrong = [
    ("unigram.count", lambda word, pieces: len(cuts(word, pieces)), "one number for each position"),
    ("unigram.by-hand", "ri ver", "Hand in a list of pieces"),
    ("unigram.by-hand", ["ri", "v", "er"], "0.000120, and another"),
    ("unigram.by-hand", ["ri", "er"], "joined, they must give"),
]

test_answers = tried(RIGHT, WRONG)
