"""The exercises of the chapter `gpt2-input`: right and wrong answers."""

from typing import Any

import torch
from answers import Wrong, changed, tried

from workbook.exercises.gpt2_input import embed


def in_torch(ids: list[int], token_table: Any, position_table: Any) -> Any:
    if any(i < 0 for i in ids):
        raise IndexError
    rows = [token_table[i] for i in ids]
    places = [position_table[p] for p in range(len(ids))]
    return torch.tensor(rows) + torch.tensor(places)


RIGHT = [("gpt2-input.embed", in_torch)]

WRONG: Wrong = [
    ("gpt2-input.embed", changed(embed, "if not", "if True or not"), "It refuses all ids, those"),
    ("gpt2-input.embed", changed(embed, "[[a + b", "[list.append(place, 0) or [a + b"),
     " changes `position_table`, which should stay"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
