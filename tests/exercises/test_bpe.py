"""The exercises of the chapter `bpe`: right and wrong answers."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
from answers import tried

Pair = tuple[int, int]
Counts = dict[Pair, int]


def count_apart(ids: list[int]) -> Counts:
    """By runs: k equal ids hold k // 2 pairs that do not overlap, and other pairs never do."""
    counts: Counts = defaultdict(int)
    for left, right in pairwise(ids):
        if left != right:
            counts[left, right] += 1
    for symbol, run in groupby(ids):
        if n_pairs := len(list(run)) // 2:
            counts[symbol, symbol] += n_pairs
    return counts


def merge(ids: Sequence[int], pair: Pair, new: int) -> list[int]:
    merged: list[int] = []
    i = 0
    while i < len(ids):
        found = tuple(ids[i : i + 2]) == pair
        merged.append(new if found else ids[i])
        i += 2 if found else 1
    return merged


def changes(word: list[int], pair: Pair, new: int) -> Counter[Pair]:
    after, before = Counter(pairwise(merge(word, pair, new))), Counter(pairwise(word))
    return Counter({key: after[key] - before[key] for key in after | before})


RIGHT = [
    ("bpe.overlap", count_apart),
    ("bpe.n-to-m", (744.0, np.log2(256), 1020, 3532)),
    ("bpe.neighbours", changes),
]

test_answers = tried(RIGHT)
