"""The exercises of the chapter `positions`: right answers pass, each wrong one hears why."""

from typing import Any

import numpy as np
import torch
from answers import tried
from torch import Tensor

# --- how often a row learns -----------------------------------------------------------------------


def reach(sequences: Any, context_size: int) -> list[int]:
    counts = [0] * context_size
    for sequence in sequences:
        for p, _ in enumerate(sequence):
            counts[p] += 1
    return counts


def reach_by_gradient(sequences: Any, context_size: int) -> Tensor:
    table = torch.zeros(context_size, 1, requires_grad=True)
    loss = torch.zeros(())
    for sequence in sequences:
        loss = loss + table[: len(sequence)].sum()
    loss.backward()
    assert table.grad is not None
    return table.grad.flatten()


def reach_of_padded(sequences: Any, context_size: int) -> list[int]:
    longest = max(len(sequence) for sequence in sequences)
    return reach([[0] * longest for _ in sequences], context_size)


def reach_of_others_than(*ids: int) -> Any:
    """Padding found by its id."""

    def count(sequences: Any, context_size: int) -> list[int]:
        counts = np.zeros(context_size, dtype=int)
        for sequence in sequences:
            counts[: len(sequence)] += [i not in ids for i in sequence]
        return counts.tolist()

    return count


# --- left padding ---------------------------------------------------------------------------------


def by_loop(attention_mask: Any) -> list[list[bool]]:
    n = len(attention_mask)
    return [[p == q or (q < p and bool(attention_mask[q])) for q in range(n)] for p in range(n)]


def idle_look_everywhere(attention_mask: Tensor) -> Any:
    """Nobody reads what a place of padding makes, so it may look at whatever it likes."""
    real = attention_mask.bool().numpy()
    mask = np.tril(np.ones((len(real), len(real)), dtype=bool)) & real
    mask[~real] = True
    return mask


def strict(attention_mask: Tensor) -> Tensor:
    n = len(attention_mask)
    return torch.ones(n, n, dtype=torch.bool).tril() & attention_mask.bool()


def causal(attention_mask: Tensor) -> Tensor:
    n = len(attention_mask)
    return torch.ones(n, n, dtype=torch.bool).tril()


# --- RoBERTa --------------------------------------------------------------------------------------


def roberta(ids: Tensor) -> list[list[int]]:
    rows = []
    for row in ids.tolist():
        n_tokens, positions = 0, []
        for i in row:
            n_tokens += i != 1
            positions.append(1 if i == 1 else n_tokens + 1)
        rows.append(positions)
    return rows


def roberta_in_numpy(ids: Tensor) -> Any:
    real = ids.numpy() != 1
    return np.where(real, np.cumsum(real, axis=1) + 1, 1)


ASKED = {
    "positions.parts": "a list of five values, True for each function that is "
    "permutation-equivariant",
    "positions.two-layers": "three numbers of outputs: after one masked layer, after two, after "
    "two without a mask",
    "positions.left": "a function of (attention_mask) that returns a mask of shape (n, n), True "
    "where a place may look",
}

HINTS = {
    "positions.reach": "It takes a list of lists of ids, and the number of rows of the position "
    "table.",
    "positions.left": "The attention mask is a tensor of shape (n,), 1 for a token and 0 for "
    "padding.",
    "positions.roberta": "The ids are a tensor of shape (B, n); 1 is padding.",
}

RIGHT = [
    ("positions.parts", [True, True, True, False, False]),
    ("positions.parts", np.array([True, True, True, False, False])),
    ("positions.two-layers", [1, 60, 1]),
    ("positions.two-layers", torch.tensor([1, 60, 1])),
    ("positions.reach", reach),
    ("positions.reach", reach_by_gradient),
    ("positions.reach", lambda sequences, size: np.array(reach(sequences, size))),
    ("positions.left", by_loop),
    ("positions.left", idle_look_everywhere),
    ("positions.left", lambda mask: torch.tensor(by_loop(mask)).int()),
    ("positions.roberta", roberta),
    ("positions.roberta", roberta_in_numpy),
    ("positions.roberta",
     lambda ids, padding_id=1: torch.tensor(roberta(ids)).masked_fill(ids == padding_id, 1)),
]  # fmt: skip

