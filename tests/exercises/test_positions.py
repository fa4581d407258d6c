"""The exercises of the chapter `positions`: right and wrong answers."""

from typing import Any

import numpy as np
import torch
from answers import Wrong, tried
from torch import Tensor


def reach(sequences: Any, context_size: int) -> list[int]:
    counts = [0] * context_size
    for sequence in sequences:
        for p, _ in enumerate(sequence):
            counts[p] += 1
    return counts


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


def causal(attention_mask: Tensor) -> Tensor:
    n = len(attention_mask)
    return torch.ones(n, n, dtype=torch.bool).tril()


def roberta(ids: Tensor) -> list[list[int]]:
    rows = []
    for row in ids.tolist():
        n_tokens, positions = 0, []
        for i in row:
            n_tokens += i != 1
            positions.append(1 if i == 1 else n_tokens + 1)
        rows.append(positions)
    return rows


RIGHT = [
    ("positions.parts", [True, True, True, False, False]),
    ("positions.two-layers", [1, 60, 1]),
    ("positions.reach", reach),
    ("positions.left", by_loop),
    ("positions.left", idle_look_everywhere),
    ("positions.roberta", roberta),
]  # fmt: skip

WRONG: Wrong = [
    ("positions.left", strict, "position 0 has nothing to look at"),
    ("positions.left", causal, "position 2 looks at position 0, which is padding."),
    ("positions.left", lambda mask: mask.bool().expand(len(mask), -1),
     "position 2 looks at position 3, which is later."),
    ("positions.left", lambda mask: ~torch.tensor(by_loop(mask)), "True and False are exchanged"),
    ("positions.left", lambda mask: torch.tensor(by_loop(mask)).T,
     "rows and columns are exchanged"),
    ("positions.left", lambda mask: torch.where(strict(mask), 0.0, -torch.inf),
     "the mask must contain True and False"),
    ("positions.left", lambda mask: mask, "the result must have the shape (5"),
    ("positions.left", lambda mask: torch.eye(len(mask)),
     "position 3 cannot look at position 2, but it should."),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
