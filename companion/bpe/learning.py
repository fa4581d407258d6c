"""How `companion.bpe` learns: count pairs, merge the most frequent one, keep the counts right."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

from companion.bpe.alphabet import BYTE_IDS
from companion.bpe.merging import Pair


def learn_merges(word_counts: Mapping[str, int], steps: Iterable[int]) -> list[Pair]:
    """Merge the most frequent pair, once for each of `steps` or until no pair is left."""
    # At first the tokens are the 256 bytes, and each word is a row of them.
    tokens = [bytes([byte]) for byte in BYTE_IDS]
    merges: list[Pair] = []
    counts = PairCounts(word_counts)
    for _ in steps:
        # Which two neighbours occur most often?
        pair = counts.best()
        if pair is None:
            break
        # They become one token, with the next id.
        left, right = (tokens[ord(symbol)] for symbol in pair)
        merges.append((left, right))
        tokens.append(left + right)
        # It takes their place in every word, and the counts follow.
        counts.merge(pair, chr(len(tokens) - 1))
    return merges


class PairCounts:
    """How often each two symbols are neighbours, kept up to date while they merge.

    This is `learn_incrementally` of the chapter `bpe`: a merge visits only the words that contain
    its pair. A symbol is ``chr(id)``, a word a string of symbols, a pair a string of two. That only
    makes it fast: a merge is a `str.replace`, and pairs compare as their ids do.
    """

    def __init__(self, word_counts: Mapping[str, int]) -> None:
        # Write each word as the symbols of its bytes, and count its pairs, with its weight.
        self.words: list[str] = []
        self._weights = list(word_counts.values())
        self._counts: Counter[str] = Counter()
        self._words_with: defaultdict[str, set[int]] = defaultdict(set)
        for i, (word, weight) in enumerate(word_counts.items()):
            symbols = "".join([chr(BYTE_IDS[byte]) for byte in word.encode()])
            self.words.append(symbols)
            for left, right in pairwise(symbols):
                self._counts[left + right] += weight
                self._words_with[left + right].add(i)
        # A heap of (-count, pair): the most frequent pair comes first, of equals the smallest.
        self._heap = [(-count, pair) for pair, count in self._counts.items()]
        heapq.heapify(self._heap)

    def best(self) -> str | None:
        """Return the most frequent pair, of equals the one with the smallest ids."""
        while self._heap:
            negative_count, pair = heapq.heappop(self._heap)
            count = self._counts[pair]
            if count == -negative_count:
                return pair
            # The count fell since this entry was made: it goes back with the count of today. No
            # count rises after its pair arose, because each merge makes a new symbol.
            if count > 0:
                heapq.heappush(self._heap, (-count, pair))
        return None

    def merge(self, pair: str, new: str) -> None:
        """Replace a pair by a new symbol in every word."""
        left, right = pair[0], pair[1]
        new_pairs = set()
        for i in self._words_with.pop(pair):
            word = self.words[i].replace(pair, new)
            self.words[i] = word
            # Only the neighbours of the new symbol change. Where two new symbols are neighbours,
            # "abab" -> "XX", the right one counts their pair, so that it is counted once.
            at = word.find(new)
            while at >= 0:
                before, after = word[at - 1 : at], word[at + 1 : at + 2]
                if before:
                    was_before = right if before == new else before
                    new_pairs.add(before + new)
                    self._move(was_before + left, before + new, i)
                if after and after != new:
                    new_pairs.add(new + after)
                    self._move(right + after, new + after, i)
                at = word.find(new, at + 1)
        del self._counts[pair]
        for new_pair in new_pairs:
            heapq.heappush(self._heap, (-self._counts[new_pair], new_pair))

    def _move(self, old: str, new: str, i: int) -> None:
        """Count one occurrence in word `i` for the new pair instead of the old."""
        self._counts[old] -= self._weights[i]
        self._counts[new] += self._weights[i]
        self._words_with[new].add(i)
