"""The exercises of the chapter `positions`: right and wrong answers."""

from typing import Any

import numpy as np
import torch
from answers import Wrong, tried
from torch import Tensor


def by_loop(attention_mask: Any) -> list[list[bool]]:
    n = len(attention_mask)
    return [[p == q or (q < p and bool(attention_mask[q])) for q in range(n)] for p in range(n)]


def idle_look_everywhere(attention_mask: Tensor) -> Any:
    """The result of a padding position is not used, so it may look at anything."""
    real = attention_mask.bool().numpy()
    mask = np.tril(np.ones((len(real), len(real)), dtype=bool)) & real
    mask[~real] = True
    return mask


def strict(attention_mask: Tensor) -> Tensor:
    n = len(attention_mask)
    return torch.ones(n, n, dtype=torch.bool).tril() & attention_mask.bool()


def in_torch(vectors: Any) -> Tensor:
    x = torch.tensor(vectors, dtype=torch.float64)
    return (x @ x.T).softmax(-1) @ x


def scaled(vectors: Any) -> Tensor:
    x = torch.tensor(vectors, dtype=torch.float64)
    return torch.nn.functional.scaled_dot_product_attention(x, x, x)


RIGHT = [
    ("positions.mix", in_torch),
    ("positions.left", by_loop),
    ("positions.left", idle_look_everywhere),
]  # fmt: skip

WRONG: Wrong = [
    ("positions.mix", scaled, "it should return [["),
    ("positions.mix", lambda vectors: vectors, "it should return [["),
    ("positions.reach", lambda texts, n: [len({tuple(t) for t in texts if len(t) > p})
                                          for p in range(n)], "it should return [2, 2, 2]"),
    ("positions.left", strict, "position 0 has nothing to look at"),
    ("positions.left", lambda mask: torch.ones(len(mask), len(mask)).bool().tril(),
     "position 2 looks at position 0, which is padding."),
    ("positions.left", lambda mask: mask.bool().expand(len(mask), -1),
     "position 2 looks at position 3, which is later."),
    ("positions.left", lambda mask: ~torch.tensor(by_loop(mask)), "True and False are exchanged"),
    ("positions.left", lambda mask: torch.tensor(by_loop(mask)).T,
     "rows and columns are exchanged"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