WRONG = [
    ("positions.parts", [False, True, True, False, False],
     "A linear layer treats each row by itself: does it matter in which order they come?"),
    ("positions.parts", [True, False, True, False, False],
     "Layer normalization takes the mean of each row by itself, and not over the rows."),
    ("positions.parts", [True, True, False, False, False],
     "The mean of all rows: does it change when they are permuted?"),
    ("positions.parts", [True, True, True, True, False],
     "A running sum: its first row is the first row of X, whichever stands there. Put another one "
     "first, and look."),
    ("positions.parts", [True] * 3 + [False, True],
     "A convolution mixes each row with its neighbours. Are they the same after a permutation?"),
    ("positions.parts", [True, True, True, False, False, True],
     "It is [True, True, True, False, False, True], and should be a list of five values."),
    ("positions.parts", [1, 1, 1, 0, 0], "1 is neither True nor False."),
    ("positions.two-layers", [1, 120, 1],
     "There are as many orders, but two of the five tokens are the same: to exchange them changes "
     "nothing."),
    ("positions.two-layers", [60, 60, 1],
     "One masked layer shows the last token which tokens came before it, and no more."),
    ("positions.two-layers", [120, 120, 1],
     "One masked layer shows the last token which tokens came before it, and no more. And two of "
     "the five tokens are the same."),
    ("positions.two-layers", [1, 1, 1],
     "With a mask the second layer looks at tokens that have changed in the first."),
    ("positions.two-layers", [1, 60, 60],
     "Without a mask the proof holds at any depth: the same tokens, the same output."),
    ("positions.two-layers", [1, 1, 60],
     "The second and the third have changed places: it is the mask that gives order away."),
    ("positions.two-layers", (60, 60, 60),
     "Both the first and the third lack something: attention sees a set, and only a mask and a "
     "second layer make an order of it."),
    ("positions.two-layers", [1, 24, 1], "Entry 1, counted from 0, is 24: look again."),
    ("positions.two-layers", 60, "It is 60, and should be a list."),
    ("positions.reach", reach_of_padded,
     "Every row up to the longest sequence counts all sequences: the padding has been counted, "
     "too."),
    ("positions.reach", lambda sequences, size: [sum(len(s) >= p for s in sequences)
                                                 for p in range(size)],
     "One too many here and there: a sequence of 3 tokens has the positions 0, 1 and 2, and does "
     "not reach row 3."),
    ("positions.reach", lambda sequences, size: reach(sequences, max(map(len, sequences))),
     "The table has more rows than the longest sequence has tokens; those count as well, with 0."),
    ("positions.reach", lambda sequences, size: np.bincount([len(s) - 1 for s in sequences],
                                                            minlength=size),
     "This counts the sequences that end at a row; those that go on reach it, too."),
    ("positions.reach", lambda sequences, size: np.array(reach(sequences, size)) > 0,
     "your function([[464, 1310], [257, 640, 612, 2107], [1…, 6) gives [True, True, True, True, "
     "False, False], and it should give [3, 2, 1, 1, 0, 0]."),
    ("positions.reach", lambda sequences, size: [min(n, 1) for n in reach(sequences, size)],
     "This says whether a row is reached; count by how many sequences."),
    ("positions.reach", reach_of_others_than(50256),
     "A sequence may hold the id that also serves as padding: go by the lengths, or by the "
     "attention mask, and not by the ids."),
    ("positions.reach", reach_of_others_than(0),
     "The id 0 is a token like any other: go by the lengths, or by the attention mask, and not by "
     "the ids."),
    ("positions.reach", lambda sequences: reach(sequences, 6),
     "It is called with (sequences, context_size), and yours takes (sequences)."),
    ("positions.left", strict,
     "For the attention mask [0, 0, 1, 1, 1]: place 0 has nothing to look at, and a softmax over "
     "nothing is not a number: let it look at something."),
    ("positions.left", causal,
     "For the attention mask [0, 0, 1, 1, 1]: place 2 looks at place 0, which is padding."),
    ("positions.left", lambda mask: mask.bool().expand(len(mask), -1),
     "For the attention mask [0, 0, 1, 1, 1]: place 2 looks at place 3, which is later."),
    ("positions.left", lambda mask: ~torch.tensor(by_loop(mask)),
     "For the attention mask [0, 0, 1, 1, 1]: True and False have changed places: True is where a "
     "place may look."),
    ("positions.left", lambda mask: torch.tensor(by_loop(mask)).T,
     "For the attention mask [0, 0, 1, 1, 1]: rows and columns have changed places: row p is for "
     "the place that looks."),
    ("positions.left", lambda mask: strict(mask).T,
     "For the attention mask [0, 0, 1, 1, 1]: rows and columns have changed places: row p is for "
     "the place that looks."),
    ("positions.left", lambda mask: torch.where(strict(mask), 0.0, -torch.inf),
     "For the attention mask [0, 0, 1, 1, 1]: the mask must hold True and False, not numbers to be "
     "added to the scores."),
    ("positions.left", lambda mask: mask,
     "For the attention mask [0, 0, 1, 1, 1]: the result must have the shape (5, 5), a row for "
     "each place that looks."),
    ("positions.left", lambda mask: torch.eye(len(mask)),
     "For the attention mask [0, 0, 1, 1, 1]: place 3 cannot look at place 2, though it could."),
    ("positions.roberta", lambda ids: torch.arange(ids.shape[1]).repeat(len(ids), 1),
     "These are the columns, 0, 1, 2 and so on: that is GPT-2's way without padding."),
    ("positions.roberta", lambda ids: torch.arange(ids.shape[1]).repeat(len(ids), 1) + 2,
     "The first token has the right row, and padding is counted like a token."),
    ("positions.roberta", lambda ids: (torch.arange(ids.shape[1]) + 1) * (ids != 1) + 1,
     "Right as long as padding comes last. On the left it must not be counted: count tokens, and "
     "not columns."),
    ("positions.roberta", lambda ids: (ids != 1).cumsum(dim=1) + 1,
     "Padding has the position of the last token before it; it should have 1."),
    ("positions.roberta", lambda ids: torch.tensor(roberta(ids)) - 1,
     "Everything is one too small: 1 is added to the count."),
    ("positions.roberta", lambda ids: ((ids != 1).cumsum(dim=1) - 1).clamp(min=0),
     "This counts from 0, as for GPT-2; RoBERTa begins at 2."),
    ("positions.roberta", lambda ids: torch.tensor(roberta(ids)) * (ids != 1),
     "The tokens are right; padding gets 1 and not 0."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, ASKED, HINTS)
