"""Exercises of the chapter `windows`."""

from collections.abc import Sequence

from torch import Tensor

from companion.exercises._grading import Exercise, Mistake
from companion.windows import SlidingWindows, window_count

# ------------------------------------------------------------------------------ targets


def _seen(n: int, context_size: int, stride: int) -> set[int]:
    """The places of 0 to n - 1 that are a target of some window."""
    windows = SlidingWindows(range(n), context_size, stride)
    return {place for _, targets in windows for place in targets.tolist()}


def _never_a_target(n: int, context_size: int, stride: int) -> int:
    return n - 1 - len(_seen(n, context_size, stride))


def _never_counted_once(n: int, context_size: int, stride: int) -> int:
    """Forget that overlapping windows share their targets."""
    return n - 1 - window_count(n, context_size, stride) * context_size


def _never_without_tail(n: int, context_size: int, stride: int) -> int:
    """Count only the gaps between windows."""
    return (window_count(n, context_size, stride) - 1) * max(0, stride - context_size)


def _never_in_a_window(n: int, context_size: int, stride: int) -> int:
    windows = SlidingWindows(range(n), context_size, stride)
    held = {place for pair in windows for ids in pair for place in ids.tolist()}
    return n - len(held)


# ------------------------------------------------------------------------------ shifted twice

Asked = list[tuple[int, int]]


def _asked_once(inputs: Tensor, targets: Tensor) -> Asked:
    return list(zip(inputs.tolist(), targets.tolist(), strict=True))


def _asked(inputs: Tensor, targets: Tensor) -> Asked:
    return _asked_once(inputs[:-1], targets[1:])


def _asked_inside(inputs: Tensor, targets: Tensor) -> Asked:
    return _asked_once(inputs, targets)[:-1]


def _asked_from_second(inputs: Tensor, targets: Tensor) -> Asked:
    return _asked_once(inputs, targets)[1:]


def _asked_back(inputs: Tensor, targets: Tensor) -> Asked:
    return _asked_once(inputs[1:], targets[:-1])


def _asked_round(inputs: Tensor, targets: Tensor) -> Asked:
    return _asked_once(inputs, targets.roll(-1))


# ------------------------------------------------------------------------------ lost targets

Documents = Sequence[Sequence[int]]


def _n_targets(documents: Documents, context_size: int) -> int:
    return sum(window_count(len(ids), context_size, context_size) for ids in documents) * (
        context_size
    )


def _kept_share(documents: Documents, context_size: int) -> float:
    return _n_targets(documents, context_size) / sum(len(ids) - 1 for ids in documents)


def _lost_share(documents: Documents, context_size: int) -> float:
    return 1 - _kept_share(documents, context_size)


def _lost_of_all_ids(documents: Documents, context_size: int) -> float:
    return 1 - _n_targets(documents, context_size) / sum(map(len, documents))


def _lost_of_joined(documents: Documents, context_size: int) -> float:
    joined = [token_id for ids in documents for token_id in ids]
    possible = sum(len(ids) - 1 for ids in documents)
    return 1 - _n_targets([joined], context_size) / possible


