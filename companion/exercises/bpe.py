"""Exercises of the chapter `bpe`."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from companion.exercises._grading import Exercise, Mistake

IdPair = tuple[int, int]
Counts = Mapping[IdPair, int]


def _largest_ids(counts: Counts) -> IdPair:
    return max(counts, key=lambda pair: (counts[pair], pair))


# In each case with a tie the common mistakes choose different pairs.
_TIES = [
    Counter({(97, 97): 4, (97, 98): 2, (98, 100): 1}),
    Counter({(50, 60): 3, (1, 2): 3, (90, 2): 3, (40, 250): 3, (99, 99): 2, (0, 0): 1}),
    Counter({(3, 9): 4, (7, 1): 4, (7, 5): 4, (8, 0): 3, (0, 1): 2}),
    Counter({(5, 5): 1}),
]


def _count_all(ids: Sequence[int]) -> Counter[IdPair]:
    return Counter(pairwise(ids))


def _count_apart(ids: Sequence[int]) -> Counter[IdPair]:
    counts: Counter[IdPair] = Counter()
    counted_at: dict[IdPair, int] = {}
    for i, pair in enumerate(pairwise(ids)):
        if counted_at.get(pair) != i - 1:
            counts[pair] += 1
            counted_at[pair] = i
    return counts


_RUNS = ["aaaa", "aaaaa", "", "a", "abcabc", "aaaaabcbcbc", "abababa", "baaab", "aabaaabaaaa"]


def _merge(word: Sequence[int], pair: IdPair, new: int) -> list[int]:
    symbols = "".join(map(chr, word)).replace(chr(pair[0]) + chr(pair[1]), chr(new))
    return [ord(symbol) for symbol in symbols]


def _changes(word: Sequence[int], pair: IdPair, new: int) -> Counts:
    delta = _count_all(_merge(word, pair, new))
    delta.subtract(_count_all(word))
    return delta


def _changes_but_the_pair(word: Sequence[int], pair: IdPair, new: int) -> Counts:
    delta = Counter(_changes(word, pair, new))
    delta[pair] += _merge(word, pair, new).count(new)
    return delta


def _changes_on_both_sides(word: Sequence[int], pair: IdPair, new: int) -> Counts:
    """Forget that the neighbour of a new symbol may be a new symbol itself."""
    delta: Counter[IdPair] = Counter()
    after = _merge(word, pair, new)
    for i, symbol in enumerate(after):
        if symbol == new:
            delta[pair] -= 1
            if i > 0:
                delta[after[i - 1], pair[0]] -= 1
                delta[after[i - 1], new] += 1
            if i + 1 < len(after):
                delta[pair[1], after[i + 1]] -= 1
                delta[new, after[i + 1]] += 1
    return delta


def _words_to_change() -> list[tuple[list[int], IdPair, int]]:
    words = [list(word) for word in (b"the", b"aaa", b"abab", b"banana", b"ab")]
    draw = random.Random(1)
    words += [draw.choices(b"abc", k=draw.randrange(2, 14)) for _ in range(200)]
    cases = [(word, (word[0], word[1]), 256 + i) for i, word in enumerate(words)]
    return [*cases, (list(b" there"), (104, 101), 300), (list(b"there"), (120, 121), 256)]


def _lower_counts(word_counts: Mapping[str, int]) -> Counter[str]:
    added: Counter[str] = Counter()
    for word, count in word_counts.items():
        added[word.lower()] += count
    return added


EXERCISES = [
    Exercise("bpe.ties", "Three tie rules", topic="ties", level=2, minutes=15, right=_largest_ids,
        cases=[(counts,) for counts in _TIES],
        mistakes=[
            Mistake(lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)),
                    "In a tie this takes the smallest ids, which is the rule of the chapter."),
            Mistake(lambda counts: max(counts, key=counts.get),
                    "In a tie this takes the pair that comes first; take the largest ids."),
            Mistake(max, "Compare the counts first; the ids decide only between equal counts."),
            Mistake(lambda counts: max(counts, key=lambda pair: (counts[pair], sum(pair))),
                    "Compare the left ids first, then the right ids; do not add them up."),
        ]),
    Exercise("bpe.overlap", "Overlaps", topic="counting pairs", level=2, minutes=15,
        right=_count_apart, cases=[(list(text.encode()),) for text in _RUNS],
        asks="which returns a Counter of pairs",
        hint="The list may be empty, or contain a single id.",
        mistakes=[
            Mistake(_count_all, "That counts every occurrence, overlaps included."),
            Mistake(lambda ids: Counter(zip(ids[::2], ids[1::2], strict=False)),
                    "Different pairs may overlap: in abc, count both ab and bc."),
        ]),
    Exercise("bpe.n-to-m", "From n to m", topic="counting merges", level=2, minutes=15, first=True,
        right=[744, 8, 1020, 3532],
        asks="a list of four numbers: the merges, the fewest, the most, the places",
        mistakes=[
            Mistake([1000, ..., ..., ...],
                    "1,000 counts all symbols, but some were there before the first merge."),
            Mistake([..., 1020, ..., ...],
                    "The fewest: a merge can join in many places, not only in one."),
            Mistake([..., 10, ..., ...], "The fewest: 4 symbols should be left, not one."),
            Mistake([..., ..., 1023, ...], "The most: 4 symbols should be left, not one."),
            Mistake([..., ..., 512, ...],
                    "The most: one merge can remove 512 symbols; find the fewest it can remove."),
            Mistake([..., ..., ..., 200], "A merge joins wherever its pair occurs."),
        ]),
    Exercise("bpe.neighbours", "Neighbours only", topic="updating counts", level=3, minutes=30,
        right=_changes, cases=_words_to_change(), asks="which returns a Counter of changes",
        hint="The new symbol may be at the beginning or the end of the word, or nowhere.",
        mistakes=[
            Mistake(_changes_but_the_pair,
                    "The merged pair itself disappears, too: subtract 1 for each merge of it."),
            Mistake(_changes_on_both_sides,
                    "Where two new symbols are neighbours, count the pair of them once."),
            Mistake(lambda *case: +Counter(_changes(*case)),
                    "Pairs that disappear must be in the result, too, with a negative number."),
            Mistake(lambda word, pair, new: _count_all(_merge(word, pair, new)),
                    "Those are the counts after the merge; subtract the counts before it."),
        ]),
    Exercise("bpe.fold", "Words that become equal", topic="word counts", level=1, minutes=10,
        first=True, right=_lower_counts,
        cases=[(Counter(counts),) for counts in (
            {" The": 8, " the": 107, " gate": 3}, {" the": 107, " The": 8}, {},
            {"AB": 2, "Ab": 5, "aB": 3, "c": 1}, {" Éa": 1, " éa": 1, " ea": 4},
        )],
        mistakes=[
            Mistake(lambda counts: {word.lower(): count for word, count in counts.items()},
                    "The count that is written last still replaces the others: add them up."),
            Mistake(lambda counts: Counter(word.lower() for word in counts),
                    "That is how many forms a word has; add up their counts."),
            Mistake(lambda counts: counts, "Upper and lower case are still separate."),
        ]),
]  # fmt: skip
