"""Exercises of the chapter `own-tokenizer`."""

import math
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from companion.bpe import GPT2_PATTERN
from companion.patterns import read_pattern
from companion.story import load_story
from workbook.exercises._grading import Exercise, Mistake, shown

Word = tuple[int, ...]
IdPair = tuple[int, int]
_BUDGET, _N_MERGES = 25_000, 300
# Pairs that overlap, two new symbols side by side, ties, and counts that matter.
_SMALL = [
    ({tuple(b"aaabdaaabac"): 1}, 3),
    ({tuple(b"banana"): 3, tuple(b"bandana"): 2, tuple(b"an"): 1, tuple(b"cab"): 9}, 5),
    ({tuple(b"ababab"): 2, tuple(b"aaaa"): 3, tuple(b"xyxyxy"): 2, tuple(b"ba"): 4}, 6),
]


def _times(n_first: int, n_second: int, share: float) -> float:
    return share / (1 - share) * n_first / n_second


def _exponent(a: float, x: float, b: float, y: float) -> float:
    """Return the exponent of the power law through (a, x) and (b, y)."""
    return math.log(y / x) / math.log(b / a)


def _merged(word: Word, pair: IdPair, new: int) -> Word:
    symbols = "".join(map(chr, word)).replace(chr(pair[0]) + chr(pair[1]), chr(new))
    return tuple(map(ord, symbols))


def _learned(words: Mapping[Word, int], n_merges: int) -> list[IdPair]:
    """Learn merges, with all pairs counted anew for each."""
    merges = []
    for new in range(256, 256 + n_merges):
        counts = Counter(pair for word, n in words.items() for pair in [*pairwise(word)] * n)
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        words = {_merged(word, best, new): n for word, n in words.items()}
    return merges


def _judge_learn(learn: Any) -> str | None:
    """Compare the merges on small words, then on the story, and count the pairs that are read."""
    counted = Counter(read_pattern(GPT2_PATTERN).findall(load_story()))
    story = {tuple(word.encode()): n for word, n in counted.items()}
    looked_at = 0

    def pairs_of(word: Word) -> list[IdPair]:
        nonlocal looked_at
        pairs = list(pairwise(word))
        looked_at += len(pairs)
        return pairs

    for words, n_merges in [*_SMALL, (story, _N_MERGES)]:
        looked_at = 0
        given, right = learn(words, n_merges, pairs_of), _learned(words, n_merges)
        if given != [list(pair) for pair in right]:
            return _about_merges(given, right)
        if looked_at < sum(len(word) - 1 for word in words):
            return "The merges are right, but take all pairs from `pairs_of`, so that they count."
    if looked_at <= _BUDGET:
        return None
    found = f"The merges are right, with {looked_at:,} pairs; the budget is {_BUDGET:,}."
    if looked_at > _BUDGET * 4:
        return f"{found} Remember for each pair which words contain it, and visit only these."
    return f"{found} A merge changes only the words that contain its pair: leave out the others."


def _about_merges(given: Any, right: list[IdPair]) -> str:
    if not isinstance(given, list):
        return "Return the list of the merged pairs."
    if len(given) != len(right):
        return f"Your list has {len(given)} pairs, where {len(right)} merges were asked for."
    i = next(i for i, pair in enumerate(right) if given[i] != list(pair))
    return (
        f"Merge {i} (counted from 0) of {len(right)} should join {right[i]}, not "
        f"{shown(given[i])}. A pair counts as often as its word occurs, counts change when words "
        "do, on a tie the smallest ids merge, and new ids start at 256."
    )


EXERCISES = [
    Exercise("own-tokenizer.mix", "A share of the mixture", topic="mixing corpora", level=1,
        minutes=10, first=True, right=_times,
        cases=[(900, 100, 0.1), (1000, 100, 0.5), (2_400_000, 1_200, 0.05), (500, 500, 0.2)],
        mistakes=[
            Mistake(lambda a, b, share: share * a / b,
                    "The second corpus is a part of the whole, too: of all, not of the first."),
            Mistake(lambda a, b, share: share * (a + b) / b,
                    "The whole grows with the second corpus when you count it several times."),
            Mistake(lambda a, b, share: (1 - share) / share * b / a,
                    "That is how many times the second one weighs too much: turn it round."),
            Mistake(lambda *case: math.ceil(_times(*case)), "Do not round."),
            Mistake(lambda a, b, share: share / (1 - share),
                    "That is the ratio of the two parts; the corpora are not equally large."),
        ]),
    Exercise("own-tokenizer.growth", "Continue a curve", topic="growth", level=2, minutes=15,
        right=lambda small_size, small_kept, size, kept, target:
            kept * (target / size) ** _exponent(small_size, small_kept, size, kept),
        cases=[(1_000, 100, 2_000, 150, 4_000), (1_000, 100, 4_000, 200, 64_000),
               (2.6e6, 1.5e5, 1e7, 3.6e5, 1e11), (10, 10, 20, 20, 50)],
        mistakes=[
            Mistake(lambda a, x, b, y, target: y * target / b,
                    "If it grew in proportion to the size, doubling the corpus would double it."),
            Mistake(lambda a, x, b, y, target: y + (target - b) * (y - x) / (b - a),
                    "That is a straight line through the two points; continue a power."),
            Mistake(lambda a, x, b, y, target: x * (target / b) ** _exponent(a, x, b, y),
                    "From the larger corpus to the target you start at `kept`."),
            Mistake(lambda a, x, b, y, target: (target / b) ** _exponent(a, x, b, y),
                    "That is by what factor it grows; multiply it with `kept`."),
        ]),
    Exercise("own-tokenizer.budget", "Learn within a budget", topic="updating counts", level=3,
        minutes=40, judge=_judge_learn, takes="word_counts, n_merges, pairs_of",
        asks="which returns a list of pairs"),
]  # fmt: skip
