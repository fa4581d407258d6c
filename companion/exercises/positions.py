"""Exercises of the chapter `positions`."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from companion.bpe import gpt2
from companion.exercises._grading import Exercise, Mistake, judge_of_truths, plain

# ------------------------------------------------------------------------------ parts

_PARTS = [
    (True, "A linear layer treats each row by itself: does it matter in which order they come?"),
    (True, "Layer normalization takes the mean of each row by itself, and not over the rows."),
    (True, "The mean of all rows: does it change when they are permuted?"),
    (False, "A running sum: its first row is the first row of X, whichever stands there. Put "
     "another one first, and look."),
    (False, "A convolution mixes each row with its neighbours. Are they the same after a "
     "permutation?"),
]  # fmt: skip


# ------------------------------------------------------------------------------ two layers


def _n_orders() -> tuple[int, int]:
    """Count the orders of the first five tokens, and the different sequences among them."""
    first_five = gpt2().encode(" to be or not to be")[:5]
    orders = list(permutations(first_five))
    return len(orders), len(set(orders))


_ORDERS, _DIFFERENT = _n_orders()


# ------------------------------------------------------------------------------ reach

_REACH_CASES = [
    ([[464, 1310], [257, 640, 612, 2107], [11]], 6),
    ([[1, 2, 3]], 3),
    ([[0, 50256], [50256, 11, 50256]], 4),  # ids that also serve as padding
    ([[7] * 20, [7] * 5, [9] * 20, [8]], 32),
]


def _reach(sequences: Sequence[Sequence[int]], context_size: int) -> list[int]:
    return [sum(len(sequence) > p for sequence in sequences) for p in range(context_size)]


def _reach_with_padding(sequences: Sequence[Sequence[int]], context_size: int) -> list[int]:
    longest = max(map(len, sequences))
    return [len(sequences) * (p < longest) for p in range(context_size)]


def _reach_one_late(sequences: Sequence[Sequence[int]], context_size: int) -> list[int]:
    return [sum(len(sequence) >= p for sequence in sequences) for p in range(context_size)]


def _reach_to_the_longest(sequences: Sequence[Sequence[int]], context_size: int) -> list[int]:
    return _reach(sequences, max(map(len, sequences)))


def _ends_only(sequences: Sequence[Sequence[int]], context_size: int) -> list[int]:
    return [sum(len(sequence) == p + 1 for sequence in sequences) for p in range(context_size)]


def _whether_reached(sequences: Sequence[Sequence[int]], context_size: int) -> list[int]:
    return [int(count > 0) for count in _reach(sequences, context_size)]


def _reach_without(*padding: int) -> Callable[[Sequence[Sequence[int]], int], list[int]]:
    """Return the count that takes every id that may be padding for padding."""

    def count(sequences: Sequence[Sequence[int]], context_size: int) -> list[int]:
        return [
            sum(len(sequence) > p and sequence[p] not in padding for sequence in sequences)
            for p in range(context_size)
        ]

    return count


_TAKEN_FOR_PADDING = (
    "A sequence may hold the id that also serves as padding: go by the lengths, or by the "
    "attention mask, and not by the ids."
)

# ------------------------------------------------------------------------------ left

_MASKS = [[0, 0, 1, 1, 1], [1, 1, 1], [0, 0, 0, 1]]


def _judge_mask(make: Callable[[Tensor], Any]) -> str | None:
    """A place looks at itself and earlier, at no padding, and no place at nothing."""
    for real in _MASKS:
        remark = _remark_on_mask(plain(make(torch.tensor(real))), real)
        if remark:
            return f"For the attention mask {real}: {remark}"
    return None


def _remark_on_mask(given: Any, real: list[int]) -> str | None:
    n = len(real)
    if not _is_square(given, n):
        return f"the result must have the shape ({n}, {n}), a row for each place that looks."
    if not all(value in (0, 1) for row in given for value in row):
        return "the mask must hold True and False, not numbers to be added to the scores."
    may = [[bool(value) for value in row] for row in given]
    should = [[q <= p and bool(real[q]) for q in range(n)] for p in range(n)]
    places = [p for p in range(n) if real[p]]  # what padding makes of it, nobody reads
    for p in places:
        for q in range(n):
            if may[p][q] != should[p][q]:
                return _remark_on_place(may, should, p, q)
    idle = [p for p in range(n) if not any(may[p])]
    if idle:
        return (
            f"place {idle[0]} has nothing to look at, and a softmax over nothing is not a number: "
            "let it look at something."
        )
    return None


def _is_square(rows: Any, n: int) -> bool:
    return (
        isinstance(rows, list)
        and len(rows) == n
        and all(isinstance(row, list) and len(row) == n for row in rows)
    )


def _remark_on_place(may: list[list[bool]], should: list[list[bool]], p: int, q: int) -> str:
    """Say what is wrong with row p and column q, or with the whole if it is turned round."""
    n = len(may)
    if all(may[p][j] != should[p][j] for j in range(n)):
        return "True and False have changed places: True is where a place may look."
    if all(may[j][i] == should[i][j] for i in range(n) for j in range(n) if i != j):
        return "rows and columns have changed places: row p is for the place that looks."
    if should[p][q]:
        return f"place {p} cannot look at place {q}, though it could."
    return f"place {p} looks at place {q}, which is {'later' if q > p else 'padding'}."


# ------------------------------------------------------------------------------ RoBERTa

_PADDED = [
    torch.tensor([[0, 9, 8, 7, 2], [0, 5, 2, 1, 1]]),
    torch.tensor([[1, 1, 0, 5, 2], [1, 0, 9, 8, 2]]),  # on the left
    torch.tensor([[0, 4, 4, 4, 4, 2]]),
]


def _roberta(ids: Tensor) -> Tensor:
    real = (ids != 1).long()
    return real.cumsum(dim=1) * real + 1


def _columns_from(first: int) -> Callable[[Tensor], Tensor]:
    return lambda ids: (torch.arange(ids.shape[1]) + first).expand_as(ids)


def _by_column(ids: Tensor) -> Tensor:
    return torch.where(ids != 1, torch.arange(ids.shape[1]) + 2, 1)


def _padding_counted_on(ids: Tensor) -> Tensor:
    return (ids != 1).cumsum(dim=1) + 1


def _from_one(ids: Tensor) -> Tensor:
    return _roberta(ids) - 1


def _like_gpt2(ids: Tensor) -> Tensor:
    return ((ids != 1).cumsum(dim=1) - 1).clamp(min=0)


def _padding_zero(ids: Tensor) -> Tensor:
    return _roberta(ids) * (ids != 1)


EXERCISES = [
    Exercise(
        "positions.parts", "Which parts see order?", topic="permutations", level=2, minutes=20,
        judge=judge_of_truths(_PARTS, "five"),
        asks="a list of five values, True for each function that is permutation-equivariant",
    ),
    Exercise(
        "positions.two-layers", "One masked layer or two", topic="causal mask", level=2,
        minutes=15, right=[1, _DIFFERENT, 1],
        asks="three numbers of outputs: after one masked layer, after two, after two without a "
        "mask",
        mistakes=[
            Mistake([1, _ORDERS, 1],
                    "There are as many orders, but two of the five tokens are the same: to "
                    "exchange them changes nothing."),
            Mistake([_DIFFERENT, _DIFFERENT, 1],
                    "One masked layer shows the last token which tokens came before it, and no "
                    "more."),
            Mistake([_ORDERS, _ORDERS, 1],
                    "One masked layer shows the last token which tokens came before it, and no "
                    "more. And two of the five tokens are the same."),
            Mistake([1, 1, 1],
                    "With a mask the second layer looks at tokens that have changed in the first."),
            Mistake([1, _DIFFERENT, _DIFFERENT],
                    "Without a mask the proof holds at any depth: the same tokens, the same "
                    "output."),
            Mistake([1, 1, _DIFFERENT],
                    "The second and the third have changed places: it is the mask that gives order "
                    "away."),
            Mistake([_DIFFERENT, _DIFFERENT, _DIFFERENT],
                    "Both the first and the third lack something: attention sees a set, and only a "
                    "mask and a second layer make an order of it."),
        ],
    ),
    Exercise(
        "positions.reach", "How often a row learns", topic="training of a position table",
        level=2, minutes=20, right=_reach, cases=_REACH_CASES,
        mistakes=[
            Mistake(_reach_with_padding,
                    "Every row up to the longest sequence counts all sequences: the padding has "
                    "been counted, too."),
            Mistake(_reach_one_late,
                    "One too many here and there: a sequence of 3 tokens has the positions 0, 1 "
                    "and 2, and does not reach row 3."),
            Mistake(_reach_to_the_longest,
                    "The table has more rows than the longest sequence has tokens; those count "
                    "as well, with 0."),
            Mistake(_ends_only,
                    "This counts the sequences that end at a row; those that go on reach it, too."),
            Mistake(_whether_reached,
                    "This says whether a row is reached; count by how many sequences."),
            Mistake(_reach_without(50256), _TAKEN_FOR_PADDING),
            Mistake(_reach_without(0),
                    "The id 0 is a token like any other: go by the lengths, or by the attention "
                    "mask, and not by the ids."),
        ],
        hint="It takes a list of lists of ids, and the number of rows of the position table.",
    ),
    Exercise(
        "positions.left", "Left padding, all the way through", topic="padding", level=3,
        minutes=25, judge=_judge_mask,
        asks="a function of (attention_mask) that returns a mask of shape (n, n), True where a "
        "place may look",
        hint="The attention mask is a tensor of shape (n,), 1 for a token and 0 for padding.",
    ),
    Exercise(
        "positions.roberta", "RoBERTa's 514 rows", topic="offsets", level=2, minutes=15,
        right=_roberta, cases=[(ids,) for ids in _PADDED],
        mistakes=[
            Mistake(_columns_from(0),
                    "These are the columns, 0, 1, 2 and so on: that is GPT-2's way without "
                    "padding."),
            Mistake(_columns_from(2),
                    "The first token has the right row, and padding is counted like a token."),
            Mistake(_by_column,
                    "Right as long as padding comes last. On the left it must not be counted: "
                    "count tokens, and not columns."),
            Mistake(_padding_counted_on,
                    "Padding has the position of the last token before it; it should have 1."),
            Mistake(_from_one, "Everything is one too small: 1 is added to the count."),
            Mistake(_like_gpt2, "This counts from 0, as for GPT-2; RoBERTa begins at 2."),
            Mistake(_padding_zero, "The tokens are right; padding gets 1 and not 0."),
        ],
        hint="The ids are a tensor of shape (B, n); 1 is padding.",
    ),
]  # fmt: skip
