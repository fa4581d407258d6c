"""How `companion.wordpiece` learns: score pairs, merge the best one, keep the counts right."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise


def letters_of(word: str) -> list[str]:
    """Cut a word into its smallest pieces: "hug" -> h ##u ##g."""
    return [word[0], *(f"##{letter}" for letter in word[1:])]


def learn_pieces(
    word_counts: Mapping[str, int], special_tokens: Sequence[str], letters: Sequence[str], size: int
) -> list[str]:
    """Merge the pair with the highest score until there are enough tokens or no pair is left."""
    # At first the pieces are the letters, and each word is a row of them.
    tokens = [*special_tokens, *letters]
    # Without the special tokens: a piece with the name of one is a second token, which
    # `train_wordpiece` refuses.
    ids = {letter: token_id for token_id, letter in enumerate(letters, len(special_tokens))}
    symbols = {
        "".join(chr(ids[letter]) for letter in letters_of(word)): count
        for word, count in word_counts.items()
    }
    counts = SymbolCounts(symbols)
    while len(tokens) < size and counts.pairs:
        # The best pair makes a piece. Two merges can make the same one, which keeps its id.
        pair = counts.best()
        left, right = (tokens[ord(symbol)] for symbol in pair)
        piece = left + right.removeprefix("##")
        if piece not in ids:
            ids[piece] = len(tokens)
            tokens.append(piece)
        # It takes the place of the pair in each word.
        counts.join(pair, chr(ids[piece]))
    return tokens


class SymbolCounts:
    """How often each symbol and each pair of neighbours occurs, kept up to date while they merge.

    As in `companion.bpe`, a symbol is ``chr(id)``, a word or a pair a string of them.
    """

    def __init__(self, word_counts: Mapping[str, int]) -> None:
        self._words = list(word_counts)
        self._weights = list(word_counts.values())
        self._words_with: defaultdict[str, set[int]] = defaultdict(set)
        self._symbols: Counter[str] = Counter()
        self.pairs: Counter[str] = Counter()
        for i, weight in enumerate(self._weights):
            self._count(i, weight)

    def best(self) -> str:
        """Return the pair with the highest score, of equals the one with the smallest ids."""
        n = self._symbols
        scores = {pair: count / (n[pair[0]] * n[pair[1]]) for pair, count in self.pairs.items()}
        # Two scores that differ by a hair can be the same float, but never in the wrong order: the
        # best pair is among those with the highest float, and these are compared as fractions.
        highest = max(scores.values())
        exact = {
            pair: Fraction(self.pairs[pair], n[pair[0]] * n[pair[1]])
            for pair, score in scores.items()
            if score == highest
        }
        return min(exact, key=lambda pair: (-exact[pair], pair))

    def join(self, pair: str, new: str) -> None:
        """Replace a pair by a symbol in every word that contains it."""
        for i in self._words_with.pop(pair):
            self._count(i, -self._weights[i])
            self._words[i] = self._words[i].replace(pair, new)
            self._count(i, self._weights[i])
        self.pairs += Counter()  # an addition leaves out what no word contains

    def _count(self, i: int, weight: int) -> None:
        """Add word `i` to the counts `weight` times; a negative weight takes it out."""
        word = self._words[i]
        for symbol in word:
            self._symbols[symbol] += weight
        for left, right in pairwise(word):
            self.pairs[left + right] += weight
            if weight > 0:
                self._words_with[left + right].add(i)
