"""How `companion.bpe` learns, as in the chapter `bpe`: count pairs, join the most frequent one."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

from companion.bpe.alphabet import BYTE_IDS, BYTES
from companion.bpe.merging import Pair


def learn(word_counts: Mapping[str, int], steps: Iterable[int]) -> list[Pair]:
    """Learn merges: the pairs to join, the first one first; one a step, while pairs are left."""
    tokens, merges = list(BYTES), list[Pair]()
    # Count each pair of neighbours in every word.
    counts = PairCounts(word_counts)
    for _ in steps:
        # Find the most frequent pair; on a tie, the one with the smallest ids.
        pair = counts.best()
        if pair is None:  # each word is one token
            break
        # Join it in every word, and keep the counts right: there, the token with id i is chr(i).
        counts.join(pair, chr(len(tokens)))
        # It is a token now, with the next id.
        left, right = (tokens[ord(token)] for token in pair)
        tokens.append(left + right)
        merges.append((left, right))
    return merges


class PairCounts:
    """How often each two tokens are neighbours in all words, kept up to date while they merge.

    This is `learn_incrementally` of the chapter. To be fast, a token is a character, ``chr(id)``, a
    word or a pair a string of them: so a merge is a `str.replace`, and pairs compare as ids do.
    """

    def __init__(self, word_counts: Mapping[str, int]) -> None:
        # Each word is its bytes at first. It counts as often as it occurs.
        self.words: list[str] = []
        self._weights = list(word_counts.values())
        self._counts: Counter[str] = Counter()
        self._words_with: defaultdict[str, set[int]] = defaultdict(set)
        for i, (word, weight) in enumerate(word_counts.items()):
            self.words.append("".join([chr(BYTE_IDS[byte]) for byte in word.encode()]))
            for left, right in pairwise(self.words[i]):
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
            # count rises after its pair arose, because each merge makes a new token.
            if count > 0:
                heapq.heappush(self._heap, (-count, pair))
        return None

    def join(self, pair: str, new: str) -> None:
        """Join a pair to a new token in every word."""
        left, right = pair[0], pair[1]
        new_pairs = set()
        for i in self._words_with.pop(pair):
            # Some may have lost the pair since: in those no new token is found.
            word = self.words[i] = self.words[i].replace(pair, new)
            # Only the neighbours of the new token X change: where "cabd" becomes "cXd", the pair
            # "ca" becomes "cX", and "bd" becomes "Xd". Where two new tokens are neighbours, "abab"
            # -> "XX", the right one counts their pair, so that it is counted once.
            at = word.find(new)
            while at >= 0:
                before, after = word[at - 1 : at], word[at + 1 : at + 2]
                if before:
                    # Before the right one of two stood the right half of another pair.
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
