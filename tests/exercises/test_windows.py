"""The exercises of the chapter `windows`: right answers pass, each wrong one hears why."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import torch
from answers import tried
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


HINTS = {
    "windows.count": "It takes three integers and returns one.",
    "windows.one-more": "It takes three integers and returns one.",
    "windows.other-stride": "It takes two integers and returns two.",
    "windows.twice": "It takes two tensors of L ids and returns a list of pairs.",
    "windows.documents": "It takes a list of documents, each a list of ids, and L, and returns a "
    "number.",
}

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

WRONG = [
    ("windows.count", lambda n, context_size, stride: n // stride, START),
    ("windows.count", lambda n, context_size, stride: math.ceil(n / stride), START),
    ("windows.count", lambda n, size, stride: math.ceil((n - size) / stride),
     "A text shorter than a window has no window, not a negative number of them."),
    ("windows.count", lambda n, size, stride: max(0, (n - size) // stride), UP),
    ("windows.count", lambda n, size, stride: int((n - size) / stride), UP),
    ("windows.count", lambda n, size, stride: len(range(0, n - size + 1, stride)), LAST),
    ("windows.count", lambda n, size, stride: (n - size) // stride + 1, LAST),
    ("windows.count", lambda n, size, stride: len(range(0, n - size - 1, stride)),
     "A window holds context_size + 1 ids, so that is how many the shortest text for one window "
     "has."),
    ("windows.count", lambda n, size, stride: max(n - size, 0),
     "That is right at a stride of 1; larger steps make fewer windows."),
    ("windows.count", lambda n, size: n - size,
     "It is called with (n_tokens, context_size, stride), and yours takes (n, size)."),
    ("windows.count", 257,
     "Hand over the function itself, a function of (n_tokens, context_size, stride), not what it "
     "returns."),
    ("windows.one-more", lambda *case: case[0] - len(set(targets(*case))),
     "One too many: the first token is not to be counted, and neither is one that is a target but "
     "never an input."),
    ("windows.one-more", lambda *case: case[0] - 1 - len(targets(*case)),
     "Where windows overlap, a token is a target of several: count it once."),
    ("windows.one-more", lambda *case: max(0, case[0] - 1 - len(targets(*case))),
     "Where windows overlap, a token is a target of several: count it once."),
    ("windows.one-more", gaps,
     "These are the gaps between windows; the tail behind the last one counts too."),
    ("windows.one-more", never_in_a_window,
     "A token may stand in a window as an input and still never be a target."),
    ("windows.one-more", never_an_input,
     "One too many: the first token is not to be counted, and neither is one that is a target but "
     "never an input."),
    ("windows.one-more", lambda *case: len(set(targets(*case))),
     "That many are a target; count the others."),
    ("windows.one-more", lambda n, size, stride: 0,
     "your function(5145, 4, 5) gives 0, and it should give 1028."),
    ("windows.other-stride", lambda max_length, overlap: (max_length, max_length - overlap),
     "A window of max_length inputs reads one id more, its last target."),
    ("windows.other-stride", lambda max_length, overlap: (max_length - 1, overlap), OVERLAP),
    ("windows.other-stride", lambda max_length, overlap: (max_length, overlap),
     f"{OVERLAP} And the last target belongs to a piece, too."),
    ("windows.other-stride", lambda max_length, overlap: (max_length - 1, max_length - overlap - 1),
     "The step is from the start of a piece to the start of the next: count it in ids of the "
     "piece, the last target included."),
    ("windows.other-stride", lambda max_length, overlap: (max_length - 1,) * 2,
     "That is right for an overlap of 1; a larger one makes smaller steps."),
    ("windows.other-stride", lambda max_length, overlap: (max_length - overlap, max_length - 1),
     "The context size comes first, then the stride."),
    ("windows.other-stride", (256, 256),
     "Hand over the function itself, a function of (max_length, overlap), not what it returns."),
    ("windows.other-stride", lambda max_length, overlap: max_length - overlap,
     "your function(257, 1) gives 256, and it should give [256, 256]."),
    ("windows.twice", lambda inputs, targets: torch.stack([inputs, targets], dim=1),
     "That is what the window asks; the model shifts its labels once more."),
    ("windows.twice", lambda inputs, targets: pairwise(inputs),
     "A prediction is lost, as it should be, but the labels have not been shifted."),
    ("windows.twice", lambda inputs, targets: pairwise(targets),
     "The output at place i meets the label at place i + 1; you have dropped the first pair of "
     "both."),
    ("windows.twice", lambda inputs, targets: zip(inputs[1:], targets[:-1], strict=True),
     "The other way: the output at place i meets the label at place i + 1."),
    ("windows.twice", lambda inputs, targets: zip(inputs, targets.roll(-1), strict=True),
     "The last place has no label behind it, and the first one does not come round to it: the "
     "prediction is left out."),
    ("windows.twice", lambda inputs, targets: targets[1:],
     "your function([0, 1, 2, 3], [1, 2, 3, 4]) gives [2, 3, 4], and it should give "
     "[[0, 2], [1, 3], [2, 4]]."),
    ("windows.twice", lambda inputs, targets: [
        (int(inputs[i]), int(targets[i + 1])) for i in range(len(inputs))],
     "your function([0, 1, 2, 3], [1, 2, 3, 4]) raises IndexError: index 4 is out of bounds for "
     "dimension 0 with size 4. It takes two tensors of L ids and returns a list of pairs."),
    ("windows.documents", lambda documents, size: 1 - lost_share(documents, size),
     "That is the share that is kept."),
    ("windows.documents", lambda documents, size: 100 * lost_share(documents, size),
     "That is per cent; give the share, between 0 and 1."),
    ("windows.documents", lost_of_all,
     "The first id of a document has none before it, and is no possible target."),
    ("windows.documents", lost_of_joined,
     "Give each document windows of its own; yours run across their borders."),
    ("windows.documents", lost_of_chunks,
     "A window of L inputs needs L + 1 ids: L ids make none."),
    ("windows.documents", mean_share,
     "Add up the targets of all documents before you divide: they are not equally long."),
    ("windows.documents",
     lambda documents, size: sum(
         len(ids) - 1 - len(targets(len(ids), size, size)) for ids in documents),
     "That is how many are lost; divide by how many there could be."),
    ("windows.documents", lambda documents, size: 0.5,
     "your function([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,…, 16) gives 0.5, and it should give "
     "0.23809523809523814."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, hints=HINTS)