def _lost_with_short_windows(documents: Documents, context_size: int) -> float:
    """Think that a document of just L ids makes a window."""
    kept = sum(len(ids) // context_size * context_size for ids in documents)
    return 1 - kept / sum(len(ids) - 1 for ids in documents)


def _mean_lost_share(documents: Documents, context_size: int) -> float:
    shares = [_lost_share([ids], context_size) for ids in documents]
    return sum(shares) / len(shares)


def _lost_number(documents: Documents, context_size: int) -> int:
    return sum(len(ids) - 1 for ids in documents) - _n_targets(documents, context_size)


def _row(n: int) -> list[int]:
    return list(range(n))


EXERCISES = [
    Exercise(
        "windows.count", "Counting", topic="windows and strides", level=1, minutes=5,
        right=window_count,
        cases=[(1547, 5, 1), (1547, 5, 6), (1547, 1024, 1024), (5, 5, 1), (6, 5, 1), (3, 5, 2)],
        mistakes=[
            Mistake(lambda n, context_size, stride: n // stride,
                    "A window needs its inputs and a target: start from n - context_size."),
            Mistake(lambda n, context_size, stride: -(-n // stride),
                    "A window needs its inputs and a target: start from n - context_size."),
            Mistake(lambda n, context_size, stride: -(-(n - context_size) // stride),
                    "A text shorter than a window has no window, not a negative number of them."),
            Mistake(lambda n, context_size, stride: (n - context_size) // stride,
                    "Round up: whatever is left of a step still holds the start of a window."),
            Mistake(lambda n, context_size, stride: (n - context_size) // stride + 1,
                    "The last target needs a place too: when n - context_size divides evenly, you "
                    "count one window too many."),
            Mistake(lambda n, context_size, stride: max(0, -(-(n - context_size - 1) // stride)),
                    "A window holds context_size + 1 ids, so that is how many the shortest text "
                    "for one window has."),
            Mistake(lambda n, context_size, stride: max(0, n - context_size),
                    "That is right at a stride of 1; larger steps make fewer windows."),
        ],
        hint="It takes three integers and returns one.",
    ),
    Exercise(
        "windows.one-more", "L or L + 1", topic="coverage", level=2, minutes=15,
        right=_never_a_target,
        cases=[(5145, 4, 4), (5145, 4, 5), (33, 8, 9), (33, 8, 2), (35, 8, 8), (12, 4, 3)],
        mistakes=[
            Mistake(lambda *case: _never_a_target(*case) + 1,
                    "One too many: the first token is not to be counted, and neither is one that "
                    "is a target but never an input."),
            Mistake(_never_counted_once,
                    "Where windows overlap, a token is a target of several: count it once."),
            Mistake(lambda *case: max(0, _never_counted_once(*case)),
                    "Where windows overlap, a token is a target of several: count it once."),
            Mistake(_never_without_tail,
                    "These are the gaps between windows; the tail behind the last one counts too."),
            Mistake(_never_in_a_window,
                    "A token may stand in a window as an input and still never be a target."),
            Mistake(lambda *case: len(_seen(*case)), "That many are a target; count the others."),
        ],
        hint="It takes three integers and returns one.",
    ),
    Exercise(
        "windows.other-stride", "The other stride", topic="step and overlap", level=2, minutes=10,
        right=lambda max_length, overlap: (max_length - 1, max_length - overlap),
        cases=[(257, 1), (257, 129), (512, 128), (9, 0), (10, 9)],
        mistakes=[
            Mistake(lambda max_length, overlap: (max_length, max_length - overlap),
                    "A window of max_length inputs reads one id more, its last target."),
            Mistake(lambda max_length, overlap: (max_length - 1, overlap),
                    "What they call stride is the overlap; SlidingWindows wants the step."),
            Mistake(lambda max_length, overlap: (max_length, overlap),
                    "What they call stride is the overlap; SlidingWindows wants the step. And the "
                    "last target belongs to a piece, too."),
            Mistake(lambda max_length, overlap: (max_length - 1, max_length - 1 - overlap),
                    "The step is from the start of a piece to the start of the next: count it in "
                    "ids of the piece, the last target included."),
            Mistake(lambda max_length, overlap: (max_length - 1, max_length - 1),
                    "That is right for an overlap of 1; a larger one makes smaller steps."),
            Mistake(lambda max_length, overlap: (max_length - overlap, max_length - 1),
                    "The context size comes first, then the stride."),
        ],
        hint="It takes two integers and returns two.",
    ),
    Exercise(
        "windows.twice", "Shifted twice", topic="targets", level=1, minutes=10,
        right=_asked,
        cases=[SlidingWindows(range(6), 4)[0], SlidingWindows([7, 7, 5, 3, 9, 1, 8], 5)[0],
               SlidingWindows([4, 2], 1)[0]],
        mistakes=[
            Mistake(_asked_once,
                    "That is what the window asks; the model shifts its labels once more."),
            Mistake(_asked_inside,
                    "A prediction is lost, as it should be, but the labels have not been shifted."),
            Mistake(_asked_from_second,
                    "The output at place i meets the label at place i + 1; you have dropped the "
                    "first pair of both."),
            Mistake(_asked_back,
                    "The other way: the output at place i meets the label at place i + 1."),
            Mistake(_asked_round,
                    "The last place has no label behind it, and the first one does not come round "
                    "to it: the prediction is left out."),
        ],
        hint="It takes two tensors of L ids and returns a list of pairs.",
    ),
    Exercise(
        "windows.documents", "No window from two documents", topic="documents", level=3,
        minutes=30, right=_lost_share, tolerance=1e-3,
        cases=[([_row(40), _row(17), _row(9)], 16), ([_row(33), _row(16)], 16), ([_row(5)], 16),
               ([_row(n) for n in range(2, 60, 7)], 8)],
        mistakes=[
            Mistake(_kept_share, "That is the share that is kept."),
            Mistake(lambda documents, context_size: 100 * _lost_share(documents, context_size),
                    "That is per cent; give the share, between 0 and 1."),
            Mistake(_lost_of_all_ids,
                    "The first id of a document has none before it, and is no possible target."),
            Mistake(_lost_of_joined,
                    "Give each document windows of its own; yours run across their borders."),
            Mistake(_lost_with_short_windows,
                    "A window of L inputs needs L + 1 ids: L ids make none."),
            Mistake(_mean_lost_share,
                    "Add up the targets of all documents before you divide: they are not equally "
                    "long."),
            Mistake(_lost_number, "That is how many are lost; divide by how many there could be."),
        ],
        hint="It takes a list of documents, each a list of ids, and L, and returns a number.",
    ),
]  # fmt: skip
