"""The exercises of the chapter `gpt2-input`: right and wrong answers."""

from typing import Any

import torch
from answers import Wrong, tried


def in_place_of_the_position(ids: Any, token_table: Any, position_table: Any) -> Any:
    for position, token_id in enumerate(ids):
        row = position_table[position]
        row[:] = [a + b for a, b in zip(token_table[token_id], row, strict=True)]
    return position_table[: len(ids)]


def all_positions(ids: Any, token_table: Any, position_table: Any) -> Any:
    return [[a + b for a, b in zip(token_table[ids[p]], row, strict=True)]
            for p, row in enumerate(position_table)]  # fmt: skip


RIGHT = [
    ("gpt2-input.embed", lambda ids, *tables: sum(torch.tensor(t)[: len(ids)] for t in (
        [tables[0][i] for i in ids], tables[1]))),
]  # fmt: skip

WRONG: Wrong = [
    ("gpt2-input.embed", all_positions, "stop at the last id."),
    ("gpt2-input.embed", in_place_of_the_position, " changes `position_table`, which should stay"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
