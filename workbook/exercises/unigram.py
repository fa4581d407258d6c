"""Exercises of the chapter `unigram`."""

import math
from collections.abc import Container, Iterator

from workbook.exercises._grading import Exercise, Mistake

_PIECES = ["no", "not", "thing", "hing", "th", "ing"]
_LETTERS = {"a", "aa", "aaa", "b", "ab", "ba"}
_P = {"h": 0.05, "u": 0.06, "g": 0.045, "s": 0.07, "hu": 0.015, "ug": 0.02, "hug": 0.011,
      "gs": 0.012, "ugs": 0.003}  # fmt: skip
_LOG_P = {piece: math.log(p) for piece, p in _P.items()}


class _FewLooks(set[str]):
    """Pieces that end a search through all cuts, which would take years for a long word."""

    looks = 0

    def _look(self) -> None:
        self.looks += 1
        if self.looks > 20_000:
            raise RuntimeError("this goes through all cuts; keep one number for each position")

    def __contains__(self, piece: object) -> bool:
        self._look()
        return super().__contains__(piece)

    def __iter__(self) -> Iterator[str]:
        self._look()
        return super().__iter__()


def _cuts(word: str, pieces: Container[str]) -> list[list[str]]:
    found: list[list[str]] = [] if word else [[]]
    for end in range(1, len(word) + 1):
        if word[:end] in pieces:
            found += [[word[:end], *rest] for rest in _cuts(word[end:], pieces)]
    return found


def _ranked(word: str, log_p: dict[str, float]) -> list[list[str]]:
    return sorted(_cuts(word, log_p), key=lambda cut: -sum(log_p[piece] for piece in cut))


def _count(word: str, pieces: Container[str]) -> int:
    ways = [1] + [0] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            if word[start:end] in pieces:
                ways[end] += ways[start]
    return ways[-1]


def _share(word: str, log_p: dict[str, float]) -> float:
    weights = [math.exp(sum(log_p[piece] for piece in cut)) for cut in _cuts(word, log_p)]
    return max(weights) / sum(weights)


EXERCISES = [
    Exercise("unigram.count", "Count the cuts", topic="Unigram", level=2, first=True, minutes=10,
        right=_count, asks="which returns the number of cuts",
        cases=[("nothing", _PIECES), ("no", _PIECES), ("nor", _PIECES), ("aabab", _LETTERS),
               ("ab" * 20, _FewLooks(_LETTERS))],
        mistakes=[
            Mistake(lambda word, pieces: sum(word.count(piece) for piece in pieces),
                    "That counts the pieces in the word; count the ways to cover all its letters."),
        ]),
    Exercise("unigram.by-hand", "The best cut by hand", topic="Unigram", level=1, first=True,
        minutes=5, right=["ri", "ver"], asks="a list of pieces",
        mistakes=[
            Mistake(["river"], "One piece is not always best: its probability is only 0.0001."),
            Mistake(["ri", "v", "er"], "Its probability is 0.00012; another cut has a larger one."),
        ]),
    Exercise("unigram.second", "The second best", topic="Unigram", level=2, minutes=10,
        right=lambda word, log_p: _ranked(word, log_p)[1], asks="which returns a list of pieces",
        cases=[("hugs", _LOG_P), ("hug", _LOG_P), ("ugs", _LOG_P), ("hugsug", _LOG_P)],
        mistakes=[
            Mistake(lambda word, log_p: _ranked(word, log_p)[0], "That is the best cut."),
            Mistake(lambda word, log_p: _ranked(word, log_p)[-1],
                    "That is the least probable cut: sort the other way round."),
        ]),
    Exercise("unigram.characters", "Why single characters stay", topic="Unigram", level=1,
        minutes=5, right=["gush", "hugg"], unordered=True, asks="a list of words",
        mistakes=[
            Mistake(["hug", "hugs", "gush", "shug", "hugg"],
                    "`hug` is still a piece, so some of these words can be cut."),
            Mistake(["hug", "hugs", "shug"], "Those can still be cut; hand in the others."),
            Mistake(["gush"], "One more: look at a word with two `g`."),
        ]),
    Exercise("unigram.sample", "Sample and count", topic="subword regularization", level=2,
        minutes=10, right=_share, asks="which returns a number between 0 and 1",
        cases=[("hugs", _LOG_P), ("hug", _LOG_P), ("hugsug", _LOG_P)],
        mistakes=[
            Mistake(lambda word, log_p: 1 / len(_cuts(word, log_p)),
                    "The cuts are not equally probable: weigh each by its probability."),
            Mistake(lambda word, log_p: math.exp(
                        max(sum(log_p[p] for p in cut) for cut in _cuts(word, log_p))),
                    "That is the probability of the best cut; divide it by the sum over all."),
        ]),
]  # fmt: skip
