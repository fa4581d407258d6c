"""How a word merges, as in the chapter `gpt2-tokenizer`: of its pairs, join the one learned first.

Here a token is its id. `ranks` says which pairs of ids merge, and when: the lowest rank is first;
`results` has the id that the merge of each rank makes.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from companion.bpe.alphabet import BYTES

Pair: TypeAlias = tuple[bytes, bytes]
Ranks: TypeAlias = Mapping[tuple[int, int], int]

_LONG = 150  # ids; from about here on the heap is faster


def merged(ids: list[int], ranks: Ranks, results: Sequence[int]) -> list[int]:
    """Return the ids of a word after its last merge; the list may be changed.

    The chapter's loop looks at all pairs before each merge; here it keeps their ranks.

    >>> merged([5, 6, 7], {(6, 7): 0, (5, 8): 1}, [8, 9])
    [9]
    """
    if len(ids) > _LONG:
        return merged_by_heap(ids, ranks, results)
    # The rank of each pair of neighbours. What was not learned comes after all the others.
    unknown = len(results)
    pair_ranks = [ranks.get(pair, unknown) for pair in pairwise(ids)]
    # Of the pairs that were learned, join the one learned first; of equals, the leftmost.
    while pair_ranks and (rank := min(pair_ranks)) < unknown:
        i = pair_ranks.index(rank)
        ids[i] = results[rank]
        del ids[i + 1], pair_ranks[i]
        # The new token makes other pairs with its neighbours.
        if i > 0:
            pair_ranks[i - 1] = ranks.get((ids[i - 1], ids[i]), unknown)
        if i < len(pair_ranks):
            pair_ranks[i] = ranks.get((ids[i], ids[i + 1]), unknown)
    return ids


def merged_by_heap(ids: list[int], ranks: Ranks, results: Sequence[int]) -> list[int]:
    """Return what `merged` returns, for words of thousands of bytes, such as base64.

    The places of possible merges wait in a heap, and each token that is left knows its neighbours,
    so a merge costs about the same in a word of any size.
    """
    # The place before and after each token, and a heap of what may merge: rank and place.
    end = len(ids)
    before, after = [*range(-1, end - 1)], [*range(1, end + 1)]
    heap = [(ranks[pair], i) for i, pair in enumerate(pairwise(ids)) if pair in ranks]
    heapq.heapify(heap)
    while heap:
        rank, i = heapq.heappop(heap)
        j = after[i]
        # One of the two may have merged with its other neighbour since this entry was made.
        if j == end or ranks.get((ids[i], ids[j])) != rank:
            continue
        # The left one becomes the result. The right one is gone: no pair contains -1.
        ids[i], ids[j] = results[rank], -1
        after[i] = after[j]
        if after[i] < end:
            before[after[i]] = i
        # The result may merge with either neighbour.
        for k in (before[i], i):
            if k >= 0 and after[k] < end:
                pair = ids[k], ids[after[k]]
                if pair in ranks:
                    heapq.heappush(heap, (ranks[pair], k))
    return [token_id for token_id in ids if token_id >= 0]


class MergeTable:
    """Merges of bytes in order of rank; the id of each token; `ranks` and `results` for `merged`.

    The 256 bytes have the first ids, in GPT-2's order, and the results of the merges the next.
    """

    def __init__(self, merges: Iterable[Pair] = ()) -> None:
        self.merges: list[Pair] = []
        self.vocab = {token: i for i, token in enumerate(BYTES)}
        self.ranks: dict[tuple[int, int], int] = {}
        self.results: list[int] = []
        for left, right in merges:
            self.add(left, right)

    def add(self, left: bytes, right: bytes) -> None:
        """Add a merge of the next rank."""
        rank = len(self.merges)
        # It joins two tokens that are there already.
        try:
            pair = self.vocab[left], self.vocab[right]
        except KeyError as error:
            what = f"merge {rank} joins {left!r} and {right!r}, but {error}"
            raise ValueError(f"{what} is neither a byte nor the result of one before") from None
        if pair in self.ranks:
            what = f"merge {rank} joins {left!r} and {right!r}, as merge {self.ranks[pair]} does"
            raise ValueError(f"{what}; leave one of them out")
        # The result has the next id, unless another merge made the same token.
        self.results.append(self.vocab.setdefault(left + right, len(self.vocab)))
        self.ranks[pair] = rank
        self.merges.append((left, right))
