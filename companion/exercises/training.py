"""Exercises of the chapter `training`."""

import math

import torch
from torch import Tensor
from torch.nn import functional

from companion.exercises._grading import Exercise, Mistake

# ------------------------------------------------------------------------------ rows that shrink


def _left(steps: int, lr: float, weight_decay: float) -> float:
    return (1 - lr * weight_decay) ** steps


# ------------------------------------------------------------------------------ two tables


def _pairs(table: Tensor, *, cosines: bool = True, offset: int = 1) -> Tensor:
    """Return the cosines, or the products, of all pairs of rows: (n, d) -> (pairs,)."""
    table = table.double()
    rows = functional.normalize(table) if cosines else table
    left, right = torch.triu_indices(len(rows), len(rows), offset)
    return (rows @ rows.T)[left, right]


def _correlation(first: Tensor, second: Tensor) -> float:
    return float(torch.corrcoef(torch.stack([first.flatten(), second.flatten()]))[0, 1])


def _alike(first: Tensor, second: Tensor) -> float:
    return _correlation(_pairs(first), _pairs(second))


def _alike_with_themselves(first: Tensor, second: Tensor) -> float:
    return _correlation(_pairs(first, offset=0), _pairs(second, offset=0))


def _alike_with_all(first: Tensor, second: Tensor) -> float:
    one, two = (functional.normalize(table) for table in (first, second))
    return _correlation(one @ one.T, two @ two.T)


def _alike_by_products(first: Tensor, second: Tensor) -> float:
    return _correlation(_pairs(first, cosines=False), _pairs(second, cosines=False))


def _cosine_of_cosines(first: Tensor, second: Tensor) -> float:
    return float(functional.cosine_similarity(_pairs(first), _pairs(second), dim=0))


def _mean_cosine_across(first: Tensor, second: Tensor) -> float:
    return float(functional.cosine_similarity(first, second).mean())


def _tables() -> list[tuple[Tensor, Tensor]]:
    """Return pairs of tables: one turned and stretched, one with noise added, two unrelated."""
    draw = torch.Generator().manual_seed(0)

    def whole_numbers() -> Tensor:
        return torch.randint(-4, 5, (6, 4), generator=draw).double()

    table, noise, other = whole_numbers(), whole_numbers(), whole_numbers()
    turn = torch.kron(torch.eye(2), torch.tensor([[3.0, 4.0], [-4.0, 3.0]])).double()
    lengths = torch.arange(1, 7).double()[:, None]
    stretched, noisy = lengths * (table @ turn), lengths * (2 * table + noise)
    return [(table, stretched), (table, noisy), (table, other)]


EXERCISES = [
    Exercise(
        "training.freeze", "Freeze a table", topic="frozen tables", level=2, minutes=15,
        # The order of the losses that the solution measures, and asserts, in the same cell.
        right=["position", "token, untied", "token"],
        asks="a list of the three names, the lowest loss first",
        mistakes=[
            Mistake(["token", "token, untied", "position"],
                    "That is the order from the highest loss to the lowest."),
            Mistake(["position", "token", "token, untied"],
                    "What else is a tied token table used for? Short rows allow no large score."),
            Mistake(["token, untied", "position", "token"],
                    "The layer needs to tell 16 places apart, and random rows do that: which "
                    "table has more to learn?"),
            Mistake(["token, untied", "token", "position"],
                    "The position table has the least to learn: 16 random rows differ from each "
                    "other as they are."),
            Mistake(["token", "position", "token, untied"],
                    "Frozen and tied, the table cannot serve as an output: that costs the most."),
        ],
    ),
    Exercise(
        "training.never", "A token that never occurs", topic="weight decay", level=2, minutes=10,
        right=_left, cases=[(1, 0.5, 0.5), (10, 0.005, 0.1), (3, 0.5, 0.2), (0, 0.005, 0.1)],
        mistakes=[
            Mistake(lambda steps, lr, weight_decay: 1 - steps * lr * weight_decay,
                    "Each step shrinks what the steps before have left: multiply."),
            Mistake(lambda steps, lr, weight_decay: (1 - weight_decay) ** steps,
                    "A step shrinks by the learning rate times the weight decay, not by all of "
                    "it."),
            Mistake(lambda steps, lr, weight_decay: (1 - lr) ** steps,
                    "A step shrinks by the learning rate times the weight decay."),
            Mistake(lambda steps, lr, weight_decay: math.exp(-steps * lr * weight_decay),
                    "That is close for small steps, and not to the last digit: the steps are no "
                    "flow."),
            Mistake(lambda steps, lr, weight_decay: 1 - _left(steps, lr, weight_decay),
                    "That is the part which is lost."),
            Mistake(lambda steps, lr, weight_decay: (lr * weight_decay) ** steps,
                    "That is the part that a step takes away; what does it leave?"),
            Mistake(lambda steps, lr, weight_decay: 1.0,
                    "So it is with Adam; AdamW shrinks a parameter whatever its gradient."),
        ],
    ),
    Exercise(
        "training.tie", "Tie and untie", topic="tied tables", level=3, minutes=25,
        right=_alike, cases=_tables(), tolerance=1e-4,
        mistakes=[
            Mistake(_correlation,
                    "This compares the numbers, and the axes of two tables have nothing to do with "
                    "each other: compare cosines of rows of the same table."),
            Mistake(_mean_cosine_across,
                    "This takes the cosine of a row of one table with a row of the other: take "
                    "cosines within each table, then compare those."),
            Mistake(_alike_with_themselves,
                    "A row has cosine 1 with itself in any table: leave those pairs out."),
            Mistake(_alike_with_all,
                    "A row has cosine 1 with itself in any table: leave those pairs out, all of "
                    "them."),
            Mistake(_alike_by_products,
                    "These are products; for cosines bring each row to length 1 first."),
            Mistake(_cosine_of_cosines,
                    "A correlation is taken of the deviations from the mean: subtract it."),
            Mistake(lambda first, second: _alike(first, second) ** 2,
                    "That is the square of the correlation."),
            Mistake(lambda first, second: _alike(first.T, second.T),
                    "These are the cosines of columns; a token has a row."),
        ],
        hint="Both tables are tensors of shape (n, d), without names or frequencies.",
    ),
    Exercise("training.sum", "What cannot move", topic="sums of gradients", level=3, minutes=15),
]  # fmt: skip
