"""The exercises of the chapter `windows`: right and wrong answers."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import torch
from answers import Wrong, tried
from torch import Tensor

Documents = Sequence[Sequence[int]]


def count(n: int, context_size: int, stride: int) -> int:
    return max(0, math.ceil((n - context_size) / stride))


def count_starts(n: int, context_size: int, stride: int) -> int:
    return len([start for start in range(n) if start % stride == 0 and start + context_size < n])


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


def never_by_formula(n: int, context_size: int, stride: int) -> float:
    steps = count(n, context_size, stride) - 1
    return n - 1 - context_size - steps * min(context_size, stride) * 1.0


def never_an_input(n: int, context_size: int, stride: int) -> int:
    return n - len({place - 1 for place in targets(n, context_size, stride)})


def gaps(n: int, context_size: int, stride: int) -> int:
    places = sorted(set(targets(n, context_size, stride)))
    return sum(b - a - 1 for a, b in pairwise(places))


def same_pieces(max_length: int, overlap: int) -> tuple[int, int]:
    """Find the stride from the starts of the first two pieces."""
    starts = [0, max_length - overlap]
    return max_length - 1, starts[1] - starts[0]


def asked(inputs: Tensor, targets: Tensor) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in zip(inputs, targets[1:], strict=False)]


def lost_share(documents: Documents, context_size: int) -> float:
    possible = kept = 0
    for ids in documents:
        possible += len(ids) - 1
        kept += len(targets(len(ids), context_size, context_size))
    return (possible - kept) / possible


def generated(inputs: Tensor, targets: Tensor) -> Iterator[Tensor]:
    yield from torch.stack([inputs[:-1], targets[1:]], dim=1)


RIGHT = [
    ("windows.count", count),
    ("windows.count", count_starts),
    ("windows.one-more", never_a_target),
    ("windows.one-more", never_by_formula),
    ("windows.other-stride", same_pieces),
    ("windows.twice", asked),
    ("windows.twice", generated),
    ("windows.twice",
     lambda inputs, targets: dict(zip(inputs[:-1], targets[1:], strict=True)).items()),
    ("windows.twice", lambda inputs, targets: torch.stack([inputs[:-1], targets[1:]], dim=1)),
    ("windows.documents", lost_share),
    ("windows.documents", lambda documents, L: round(lost_share(documents, L), 4)),  # noqa: N803
]  # fmt: skip

WRONG: Wrong = [
    ("windows.count", lambda n, size, stride: int((n - size) / stride), 3),
    ("windows.count", lambda n, size, stride: max(0, round((n - size) / stride)), 3),
    ("windows.count", lambda n, size, stride: len(range(0, n - size + 1, stride)), 4),
    ("windows.count", lambda n, size, stride: len(range(0, n - size - 1, stride)), 5),
    ("windows.one-more", never_an_input, 0),
    ("windows.one-more", gaps, 3),
    ("windows.twice", lambda inputs, targets: pairwise(inputs), 1),
    ("windows.twice", lambda inputs, targets: pairwise(targets), 2),
]

TestAnswers = tried(RIGHT, WRONG)
