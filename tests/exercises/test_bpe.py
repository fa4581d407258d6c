"""The exercises of the chapter `bpe`: right answers pass, each wrong one hears why."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

import numpy as np
from answers import tried

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


ASKED = {
    "bpe.overlap": "a function of (ids) that returns a Counter of pairs",
    "bpe.n-to-m": "a list of four numbers: the merges, the fewest, the most, the places",
    "bpe.neighbours": "a function of (word, pair, new) that returns a Counter of changes",
}

HINTS = {
    "bpe.overlap": "The list may be empty, or hold a single id.",
    "bpe.neighbours": "The new symbol may stand at the beginning or the end of the word, or "
    "nowhere.",
}

RIGHT = [
    ("bpe.ties", largest_ids),
    ("bpe.ties", lambda counts: list(largest_ids(counts))),
    ("bpe.ties", lambda counts: np.array(max((n, pair) for pair, n in counts.items())[1])),
    ("bpe.overlap", count_apart),
    ("bpe.overlap", lambda ids: Counter(count_apart(ids))),
    ("bpe.n-to-m", [744, 8, 1020, 3532]),
    ("bpe.n-to-m", np.array([744, 8, 1020, 3532])),
    ("bpe.n-to-m", (744.0, np.log2(256), 1020, 3532)),
    ("bpe.neighbours", changes),
    ("bpe.neighbours", changes_without_zeros),
    ("bpe.fold", lower_counts),
    ("bpe.fold", lambda counts: Counter(lower_counts(counts))),
]  # fmt: skip

WRONG = [
    ("bpe.ties", lambda counts: sorted(counts, key=lambda pair: (-counts[pair], pair))[0],
     "Of equals this takes the smallest ids, which is the rule of the chapter."),
    ("bpe.ties", lambda counts: Counter(counts).most_common(1)[0][0],
     "Of equals this takes the pair met first: the ids must have a say."),
    ("bpe.ties", lambda counts: sorted(counts)[-1],
     "The count comes first; the ids decide between equal counts only."),
    ("bpe.ties", lambda counts: min(counts, key=lambda pair: (counts[pair], pair)),
     "That is the least frequent pair."),
    ("bpe.ties", lambda counts: max(counts, key=lambda pair: (counts[pair], pair[0] + pair[1])),
     "Compare the left ids, and the right ones only if those are equal; the sum does not matter."),
    ("bpe.ties", lambda counts: max(counts.values()), "Return the pair, not its count."),
    ("bpe.ties", lambda counts: max(counts, key=lambda pair: (counts[pair], pair[0])),
     "Where the left ids are equal, too, the right ones decide."),
    ("bpe.overlap", lambda ids: Counter(pairwise(ids)),
     "That counts every place, overlaps included."),
    ("bpe.overlap",
     lambda ids: Counter((ids[i], ids[i + 1]) for i in range(0, len(ids) - 1, 2)),
     "Only places of the same pair exclude each other: in abc, ab and bc both count."),
    ("bpe.overlap", lambda ids: Counter(pair for pair, _ in groupby(pairwise(ids))),
     "In a run of four there is room for two pairs: after one that was left out, the next counts "
     "again."),
    ("bpe.overlap", Counter,
     "For ([97, 97, 97, 97]) it gives {97: 4}, and it should give {(97, 97): 2}."),
    ("bpe.overlap", lambda ids: count_apart(ids) if ids[0] else {},
     "your function([]) raises IndexError: list index out of range. The list may be empty, or hold "
     "a single id."),
    ("bpe.n-to-m", 744,
     "Hand over a list of four numbers: the merges, the fewest, the most, the places."),
    ("bpe.n-to-m", [744, 8, 1020],
     "Hand over a list of four numbers: the merges, the fewest, the most, the places."),
    ("bpe.n-to-m", [[744], 8, 1020, 3532], "The first, [744], is not it."),
    ("bpe.n-to-m", [1000.5, 8, 1020, 3532], "The first, 1000.5, is not it."),
    ("bpe.n-to-m", [1000, 8, 1020, 3532],
     "The first, 1000, counts all symbols at the end, and some were there without a merge."),
    ("bpe.n-to-m", [1256, 8, 1020, 3532],
     "The first, 1256, adds what is there at the beginning, which takes no merge."),
    ("bpe.n-to-m", [745, 8, 1020, 3532], "The first, 745, is not it."),
    ("bpe.n-to-m", [744, 256, 1020, 3532],
     "The fewest, 256, is how many times shorter the text is; a merge can at best halve it, so ask "
     "how many halvings that takes."),
    ("bpe.n-to-m", [744, 1020, 8, 3532],
     "The fewest, 1020, is what it takes if each merge joins in one place; it can join in many."),
    ("bpe.n-to-m", [744, 10, 1023, 3532],
     "The fewest, 10, leaves a single symbol, and 4 are to be left."),
    ("bpe.n-to-m", [744, 1, 1023, 3532],
     "The fewest, 1, is too few: a merge joins two symbols, and so can at best halve the text."),
    ("bpe.n-to-m", [744, 8, 1023, 3532],
     "The most, 1023, leaves a single symbol, and 4 are to be left."),
    ("bpe.n-to-m", [744, 8, 1024, 3532],
     "The most, 1024, would leave nothing, and 4 symbols are to be left."),
    ("bpe.n-to-m", [744, 8, 8, 3532],
     "The most, 8, is what it takes if each merge halves the text; it may join in one place only."),
    ("bpe.n-to-m", [744, 8, 512, 3532],
     "The most, 512, is how many symbols one merge can take away; the most merges take few away "
     "each."),
    ("bpe.n-to-m", [744, 8, 1020, 200],
     "The last, 200, is how many merges there were; each joins wherever its pair stands."),
    ("bpe.n-to-m", [744, 8, 1020, 2224],
     "The last, 2224, is how many tokens are left; ask how many have gone."),
    ("bpe.n-to-m", [744, 8, 1020, 5756],
     "The last, 5756, is how many bytes there were; not all of them have gone."),
    ("bpe.n-to-m", [744, 8, 1020, "many"], "The last, 'many', is not it."),
    ("bpe.neighbours", careless_changes(both_sides),
     "Where two new symbols stand side by side, count the pair between them once, and what was "
     "there before is no new symbol."),
    ("bpe.neighbours",
     lambda word, pair, new: Counter(pairwise(merge(word, pair, new))) - Counter(pairwise(word)),
     "What goes must be in it too, with a negative number."),
    ("bpe.neighbours",
     lambda word, pair, new: {key: -n for key, n in changes(word, pair, new).items()},
     "That is turned round: count up what is new, and down what goes."),
    ("bpe.neighbours",
     lambda word, pair, new: Counter(pairwise(merge(word, pair, new))),
     "Those are the counts after the merge; return by how much they differ from those before."),
    ("bpe.neighbours",
     lambda word, pair, new: changes(word, pair, new) + Counter({pair: 0}),
     "What goes must be in it too, with a negative number."),
    ("bpe.neighbours",
     lambda word, pair, new: {
         key: n + (merge(word, pair, new).count(new) if key == pair else 0)
         for key, n in changes(word, pair, new).items()
     },
     "The merged pair itself goes, too: count it down at each place."),
    ("bpe.neighbours", lambda word, pair, new: merge(word, pair, new),
     "It gives [256, 101]; return a Counter, or a dictionary, of pairs."),
    ("bpe.neighbours", with_the_next,
     "with_the_next([97, 98], [97, 98], 256) raises IndexError: list index out of range. The new "
     "symbol may stand at the beginning or the end of the word, or nowhere."),
    ("bpe.neighbours", lambda word, pair, new: {},
     "For ([116, 104, 101], (116, 104), 256) it gives {}, and it should give {(256, 101): 1, (116, "
     "104): -1, (104, 101): -1}."),
    ("bpe.fold", lambda counts: {word.lower(): n for word, n in counts.items()},
     "The count that is written last still replaces the others."),
    ("bpe.fold",
     lambda counts: {word.lower(): n for word, n in reversed(list(counts.items()))},
     "The first count is kept, and the others are dropped."),
    ("bpe.fold", lambda counts: {word.lower(): max(n for w, n in counts.items()
                                                   if w.lower() == word.lower())
                                 for word in counts},
     "The larger count is kept, and the others are dropped."),
    ("bpe.fold", lambda counts: Counter(map(str.lower, counts)),
     "That counts how many forms a word has; add up their counts."),
    ("bpe.fold", Counter, "Upper and lower case are still kept apart."),
    ("bpe.fold", lambda counts: sum(counts.values()),
     "your function({' The': 8, ' the': 107, ' gate': 3}) gives 118, and it should give "
     "{' the': 115, ' gate': 3}."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, ASKED, HINTS)
