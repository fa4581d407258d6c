"""The exercises of the chapter `bpe`: learning, as readers write it, right and wrong."""

import runpy
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from answers import Wrong, tried

ONE_FILE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "one_file.py"))
BYTES, as_bytes, join = ONE_FILE["BYTES"], ONE_FILE["as_bytes"], ONE_FILE["join"]


def by_ids(words: list[str], n_merges: int) -> list[Any]:
    """Write the words as lists of ids, and the merges as bytes at the end."""
    cut = [[BYTES.index(token) for token in as_bytes(word)] for word in words]
    tokens, merges = list(BYTES), []
    for new in range(256, 256 + n_merges):
        counts = Counter(pair for word in cut for pair in pairwise(word))
        if not counts:
            break
        most = max(counts.values())
        a, b = min(pair for pair in counts if counts[pair] == most)
        merges.append([tokens[a], tokens[b]])
        tokens.append(tokens[a] + tokens[b])
        for word in cut:
            for i in range(len(word) - 1):  # a merged word is shorter than the loop thinks
                if word[i : i + 2] == [a, b]:
                    word[i : i + 2] = [new]
    return merges


def by_word_counts(words: Iterable[str], n_merges: int) -> list[Any]:
    """Store each different word once, and sort all pairs."""
    cut = {word: as_bytes(word) for word in words}
    times, vocab, merges = Counter(words), list(BYTES), []
    for _ in range(n_merges):
        counts: defaultdict[Any, int] = defaultdict(int)
        for word, tokens in cut.items():
            for i in range(len(tokens) - 1):
                counts[tokens[i], tokens[i + 1]] += times[word]
        order = sorted(counts, key=lambda p: (vocab.index(p[0]), vocab.index(p[1])))
        order.sort(key=lambda p: counts[p], reverse=True)
        if order:
            merges.append(order[0])
            vocab.append(b"".join(order[0]))
            cut = {word: join(tokens, order[0]) for word, tokens in cut.items()}
    return merges


def all_pairs(words: list[list[bytes]]) -> Any:
    return Counter(pair for word in words for pair in pairwise(word))


def smallest(counts: Any, ids: Any) -> Any:
    return min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))


def with_fault(
    count: Callable[[list[list[bytes]]], Any] = all_pairs,
    choose: Callable[[Any, Any], Any] = smallest,
    apply: Callable[[list[bytes], Any], list[bytes]] = join,
    give: Callable[[Any], Any] = tuple,
    number: Callable[[Any], int | None] = len,
) -> Callable[[list[str], int], list[Any]]:
    def learn(words: list[str], n_merges: int) -> list[Any]:
        cut, merges = [as_bytes(word) for word in words], []
        ids = {token: i for i, token in enumerate(BYTES)}
        for _ in range(n_merges):
            counts = count(cut)
            if not counts:
                break
            pair = choose(counts, ids)
            if (new := number(ids)) is not None:
                ids[b"".join(pair)] = new
            cut = [apply(tokens, pair) for tokens in cut]
            merges.append(give(pair))
        return merges

    return learn


def first_only(tokens: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    """Join a pair where it first occurs, and nowhere else."""
    places = [i for i, each in enumerate(pairwise(tokens)) if each == pair]
    for i in places[:1]:
        return [*tokens[:i], b"".join(pair), *tokens[i + 2 :]]
    return tokens


def without_an_end(words: list[str], n_merges: int) -> list[Any]:
    cut, merges = [as_bytes(word) for word in words], []
    for _ in range(n_merges):
        counts = Counter(pair for word in cut for pair in pairwise(word))
        merges.append(max(counts, key=lambda pair: counts[pair]))
        cut = [join(word, merges[-1]) for word in cut]
    return merges


def stops_early(words: list[str], n_merges: int) -> list[Any]:
    learned = ONE_FILE["learn"](words, n_merges)
    return [pair for pair in learned if sum(word.count(b"".join(pair).decode("utf-8", "replace"))
                                            for word in words) > 1]  # fmt: skip


def as_one_text(words: list[str], n_merges: int) -> list[Any]:
    return list(ONE_FILE["learn"]([" ".join(words)], n_merges))


def with_what_is_left(words: list[str], n_merges: int) -> tuple[Any, Any]:
    return ONE_FILE["learn"](words, n_merges), words


RIGHT = [
    ("bpe.learn", ONE_FILE["learn"]), ("bpe.learn", by_ids), ("bpe.learn", by_word_counts),
    ("bpe.learn", with_fault()),
    ("bpe.learn", with_fault(give=lambda pair: [bytes(part) for part in pair])),
]  # fmt: skip

WRONG: Wrong = [
    ("bpe.learn", without_an_end, "nothing to join: stop the loop"),
    ("bpe.learn", with_fault(number=lambda ids: None), "give `left + right` the next id."),
    ("bpe.learn", with_fault(choose=lambda counts, ids: min(
        counts, key=lambda p: (-counts[p], BYTES.index(p[0]), BYTES.index(p[1])))),
     "is not in list. A new token has no id yet"),
    ("bpe.learn", with_fault(number=lambda ids: 256),
     "entry 24 (counted from 0) is [b' b', b'e']; it should be [b' f', b'or']."),
    ("bpe.learn", as_one_text, "cross from one word to the next"),
    ("bpe.learn", stops_early, "it should return"),
    ("bpe.learn", with_what_is_left, "it should return [[b'a', b'a']"),
    ("bpe.learn", lambda words, n_merges: None, "Your function returns None"),
    ("bpe.learn", ONE_FILE["learn"](["aaabdaaabac"], 3), "Pass the function itself"),
    ("bpe.learn", lambda text: [], "calls your function with (words, n_merges)"),
    ("bpe.learn", with_fault(apply=first_only), "join it wherever it occurs"),
    ("bpe.learn", with_fault(apply=lambda tokens, pair: tokens), "The same pair is learned again"),
    ("bpe.learn", with_fault(choose=lambda counts, ids: max(counts)), "it should return"),
    ("bpe.learn", with_fault(choose=lambda counts, ids: max(counts, key=lambda p: (counts[p], p))),
     "takes the largest tokens"),
    ("bpe.learn", with_fault(give=lambda pair: [list(part) for part in pair]),
     "returns [[[97], [97]], "),
    ("bpe.learn", with_fault(lambda words: Counter(p for w in words for p in set(pairwise(w)))),
     "count every time"),
    ("bpe.learn", with_fault(count=lambda words: Counter(
        (w[i], w[i + 1]) for w in words for i in range(len(w) - 2))), "last two tokens"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
