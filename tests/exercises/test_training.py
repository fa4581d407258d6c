"""The exercises of the chapter `training`: right and wrong answers."""

import numpy as np
import torch
from answers import Wrong, find_exercise, tried
from torch import Tensor

from companion.exercises import grade


def by_optimizer(steps: int, lr: float, weight_decay: float) -> float:
    """Let AdamW work on a row whose gradient is zero."""
    row = torch.nn.Parameter(torch.ones(1, dtype=torch.float64))
    optimizer = torch.optim.AdamW([row], lr=lr, weight_decay=weight_decay)
    for _ in range(steps):
        row.grad = torch.zeros_like(row)
        optimizer.step()
    return row.item()


def by_adam(steps: int, lr: float, weight_decay: float) -> float:
    row = torch.nn.Parameter(torch.ones(1, dtype=torch.float64))
    optimizer = torch.optim.Adam([row], lr=lr)
    for _ in range(steps):
        row.grad = torch.zeros_like(row)
        optimizer.step()
    return row.item()


def step_by_step(steps: int, lr: float, weight_decay: float) -> float:
    left = 1.0
    for _ in range(steps):
        left -= lr * weight_decay * left
    return left


def cosines(table: Tensor) -> np.ndarray:
    rows = table.numpy()
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    products: np.ndarray = rows @ rows.T
    return products


def alike(first: Tensor, second: Tensor) -> float:
    pairs = [(i, j) for i in range(len(first)) for j in range(i)]
    one, two = ([cosines(table)[pair] for pair in pairs] for table in (first, second))
    return float(np.corrcoef(one, two)[0, 1])


def alike_both_triangles(first: Tensor, second: Tensor) -> Tensor:
    """Count each pair twice, which changes nothing."""
    others = ~np.eye(len(first), dtype=bool)
    pairs = np.stack([cosines(table)[others] for table in (first, second)])
    return torch.corrcoef(torch.tensor(pairs))[0, 1]


RIGHT = [
    ("training.freeze", ["position", "token, untied", "token"]),
    ("training.never", by_optimizer),
    ("training.never", step_by_step),
    ("training.never", lambda steps, lr, decay: np.power(1 - lr * decay, steps)),
    ("training.never", lambda steps, lr, decay: torch.tensor(1 - lr * decay).double() ** steps),
    ("training.tie", alike),
    ("training.tie", alike_both_triangles),
]  # fmt: skip

WRONG: Wrong = [
    ("training.never", by_adam, 6),
]

TestAnswers = tried(RIGHT, WRONG)


def test_both_precisions_are_judged_alike() -> None:
    # The chapter sets float64 as the default; a reader's own program may not.
    exercise = find_exercise("training.tie")
    before = torch.get_default_dtype()
    try:
        for dtype in (torch.float32, torch.float64):
            torch.set_default_dtype(dtype)
            answer = lambda first, second: torch.tensor(alike(first, second))  # noqa: E731
            assert grade(exercise, answer).passed
    finally:
        torch.set_default_dtype(before)
