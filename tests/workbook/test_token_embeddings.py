"""The exercises of the chapter `token-embeddings`: right and wrong answers."""

from typing import Any

import torch
from answers import Wrong, changed, tried

from workbook.exercises.token_embeddings import nearest


def by_angle(i: int, table: Any, k: int) -> list[int]:
    """Cosines in torch; where they are equal, its order is not that of the numbers."""
    rows = torch.tensor(table, dtype=torch.float64)
    cosines = torch.cosine_similarity(rows, rows[i], dim=1).tolist()
    return sorted((j for j in range(len(table)) if j != i), key=lambda j: -round(cosines[j], 9))[:k]


RIGHT = [("token-embeddings.nearest", by_angle)]

WRONG: Wrong = [  # divided by the squares of the lengths: short rows win
    ("token-embeddings.nearest", changed(nearest, "hypot(*row)", "hypot(*row)**2"), "nearest(1, "),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
