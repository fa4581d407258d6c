"""The exercises of the chapter `unigram`: wrong answers."""

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


WRONG: Wrong = [
    ("unigram.count", lambda word, pieces: len(cuts(word, pieces)), "one number for each position"),
]

test_answers = tried([], WRONG)
