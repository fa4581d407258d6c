"""The exercises of the chapter `windows`: right answers pass, wrong ones get their message."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from answers import Wrong, tried


def with_while(ids: Any, n: Any, stride: Any) -> Any:
    pairs, start = [], 0
    while start + n < len(ids):
        pairs.append([ids[start : start + n], ids[start + 1 : start + 1 + n]])
        start += stride
    return pairs


def with_a_generator(ids: Any, n: Any, stride: Any) -> Iterator[Any]:
    for i in range(0, len(ids) - n, stride):
        yield ids[i:][:n], ids[i + 1 :][:n]


def by_number(ids: Any, n: Any, stride: Any) -> Any:
    count = max(0, -(-(len(ids) - n) // stride))
    return [
        ([ids[k * stride + j] for j in range(n)], [ids[k * stride + j + 1] for j in range(n)])
        for k in range(count)
    ]


def kept_if_whole(ids: Any, n: Any, stride: Any) -> Any:
    found = [ids[i : i + n + 1] for i in range(0, len(ids), stride)]
    return [(part[:-1], part[1:]) for part in found if len(part) == n + 1]


def until_an_error(ids: Any, n: Any, stride: Any) -> Any:
    return [([ids[i + j] for j in range(n)], [ids[i + j + 1] for j in range(n)])
            for i in range(0, len(ids), stride)]  # fmt: skip


def next_inputs(ids: Any, n: Any, stride: Any) -> Any:
    starts = range(0, len(ids) - 2 * n + 1, stride)
    return [(ids[i : i + n], ids[i + n : i + 2 * n]) for i in starts]


def next_window(ids: Any, n: Any, stride: Any) -> Any:
    return [(ids[i : i + n], ids[i + stride : i + stride + n]) for i in range(0, len(ids), stride)]


def returns_inside(ids: Any, n: Any, stride: Any) -> Any:
    pairs = []
    for i in range(0, len(ids) - n, stride):
        pairs.append((ids[i : i + n], ids[i + 1 : i + n + 1]))
        return pairs


def returns_one(ids: Any, n: Any, stride: Any) -> Any:
    for i in range(0, len(ids) - n, stride):
        return ids[i : i + n], ids[i + 1 : i + n + 1]


def made_anew(ids: Any, n: Any, stride: Any) -> Any:
    pairs = []
    for i in range(0, len(ids) - n, stride):
        pairs = [(ids[i : i + n], ids[i + 1 : i + n + 1])]
    return pairs


def forgets_the_start(ids: Any, n: Any, stride: Any) -> Any:
    return [(ids[:n], ids[1 : n + 1]) for _ in range(0, len(ids) - n, stride)]


def flat(ids: Any, n: Any, stride: Any) -> Any:
    return [pair for i in range(0, len(ids) - n, stride) for pair in pairwise(ids[i : i + n + 1])]


def prints(ids: Any, n: Any, stride: Any) -> None:
    for i in range(0, len(ids) - n, stride):
        print(ids[i : i + n], ids[i + 1 : i + n + 1])


RIGHT = [
    ("windows.windows", with_while),
    ("windows.windows", with_a_generator),
    ("windows.windows", by_number),
    ("windows.windows", kept_if_whole),
]

WRONG: Wrong = [
    ("windows.windows", until_an_error, "IndexError"),
    ("windows.windows", returns_inside, "does `return` stand inside the loop?"),
    ("windows.windows", returns_one, "One pair comes back: collect the pairs"),
    ("windows.windows", next_inputs, "The targets start one id later, not n (or the stride)."),
    ("windows.windows", next_window, "The targets start one id later, not n (or the stride)."),
    ("windows.windows", made_anew, "is the list made anew in the loop?"),
    ("windows.windows", forgets_the_start, "it should return"),
    ("windows.windows", flat, "it should return"),
    ("windows.windows", prints, "Your function returns None"),
    ("windows.windows", lambda ids, n, s: [(ids[i : i + n], ids[i + 1 : i + n])
                                           for i in range(0, len(ids) - n, s)], "up to start + n"),
    ("windows.windows", lambda ids, n, s: [(ids[i : i + n], ids[i + 1 : i + n + 1])
                                           for i in range(0, len(ids), s)], "complete ones"),
    ("windows.windows", lambda ids, n, s: [(ids[i : i + n], ids[i + 1 : i + n + 1])
                                           for i in range(0, len(ids) - n + 1, s)],
     "must start before len(ids) - n"),
    ("windows.windows", lambda ids, n: [], "it takes (ids, n)"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
