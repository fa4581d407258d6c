"""The exercises of the chapter `training`: right and wrong answers."""

import torch
from answers import tried


def by_optimizer(steps: int, lr: float, weight_decay: float) -> float:
    """Let AdamW work on a row whose gradient is zero."""
    row = torch.nn.Parameter(torch.ones(1, dtype=torch.float64))
    optimizer = torch.optim.AdamW([row], lr=lr, weight_decay=weight_decay)
    for _ in range(steps):
        row.grad = torch.zeros_like(row)
        optimizer.step()
    return row.item()


RIGHT = [
    ("training.never", by_optimizer),
]

test_answers = tried(RIGHT)
