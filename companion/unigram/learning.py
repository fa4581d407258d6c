"""Learning of pieces and their probabilities: from many pieces down to few."""

import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from companion.unicode import category
from companion.unigram.cutting import SPACE, Edge, best_cut, edges_of, log_sums, spelled, table_of

# A word is letters, numbers or other characters, perhaps with a space in front.
_L, _N = category("L") + category("bert-mark"), category("N")
_WORD = re.compile(f"{SPACE}?(?:[{_L}]+|[{_N}]+|[^{_L}{_N}{SPACE}]+)|{SPACE}")

# No piece is longer than this many characters, nor occurs less often.
_MAX_LENGTH, _MIN_COUNT = 16, 2
_EM_STEPS, _KEPT = 2, 0.75

# A word of the text: how often it occurs, and the pieces in it.
CountedEdges: TypeAlias = tuple[int, list[Edge]]


def words_of(text: str) -> list[str]:
    """Cut a text into the parts that no piece reaches over."""
    return _WORD.findall(spelled(text))


def learn_pieces(
    words: Mapping[str, int], characters: Sequence[str], size: int, n_seeds: int
) -> list[tuple[str, float]]:
    """Return `size` pieces, all characters among them, with their log probabilities."""
    # Start with far too many pieces.
    pieces, counts = _seeds(words, characters, n_seeds)
    table = table_of({piece: index for index, piece in enumerate(pieces)})
    lattices = [(count, edges_of(word, table)) for word, count in words.items()]
    scores = _log_shares(counts)
    while True:
        # Improve the probabilities (EM): count over all cuts, divide by the sum, repeat.
        for _ in range(_EM_STEPS):
            counts = _expected_counts(lattices, scores)
            scores = _log_shares(counts)
        if len(pieces) <= size:
            break
        # Drop the quarter of the pieces that is needed least, and number the others anew.
        kept = _most_needed(pieces, counts, scores, max(size, int(_KEPT * len(pieces))))
        new = {old: index for index, old in enumerate(kept)}
        pieces = [pieces[old] for old in kept]
        scores = _log_shares([counts[old] for old in kept])
        lattices = [
            (count, [(start, end, new[old]) for start, end, old in edges if old in new])
            for count, edges in lattices
        ]
    # A character that only longer pieces hold would be all but impossible: half an occurrence.
    floors = (0.5 if len(piece) == 1 else 1e-6 for piece in pieces)
    scores = _log_shares([max(pair) for pair in zip(counts, floors, strict=True)])
    # The most probable piece comes first.
    return sorted(zip(pieces, scores, strict=True), key=lambda item: (-item[1], item[0]))


def _seeds(
    words: Mapping[str, int], characters: Sequence[str], limit: int
) -> tuple[list[str], list[float]]:
    """Return all characters and the parts of words that cover most text, with their counts."""
    # Count every part of every word.
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(start + _MAX_LENGTH, len(word)) + 1):
                counts[word[start:end]] += count
    # Of those that come again, take the ones that cover most characters.
    parts = [part for part, count in counts.items() if len(part) > 1 and count >= _MIN_COUNT]
    parts.sort(key=lambda part: (-counts[part] * len(part), part))
    pieces = [*characters, *parts[:limit]]
    return pieces, [float(counts[piece]) for piece in pieces]


def _log_shares(counts: Sequence[float]) -> list[float]:
    """Return the log of each count's share; a count below the least float counts as that."""
    least = sys.float_info.min
    total = math.log(max(sum(counts), least))
    return [math.log(max(count, least)) - total for count in counts]


def _expected_counts(lattices: Iterable[CountedEdges], scores: Sequence[float]) -> list[float]:
    """Return how often each piece occurs on average over all cuts."""
    expected = [0.0] * len(scores)
    for count, edges in lattices:
        sums = log_sums(edges, scores)
        # All occurrences of the word reach its end. From there back, what reaches a position came
        # over the edges into it, each with its share: the count of that piece. Where "ab" occurs
        # ten times, cut as "ab" with 0.8 and as "a", "b" with 0.2, "ab" gets 8 and the others 2.
        flow = [0.0] * len(sums)
        flow[-1] = float(count)
        for start, end, index in reversed(edges):
            share = flow[end] * math.exp(sums[start] + scores[index] - sums[end])
            expected[index] += share
            flow[start] += share
    return expected


def _most_needed(
    pieces: Sequence[str], counts: Sequence[float], scores: Sequence[float], size: int
) -> list[int]:
    """Return which pieces to keep: all characters, and those whose loss would cost most."""
    table = table_of({piece: index for index, piece in enumerate(pieces)})
    losses: dict[int, float] = {}
    for index, piece in enumerate(pieces):
        if len(piece) == 1:
            losses[index] = math.inf
            continue
        # Without the piece its characters would be cut in the best other way.
        others = [edge for edge in edges_of(piece, table) if edge[2] != index]
        instead = math.fsum(scores[other] for *_, other in best_cut(others, scores))
        losses[index] = counts[index] * (scores[index] - instead)
    ranked = sorted(losses, key=lambda index: (-losses[index], pieces[index]))
    return sorted(ranked[:size])
