"""The exercises of the chapter `training`: right and wrong answers."""

import math
from collections import deque
from collections.abc import Callable

import numpy as np
import torch
from answers import Wrong, find_exercise, tried
from torch import Tensor

from companion.exercises import Exercise, grade


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


def alike_with_the_diagonal(first: Tensor, second: Tensor) -> float:
    # Both triangles and each row with itself; a usual mistake takes one triangle and the diagonal.
    return float(np.corrcoef(cosines(first).ravel(), cosines(second).ravel())[0, 1])


def alike_with_themselves(first: Tensor, second: Tensor) -> float:
    upper = np.triu_indices(len(first))
    return float(np.corrcoef(cosines(first)[upper], cosines(second)[upper])[0, 1])


def alike_by_products(first: Tensor, second: Tensor) -> float:
    upper = np.triu_indices(len(first), 1)
    one, two = ((table @ table.T).numpy()[upper] for table in (first, second))
    return float(np.corrcoef(one, two)[0, 1])


def cosine_of_cosines(first: Tensor, second: Tensor) -> float:
    upper = np.triu_indices(len(first), 1)
    one, two = cosines(first)[upper], cosines(second)[upper]
    return float(one @ two / math.sqrt((one @ one) * (two @ two)))


RIGHT = [
    ("training.freeze", ["position", "token, untied", "token"]),
    ("training.freeze", ("position", "token, untied", "token")),
    ("training.freeze", deque(["position", "token, untied", "token"])),
    ("training.freeze", np.array(["position", "token, untied", "token"])),
    ("training.never", by_optimizer),
    ("training.never", step_by_step),
    ("training.never", lambda steps, lr, decay: np.power(1 - lr * decay, steps)),
    ("training.never", lambda steps, lr, decay: torch.tensor(1 - lr * decay).double() ** steps),
    ("training.tie", alike),
    ("training.tie", alike_both_triangles),
]  # fmt: skip

WRONG: Wrong = [
    ("training.freeze", ["token", "token, untied", "position"], 0),
    ("training.freeze", ["position", "token", "token, untied"], 1),
    ("training.freeze", ("token, untied", "position", "token"), 2),
    ("training.freeze", ["token, untied", "token", "position"], 3),
    ("training.freeze", ["token", "position", "token, untied"], 4),
    ("training.freeze", ["position", "token"], "Your list has 2 entries; it should have 3."),
    ("training.freeze", ["position", "untied", "token"],
     "Entry 1 (counted from 0) is 'untied', which is wrong."),
    ("training.freeze", [1.9, 3.6, 5.8], "Entry 0 (counted from 0) is 1.9, which is wrong."),
    ("training.never", lambda steps, lr, decay: 1 - steps * lr * decay, 0),
    ("training.never", lambda steps, lr, decay: math.prod([1 - decay] * steps), 1),
    ("training.never", lambda steps, lr, decay: (1 - lr) ** steps, 2),
    ("training.never", lambda steps, lr, decay: np.exp(-lr * decay * steps), 3),
    ("training.never", lambda steps, lr, decay: 1 - by_optimizer(steps, lr, decay), 4),
    ("training.never", lambda steps, lr, decay: (lr * decay) ** steps, 5),
    ("training.never", by_adam, 6),
    ("training.never", lambda steps, lr, decay: 1 + lr * decay, "returns 1.25"),
    ("training.never", 0.995011, "Pass the function itself"),
    ("training.tie", lambda first, second: np.corrcoef(first.ravel(), second.ravel())[0, 1], 0),
    ("training.tie", lambda first, second: torch.cosine_similarity(first, second, dim=1).mean(), 1),
    ("training.tie", alike_with_themselves, 2),
    ("training.tie", alike_with_the_diagonal, 3),
    ("training.tie", alike_by_products, 4),
    ("training.tie", cosine_of_cosines, 5),
    ("training.tie", lambda first, second: alike(first, second) ** 2, 6),
    ("training.tie", lambda first, second: alike(first.T, second.T), 7),
    ("training.tie", lambda first, second, ids: 1.0, "The checker calls your function"),
    ("training.tie", lambda first, second: first.cosines - second.cosines, "raises AttributeError"),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)


def test_both_precisions_are_judged_alike() -> None:
    # The chapter sets float64 as the default, and a reader's own program need not.
    exercise = find_exercise("training.tie")
    before = torch.get_default_dtype()
    try:
        for dtype in (torch.float32, torch.float64):
            torch.set_default_dtype(dtype)
            answer = lambda first, second: torch.tensor(alike(first, second))  # noqa: E731
            assert grade(exercise, answer).passed
    finally:
        torch.set_default_dtype(before)


def test_the_tables_are_alike_as_they_should_be(made_anew: Callable[[str], Exercise]) -> None:
    exercise = made_anew("training.tie")
    shares = [exercise.right(*case) for case in exercise.cases]
    turned, noisy, unrelated = (round(share, 3) for share in shares)
    assert (turned, noisy, unrelated) == (1, 0.73, -0.132)
