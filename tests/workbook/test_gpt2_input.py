"""The exercises of the chapter `gpt2-input`: right and wrong answers."""

from typing import Any

import torch
from answers import Wrong, tried


def reading(n: int, context_size: int, stride: int) -> list[tuple[int, list[int]]]:
    """A short last window instead of one that is moved back."""
    windows, new = [], 1
    for start in range(0, max(n - 1, 0), stride):
        end = min(start + context_size, n - 1)
        if new <= end:
            windows.append((start, list(range(new, end + 1))))
        new = max(new, end + 1)
    return windows


def without_tail(n: int, context_size: int, stride: int) -> Any:
    return [w for w in reading(n, context_size, stride) if w[0] + context_size <= n - 1]


def all_targets(n: int, context_size: int, stride: int) -> Any:
    return [
        (start, range(start + 1, min(start + context_size, n - 1) + 1))
        for start, _ in reading(n, context_size, stride)
    ]


def one_by_one(n: int, context_size: int, stride: int) -> Any:
    return [(place - 1, [place]) for place in range(1, n)]


def in_torch(ids: list[int], token_table: Any, position_table: Any) -> Any:
    if any(i < 0 for i in ids):
        raise IndexError
    rows = [token_table[i] for i in ids]
    places = [position_table[p] for p in range(len(ids))]
    return torch.tensor(rows) + torch.tensor(places)


def always_refusing(ids: list[int], token_table: Any, position_table: Any) -> Any:
    if len(ids) < len(position_table):
        raise IndexError
    return in_torch(ids, token_table, position_table)


def spoiling(ids: list[int], token_table: Any, position_table: Any) -> Any:
    vectors = in_torch(ids, token_table, position_table)
    ids.clear()
    return vectors


RIGHT = [
    ("gpt2-input.embed", in_torch),
    ("gpt2-input.long", reading),
    ("gpt2-input.long", lambda *case: [(start, set(places)) for start, places in reading(*case)]),
]  # fmt: skip

WRONG: Wrong = [
    ("gpt2-input.embed", always_refusing, "It refuses all ids, those with a row, too."),
    ("gpt2-input.embed", spoiling, "changes `ids`, which should stay as it is"),
    ("gpt2-input.long", without_tail, "position 9 is not a target of any window."),
    ("gpt2-input.long", all_targets, "position 2 is a target twice; keep only the new targets."),
    ("gpt2-input.long", one_by_one, "the target at position 2 has 1 id before it in its window"),
    ("gpt2-input.long", lambda n, context_size, stride: [(0, range(1, n))],
     "the window at 0 cannot have the target 5"),
    ("gpt2-input.long", lambda n, context_size, stride: [(0, range(n))], "is never a target"),
    ("gpt2-input.long", lambda n, context_size, stride: [(0, range(1, n + 1))],
     "there is no position 10 in a text of 10 ids"),
    ("gpt2-input.long", lambda n, context_size, stride: range(n), "return a list of pairs"),
    ("gpt2-input.long", lambda n, context_size, stride: [("0", "123")], "return a list of pairs"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
