"""The exercises of the chapter `bpe`: what helps where an answer raises an error."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from answers import Right, Wrong, tried

from companion.bpe import BPETokenizer
from workbook.exercises._file import join

BYTES = list(BPETokenizer([]).vocab)


def learning(
    *, numbers_new: bool = True, ends: bool = True
) -> Callable[[list[str], int], list[Any]]:
    """Learn with or without ids for new tokens and an end of the loop."""

    def learn(words: list[str], n_merges: int) -> list[Any]:
        cut, merges = [[bytes([byte]) for byte in word.encode()] for word in words], []
        ids = {token: i for i, token in enumerate(BYTES)}
        for _ in range(n_merges):
            counts = Counter(pair for word in cut for pair in pairwise(word))
            if ends and not counts:
                break
            pair = min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))
            merges.append(list(pair))
            if numbers_new:
                ids[b"".join(pair)] = len(ids)
            cut = [join(tokens, pair) for tokens in cut]
        return merges

    return learn


RIGHT: Right = [("bpe.learn", learning())]
WRONG: Wrong = [
    ("bpe.learn", learning(ends=False), "nothing to join: stop the loop"),
    ("bpe.learn", learning(numbers_new=False), "give `left + right` the next id."),
]

test_answers = tried(RIGHT, WRONG)
