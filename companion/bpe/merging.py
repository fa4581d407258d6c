"""How a word merges: `steps` is the plain version of what `merged` does fast.

Both join the pair of the lowest rank, of equals the leftmost, until no pair is a merge. `steps` is
the loop that the chapter `gpt2-tokenizer` builds, and shows each merge; `merged` gives the end.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from companion.bpe.alphabet import BYTE_IDS

Pair: TypeAlias = tuple[bytes, bytes]
Ranks: TypeAlias = Mapping[tuple[int, int], int]


def steps(symbols: Sequence[int], ranks: Ranks, results: Sequence[int]) -> Iterator[list[int]]:
    """Yield the symbols of a word before each merge, and after the last.

    >>> list(steps([5, 6, 7], {(6, 7): 0, (5, 8): 1}, [8, 9]))
    [[5, 6, 7], [5, 8], [9]]
    """
    symbols = list(symbols)
    while True:
        yield symbols
        pairs = list(pairwise(symbols))
        known = [pair for pair in pairs if pair in ranks]
        if not known:
            return
        best = min(known, key=ranks.__getitem__)  # the pair of the lowest rank
        i = pairs.index(best)
        symbols = [*symbols[:i], results[ranks[best]], *symbols[i + 2 :]]  # two become one


def merged(symbols: Sequence[int], ranks: Ranks, results: Sequence[int]) -> list[int]:
    """Return the symbols of a word, integers from 0 on, after its last merge.

    `ranks` has the rank of each pair that merges, `results` the symbol that each rank makes.
    Looking at all pairs before each merge, as `steps` does, takes time with the square of the
    word's length. Here the positions of possible merges wait in a heap, and each symbol that is
    left knows its neighbours, so a merge costs the same in a word of any size.

    >>> merged([5, 6, 7], {(6, 7): 0, (5, 8): 1}, [8, 9])
    [9]
    """
    symbols = list(symbols)
    after = [i + 1 for i in range(len(symbols))]
    before = [i - 1 for i in range(len(symbols))]
    heap = [(ranks[pair], i) for i, pair in enumerate(pairwise(symbols)) if pair in ranks]
    heapq.heapify(heap)
    while heap:
        rank, i = heapq.heappop(heap)
        j = after[i]
        # One of the two may have merged with its other neighbour since this entry was made.
        if j == len(symbols) or ranks.get((symbols[i], symbols[j])) != rank:
            continue
        symbols[i] = results[rank]
        symbols[j] = -1  # gone: no pair contains -1
        after[i] = after[j]
        if after[j] < len(symbols):
            before[after[j]] = i
        for k in (before[i], i):
            if k >= 0 and after[k] < len(symbols):
                pair = symbols[k], symbols[after[k]]
                if pair in ranks:
                    heapq.heappush(heap, (ranks[pair], k))
    return [symbol for symbol in symbols if symbol >= 0]


class MergeTable:
    """Merges of bytes in order of rank, and the id of each token.

    `vocab` has the 256 bytes in GPT-2's order, then the results of the merges. `ranks` and
    `results` are those of `merged`, where a symbol is an id.
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
        try:
            pair = self.vocab[left], self.vocab[right]
        except KeyError as error:
            raise ValueError(
                f"merge {rank} joins {left!r} and {right!r}, but {error} is neither a single byte "
                "nor the result of an earlier merge"
            ) from None
        if self.ranks.setdefault(pair, rank) != rank:
            raise ValueError(
                f"merge {rank} joins {left!r} and {right!r}, which merge {self.ranks[pair]} joins "
                "already; leave one of them out"
            )
        self.results.append(self.vocab.setdefault(left + right, len(self.vocab)))
        self.merges.append((left, right))

    def ids_of(self, word: bytes) -> list[int]:
        """Return the ids of a word's tokens."""
        return merged([BYTE_IDS[byte] for byte in word], self.ranks, self.results)
