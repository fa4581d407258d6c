"""The exercises of the chapter `training`: right and wrong answers."""

import numpy as np
import torch
from answers import Wrong, tried
from torch import Tensor


def by_optimizer(steps: int, lr: float, weight_decay: float) -> float:
    """Let AdamW work on a row whose gradient is zero."""
    row = torch.nn.Parameter(torch.ones(1, dtype=torch.float64))
    optimizer = torch.optim.AdamW([row], lr=lr, weight_decay=weight_decay)
    for _ in range(steps):
        row.grad = torch.zeros_like(row)
        optimizer.step()
    return row.item()


def cosines(table: Tensor) -> np.ndarray:
    rows = table.numpy()
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    products: np.ndarray = rows @ rows.T
    return products


def alike(first: Tensor, second: Tensor) -> float:
    pairs = [(i, j) for i in range(len(first)) for j in range(i)]
    one, two = ([cosines(table)[pair] for pair in pairs] for table in (first, second))
    return float(np.corrcoef(one, two)[0, 1])


RIGHT = [
    ("training.freeze", ["position", "token, untied", "token"]),
    ("training.never", by_optimizer),
    ("training.tie", alike),
]

WRONG: Wrong = [
    ("training.never", lambda steps, lr, weight_decay: 1.0, "That is right for Adam;"),
    ("training.freeze", ["token", "token, untied", "position"], "in the wrong order: turn it"),
]

test_answers = tried(RIGHT, WRONG)
