"""How `companion.wordpiece` learns: score pairs, merge the best one, keep the scores right."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise


def letters_of(word: str) -> list[str]:
    """Cut a word into its smallest pieces: "hug" -> h ##u ##g."""
    return [word[0], *(f"##{letter}" for letter in word[1:])]


def learn_pieces(
    word_counts: Mapping[str, int], special_tokens: Sequence[str], letters: Sequence[str], size: int
) -> list[str]:
    """Merge the pair with the highest score until there are enough tokens or no pair is left."""
    require_no_special(letters, special_tokens)
    tokens = [*special_tokens, *letters]
    ids = {token: token_id for token_id, token in enumerate(tokens)}
    scores = PairScores(
        {
            "".join(chr(ids[letter]) for letter in letters_of(word)): count
            for word, count in word_counts.items()
        }
    )
    while len(tokens) < size and (pair := scores.best()):
        left, right = (tokens[ord(symbol)] for symbol in pair)
        piece = left + right.removeprefix("##")
        require_no_special([piece], special_tokens)
        if piece not in ids:  # two merges can make the same piece
            ids[piece] = len(tokens)
            tokens.append(piece)
        scores.merge(pair, chr(ids[piece]))
    return tokens


def require_no_special(pieces: Iterable[str], special_tokens: Sequence[str]) -> None:
    """Raise a `ValueError` if a piece has the name of a special token."""
    for piece in pieces:
        if piece in special_tokens:
            name = piece.removeprefix("##").upper()
            raise ValueError(
                f"the special token {piece!r} is also a piece that the text makes; "
                f"give it a name that no text can make, such as '[{name}]'"
            )


class PairScores:
    """The score of each pair of neighbours, kept up to date while they merge.

    A symbol is ``chr(id)``, a word a string of symbols, a pair a string of two. So pairs compare
    as their ids do, and a merge is a `str.replace`: from the left, without overlap.
    """

    def __init__(self, word_counts: Mapping[str, int]) -> None:
        self._words = list(word_counts)
        self._weights = list(word_counts.values())
        self._where: defaultdict[str, set[int]] = defaultdict(set)  # the words with a pair
        self._pairs_of: defaultdict[str, set[str]] = defaultdict(set)  # the pairs with a symbol
        self._symbol_counts: defaultdict[str, int] = defaultdict(int)
        self._pair_counts: defaultdict[str, int] = defaultdict(int)
        self._scores: dict[str, int] = {}
        self._heap: list[tuple[int, str]] = []
        for i, weight in enumerate(self._weights):
            self._count(i, weight)
        # No count is higher than the number of symbols, n. Two different scores, fractions with
        # denominators of at most n², lie at least 1/n⁴ apart. So their integer quotients differ
        # too once the numerator is multiplied by 2**shift >= n⁴, and sort as the scores do: exact
        # where a float would round, and much faster than a `Fraction`.
        self._shift = 4 * sum(self._symbol_counts.values()).bit_length()
        self._rescore(list(self._pair_counts))

    def best(self) -> str | None:
        """Return the pair with the highest score, of equals the one with the smallest ids."""
        while self._heap:
            negative_score, pair = heapq.heappop(self._heap)
            # A score that changed was entered anew; this entry may be an old one.
            if self._scores.get(pair) == -negative_score:
                return pair
        return None

    def merge(self, pair: str, new: str) -> None:
        """Replace a pair by a symbol in every word."""
        for i in list(self._where[pair]):
            self._count(i, -self._weights[i])
            self._words[i] = self._words[i].replace(pair, new)
            self._count(i, self._weights[i])
        # Fewer of either part, more of the new: the score of every pair with one of them changed.
        self._rescore(set().union(*(self._pairs_of[symbol] for symbol in {*pair, new})))

    def _count(self, i: int, weight: int) -> None:
        """Add the symbols and pairs of word `i` to the counts."""
        word = self._words[i]
        for symbol in word:
            self._symbol_counts[symbol] += weight
        for left, right in pairwise(word):
            pair = left + right
            self._pair_counts[pair] += weight
            if weight > 0:
                self._where[pair].add(i)
                self._pairs_of[left].add(pair)
                self._pairs_of[right].add(pair)

    def _rescore(self, pairs: Iterable[str]) -> None:
        for pair in pairs:
            count = self._pair_counts[pair]
            if count == 0:
                self._forget(pair)
                continue
            parts = self._symbol_counts[pair[0]] * self._symbol_counts[pair[1]]
            self._scores[pair] = (count << self._shift) // parts
            heapq.heappush(self._heap, (-self._scores[pair], pair))

    def _forget(self, pair: str) -> None:
        """Leave out a pair that no word contains, so that no later merge visits it again."""
        del self._pair_counts[pair], self._where[pair], self._scores[pair]
        for symbol in pair:
            self._pairs_of[symbol].discard(pair)
