"""Exercises of the chapter `windows`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

from workbook.exercises._grading import Exercise, Mistake
from workbook.exercises._rows import torch

Documents = Sequence[Sequence[int]]
Pairs = list[tuple[list[int], list[int]]]


def _starts(n_ids: int, context_size: int, stride: int) -> range:
    return range(0, max(n_ids - context_size, 0), stride)


def _count(n_ids: int, context_size: int, stride: int) -> int:
    return len(_starts(n_ids, context_size, stride))


def _seen(n: int, context_size: int, stride: int, first: int = 1) -> set[int]:
    """Collect the positions that are a target of some window, or its input if `first` is 0."""
    starts = _starts(n, context_size, stride)
    return {start + i for start in starts for i in range(first, context_size + 1)}


def _asked(inputs: Any, targets: Any) -> list[tuple[int, int]]:
    return list(zip(inputs.tolist(), targets.tolist(), strict=True))


def _n_targets(documents: Documents, context_size: int) -> int:
    return context_size * sum(_count(len(ids), context_size, context_size) for ids in documents)


def _lost(
    documents: Documents, context_size: int,
    kept: Callable[[Documents, int], int] = _n_targets, first: int = 1,
) -> float:  # fmt: skip
    """Return the share that is not kept of all ids but the first of each document."""
    return 1 - kept(documents, context_size) / sum(len(ids) - first for ids in documents)


def _documents(*lengths: int) -> Documents:
    return [list(range(n)) for n in lengths]


def _at(
    starts: Callable[[int, int, int], Iterable[int]] = _starts,
    cut: Callable[..., Any] = lambda ids, i, n, _: (ids[i : i + n], ids[i + 1 :][:n]),
) -> Callable[[list[int], int, int], Pairs]:
    """Cut a window at each start."""
    return lambda ids, n, stride: [cut(ids, i, n, stride) for i in starts(len(ids), n, stride)]


def windows(ids, n, stride):
    """Return pairs of n ids and their targets, the ids one place later."""
    starts = range(0, len(ids) - n, stride)
    return [(ids[i : i + n], ids[i + 1 : i + n + 1]) for i in starts]


EXERCISES = [
    Exercise("windows.windows", "Cut the windows", topic="windows", level=2, minutes=6,
        first=True, ours=windows, right=windows,
        cases=[([*range(20, 31)], 4, 2), ([*range(20, 31)], 4, 4), ([9, 7, 9, 5, 5, 2], 5, 1),
               ([4, 8, 6, 1, 3, 2, 9], 2, 3), ([3, 1, 2, 7], 4, 1), ([5, 6], 4, 1),
               ([*range(50, 63)], 4, 4), ([8, 6, 4], 1, 1)],
        hint="It takes a list of ids and two integers.",
        mistakes=[
            Mistake(_at(lambda size, n, stride: range(0, size, stride)),
                    "The text ends before some of your windows do: keep only the complete ones."),
            Mistake(_at(lambda size, n, stride: range(0, size - n + 1, stride)),
                    "The last window has too few targets: it must start before len(ids) - n."),
            Mistake(_at(cut=lambda ids, i, n, _: (ids[i:n], ids[i + 1 : n + 1])),
                    "The end of a slice is counted from the start of the text: start + n, not n."),
            Mistake(_at(lambda size, n, stride: [i * stride for i in range((size - n) // stride)]),
                    "You stop too early: round the number of windows up."),
            Mistake(_at(lambda size, n, stride: range(0, size - n)),
                    "Your windows start at every id; the next one is `stride` ids further on."),
            Mistake(_at(lambda size, n, stride: range(0, size - n, n)),
                    "Your windows are n apart; the distance of two starts is `stride`."),
            Mistake(_at(cut=lambda ids, i, n, _: (ids[i : i + n],) * 2),
                    "Your targets equal the inputs; they begin one id later."),
            *(Mistake(_at(cut=cut), "The targets start one id later, not n (or the stride).")
              for cut in (lambda ids, i, n, _: (ids[i : i + n], ids[i + n :][:n]),
                          lambda ids, i, n, stride: (ids[i : i + n], ids[i + stride :][:n]))),
            Mistake(_at(cut=lambda ids, i, n, _: ids[i : i + n + 1]),
                    "Each window is a pair: cut these n + 1 ids into inputs and targets."),
            Mistake(_at(cut=lambda ids, i, n, _: ids[i : i + n]),
                    "These are the inputs; each window is a pair of inputs and targets."),
            Mistake(lambda *case: [*zip(*windows(*case), strict=True)] or ([], []),
                    "Return one list of pairs, not a list of inputs and a list of targets."),
        ]),
    Exercise("windows.count", "Counting", topic="windows and strides", level=1, minutes=5,
        right=_count,
        cases=[(1547, 5, 1), (1547, 5, 6), (1547, 1024, 1024), (5, 5, 1), (6, 5, 1), (3, 5, 2),
               (1100, 1024, 1024), (1547, 5, 1000)],
        hint="It takes three integers and returns one.",
        mistakes=[
            Mistake(lambda n, _, stride: n // stride,
                    "A window needs its inputs and a target: start from n - context_size."),
            Mistake(lambda n, context_size, stride: -(-(n - context_size) // stride),
                    "A text that is shorter than a window has 0 windows, not a negative number."),
            Mistake(lambda n, context_size, stride: (n - context_size) // stride,
                    "Round up: an incomplete step still contains the start of a window."),
            Mistake(lambda n, context_size, stride: (n - context_size) // stride + 1,
                    "The last window needs a target after its inputs: you count one too many."),
        ]),
    Exercise("windows.one-more", "n or n + 1", topic="coverage", level=2, minutes=15,
        right=lambda n_ids, context_size, stride:
            n_ids - 1 - len(_seen(n_ids, context_size, stride)),
        cases=[(5145, 4, 4), (5145, 4, 5), (33, 8, 9), (33, 8, 2), (35, 8, 8), (12, 4, 3)],
        hint="It takes three integers and returns one.",
        mistakes=[
            Mistake(lambda *case: case[0] - len(_seen(*case)),
                    "One too many: leave out the first token, and count targets, not inputs."),
            Mistake(lambda n, size, stride: max(0, n - 1 - _count(n, size, stride) * size),
                    "If windows overlap, a token is a target of several: count it once."),
            Mistake(lambda n, size, stride: n - len(_seen(n, size, stride, first=0)),
                    "A token can be in a window and never be a target."),
        ]),
    Exercise("windows.other-stride", "The other stride", topic="step and overlap", level=2,
        minutes=10, right=lambda max_length, overlap: (max_length - 1, max_length - overlap),
        cases=[(257, 1), (257, 129), (512, 128), (9, 0), (10, 9)],
        hint="It takes two integers and returns two.",
        mistakes=[
            Mistake(lambda max_length, overlap: (max_length, max_length - overlap),
                    "A window of max_length inputs reads one more id, its last target."),
            Mistake(lambda max_length, overlap: (max_length - 1, overlap),
                    "What they call stride is the overlap; SlidingWindows wants the step."),
            Mistake(lambda max_length, overlap: (max_length - 1, max_length - 1 - overlap),
                    "The last target of a piece counts for the overlap: the step is one more."),
        ]),
    Exercise("windows.twice", "Shifted twice", topic="targets", level=1, minutes=10,
        needs="torch", right=lambda inputs, targets: _asked(inputs[:-1], targets[1:]),
        cases=lambda: [(torch.tensor(ids[:-1]), torch.tensor(ids[1:]))
                       for ids in ([*range(5)], [7, 7, 5, 3, 9, 1], [4, 2])],
        hint="It takes two tensors of L ids and returns a list of pairs.",
        mistakes=[
            Mistake(_asked, "That is what the window asks; the model shifts once more."),
            Mistake(lambda inputs, targets: _asked(inputs, targets)[:-1],
                    "You drop the last prediction, which is right, but do not shift the targets."),
        ]),
    Exercise("windows.documents", "No window from two documents", topic="documents", level=3,
        minutes=30, right=_lost, tolerance=1e-3,
        cases=[(_documents(40, 17, 9), 16), (_documents(33, 16), 16), (_documents(5), 16),
               (_documents(*range(2, 60, 7)), 8)],
        hint="It takes a list of documents, each a list of ids, and L, and returns a number.",
        mistakes=[
            Mistake(partial(_lost, first=0),
                    "The first id of a document cannot be a target: no id comes before it."),
            Mistake(partial(_lost, kept=lambda texts, n: _n_targets([[*chain(*texts)]], n)),
                    "Give each document its own windows; yours cross borders."),
            Mistake(partial(_lost, kept=lambda texts, n: sum(len(ids) // n * n for ids in texts)),
                    "A window of L inputs needs L + 1 ids."),
        ]),
]  # fmt: skip
