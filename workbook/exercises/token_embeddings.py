"""Exercises of the chapter `token-embeddings`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import math
from collections.abc import Callable
from functools import partial
from operator import setitem
from typing import Any

from workbook.exercises._grading import Exercise, Later, Mistake
from workbook.exercises._rows import Row, cosine, dot, random, torch

np = Later("numpy")


def nearest(i, table, k):
    """Return the ids of the k rows with the largest cosine to row i."""
    found = [dot(table[i], row) / math.hypot(*row) for row in table]
    cosines = {j: cosine for j, cosine in enumerate(found) if j != i}
    return sorted(cosines, key=cosines.get, reverse=True)[:k]


def _order(like: Callable[[Row, Row], float] = cosine, *, itself: bool = False) -> Any:
    """Return all rows but row i, or with it, those first that are most `like` it."""

    def ordered(i: int, table: list[Row]) -> list[int]:
        likeness = [like(table[i], row) for row in table]
        others = [j for j, _ in enumerate(table) if itself or j != i]
        return sorted(others, key=likeness.__getitem__, reverse=True)

    return ordered


def _cut(order: Any, first: int = 0) -> Callable[[int, list[Row], int], Any]:
    return lambda i, table, k: order(i, table)[first : first + k]


def _gradient_cases() -> list[tuple[Any, Any, int]]:
    """Return ids, a gradient for each, and the number of rows; no two gradients are equal."""
    cases = []
    for ids, vocab_size in (([2, 3, 5, 3], 10), ([0, 4], 5), ([1, 1, 1, 1], 2),
                            ([[6, 0, 6, 1], [0, 6, 2, 1]], 7)):  # fmt: skip
        squares = np.arange(1, np.size(ids) * 3 + 1, dtype=np.float32) ** 2  # exact in float32
        cases.append((np.array(ids), squares.reshape(*np.shape(ids), 3), vocab_size))
    return cases


def _table_gradient(ids: Any, gradients: Any, vocab_size: int, put: Any = None) -> Any:
    result = np.zeros((vocab_size, gradients.shape[-1]))
    (put or np.add.at)(result, ids, gradients)
    return result


def _gradient(
    table: Any, read_from: Any, score_with: Any, inputs: Any, targets: Any, how: str = "mean"
) -> Any:
    functional = torch.nn.functional
    with torch.enable_grad():  # a reader may have switched it off
        logits = functional.embedding(inputs, read_from) @ score_with.T
        loss = functional.cross_entropy(logits, targets, reduction=how)
        return torch.autograd.grad(loss, table)[0]


def _parts(table: Any, inputs: Any, targets: Any, how: str = "mean") -> tuple[Any, Any]:
    fixed, case = table.detach(), (inputs, targets, how)
    return _gradient(table, table, fixed, *case), _gradient(table, fixed, table, *case)


def _whole(table: Any, inputs: Any, targets: Any) -> Any:
    return _gradient(table, table, table, inputs, targets)


def _first_loss(vocab_size: int, d_model: int, sigma: float, factor: float) -> float:
    spread = factor * sigma * math.sqrt(d_model)  # standard deviation of a logit
    return math.log(vocab_size) + spread**2 / 2


_TABLE = [[1.0, 0.0], [5.0, 5.0], [0.9, 0.3], [-1.0, 0.05], [0.2, 0.01], [0.0, 1.0]]
# Rows 0, 2 and 3 have one direction.
_ALIKE = [[2.0, 0.0], [3.0, 1.0], [1.0, 0.0], [4.0, 0.0], [0.0, 5.0]]

EXERCISES = [
    Exercise("token-embeddings.nearest", "The nearest rows", topic="cosine similarity", level=2,
        minutes=5, first=True, ours=nearest, right=nearest,
        cases=[(0, _TABLE, 2), (1, _TABLE, 3), (2, _TABLE, 1), (0, _TABLE, 5), (3, _TABLE, 2),
               (0, _ALIKE, 2), (3, _ALIKE, 3)],
        hint="It takes the number of a row, a list of rows, and how many rows to return.",
        hints=[("unsupported operand", "Compare row i, table[i], with each row.")],
        mistakes=[
            Mistake(_cut(_order(itself=True)), "Row i is the nearest to itself: leave it out."),
            Mistake(_cut(_order(itself=True), first=1),
                    "The first of the sorted rows may be another one: leave out row i by its id."),
            Mistake(_cut(_order(dot)),
                    "With the dot product long rows win: divide it by both lengths."),
            Mistake(_cut(_order(lambda a, b: -math.dist(a, b))),
                    "These are the rows at the smallest distance: a long row is far from a short "
                    "one of the same direction. Compare by the cosine."),
            Mistake(_cut(_order(lambda a, b: -cosine(a, b))),
                    "These rows are the least like row i: sort from the largest cosine down."),
            Mistake(lambda i, table, k: [cosine(table[i], table[j]) for j in nearest(i, table, k)],
                    "These are the cosines; return the ids of the rows."),
        ]),
    Exercise("token-embeddings.duplicates", "Twice the same id", topic="gradient of a lookup",
        level=2, minutes=10, needs="numpy", right=_table_gradient, cases=_gradient_cases,
        hint="ids has shape (...), of one axis or more, and gradients (..., d), both in numpy.",
        mistakes=[
            Mistake(partial(_table_gradient, put=setitem),
                    "If an id occurs twice, only its last gradient counts."),
            Mistake(lambda ids, gradients, _: _table_gradient(ids, gradients, int(ids.max()) + 1),
                    "The table has vocab_size rows, whatever the largest id is."),
        ]),
    Exercise("token-embeddings.minus-one", "Minus one", topic="ids outside the table", level=1,
        minutes=10, right=["list", "numpy", "tensor"], unordered=True,
        asks="a list of the names of the ways that answer",
        mistakes=[
            Mistake(["list", "numpy"],
                    "More of them answer: try each, and look at the result, not only for errors."),
            Mistake(["list", "numpy", "tensor", "index_select"],
                    "index_select is not the same as brackets: run it, and see."),
        ]),
    Exercise("token-embeddings.tied", "Two parts of a gradient", topic="weight tying", level=3,
        minutes=25, needs="torch", right=_parts, tolerance=1e-4,
        cases=lambda: [(random(size, 4, seed=size).requires_grad_(), *map(torch.tensor, ids))
                       for size, *ids in ((10, [2, 3, 5], [3, 5, 8]),
                                          (6, [4, 4, 0, 1], [4, 0, 1, 4]))],
        hint="The table has shape (V, d) and requires_grad; inputs and targets have shape (n,).",
        mistakes=[
            Mistake(lambda *case: [_whole(*case)] * 2,
                    "Both are the whole gradient: detach() one use in each run."),
            Mistake(lambda *case: [_parts(*case)[0], _whole(*case)],
                    "The second is the whole gradient. A second backward() adds to the first."),
            Mistake(lambda table, inputs, targets: _parts(table, inputs, targets, "sum"),
                    "These are the gradients of a sum; cross_entropy takes the mean."),
        ]),
    Exercise("token-embeddings.scale", "Another way to the same start", topic="initial scale",
        level=2, minutes=15, right=_first_loss, tolerance=1e-3,
        cases=[(50_257, 768, 0.02, 1.0), (50_257, 768, 1.0, 768**-0.5),
               (32_128, 512, 1.0, 512**-0.5), (1_000, 64, 0.1, 0.5), (1_000, 4, 0.5, 0.9)],
        hint="The four arguments are numbers.",
        mistakes=[
            Mistake(lambda size, d, sigma, _: _first_loss(size, d, sigma, 1.0),
                    "The factor is missing: the logits are multiplied by it."),
            Mistake(lambda size, d, sigma, factor: math.log(size) + factor * sigma * d**0.5 / 2,
                    "Add half the variance of the logits, not half their standard deviation."),
            Mistake(lambda size, d, sigma, factor: math.log(size) + (factor * sigma) ** 2 * d,
                    "You add twice too much: the mean of exp(x) is exp(variance / 2)."),
        ]),
    Exercise("token-embeddings.columns", "Columns have no names", topic="geometry of the table",
        level=2, minutes=15, right=[True, True, True, False, False],
        asks="a list of five values, True for each change that leaves all dot products as they are",
        remarks=[
            "Shuffling: a dot product is a sum over the columns. Does a sum depend on the order?",
            "Rotation: write out (xQ) · (yQ), and use that Q times its transpose is the identity.",
            "Changing a sign: what happens to a product if both of its factors change sign?",
            "Doubling a column: how much more does it contribute to every dot product?",
            "Adding a vector v: multiply out (x + v) · (y + v).",
        ]),
]  # fmt: skip
