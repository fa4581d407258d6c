"""The exercises of the chapter `positions`: right and wrong answers."""

from typing import Any

import torch
from answers import Wrong, tried
from torch import Tensor


def by_loop(attention_mask: Any) -> list[list[bool]]:
    n = len(attention_mask)
    return [[p == q or (q < p and bool(attention_mask[q])) for q in range(n)] for p in range(n)]


def in_torch(vectors: Any) -> Tensor:
    x = torch.tensor(vectors, dtype=torch.float64)
    return (x @ x.T).softmax(-1) @ x


def scaled(vectors: Any) -> Tensor:
    x = torch.tensor(vectors, dtype=torch.float64)
    return torch.nn.functional.scaled_dot_product_attention(x, x, x)


RIGHT = [("positions.mix", in_torch), ("positions.left", by_loop)]

WRONG: Wrong = [
    ("positions.mix", scaled, "it should return [["),
    ("positions.reach", lambda texts, n: [len({tuple(t) for t in texts if len(t) > p})
                                          for p in range(n)], "it should return [2, 2, 2]"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
