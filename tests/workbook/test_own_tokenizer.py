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
    words: Any, n: int, pairs_of: Pairs, *, visits: str = "", is_late: bool = False, tie: int = 1
) -> list[tuple[int, int]]:
    """Keep the counts; look at the words with the pair, with both of its ids, or at all."""
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
            if visits == "all":
                pairs = tuple(pairs_of(word))
            if best in pairs:
                for pair in pairs:
                    counts[pair] -= 0 if is_late else times
                entry[0] = merge(word, best, new)
                entry[1] = tuple(pairs_of(entry[0]))
                for pair in entry[1]:
                    counts[pair] += times
        if is_late:
            del counts[best]
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
    (BUDGET, lambda *case: learn(*case, visits="all"), "Remember for each pair which words"),
    (BUDGET, lambda words, n, _: learn(words, n, pairwise), "take all pairs from `pairs_of`"),
    (BUDGET, lambda *case: learn(*case, is_late=True), "and counts change when words do"),
    (BUDGET, lambda *case: learn(*case)[:-1], "Your list has 2 pairs, where 3 merges"),
    (BUDGET, lambda *case: len(learn(*case)), "Return the list of the merged pairs."),
    (BUDGET, lambda *case: learn(*case)[::-1],
     "should join (97, 97); [256, 257] is no pair of neighbours there"),
    (BUDGET, lambda words, n, pairs: learn(dict.fromkeys(words, 1), n, pairs),
     "A pair counts as often as its word occurs"),
    (BUDGET, lambda words, n, pairs: learn(words, n, pairs, tie=-1),
     "as frequent as (256, 97), and its ids are smaller"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
