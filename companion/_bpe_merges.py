"""Merges, the tokens that they make, and how they join the bytes of a word."""

import heapq
from collections.abc import Iterable
from itertools import pairwise

from companion._bpe_files import BYTE_IDS, Pair


class MergeTable:
    """Merges in order of rank, and the id of each token.

    `vocab` has the 256 bytes in GPT-2's order, then the results of the merges.
    """

    def __init__(self, merges: Iterable[Pair] = ()) -> None:
        self.merges: list[Pair] = []
        self.vocab = {bytes([byte]): byte_id for byte, byte_id in BYTE_IDS.items()}
        self._ranks: dict[tuple[int, int], int] = {}  # of each pair of ids that merges
        self._results: list[int] = []  # the id that each rank makes
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
        if self._ranks.setdefault(pair, rank) != rank:
            raise ValueError(
                f"merge {rank} joins {left!r} and {right!r}, which merge {self._ranks[pair]} joins "
                "already; leave one of them out"
            )
        self._results.append(self.vocab.setdefault(left + right, len(self.vocab)))
        self.merges.append((left, right))

    def steps(self, word: bytes) -> list[list[bytes]]:
        """Return the tokens of a word before each merge of one pair, and after the last."""
        steps = [[bytes([byte]) for byte in word]]
        while True:
            tokens = steps[-1]
            pairs = pairwise([self.vocab[token] for token in tokens])
            ranked = [(self._ranks[pair], i) for i, pair in enumerate(pairs) if pair in self._ranks]
            if not ranked:
                return steps
            _, i = min(ranked)
            steps.append([*tokens[:i], tokens[i] + tokens[i + 1], *tokens[i + 2 :]])

    def ids_of(self, word: bytes) -> list[int]:
        """Merge the bytes of a word: always the pair of the lowest rank, of equals the leftmost.

        Looking at all pairs before each merge would take time with the square of the word's
        length. Here the positions of possible merges wait in a heap, and each symbol that is left
        knows its neighbours, so a merge costs the same in a word of any size.
        """
        ranks = self._ranks
        symbols = [BYTE_IDS[byte] for byte in word]
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
            symbols[i] = self._results[rank]
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
