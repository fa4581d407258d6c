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
    held = [(word, list(pairs_of(word)), k) for word, k in words.items()]
    counts = Counter(pair for _, pairs, k in held for pair in pairs * k)
    merges = []
    for new in range(256, 256 + n):
        best = max(counts, key=lambda pair: (counts[pair], -tie * pair[0], -tie * pair[1]))
        for i, (word, pairs, k) in enumerate(held):
            before = list(pairs_of(word)) if visits_all else pairs
            if best in before:
                merged = merge(word, best, new)
                held[i] = merged, list(pairs_of(merged)), k
                counts.subtract(before * k)
                counts.update(held[i][1] * k)
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
