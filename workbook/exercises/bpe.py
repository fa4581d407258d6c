"""Exercises of the chapter `bpe`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from companion.bpe import train_bpe
from companion.story import load_story
from workbook.exercises._file import BYTES, Pair, Tokens, as_bytes, join
from workbook.exercises._grading import Exercise, Mistake


def learn(words, n_merges):
    """Learn merges: the pairs to join, the first one first."""
    words = [as_bytes(word) for word in words]
    ids, merges = {token: i for i, token in enumerate(BYTES)}, []
    while len(merges) < n_merges:
        # Count each pair of neighbours in every word.
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:  # each word is one token
            break
        # Find the most frequent pair; on a tie, the one with the smallest ids.
        order = [(-counts[a, b], ids[a], ids[b], a, b) for a, b in counts]
        pair = min(order)[3:]
        # Join it in every word. It is a token now, with the next id.
        words = [join(word, pair) for word in words]
        ids[pair[0] + pair[1]] = len(ids)
        merges.append(pair)
    return merges


def _learn(
    words: Iterable[str], n_merges: int,
    order: Callable[[int, Pair, int, int], Any] = lambda count, pair, a, b: (-count, a, b),
    neighbours: Callable[[Tokens], Iterable[Any]] = pairwise,
    join: Callable[[Tokens, Pair], Tokens] = join, least: int = 1,
) -> list[Pair]:  # fmt: skip
    """Learn merges, as it is right or with a fault in one of the steps.

    The pair that is the first by `order`, of its count, itself and its two ids, is joined.
    """
    cut = [as_bytes(word) for word in words]
    ids, merges = {token: i for i, token in enumerate(BYTES)}, list[Pair]()
    while len(merges) < n_merges:
        counts = Counter(pair for tokens in cut for pair in neighbours(tokens))
        if not counts or max(counts.values()) < least:
            break
        best = min(counts, key=lambda p: order(counts[p], p, ids[p[0]], ids[p[1]]))
        merges.append(best)
        ids[best[0] + best[1]] = len(ids)
        cut = [join(tokens, best) for tokens in cut]
    return merges


def _without_overlap(tokens: Tokens) -> Iterator[Pair]:
    last: Pair | None = None
    for pair in pairwise(tokens):
        last = pair if pair != last else None
        if last:
            yield pair


def _counted_once(words: Iterable[str], n_merges: int) -> list[Pair]:
    """Take the most frequent pairs of the bytes, as if no merge changed them."""
    counts = Counter(pair for word in words for pair in pairwise(word.encode()))
    return [(bytes([a]), bytes([b])) for (a, b), _ in counts.most_common(n_merges)]


EXERCISES = [
    Exercise("bpe.learn", "Learn merges", topic="learning merges", level=2, minutes=20, first=True,
        ours=learn,
        right=lambda words, n_merges: train_bpe(words, 256 + n_merges, pattern=r"[\s\S]+").merges,
        asks="which returns a list of pairs of bytes", cases=[
            (["aaabdaaabac"], 3), (["aaabdaaabac"], 20), ([" the", " gate", " the", " them"], 5),
            (["ab", "ba", "ab", "cab", "aaaa", "aaa", "a"], 6), (["aab aab", "éé é"], 8), ([], 4),
            (re.findall(r" ?\w+|\W", load_story()[:600]), 40), ([" b", " b", "a ", "a "], 2),
            (["low", " low", " lower", "low"], 9), (["a"], 2), (["zzzz", "bc", "bc"], 1)],
        hint="When no pair is left there is nothing to join: stop the loop.",
        hints=[("b'aa'", "A new token has no id yet: give `left + right` the next id.")],
        mistakes=[
            Mistake(lambda words, n_merges: _learn(["".join(words)], n_merges),
                    "Some merges cross from one word to the next: count and join within words."),
            Mistake(lambda words, n_merges: _learn(dict.fromkeys(words), n_merges),
                    "Each different word counts once here; a word that occurs twice counts twice."),
            Mistake(partial(_learn, neighbours=_without_overlap),
                    "In zzzz it counts the pair zz twice; count all three, though they overlap."),
            Mistake(partial(_learn, least=2),
                    "It stops at pairs that occur once; they merge, too, if merges are left."),
            Mistake(_counted_once,
                    "The pairs are counted once, before any merge: count again after each."),
            Mistake(partial(_learn, order=lambda count, pair, a, b: -count),
                    "On a tie it takes the first pair of the text; take the smallest ids."),
            Mistake(partial(_learn, order=lambda count, pair, a, b: (-count, pair)),
                    "On a tie it compares the bytes of the tokens; compare their ids: those of "
                    "`BYTES`, and then 256 and on, in the order of learning."),
            Mistake(partial(_learn, order=lambda count, pair, a, b: (-count, -a, -b)),
                    "On a tie it takes the largest ids; take the smallest."),
            Mistake(partial(_learn, neighbours=lambda tokens: dict.fromkeys(pairwise(tokens))),
                    "It counts a pair once in each word; count every time that it occurs."),
            Mistake(partial(_learn, join=lambda tokens, pair: tokens),
                    "The same pair is learned again: `join` returns a new list; keep that one."),
            Mistake(lambda words, n_merges: [a + b for a, b in _learn(words, n_merges)],
                    "These are the joined tokens; a merge is the pair, such as (b'a', b'a')."),
        ]),
    Exercise("bpe.ties", "Three tie rules", topic="ties", level=2, minutes=15,
        right=lambda counts: max(counts, key=lambda pair: (counts[pair], pair)),
        # In each case with a tie the common mistakes choose different pairs.
        cases=[(Counter(counts),) for counts in (
            {(97, 97): 4, (97, 98): 2, (98, 100): 1}, {(5, 5): 1},
            {(50, 60): 3, (1, 2): 3, (90, 2): 3, (40, 250): 3, (99, 99): 2, (0, 0): 1},
            {(3, 9): 4, (7, 1): 4, (7, 5): 4, (8, 0): 3, (0, 1): 2})],
        mistakes=[
            Mistake(lambda counts: min(counts, key=lambda pair: (-counts[pair], pair)),
                    "In a tie this takes the smallest ids, which is the rule of the chapter."),
            Mistake(lambda counts: max(counts, key=counts.get),
                    "In a tie this takes the pair that comes first; take the largest ids."),
            Mistake(max, "Compare the counts first; the ids decide only between equal counts."),
        ]),
    Exercise("bpe.n-to-m", "From n to m", topic="counting merges", level=2, minutes=15,
        right=[744, 8, 1020, 3532],
        asks="a list of four numbers: the merges, the fewest, the most, the places",
        remarks=[
            "The merges: 1,000 counts all symbols, but some were there before the first merge.",
            "The fewest: a merge can join in many places, and 4 symbols are left.",
            "The most: what is the least that a merge can remove? And 4 symbols are left.",
            "The places: a merge joins wherever its pair occurs.",
        ]),
]  # fmt: skip
