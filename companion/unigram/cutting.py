"""All ways to cut a text into pieces: found, weighed, and the best or a random one taken."""

import math
import random
from collections.abc import Sequence
from typing import TypeAlias

from companion.checks import valid_text

SPACE = "▁"
# A piece that occurs in a word: where it starts, where it ends, its id. A cut is a way over such
# edges from the beginning of the word to its end.
Edge: TypeAlias = tuple[int, int, int]
# The id of each piece; None for the beginning of a longer one.
Table: TypeAlias = dict[str, int | None]


def spelled(text: str) -> str:
    """Return a text as pieces spell it: ``▁`` for each space, and one in front."""
    text = valid_text(text, "text")
    return SPACE + text.replace(" ", SPACE) if text else ""


def table_of(vocab: dict[str, int]) -> Table:
    """Return the ids with an entry for each beginning of a piece, where a search may go on."""
    table: Table = {piece[:end]: None for piece in vocab for end in range(1, len(piece))}
    table.update(vocab)
    return table


def edges_of(word: str, table: Table, unk_id: int | None = None) -> list[Edge]:
    """Find each piece that occurs in a word, in the order of where it starts.

    With `unk_id`, a character that is no piece is an edge too, so that a word has always a cut.
    """
    edges: list[Edge] = []
    for start, character in enumerate(word):
        if unk_id is not None and table.get(character) is None:
            edges.append((start, start + 1, unk_id))
        # Longer and longer parts, until no piece begins like this.
        for end in range(start + 1, len(word) + 1):
            part = word[start:end]
            if part not in table:
                break
            token_id = table[part]
            if token_id is not None:
                edges.append((start, end, token_id))
    return edges


def best_cut(edges: Sequence[Edge], scores: Sequence[float]) -> list[Edge]:
    """Return the edges with the largest sum of scores through a word: the chapter's `best_cut`."""
    # For each position: the best sum up to it, and the last edge of the way there. The last of all
    # edges ends where the word ends; the first only fills the list.
    best = [0.0] + [-math.inf] * edges[-1][1]
    last = [edges[0]] * len(best)
    # Edges come in the order of their starts: nothing better will reach `start` later.
    for edge in edges:
        start, end, token_id = edge
        score = best[start] + scores[token_id]
        if score > best[end]:
            best[end], last[end] = score, edge
    # Walk back from the end, and turn round.
    cut: list[Edge] = []
    end = len(best) - 1
    while end > 0:
        cut.append(last[end])
        end = cut[-1][0]
    return cut[::-1]


def log_sums(edges: Sequence[Edge], scores: Sequence[float]) -> list[float]:
    """Return, for each position in a word, the log of the summed probability of all ways there."""
    sums = [0.0] + [-math.inf] * edges[-1][1]
    for start, end, token_id in edges:
        # log(e^low + e^high), so that nothing is rounded to 0.
        low, high = sorted((sums[start] + scores[token_id], sums[end]))
        sums[end] = high + math.log1p(math.exp(low - high))
    return sums


def random_cut(
    edges: Sequence[Edge], scores: Sequence[float], generator: random.Random
) -> list[Edge]:
    """Draw a cut of a word, each with its share of the probability."""
    sums = log_sums(edges, scores)
    into: list[list[Edge]] = [[] for _ in sums]  # the edges that end at each position
    for edge in edges:
        into[edge[1]].append(edge)
    # From the end back: of the edges into a position one is drawn, by what it added to the sum.
    cut: list[Edge] = []
    end = len(sums) - 1
    while end > 0:
        ways = [sums[start] + scores[token_id] for start, _, token_id in into[end]]
        # Measured against the largest: no `exp` is too large, however low the temperature.
        largest = max(ways)
        shares = [math.exp(way - largest) for way in ways]
        cut += generator.choices(into[end], shares)
        end = cut[-1][0]
    return cut[::-1]
