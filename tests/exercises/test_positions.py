"""The exercises of the chapter `positions`: right and wrong answers."""

from typing import Any

import numpy as np
import torch
from answers import Wrong, tried
from torch import Tensor

# --- how often a row learns -----------------------------------------------------------------------


def reach(sequences: Any, context_size: int) -> list[int]:
    counts = [0] * context_size
    for sequence in sequences:
        for p, _ in enumerate(sequence):
            counts[p] += 1
    return counts


def reach_by_gradient(sequences: Any, context_size: int) -> Tensor:
    table = torch.zeros(context_size, 1, requires_grad=True)
    loss = torch.zeros(())
    for sequence in sequences:
        loss = loss + table[: len(sequence)].sum()
    torch.autograd.backward(loss)
    assert table.grad is not None
    return table.grad.flatten()


def reach_of_padded(sequences: Any, context_size: int) -> list[int]:
    longest = max(len(sequence) for sequence in sequences)
    return reach([[0] * longest for _ in sequences], context_size)


def reach_of_others_than(*ids: int) -> Any:
    """Padding found by its id."""

    def count(sequences: Any, context_size: int) -> list[int]:
        counts = np.zeros(context_size, dtype=int)
        for sequence in sequences:
            counts[: len(sequence)] += [i not in ids for i in sequence]
        return counts.tolist()

    return count


# --- left padding ---------------------------------------------------------------------------------


def by_loop(attention_mask: Any) -> list[list[bool]]:
    n = len(attention_mask)
    return [[p == q or (q < p and bool(attention_mask[q])) for q in range(n)] for p in range(n)]


def idle_look_everywhere(attention_mask: Tensor) -> Any:
    """Nobody reads what a place of padding makes, so it may look at whatever it likes."""
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


# --- RoBERTa --------------------------------------------------------------------------------------


def roberta(ids: Tensor) -> list[list[int]]:
    rows = []
    for row in ids.tolist():
        n_tokens, positions = 0, []
        for i in row:
            n_tokens += i != 1
            positions.append(1 if i == 1 else n_tokens + 1)
        rows.append(positions)
    return rows


def roberta_in_numpy(ids: Tensor) -> Any:
    real = ids.numpy() != 1
    return np.where(real, np.cumsum(real, axis=1) + 1, 1)


RIGHT = [
    ("positions.parts", [True, True, True, False, False]),
    ("positions.parts", np.array([True, True, True, False, False])),
    ("positions.two-layers", [1, 60, 1]),
    ("positions.two-layers", torch.tensor([1, 60, 1])),
    ("positions.reach", reach),
    ("positions.reach", reach_by_gradient),
    ("positions.reach", lambda sequences, size: np.array(reach(sequences, size))),
    ("positions.left", by_loop),
    ("positions.left", idle_look_everywhere),
    ("positions.left", lambda mask: torch.tensor(by_loop(mask)).int()),
    ("positions.roberta", roberta),
    ("positions.roberta", roberta_in_numpy),
    ("positions.roberta",
     lambda ids, padding_id=1: torch.tensor(roberta(ids)).masked_fill(ids == padding_id, 1)),
]  # fmt: skip

WRONG: Wrong = [
    ("positions.parts", [False, True, True, False, False],
     "A linear layer handles each row by itself"),
    ("positions.parts", [True, False, True, False, False],
     "Layer normalization takes the mean of each row by itself"),
    ("positions.parts", [True, True, False, False, False],
     "The mean of all rows: does it change when you permute them?"),
    ("positions.parts", [True, True, True, True, False],
     "A running sum: its first row is the first row of X."),
    ("positions.parts", [True] * 3 + [False, True],
     "A convolution mixes each row with its neighbours."),
    ("positions.parts", [True, True, True, False, False, True], "Your answer is [True, True"),
    ("positions.parts", [1, 1, 1, 0, 0], "1 is neither True nor False."),
    ("positions.two-layers", [1, 120, 1], 0),
    ("positions.two-layers", [60, 60, 1], 1),
    ("positions.two-layers", [120, 120, 1], 2),
    ("positions.two-layers", [1, 1, 1], 3),
    ("positions.two-layers", [1, 60, 60], 4),
    ("positions.two-layers", [1, 1, 60], 5),
    ("positions.two-layers", (60, 60, 60), 6),
    ("positions.two-layers", [1, 24, 1], "Entry 1 (counted from 0) is 24, which is wrong."),
    ("positions.two-layers", 60, "Your answer is 60; it should be a list."),
    ("positions.reach", reach_of_padded, 0),
    ("positions.reach",
     lambda sequences, size: [sum(len(s) >= p for s in sequences) for p in range(size)], 1),
    ("positions.reach", lambda sequences, size: reach(sequences, max(map(len, sequences))), 2),
    ("positions.reach",
     lambda sequences, size: np.bincount([len(s) - 1 for s in sequences], minlength=size), 3),
    ("positions.reach", lambda sequences, size: np.array(reach(sequences, size)) > 0,
     "returns [True, True, True"),
    ("positions.reach", lambda sequences, size: [min(n, 1) for n in reach(sequences, size)], 4),
    ("positions.reach", reach_of_others_than(50256), 5),
    ("positions.reach", reach_of_others_than(0), 6),
    ("positions.reach", lambda sequences: reach(sequences, 6), "The checker calls your function"),
    ("positions.left", strict, "position 0 has nothing to look at"),
    ("positions.left", causal, "position 2 looks at position 0, which is padding."),
    ("positions.left", lambda mask: mask.bool().expand(len(mask), -1),
     "position 2 looks at position 3, which is later."),
    ("positions.left", lambda mask: ~torch.tensor(by_loop(mask)), "True and False are exchanged"),
    ("positions.left", lambda mask: torch.tensor(by_loop(mask)).T,
     "rows and columns are exchanged"),
    ("positions.left", lambda mask: strict(mask).T, "rows and columns are exchanged"),
    ("positions.left", lambda mask: torch.where(strict(mask), 0.0, -torch.inf),
     "the mask must contain True and False"),
    ("positions.left", lambda mask: mask, "the result must have the shape (5"),
    ("positions.left", lambda mask: torch.eye(len(mask)),
     "position 3 cannot look at position 2, but it should."),
    ("positions.roberta", lambda ids: torch.arange(ids.shape[1]).repeat(len(ids), 1), 0),
    ("positions.roberta", lambda ids: torch.arange(ids.shape[1]).repeat(len(ids), 1) + 2, 1),
    ("positions.roberta", lambda ids: (torch.arange(ids.shape[1]) + 1) * (ids != 1) + 1, 2),
    ("positions.roberta", lambda ids: (ids != 1).cumsum(dim=1) + 1, 3),
    ("positions.roberta", lambda ids: torch.tensor(roberta(ids)) - 1, 4),
    ("positions.roberta", lambda ids: ((ids != 1).cumsum(dim=1) - 1).clamp(min=0), 5),
    ("positions.roberta", lambda ids: torch.tensor(roberta(ids)) * (ids != 1), 6),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)
