"""How a word merges, as in the chapter `gpt2-tokenizer`.

The result is that of the chapter's loop. Here one occurrence is joined at a time, and ranks are
kept, so that a step does not look at the whole word. A symbol is the id of a token, a pair two ids;
`ranks` has the rank of each pair that merges, `results` the symbol that each rank makes.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from companion.bpe.alphabet import BYTE_IDS

Pair: TypeAlias = tuple[bytes, bytes]
Ranks: TypeAlias = Mapping[tuple[int, int], int]

_LONG = 150  # symbols; from about here on the heap is faster


def merged(symbols: list[int], ranks: Ranks, results: Sequence[int]) -> list[int]:
    """Return the symbols of a word after its last merge; the list may be changed.

    >>> merged([5, 6, 7], {(6, 7): 0, (5, 8): 1}, [8, 9])
    [9]
    """
    if len(symbols) > _LONG:
        return merged_by_heap(symbols, ranks, results)
    # The rank of each two neighbours. What is no merge comes after all the others.
    no_merge = len(results)
    pair_ranks = [ranks.get(pair, no_merge) for pair in pairwise(symbols)]
    # The lowest rank is next, until none is left.
    while pair_ranks and (rank := min(pair_ranks)) < no_merge:
        # Its leftmost two symbols become one.
        i = pair_ranks.index(rank)
        symbols[i] = results[rank]
        del symbols[i + 1]
        del pair_ranks[i]
        # With its neighbours, the new symbol has other ranks.
        if i > 0:
            pair_ranks[i - 1] = ranks.get((symbols[i - 1], symbols[i]), no_merge)
        if i < len(pair_ranks):
            pair_ranks[i] = ranks.get((symbols[i], symbols[i + 1]), no_merge)
    return symbols


def merged_by_heap(symbols: list[int], ranks: Ranks, results: Sequence[int]) -> list[int]:
    """Return what `merged` returns, for words of thousands of symbols, such as base64.

    Looking at all ranks before each merge takes time with the square of the word's length. Here the
    places of possible merges wait in a heap, and each symbol that is left knows its neighbours, so
    a merge costs about the same in a word of any size.

    >>> merged_by_heap([5, 6, 7], {(6, 7): 0, (5, 8): 1}, [8, 9])
    [9]
    """
    # The place before and after each symbol, and a heap of what may merge: rank and place.
    end = len(symbols)
    before, after = [*range(-1, end - 1)], [*range(1, end + 1)]
    heap = [(ranks[pair], i) for i, pair in enumerate(pairwise(symbols)) if pair in ranks]
    heapq.heapify(heap)
    while heap:
        rank, i = heapq.heappop(heap)
        j = after[i]
        # One of the two may have merged with its other neighbour since this entry was made.
        if j == end or ranks.get((symbols[i], symbols[j])) != rank:
            continue
        # The left one becomes the result. The right one is gone: no pair contains -1.
        symbols[i], symbols[j] = results[rank], -1
        after[i] = after[j]
        if after[i] < end:
            before[after[i]] = i
        # The result may merge with either neighbour.
        for k in (before[i], i):
            if k >= 0 and after[k] < end:
                pair = symbols[k], symbols[after[k]]
                if pair in ranks:
                    heapq.heappush(heap, (ranks[pair], k))
    return [symbol for symbol in symbols if symbol >= 0]


class MergeTable:
    """Merges of bytes in order of rank, and the id of each token.

    `vocab` has the 256 bytes in GPT-2's order, then the results of the merges. `ranks` and
    `results` are those of `merged`.
    """

    def __init__(self, merges: Iterable[Pair] = ()) -> None:
        self.merges: list[Pair] = []
        self.vocab = {bytes([byte]): byte_id for byte, byte_id in BYTE_IDS.items()}
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
            raise ValueError(
                f"merge {rank} joins {left!r} and {right!r}, but {error} is neither a single byte "
                "nor the result of an earlier merge"
            ) from None
        if pair in self.ranks:
            raise ValueError(
                f"merge {rank} joins {left!r} and {right!r}, which merge {self.ranks[pair]} joins "
                "already; leave one of them out"
            )
        # The result has the next id, unless another merge made the same token.
        token_id = self.vocab.setdefault(left + right, len(self.vocab))
        self.ranks[pair] = rank
        self.results.append(token_id)
        self.merges.append((left, right))

    def ids_of(self, word: bytes) -> list[int]:
        """Return the ids of a word's tokens."""
        return merged([BYTE_IDS[byte] for byte in word], self.ranks, self.results)
