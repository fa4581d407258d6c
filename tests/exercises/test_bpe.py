"""The exercises of the chapter `bpe`: right and wrong answers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

import numpy as np
from answers import Wrong, tried

Counts = dict[tuple[int, int], int]


def largest_ids(counts: Counts) -> tuple[int, int]:
    top = max(counts.values())
    return sorted(pair for pair, count in counts.items() if count == top)[-1]


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


def merge(ids: Sequence[int], pair: tuple[int, int], new: int) -> list[int]:
    merged: list[int] = []
    i = 0
    while i < len(ids):
        found = tuple(ids[i : i + 2]) == pair
        merged.append(new if found else ids[i])
        i += 2 if found else 1
    return merged


def changes(word: list[int], pair: tuple[int, int], new: int) -> Counter[tuple[int, int]]:
    after, before = Counter(pairwise(merge(word, pair, new))), Counter(pairwise(word))
    return Counter({key: after[key] - before[key] for key in after | before})


def changes_without_zeros(word: list[int], pair: tuple[int, int], new: int) -> Counts:
    return {key: count for key, count in changes(word, pair, new).items() if count}


def careless_changes(
    mend: Callable[[list[int], int, int, tuple[int, int]], list[tuple[tuple[int, int], int]]],
) -> Callable[[list[int], tuple[int, int], int], Counter[tuple[int, int]]]:
    def answer(word: list[int], pair: tuple[int, int], new: int) -> Counter[tuple[int, int]]:
        delta: Counter[tuple[int, int]] = Counter()
        after = merge(word, pair, new)
        for i, symbol in enumerate(after):
            if symbol == new:
                for key, change in mend(after, i, new, pair):
                    delta[key] += change
        return delta

    return answer


def both_sides(
    after: list[int], i: int, new: int, pair: tuple[int, int]
) -> list[tuple[tuple[int, int], int]]:
    found = [(pair, -1)]
    if i:
        found += [((after[i - 1], pair[0]), -1), ((after[i - 1], new), 1)]
    if i < len(after) - 1:
        found += [((pair[1], after[i + 1]), -1), ((new, after[i + 1]), 1)]
    return found


def lower_counts(word_counts: dict[str, int]) -> dict[str, int]:
    return dict(Counter(word.lower() for word in Counter(word_counts).elements()))


def with_the_next(word: list[int], pair: tuple[int, int], new: int) -> Counts:
    """Look behind the first new symbol, as if there were always something."""
    after = merge(word, pair, new)
    return {(new, after[after.index(new) + 1]): 1}


RIGHT = [
    ("bpe.ties", largest_ids),
    ("bpe.ties", lambda counts: list(largest_ids(counts))),
    ("bpe.ties", lambda counts: np.array(max((n, pair) for pair, n in counts.items())[1])),
    ("bpe.ties", lambda counts: max(counts.most_common(), key=lambda item: item[::-1])[0]),
    ("bpe.overlap", count_apart),
    ("bpe.overlap", lambda ids: Counter(count_apart(ids))),
    ("bpe.n-to-m", [744, 8, 1020, 3532]),
    ("bpe.n-to-m", np.array([744, 8, 1020, 3532])),
    ("bpe.n-to-m", (744.0, np.log2(256), 1020, 3532)),
    ("bpe.neighbours", changes),
    ("bpe.neighbours", changes_without_zeros),
    ("bpe.fold", lower_counts),
    ("bpe.fold", lambda counts: Counter(lower_counts(counts))),
    ("bpe.fold", lambda counts: Counter(word.lower() for word in counts.elements())),
]  # fmt: skip

WRONG: Wrong = [
    ("bpe.ties", lambda counts: sorted(counts, key=lambda pair: (-counts[pair], pair))[0], 0),
    ("bpe.ties", lambda counts: Counter(counts).most_common(1)[0][0], 1),
    ("bpe.ties", lambda counts: sorted(counts)[-1], 2),
    ("bpe.ties", lambda counts: min(counts, key=lambda pair: (counts[pair], pair)), 3),
    ("bpe.ties", lambda counts: max(counts, key=lambda pair: (counts[pair], pair[0] + pair[1])), 4),
    ("bpe.ties", lambda counts: max(counts.values()), 6),
    ("bpe.ties", lambda counts: max(counts, key=lambda pair: (counts[pair], pair[0])), 5),
    ("bpe.overlap", lambda ids: Counter(pairwise(ids)), 0),
    ("bpe.overlap", lambda ids: Counter((ids[i], ids[i + 1]) for i in range(0, len(ids) - 1, 2)),
     1),
    ("bpe.overlap", lambda ids: Counter(pair for pair, _ in groupby(pairwise(ids))), 2),
    ("bpe.overlap", Counter, "returns {97: 4}"),
    ("bpe.overlap", lambda ids: count_apart(ids) if ids[0] else {}, "raises IndexError"),
    ("bpe.n-to-m", 744, "Give a list of four numbers"),
    ("bpe.n-to-m", [744, 8, 1020], "Give a list of four numbers"),
    ("bpe.n-to-m", [[744], 8, 1020, 3532], "The first number, [744], is wrong."),
    ("bpe.n-to-m", [1000.5, 8, 1020, 3532], "The first number, 1000.5, is wrong."),
    ("bpe.n-to-m", [1000, 8, 1020, 3532], "The first number, 1000, counts all symbols at the end"),
    ("bpe.n-to-m", [1256, 8, 1020, 3532],
     "The first number, 1256, adds the symbols of the beginning"),
    ("bpe.n-to-m", [745, 8, 1020, 3532], "The first number, 745, is wrong."),
    ("bpe.n-to-m", [744, 256, 1020, 3532],
     "The fewest, 256, is how many times shorter the text gets"),
    ("bpe.n-to-m", [744, 1020, 8, 3532], "The fewest, 1020, is right if each merge joins in one"),
    ("bpe.n-to-m", [744, 10, 1023, 3532],
     "The fewest, 10, leaves a single symbol; 4 should be left."),
    ("bpe.n-to-m", [744, 1, 1023, 3532], "The fewest, 1, is too few"),
    ("bpe.n-to-m", [744, 8, 1023, 3532],
     "The most, 1023, leaves a single symbol; 4 should be left."),
    ("bpe.n-to-m", [744, 8, 1024, 3532],
     "The most, 1024, leaves nothing; 4 symbols should be left."),
    ("bpe.n-to-m", [744, 8, 8, 3532], "The most, 8, is right if each merge halves the text"),
    ("bpe.n-to-m", [744, 8, 512, 3532], "The most, 512, is how many symbols one merge can remove"),
    ("bpe.n-to-m", [744, 8, 1020, 200], "The last number, 200, is the number of merges"),
    ("bpe.n-to-m", [744, 8, 1020, 2224], "The last number, 2224, is how many tokens are left"),
    ("bpe.n-to-m", [744, 8, 1020, 5756], "The last number, 5756, is how many bytes there were"),
    ("bpe.n-to-m", [744, 8, 1020, "many"], "The last number, 'many', is wrong."),
    ("bpe.neighbours", careless_changes(both_sides), 1),
    ("bpe.neighbours",
     lambda word, pair, new: Counter(pairwise(merge(word, pair, new))) - Counter(pairwise(word)),
     2),
    ("bpe.neighbours",
     lambda word, pair, new: {key: -n for key, n in changes(word, pair, new).items()}, 3),
    ("bpe.neighbours", lambda word, pair, new: Counter(pairwise(merge(word, pair, new))), 4),
    ("bpe.neighbours", lambda word, pair, new: changes(word, pair, new) + Counter({pair: 0}), 2),
    ("bpe.neighbours",
     lambda word, pair, new: {
         key: n + (merge(word, pair, new).count(new) if key == pair else 0)
         for key, n in changes(word, pair, new).items()
     },
     0),
    ("bpe.neighbours", lambda word, pair, new: merge(word, pair, new), "returns [256, 101]"),
    ("bpe.neighbours", with_the_next, "raises IndexError"),
    ("bpe.neighbours", lambda word, pair, new: {}, "returns {}"),
    ("bpe.fold", lambda counts: {word.lower(): n for word, n in counts.items()}, 0),
    ("bpe.fold", lambda counts: {word.lower(): n for word, n in reversed(list(counts.items()))}, 1),
    ("bpe.fold",
     lambda counts: {word.lower(): max(n for w, n in counts.items()
                                                   if w.lower() == word.lower())
                                 for word in counts},
     2),
    ("bpe.fold", lambda counts: Counter(map(str.lower, counts)), 3),
    ("bpe.fold", Counter, 4),
    ("bpe.fold", lambda counts: sum(counts.values()), "returns 118"),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)
