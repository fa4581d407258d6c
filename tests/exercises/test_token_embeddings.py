"""The exercises of the chapter `token-embeddings`: right answers pass, each wrong one hears why."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from answers import tried
from torch import Tensor
from torch.nn import functional

from companion.exercises import Exercise, grade

# --- twice the same id ----------------------------------------------------------------------------


def by_loop(ids: Any, gradients: Any, vocab_size: int) -> list[list[float]]:
    width = gradients.shape[-1]
    result = [[0.0] * width for _ in range(vocab_size)]
    for i, gradient in zip(ids.reshape(-1), gradients.reshape(-1, width), strict=True):
        for k in range(width):
            result[i][k] += gradient[k]
    return result


def by_autograd(ids: Any, gradients: Any, vocab_size: int) -> Tensor:
    table = torch.zeros(vocab_size, gradients.shape[-1], dtype=torch.float64, requires_grad=True)
    functional.embedding(torch.tensor(ids), table).backward(torch.tensor(gradients))
    assert table.grad is not None
    return table.grad


def overwritten(ids: Any, gradients: Any, vocab_size: int) -> Any:
    result = np.zeros((vocab_size, gradients.shape[-1]))
    result[ids] += gradients
    return result


def first_only(ids: Any, gradients: Any, vocab_size: int) -> Any:
    result = np.zeros((vocab_size, gradients.shape[-1]))
    seen = set()
    for i, gradient in zip(ids.reshape(-1), gradients.reshape(-1, 3), strict=True):
        if int(i) not in seen:
            result[i] = gradient
        seen.add(int(i))
    return result


def averaged(ids: Any, gradients: Any, vocab_size: int) -> Any:
    result = np.array(by_loop(ids, gradients, vocab_size))
    for i in set(ids.reshape(-1).tolist()):
        result[i] /= (ids == i).sum()
    return result


def only_touched(ids: Any, gradients: Any, vocab_size: int) -> Any:
    return [by_loop(ids, gradients, vocab_size)[i] for i in sorted(set(ids.reshape(-1).tolist()))]


def short(ids: Any, gradients: Any, vocab_size: int) -> Any:
    return by_loop(ids, gradients, ids.max() + 1)


# --- two parts of a gradient ----------------------------------------------------------------------


def by_hand(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The formulas of the two parts, without autograd."""
    table = table.detach()
    one_hot = functional.one_hot
    vocab_size = len(table)
    error = (table[inputs] @ table.T).softmax(dim=1) - one_hot(targets, vocab_size)
    error = error / len(inputs)
    return one_hot(inputs, vocab_size).T.double() @ (error @ table), error.T @ table[inputs]


def by_backward(table: Tensor, inputs: Tensor, targets: Tensor) -> list[Any]:
    parts = []
    for cut in (1, 0):
        uses = [table, table]
        uses[cut] = table.detach()
        table.grad = None
        logits = uses[0][inputs] @ uses[1].T
        functional.cross_entropy(logits, targets).backward()
        assert table.grad is not None
        parts.append(table.grad.numpy().copy())
    return parts


def added_up(table: Tensor, inputs: Tensor, targets: Tensor) -> list[Tensor]:
    """The second backward() adds to the gradient of the first."""
    as_read, as_scored = by_hand(table, inputs, targets)
    return [as_read, as_read + as_scored]


def not_cut(table: Tensor, inputs: Tensor, targets: Tensor) -> list[Tensor]:
    functional.cross_entropy(table[inputs] @ table.T, targets).backward()
    assert table.grad is not None
    return [table.grad, table.grad]


def summed(table: Tensor, inputs: Tensor, targets: Tensor) -> list[Tensor]:
    return [part * len(inputs) for part in by_hand(table, inputs, targets)]


def first_loss(vocab_size: int, d_model: int, sigma: float, factor: float) -> float:
    return math.log(vocab_size) + factor * factor * sigma * sigma * d_model / 2


def rounded_loss(vocab_size: int, d_model: int, sigma: float, factor: float) -> Any:
    return np.float32(round(first_loss(vocab_size, d_model, sigma, factor), 3))


ASKED = {
    "token-embeddings.minus-one": "a list of the names of the ways that answer",
    "token-embeddings.columns": "a list of five values, True for each change that leaves all dot "
    "products as they are",
}

HINTS = {
    "token-embeddings.duplicates": "ids has shape (...) and gradients (..., d), for any dots, as "
    "in a batch.",
    "token-embeddings.tied": "The table has shape (V, d) and requires_grad; inputs and targets "
    "have shape (n,).",
    "token-embeddings.scale": "The four arguments are numbers.",
}

RIGHT = [
    ("token-embeddings.duplicates", by_loop),
    ("token-embeddings.duplicates", by_autograd),
    ("token-embeddings.duplicates",
     lambda ids, gradients, vocab_size: np.eye(vocab_size)[ids.reshape(-1)].T
     @ gradients.reshape(-1, gradients.shape[-1])),
    ("token-embeddings.minus-one", ["list", "numpy", "tensor"]),
    ("token-embeddings.minus-one", ("tensor", "list", "numpy")),
    ("token-embeddings.minus-one", {"numpy", "tensor", "list"}),
    ("token-embeddings.minus-one", {"numpy": 3, "tensor": 3, "list": 3}),
    ("token-embeddings.minus-one", np.array(["tensor", "numpy", "list"])),
    ("token-embeddings.tied", by_hand),
    ("token-embeddings.tied", by_backward),
    ("token-embeddings.tied", lambda *case: torch.stack(by_hand(*case))),
    ("token-embeddings.scale", first_loss),
    ("token-embeddings.scale", rounded_loss),
    ("token-embeddings.scale",
     lambda v, d, s, f: torch.tensor(v).log() + (s * f) ** 2 * d / 2),
    ("token-embeddings.columns", [True, True, True, False, False]),
    ("token-embeddings.columns", torch.tensor([True, True, True, False, False])),
]  # fmt: skip

