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
    choose: Callable[[Any, Any], Any], *, numbers_new: bool = True, ends: bool = True
) -> Callable[[list[str], int], list[Any]]:
    """Learn by a rule of choice, with or without ids for new tokens and an end of the loop."""

    def learn(words: list[str], n_merges: int) -> list[Any]:
        cut, merges = [[bytes([byte]) for byte in word.encode()] for word in words], []
        ids = {token: i for i, token in enumerate(BYTES)}
        for _ in range(n_merges):
            counts = Counter(pair for word in cut for pair in pairwise(word))
            if ends and not counts:
                break
            pair = choose(counts, ids)
            merges.append(list(pair))
            if numbers_new:
                ids[b"".join(pair)] = len(ids)
            cut = [join(tokens, pair) for tokens in cut]
        return merges

    return learn


def by_ids(counts: Any, ids: Any) -> Any:
    return min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))


def by_position(counts: Any, ids: Any) -> Any:
    return min(counts, key=lambda p: (-counts[p], BYTES.index(p[0]), BYTES.index(p[1])))


RIGHT: Right = [("bpe.learn", learning(by_ids))]
WRONG: Wrong = [
    ("bpe.learn", learning(by_ids, ends=False), "nothing to join: stop the loop"),
    ("bpe.learn", learning(by_ids, numbers_new=False), "give `left + right` the next id."),
    ("bpe.learn", learning(by_position), "is not in list. A new token has no id yet"),
]

test_answers = tried(RIGHT, WRONG)
