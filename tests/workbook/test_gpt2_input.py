"""The exercises of the chapter `gpt2-input`: right and wrong answers."""

from typing import Any

import torch
from answers import Wrong, tried


def in_place_of_the_position(ids: Any, token_table: Any, position_table: Any) -> Any:
    if min(ids, default=0) < 0:
        raise IndexError
    for position, token_id in enumerate(ids):
        row = position_table[position]
        row[:] = [a + b for a, b in zip(token_table[token_id], row, strict=True)]
    return position_table[: len(ids)]


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


RIGHT = [("gpt2-input.embed", in_torch)]

WRONG: Wrong = [
    ("gpt2-input.embed", always_refusing, "It refuses all ids, those with a row, too."),
    ("gpt2-input.embed", in_place_of_the_position, " changes `position_table`, which should stay"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
