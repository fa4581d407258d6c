"""Exercises of the chapter `positions`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from workbook.exercises._grading import Exercise, Mistake
from workbook.exercises._rows import Row, cosine, dot, softmax, torch

Rows = Sequence[Row]


def mix(vectors):
    """Return for each vector a mix of all: more of those that are like it."""
    mixed = []
    for looking in vectors:
        shares = softmax([dot(looking, vector) for vector in vectors])
        mixed.append([dot(shares, column) for column in zip(*vectors)])
    return mixed


def _shares(
    weigh: Callable[[Row], Row] = softmax, score: Callable[[Row, Row], float] = dot
) -> Callable[[Rows], Rows]:
    """Weigh the scores of each vector with all: (n, d) -> (n, n)."""
    return lambda vectors: [weigh([score(x, y) for y in vectors]) for x in vectors]


def _mixed(shares: Callable[[Rows], Rows]) -> Callable[[Rows], Rows]:
    """Mix the vectors by these shares."""
    return lambda vectors: [
        [dot(row, column) for column in zip(*vectors, strict=True)] for row in shares(vectors)
    ]


def _reach(
    sequences: Sequence[Sequence[int]], context_size: int, padding: int = -1, early: int = 0
) -> list[int]:
    """Count the sequences that reach each row, without padding, or one row too early."""
    return [
        sum(len(ids) > p - early and ids[p : p + 1] != [padding] for ids in sequences)
        for p in range(context_size)
    ]


def _causal(attention_mask: Any, *, padding: bool = False, itself: bool = True) -> Any:
    """Return which position may look where; with faults, at padding, or not at itself."""
    n = len(attention_mask)
    earlier = torch.ones(n, n).bool().tril() & (attention_mask.bool() | padding)
    return earlier | torch.eye(n).bool() if itself else earlier


_ROWS = [[2.0, 0.0, 1.0], [1.0, 1.0, -1.0], [0.0, 3.0, 0.5], [-1.0, 0.5, 2.0]]

EXERCISES = [
    Exercise("positions.mix", "Mix the vectors", topic="attention", level=2, minutes=8, first=True,
        ours=mix, right=mix,
        cases=[(_ROWS,), (_ROWS[:3],), (_ROWS[::-1],), ([_ROWS[1]],), ([[2, 0], [1, 1], [0, 1]],)],
        hint="It takes a list of vectors, each a list of numbers.",
        mistakes=[
            Mistake(_shares(), "These are the shares; mix the vectors with them."),
            Mistake(_mixed(_shares(list)),
                    "The scores are no shares: they do not add up to 1. Put them through softmax."),
            Mistake(_mixed(_shares(score=cosine)),
                    "The scores are cosines; take the dot products, without the lengths."),
        ]),
    Exercise("positions.parts", "Which parts see order?", topic="order", level=2, minutes=15,
        right=[True, True, True, False, False],
        asks="a list of five values, True for each function that only reorders its results",
        remarks=[
            "A linear layer handles each row by itself: does the order of the rows matter?",
            "Layer normalization takes the mean of each row by itself, not over the rows.",
            "The mean of all rows: does it change when you permute them?",
            "A running sum: its first row is the first row of X. Put another row first.",
            "A convolution mixes each row with its neighbours. Does a permutation keep them?",
        ]),
    Exercise("positions.two-layers", "One masked layer or two", topic="causal mask", level=2,
        minutes=15, right=[1, 60, 1],
        asks="three numbers of outputs: after one masked layer, after two, after two unmasked",
        mistakes=[
            Mistake([1, 120, 1], "Two of the five tokens are the same: some orders are equal."),
            Mistake([60, 60, 1],
                    "One masked layer shows which tokens came before, but not in which order."),
            Mistake([1, 1, 1], "With a mask, the second layer sees what the first has changed."),
            Mistake([1, 60, 60], "Without a mask no depth reveals the order."),
        ]),
    Exercise("positions.reach", "How often a row learns", topic="training of a position table",
        level=2, minutes=20, right=_reach,
        # The third has ids that are also used as padding.
        cases=[([[464, 1310], [257, 640, 612, 2107], [11]], 6), ([[1, 2, 3], [1, 2, 3]], 3),
               ([[0, 50256], [50256, 11, 50256]], 4), ([[7] * 20, [7] * 5, [9] * 20, [8]], 32)],
        hint="It takes a list of lists of ids, and the number of rows of the position table.",
        mistakes=[
            Mistake(lambda sequences, context_size:
                    [len(sequences) * (p < max(map(len, sequences))) for p in range(context_size)],
                    "You have counted the padding, too: a sequence reaches only its own rows."),
            Mistake(partial(_reach, early=1),
                    "A sequence of 3 tokens has positions 0, 1 and 2, and does not reach row 3."),
            *(Mistake(partial(_reach, padding=pad),
                      "A token may have the id of padding: use the lengths, not the ids.")
              for pad in (0, 50256)),
        ]),
    Exercise("positions.left", "Left padding, all the way through", topic="padding", level=3,
        minutes=25, needs="torch", right=lambda attention_mask: _causal(attention_mask),
        cases=lambda: [(torch.tensor(real),)
                       for real in ([0, 0, 1, 1, 1], [1, 1, 1], [0, 0, 0, 1])],
        asks="which returns a mask of shape (n, n), True where a position may look",
        hint="The attention mask is a tensor of shape (n,), 1 for a token and 0 for padding.",
        mistakes=[
            Mistake(partial(_causal, itself=False), "A position of padding has nothing to look at, "
                    "and a softmax over nothing is nan: let it look at itself."),
            Mistake(partial(_causal, padding=True), "Tokens look at padding."),
            Mistake(lambda attention_mask: attention_mask.bool().expand(len(attention_mask), -1),
                    "Some positions look at later ones."),
            Mistake(lambda attention_mask: ~_causal(attention_mask),
                    "True and False are exchanged: True means that a position may look."),
            Mistake(lambda attention_mask: _causal(attention_mask).T,
                    "Rows and columns are exchanged: row p is for the position that looks."),
        ]),
    Exercise("positions.roberta", "RoBERTa's 514 rows", topic="offsets", level=2, minutes=15,
        needs="torch", right=lambda ids: (ids != 1).cumsum(dim=1) * (ids != 1) + 1,
        cases=lambda: [(torch.tensor(ids),) for ids in (
            [[0, 9, 8, 7, 2], [0, 5, 2, 1, 1]], [[1, 1, 0, 5, 2], [1, 0, 9, 8, 2]],
            [[0, 4, 4, 4, 4, 2]])],
        hint="The ids are a tensor of shape (B, n); 1 is padding.",
        mistakes=[
            Mistake(lambda ids: torch.arange(ids.shape[1]).expand_as(ids),
                    "These are the columns, as for GPT-2 without padding."),
            Mistake(lambda ids: torch.arange(2, ids.shape[1] + 2).expand_as(ids),
                    "The first token is right, but you count the padding, too."),
            Mistake(lambda ids: torch.where(ids != 1, torch.arange(ids.shape[1]) + 2, 1),
                    "That is right if padding comes last. Count tokens, not columns."),
            Mistake(lambda ids: (ids != 1).cumsum(dim=1) + 1,
                    "Padding has the position of the last token before it; it should have 1."),
        ]),
]  # fmt: skip
