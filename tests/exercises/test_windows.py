"""The exercises of the chapter `windows`: right and wrong answers."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from answers import tried
from torch import Tensor

Documents = Sequence[Sequence[int]]


def count(n: int, context_size: int, stride: int) -> int:
    return max(0, math.ceil((n - context_size) / stride))


def targets(n: int, context_size: int, stride: int) -> list[int]:
    """Return the target positions of all windows, with repetitions."""
    return [
        start + 1 + i
        for start in range(0, n - context_size, stride)
        for i in range(context_size)
    ]  # fmt: skip


def never_a_target(n: int, context_size: int, stride: int) -> int:
    hit = np.zeros(n, dtype=bool)
    hit[targets(n, context_size, stride)] = True
    return int((~hit[1:]).sum())


def asked(inputs: Tensor, targets: Tensor) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in zip(inputs, targets[1:], strict=False)]


def lost_share(documents: Documents, context_size: int) -> float:
    possible = kept = 0
    for ids in documents:
        possible += len(ids) - 1
        kept += len(targets(len(ids), context_size, context_size))
    return (possible - kept) / possible


RIGHT = [
    ("windows.count", count),
    ("windows.one-more", never_a_target),
    ("windows.other-stride", lambda length, overlap: [length - 1, length - overlap]),
    ("windows.twice", asked),
    ("windows.twice", lambda inputs, targets: torch.stack([inputs[:-1], targets[1:]], dim=1)),
    ("windows.documents", lost_share),
]

test_answers = tried(RIGHT)
