"""Exercises of the chapter `token-embeddings`."""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from companion.exercises._grading import Exercise, Mistake, judge_of_truths, plain, shown

# ------------------------------------------------------------------------------ duplicates

_Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def _gradient_case(ids: list[Any], vocab_size: int) -> tuple[_Array, _Array, int]:
    """Return ids, a gradient for each, and the number of rows; no two gradients are equal."""
    places = np.array(ids, dtype=np.int64)
    numbers = np.arange(1.0, places.size * 3 + 1) ** 1.5
    return places, numbers.reshape(*places.shape, 3), vocab_size


_GRADIENT_CASES = [
    _gradient_case([2, 3, 5, 3], 10),
    _gradient_case([0, 4], 5),
    _gradient_case([1, 1, 1, 1], 2),
    _gradient_case([[6, 0, 6, 1], [0, 6, 2, 1]], 7),  # four ids a row, three numbers each
]


def _table_gradient(ids: _Array, gradients: _Array, vocab_size: int) -> _Array:
    result = np.zeros((vocab_size, gradients.shape[-1]))
    np.add.at(result, ids, gradients)
    return result


def _last_wins(ids: _Array, gradients: _Array, vocab_size: int) -> _Array:
    result = np.zeros((vocab_size, gradients.shape[-1]))
    result[ids] = gradients
    return result


def _first_wins(ids: _Array, gradients: _Array, vocab_size: int) -> _Array:
    rows = gradients.reshape(ids.size, gradients.shape[-1])
    return _last_wins(ids.ravel()[::-1], rows[::-1], vocab_size)


def _mean_of_parts(ids: _Array, gradients: _Array, vocab_size: int) -> _Array:
    counts = np.bincount(ids.ravel(), minlength=vocab_size)
    result = _table_gradient(ids, gradients, vocab_size)
    result /= counts.clip(min=1)[:, None]
    return result


def _touched_rows(ids: _Array, gradients: _Array, vocab_size: int) -> _Array:
    rows: _Array = _table_gradient(ids, gradients, vocab_size)[np.unique(ids)]
    return rows


def _up_to_the_largest(ids: _Array, gradients: _Array, vocab_size: int) -> _Array:
    return _table_gradient(ids, gradients, int(ids.max()) + 1)


# ------------------------------------------------------------------------------ minus one

_WAYS = {
    "list": "",
    "numpy": "",
    "tensor": "",
    "index_select": "index_select is not the same as brackets: run it, and see.",
    "embedding": "nn.functional.embedding is what nn.Embedding calls, and the chapter has heard "
    "that one complain.",
    "one_hot": "Where would the one of a one-hot vector for -1 stand? Run it, and see.",
    "companion": "The companion checks its ids; the chapter shows what it says of -1.",
}
"""Each way to look up, and what to say to whoever thinks wrongly that it answers."""


def _judge_ways(answer: Any) -> str | None:
    names = plain(answer)
    if isinstance(names, dict | set):
        names = list(names)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return f"It is {shown(names)}, and should be a list of names."
    for name in names:
        if name not in _WAYS:
            return f"{name!r} is none of the seven names, which are {', '.join(_WAYS)}."
        if _WAYS[name]:
            return _WAYS[name]
    if {name for name, objection in _WAYS.items() if not objection} - set(names):
        return "More of them answer: try each, and look at what comes back and not only for errors."
    return None


# ------------------------------------------------------------------------------ tied


def _tied_case(
    seed: int, vocab_size: int, inputs: list[int], targets: list[int]
) -> tuple[Any, ...]:
    generator = torch.Generator().manual_seed(seed)  # the reader's random numbers stay theirs
    table = torch.randn(vocab_size, 4, generator=generator, dtype=torch.float64)
    return table.requires_grad_(), torch.tensor(inputs), torch.tensor(targets)


_TIED_CASES = [
    _tied_case(1, 10, [2, 3, 5], [3, 5, 8]),
    _tied_case(2, 6, [4, 4, 0, 1], [4, 0, 1, 4]),
    _tied_case(3, 5, [1], [2]),
]


def _gradient(
    table: Tensor, read_from: Tensor, score_with: Tensor, inputs: Tensor, targets: Tensor, how: str
) -> Tensor:
    logits = functional.embedding(inputs, read_from) @ score_with.T
    loss = functional.cross_entropy(logits, targets, reduction=how)
    return torch.autograd.grad(loss, table)[0]


def _parts(
    table: Tensor, inputs: Tensor, targets: Tensor, how: str = "mean"
) -> tuple[Tensor, Tensor]:
    return (
        _gradient(table, table, table.detach(), inputs, targets, how),
        _gradient(table, table.detach(), table, inputs, targets, how),
    )


