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
    """The places that are a target, as often as they are."""
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


def never_in_a_window(n: int, context_size: int, stride: int) -> int:
    places = targets(n, context_size, stride)
    return n - len({*places, *(place - 1 for place in places)})


def gaps(n: int, context_size: int, stride: int) -> int:
    places = sorted(set(targets(n, context_size, stride)))
    return sum(b - a - 1 for a, b in pairwise(places))


def same_pieces(max_length: int, overlap: int) -> tuple[int, int]:
    """Find the sizes by trying: where the first pieces lie in a long text."""
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


def lost_of_joined(documents: Documents, context_size: int) -> float:
    kept = len(targets(sum(map(len, documents)), context_size, context_size))
    return 1 - kept / sum(len(ids) - 1 for ids in documents)


def lost_of_all(documents: Documents, context_size: int) -> float:
    kept = sum(len(targets(len(ids), context_size, context_size)) for ids in documents)
    return 1 - kept / sum(len(ids) for ids in documents)


def lost_of_chunks(documents: Documents, context_size: int) -> float:
    """Cut each document into whole pieces of L ids, and forget the targets."""
    kept = sum(len(ids) // context_size for ids in documents) * context_size
    return 1 - kept / sum(len(ids) - 1 for ids in documents)


def mean_share(documents: Documents, context_size: int) -> float:
    return float(np.mean([lost_share([ids], context_size) for ids in documents]))


def generated(inputs: Tensor, targets: Tensor) -> Iterator[Tensor]:
    yield from torch.stack([inputs[:-1], targets[1:]], dim=1)


RIGHT = [
    ("windows.count", count),
    ("windows.count", count_starts),
    ("windows.count", lambda n, context_size, stride: np.int64(count(n, context_size, stride))),
    ("windows.one-more", never_a_target),
    ("windows.one-more", never_by_formula),
    ("windows.one-more", lambda *case: torch.tensor(never_a_target(*case))),
    ("windows.other-stride", same_pieces),
    ("windows.other-stride", lambda m, o: np.array([m - 1, m - o])),
    ("windows.twice", asked),
    ("windows.twice", generated),
    ("windows.twice",
     lambda inputs, targets: dict(zip(inputs[:-1], targets[1:], strict=True)).items()),
    ("windows.twice", lambda inputs, targets: torch.stack([inputs[:-1], targets[1:]], dim=1)),
    ("windows.documents", lost_share),
    ("windows.documents", lambda documents, L: round(lost_share(documents, L), 4)),  # noqa: N803
    ("windows.documents", lambda documents, size: np.float32(lost_share(documents, size))),
]  # fmt: skip

START = "A window needs its inputs and a target: start from n - context_size."
UP = "Round up: whatever is left of a step still holds the start of a window."
LAST = (
    "The last target needs a place too: when n - context_size divides evenly, you count one "
    "window too many."
)
OVERLAP = "What they call stride is the overlap; SlidingWindows wants the step."

WRONG: Wrong = [
    ("windows.count", lambda n, context_size, stride: n // stride, 0),
    ("windows.count", lambda n, context_size, stride: math.ceil(n / stride), 0),
    ("windows.count", lambda n, size, stride: math.ceil((n - size) / stride), 2),
    ("windows.count", lambda n, size, stride: max(0, (n - size) // stride), 3),
    ("windows.count", lambda n, size, stride: int((n - size) / stride), 3),
    ("windows.count", lambda n, size, stride: max(0, round((n - size) / stride)), 3),
    ("windows.count", lambda n, size, stride: len(range(0, n - size + 1, stride)), 4),
    ("windows.count", lambda n, size, stride: (n - size) // stride + 1, 4),
    ("windows.count", lambda n, size, stride: len(range(0, n - size - 1, stride)), 5),
    ("windows.count", lambda n, size, stride: max(n - size, 0), 6),
    ("windows.count", lambda n, size: n - size, "The checker calls your function"),
    ("windows.count", 257, "Pass the function itself"),
    ("windows.one-more", lambda *case: case[0] - len(set(targets(*case))), 0),
    ("windows.one-more", lambda *case: case[0] - 1 - len(targets(*case)), 1),
    ("windows.one-more", lambda *case: max(0, case[0] - 1 - len(targets(*case))), 1),
    ("windows.one-more", gaps, 3),
    ("windows.one-more", never_in_a_window, 4),
    ("windows.one-more", never_an_input, 0),
    ("windows.one-more", lambda *case: len(set(targets(*case))), 5),
    ("windows.one-more", lambda n, size, stride: 0, "returns 0"),
    ("windows.other-stride", lambda max_length, overlap: (max_length, max_length - overlap), 0),
    ("windows.other-stride", lambda max_length, overlap: (max_length - 1, overlap), 1),
    ("windows.other-stride", lambda max_length, overlap: (max_length, overlap), 2),
    ("windows.other-stride", lambda max_length, overlap: (max_length - 1, max_length - overlap - 1),
     3),
    ("windows.other-stride", lambda max_length, overlap: (max_length - 1,) * 2, 4),
    ("windows.other-stride", lambda max_length, overlap: (max_length - overlap, max_length - 1), 5),
    ("windows.other-stride", (256, 256), "Pass the function itself"),
    ("windows.other-stride", lambda max_length, overlap: max_length - overlap, "returns 256"),
    ("windows.twice", lambda inputs, targets: torch.stack([inputs, targets], dim=1), 0),
    ("windows.twice", lambda inputs, targets: pairwise(inputs), 1),
    ("windows.twice", lambda inputs, targets: pairwise(targets), 2),
    ("windows.twice", lambda inputs, targets: zip(inputs[1:], targets[:-1], strict=True), 3),
    ("windows.twice", lambda inputs, targets: zip(inputs, targets.roll(-1), strict=True), 4),
    ("windows.twice", lambda inputs, targets: targets[1:], "returns [2, 3, 4]"),
    ("windows.twice",
     lambda inputs, targets: [
        (int(inputs[i]), int(targets[i + 1])) for i in range(len(inputs))],
     "raises IndexError"),
    ("windows.documents", lambda documents, size: 1 - lost_share(documents, size), 0),
    ("windows.documents", lambda documents, size: 100 * lost_share(documents, size), 1),
    ("windows.documents", lost_of_all, 2),
    ("windows.documents", lost_of_joined, 3),
    ("windows.documents", lost_of_chunks, 4),
    ("windows.documents", mean_share, 5),
    ("windows.documents",
     lambda documents, size: sum(
         len(ids) - 1 - len(targets(len(ids), size, size)) for ids in documents),
     6),
    ("windows.documents", lambda documents, size: 0.5, "returns 0.5"),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)