LAST_ONLY = (
    "Where an id comes twice, its row has only the last of its gradients: all rows were read "
    "before any was written."
)

WRONG = [
    ("token-embeddings.duplicates", overwritten, LAST_ONLY),
    ("token-embeddings.duplicates", first_only,
     "Where an id comes twice, its row has only the first of its gradients."),
    ("token-embeddings.duplicates", averaged,
     "The gradients of the same id add up; this is their mean."),
    ("token-embeddings.duplicates", only_touched,
     "These are the rows that were looked up; the gradient of the table has a row for each row of "
     "the table."),
    ("token-embeddings.duplicates", short,
     "The table may have more rows than the largest id says: it has vocab_size."),
    ("token-embeddings.duplicates", lambda *case: np.array(by_loop(*case)).T,
     "Rows and columns have changed places: the gradient has the shape (V, d)."),
    ("token-embeddings.minus-one", ["list", "numpy"],
     "More of them answer: try each, and look at what comes back and not only for errors."),
    ("token-embeddings.minus-one", ["list", "numpy", "tensor", "index_select"],
     "index_select is not the same as brackets: run it, and see."),
    ("token-embeddings.minus-one", ["list", "numpy", "tensor", "embedding"],
     "nn.functional.embedding is what nn.Embedding calls, and the chapter has heard that one "
     "complain."),
    ("token-embeddings.minus-one", ["one_hot"],
     "Where would the one of a one-hot vector for -1 stand? Run it, and see."),
    ("token-embeddings.minus-one", ["companion"],
     "The companion checks its ids; the chapter shows what it says of -1."),
    ("token-embeddings.minus-one", ["list", "torch"],
     "'torch' is none of the seven names, which are list, numpy, tensor, index_select, embedding, "
     "one_hot, companion."),
    ("token-embeddings.minus-one", [1, 2], "It is [1, 2], and should be a list of names."),
    ("token-embeddings.minus-one", 3, "It is 3, and should be a list of names."),
    ("token-embeddings.minus-one", "list", "It is 'list', and should be a list of names."),
    ("token-embeddings.tied", lambda *case: by_hand(*case)[::-1],
     "Both parts are there, and in the other order: first the one from being read."),
    ("token-embeddings.tied", not_cut,
     "Both are the whole gradient: in each run, cut one of the two uses off with detach()."),
    ("token-embeddings.tied", added_up,
     "The second is the whole gradient. If you called backward() twice, the second gradient was "
     "added to the first."),
    ("token-embeddings.tied", summed,
     "These are the gradients of a sum over the places; cross_entropy takes their mean."),
    ("token-embeddings.tied", lambda *case: [-part for part in by_hand(*case)],
     "This is the way that gradient descent takes; the gradient points the other way."),
    ("token-embeddings.scale", lambda v, d, s, f: math.log(v) + s**2 * d / 2,
     "The factor is missing: the logits are multiplied by it."),
    ("token-embeddings.scale", lambda v, d, s, f: math.log(v) + f * s * d**0.5 / 2,
     "The spread of the logits enters with its square, as a variance."),
    ("token-embeddings.scale", lambda v, d, s, f: math.log(v) + (f * s) ** 2 * d,
     "Twice too much is added: the mean of e to the x is e to half the variance."),
    ("token-embeddings.scale", lambda v, d, s, f: math.log(v) + f * s**2 * d / 2,
     "The factor stands outside the square: multiplying a logit by it multiplies the variance by "
     "its square."),
    ("token-embeddings.scale", lambda v, d, s, f: math.log(v) + (f * s * d) ** 2 / 2,
     "A sum of d products has d times the variance of one, and not d squared."),
    ("token-embeddings.scale", lambda v, d, s, f: math.log(v) + (f * s) ** 2 / 2,
     "A logit is a sum of d products: its variance grows with d."),
    ("token-embeddings.scale", lambda v, d, s, f: math.log(v),
     "That is the loss of a blind guess; the logits are spread, if only a little."),
    ("token-embeddings.scale", lambda v, d, s, f: math.log2(v) + (f * s) ** 2 * d / 2,
     "The loss is counted with the natural logarithm."),
    ("token-embeddings.scale", 10.98,
     "Hand over the function itself, a function of (vocab_size, d_model, sigma, factor), not what "
     "it returns."),
    ("token-embeddings.columns", [False, True, True, False, False],
     "Shuffling: a dot product is a sum over the columns. Does a sum depend on the order?"),
    ("token-embeddings.columns", [True, False, True, False, False],
     "Rotation: write out (xQ) · (yQ), and use that Q times its transpose is the identity."),
    ("token-embeddings.columns", [True, True, False, False, False],
     "Turning a sign: what becomes of a product when both of its factors change sign?"),
    ("token-embeddings.columns", [True, True, True, True, False],
     "Doubling a column: it counts more than before in every dot product. How much more?"),
    ("token-embeddings.columns", [True, True, True, False, True],
     "Adding a vector v: multiply out (x + v) · (y + v)."),
    ("token-embeddings.columns", [True, True],
     "It is [True, True], and should be a list of five values."),
    ("token-embeddings.columns", True, "It is True, and should be a list of five values."),
    ("token-embeddings.columns", ["yes"] * 5, "'yes' is neither True nor False."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, ASKED, HINTS)


def test_checking_leaves_the_random_numbers_of_the_reader_alone(
    made_anew: Callable[[str], Exercise],
) -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    for name, answer in RIGHT:
        grade(made_anew(name), answer)
    assert torch.equal(torch.rand(3), expected)
