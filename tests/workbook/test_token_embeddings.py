"""The exercises of the chapter `token-embeddings`: right and wrong answers."""

import math
from typing import Any

import torch
from answers import Wrong, tried


def by_angle(i: int, table: Any, k: int) -> list[int]:
    """Cosines in torch; where they are equal, its order is not that of the numbers."""
    rows = torch.tensor(table, dtype=torch.float64)
    cosines = torch.cosine_similarity(rows, rows[i], dim=1).tolist()
    return sorted((j for j in range(len(table)) if j != i), key=lambda j: -round(cosines[j], 9))[:k]


def by_lengths_of_both(i: int, table: Any, k: int) -> list[int]:
    """The dot product divided by one length only is no cosine, but the order is the same."""
    dots = [sum(a * b for a, b in zip(table[i], row, strict=True)) for row in table]
    found = [(-round(x / math.hypot(*table[j]), 9), j) for j, x in enumerate(dots)]
    return [j for _, j in sorted(found) if j != i][:k]


def by_square(i: int, table: Any, k: int) -> list[int]:
    """The dot product divided by the squares of the lengths: short rows win."""
    found = {j: sum(a * b for a, b in zip(table[i], row, strict=True)) / math.hypot(*row) ** 2
             for j, row in enumerate(table) if j != i}  # fmt: skip
    return sorted(found, key=lambda j: -found[j])[:k]


RIGHT = [
    ("token-embeddings.nearest", by_angle),
    ("token-embeddings.nearest", by_lengths_of_both),
]

WRONG: Wrong = [
    ("token-embeddings.nearest", by_square, "by_square(1, "),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
