"""The exercises of the chapter `own-tokenizer`: right and wrong answers."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from answers import Wrong, tried

Pairs = Callable[[Any], Any]


def merge(word: Any, pair: Any, new: int) -> tuple[int, ...]:
    text = "".join(map(chr, word)).replace("".join(map(chr, pair)), chr(new))
    return tuple(map(ord, text))


def learn(
    words: Any, n: int, pairs_of: Pairs, *, visits_all: bool = False, tie: int = 1
) -> list[tuple[int, int]]:
    """Keep the counts; look at the words with the pair, or at all."""
    counts: Counter[tuple[int, int]] = Counter()
    held = [[word, tuple(pairs_of(word)), times] for word, times in words.items()]
    for _, pairs, times in held:
        for pair in pairs:
            counts[pair] += times
    merges = []
    for new in range(256, 256 + n):
        best = max(counts, key=lambda pair: (counts[pair], -tie * pair[0], -tie * pair[1]))
        for entry in held:
            word, pairs, times = entry
            if visits_all:
                pairs = tuple(pairs_of(word))
            if best in pairs:
                for pair in pairs:
                    counts[pair] -= times
                entry[0] = merge(word, best, new)
                entry[1] = tuple(pairs_of(entry[0]))
                for pair in entry[1]:
                    counts[pair] += times
        merges.append(best)
    return merges


def anew(words: Any, n: int, pairs_of: Pairs) -> list[tuple[int, int]]:
    merges = []
    for new in range(256, 256 + n):
        counts = Counter(pair for word, k in words.items() for pair in list(pairs_of(word)) * k)
        merges.append(min(counts, key=lambda pair: (-counts[pair], pair)))
        words = {merge(word, merges[-1], new): k for word, k in words.items()}
    return merges


BUDGET = "own-tokenizer.budget"
RIGHT = [(BUDGET, learn)]
WRONG: Wrong = [
    (BUDGET, anew, "The merges are right, with 220,224 pairs; the budget is 25,000. Remember"),
    (BUDGET, lambda *case: learn(*case, visits_all=True), "Remember for each pair which words"),
    (BUDGET, lambda words, n, _: learn(words, n, pairwise), "take all pairs from `pairs_of`"),
    (BUDGET, lambda *case: learn(*case)[:-1], "Your list has 2 pairs, where 3 merges"),
    (BUDGET, lambda *case: len(learn(*case)), "Return the list of the merged pairs."),
    (BUDGET, lambda words, n, pairs: learn(dict.fromkeys(words, 1), n, pairs),
     "Merge 1 (counted from 0) of 5 should join (97, 98), not [98, 256]."),
    (BUDGET, lambda words, n, pairs: learn(words, n, pairs, tie=-1),
     "Merge 1 (counted from 0) of 3 should join (97, 98), not [256, 97]."),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
