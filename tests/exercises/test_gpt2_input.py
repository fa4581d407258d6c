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


def with_tensors(ids: Any, token_table: Any, position_table: Any) -> Any:
    return torch.tensor(token_table)[ids] + torch.tensor(position_table)[: len(ids)]


def with_loops(ids: Any, token_table: Any, position_table: Any) -> Any:
    vectors = []
    for p in range(len(ids)):
        vector = []
        for column in range(len(token_table[0])):
            vector.append(token_table[ids[p]][column] + position_table[p][column])
        vectors.append(vector)
    return vectors


def with_a_copy(ids: Any, token_table: Any, position_table: Any) -> Any:
    x = [row[:] for row in map(token_table.__getitem__, ids)]
    for vector, place in zip(x, position_table, strict=False):
        for k, number in enumerate(place):
            vector[k] += number
    return x


def adds_in_place(ids: Any, token_table: Any, position_table: Any) -> Any:
    x = [token_table[i] for i in ids]
    for p, vector in enumerate(x):
        for k in range(len(vector)):
            vector[k] += position_table[p][k]
    return x


def keeps_one_list(ids: Any, token_table: Any, position_table: Any) -> Any:
    vectors, vector = [], [0] * len(token_table[0])
    for p, i in enumerate(ids):
        for k in range(len(vector)):
            vector[k] = token_table[i][k] + position_table[p][k]
        vectors.append(vector)
    return vectors


def all_positions(ids: Any, token_table: Any, position_table: Any) -> Any:
    return [[a + b for a, b in zip(token_table[ids[p]], row, strict=True)]
            for p, row in enumerate(position_table)]  # fmt: skip


def whole_tables(ids: Any, token_table: Any, position_table: Any) -> Any:
    return [[a + b for a, b in zip(*rows, strict=True)]
            for rows in zip(token_table, position_table, strict=False)]  # fmt: skip


RIGHT = [
    ("gpt2-input.input", with_tensors),
    ("gpt2-input.input", with_loops),
    ("gpt2-input.input", with_a_copy),
    ("gpt2-input.long", reading),
    ("gpt2-input.long", lambda *case: [(start, set(places)) for start, places in reading(*case)]),
]

WRONG: Wrong = [
    ("gpt2-input.input", adds_in_place, "You change the rows of the table"),
    ("gpt2-input.input", keeps_one_list, "it should return"),
    ("gpt2-input.input", all_positions, "stop at the last id."),
    ("gpt2-input.input", lambda ids, t, p: [t[ids[k]] for k in range(len(t))], "stop at the last"),
    ("gpt2-input.input", whole_tables, "it should return"),
    ("gpt2-input.input", lambda ids, t, p: [t[i] + p[k] for k, i in enumerate(ids)], "`+` joins"),
    ("gpt2-input.input", lambda ids, t, p: [[a + b for a, b in zip(t[i], p[i], strict=True)]
                                            for i in ids], "position row of the id"),
    ("gpt2-input.input", lambda ids, t, p: [[t[i][0] + p[k][0] for k, i in enumerate(ids)]],
     "it should return"),
    ("gpt2-input.input", lambda ids, t, p: print(ids), "Your function returns None"),
    ("gpt2-input.long", without_tail, "position 9 is not a target of any window."),
    ("gpt2-input.long", all_targets, "position 2 is a target twice; keep only the new targets."),
    ("gpt2-input.long", one_by_one, "the target at position 2 has 1 id before it in its window"),
    ("gpt2-input.long", lambda n, context_size, stride: [(0, range(1, n))],
     "the window at 0 cannot have the target 5"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