def _gradient_parts(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    return _parts(table, inputs, targets)


def _parts_swapped(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    return _parts(table, inputs, targets)[::-1]


def _parts_of_sum(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    return _parts(table, inputs, targets, "sum")


def _whole_twice(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    whole = _gradient(table, table, table, inputs, targets, "mean")
    return whole, whole


def _part_and_whole(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    return _parts(table, inputs, targets)[0], _whole_twice(table, inputs, targets)[0]


def _parts_downhill(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    as_read, as_scored = _parts(table, inputs, targets)
    return -as_read, -as_scored


# ------------------------------------------------------------------------------ scale


def _first_loss(vocab_size: int, d_model: int, sigma: float, factor: float) -> float:
    spread = factor * sigma * math.sqrt(d_model)  # standard deviation of a logit
    return math.log(vocab_size) + spread**2 / 2


def _log_plus(more: Callable[[float, float, float], float]) -> Callable[..., float]:
    """Return the loss of a blind guess and something more, from d_model, sigma and factor."""
    return lambda vocab_size, *others: math.log(vocab_size) + more(*others)


_LOSS_CASES = [
    (50_257, 768, 0.02, 1.0),
    (50_257, 768, 1.0, 768**-0.5),
    (32_128, 512, 1.0, 512**-0.5),
    (1_000, 64, 0.1, 0.5),
    (1_000, 4, 0.5, 0.9),
]


# ------------------------------------------------------------------------------ columns

_CHANGES = [
    (True, "Shuffling: a dot product is a sum over the columns. Does a sum depend on the order?"),
    (True, "Rotation: write out (xQ) · (yQ), and use that Q times its transpose is the identity."),
    (True, "Turning a sign: what becomes of a product when both of its factors change sign?"),
    (False, "Doubling a column: it counts more than before in every dot product. How much more?"),
    (False, "Adding a vector v: multiply out (x + v) · (y + v)."),
]


EXERCISES = [
    Exercise(
        "token-embeddings.duplicates", "Twice the same id", topic="gradient of a lookup",
        level=2, minutes=10, right=_table_gradient, cases=_GRADIENT_CASES,
        mistakes=[
            Mistake(_last_wins,
                    "Where an id comes twice, its row has only the last of its gradients: all "
                    "rows were read before any was written."),
            Mistake(_first_wins,
                    "Where an id comes twice, its row has only the first of its gradients."),
            Mistake(_mean_of_parts, "The gradients of the same id add up; this is their mean."),
            Mistake(_touched_rows,
                    "These are the rows that were looked up; the gradient of the table has a row "
                    "for each row of the table."),
            Mistake(_up_to_the_largest,
                    "The table may have more rows than the largest id says: it has vocab_size."),
            Mistake(lambda *case: _table_gradient(*case).T,
                    "Rows and columns have changed places: the gradient has the shape (V, d)."),
        ],
        hint="ids has shape (...) and gradients (..., d), for any dots, as in a batch.",
    ),
    Exercise(
        "token-embeddings.minus-one", "Minus one", topic="ids outside the table",
        level=1, minutes=10, judge=_judge_ways,
        asks="a list of the names of the ways that answer",
    ),
    Exercise(
        "token-embeddings.tied", "Two parts of a gradient", topic="weight tying",
        level=3, minutes=25, right=_gradient_parts, cases=_TIED_CASES, tolerance=1e-4,
        mistakes=[
            Mistake(_parts_swapped,
                    "Both parts are there, and in the other order: first the one from being read."),
            Mistake(_whole_twice,
                    "Both are the whole gradient: in each run, cut one of the two uses off with "
                    "detach()."),
            Mistake(_part_and_whole,
                    "The second is the whole gradient. If you called backward() twice, the second "
                    "gradient was added to the first."),
            Mistake(_parts_of_sum,
                    "These are the gradients of a sum over the places; cross_entropy takes their "
                    "mean."),
            Mistake(_parts_downhill,
                    "This is the way that gradient descent takes; the gradient points the other "
                    "way."),
        ],
        hint="The table has shape (V, d) and requires_grad; inputs and targets have shape (n,).",
    ),
    Exercise(
        "token-embeddings.scale", "Another way to the same start", topic="initial scale",
        level=2, minutes=15, right=_first_loss, cases=_LOSS_CASES, tolerance=1e-3,
        mistakes=[
            Mistake(lambda size, d, sigma, _: _first_loss(size, d, sigma, 1.0),
                    "The factor is missing: the logits are multiplied by it."),
            Mistake(_log_plus(lambda d, sigma, factor: factor * sigma * math.sqrt(d) / 2),
                    "The spread of the logits enters with its square, as a variance."),
            Mistake(_log_plus(lambda d, sigma, factor: (factor * sigma) ** 2 * d),
                    "Twice too much is added: the mean of e to the x is e to half the variance."),
            Mistake(_log_plus(lambda d, sigma, factor: factor * sigma**2 * d / 2),
                    "The factor stands outside the square: multiplying a logit by it multiplies "
                    "the variance by its square."),
            Mistake(_log_plus(lambda d, sigma, factor: (factor * sigma * d) ** 2 / 2),
                    "A sum of d products has d times the variance of one, and not d squared."),
            Mistake(_log_plus(lambda d, sigma, factor: (factor * sigma) ** 2 / 2),
                    "A logit is a sum of d products: its variance grows with d."),
            Mistake(_log_plus(lambda d, sigma, factor: 0.0),
                    "That is the loss of a blind guess; the logits are spread, if only a little."),
            Mistake(lambda *case: _first_loss(*case) - math.log(case[0]) + math.log2(case[0]),
                    "The loss is counted with the natural logarithm."),
        ],
        hint="The four arguments are numbers.",
    ),
    Exercise(
        "token-embeddings.columns", "Columns have no names", topic="geometry of the table",
        level=2, minutes=15, judge=judge_of_truths(_CHANGES, "five"),
        asks="a list of five values, True for each change that leaves all dot products as they are",
    ),
]  # fmt: skip
