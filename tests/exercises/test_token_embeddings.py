"""The exercises of the chapter `token-embeddings`: right and wrong answers."""

import math
from typing import Any

import numpy as np
import torch
from answers import Wrong, tried
from torch import Tensor
from torch.nn import functional

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
    torch.autograd.backward(functional.embedding(torch.tensor(ids), table), torch.tensor(gradients))
    assert table.grad is not None
    return table.grad


def by_index_add(ids: Any, gradients: Any, vocab_size: int) -> Tensor:
    """As the chapter does it in torch, in single precision."""
    rows = torch.tensor(gradients).reshape(-1, gradients.shape[-1])
    table = torch.zeros(vocab_size, gradients.shape[-1])
    return table.index_add_(0, torch.tensor(ids).flatten(), rows)


def overwritten(ids: Any, gradients: Any, vocab_size: int) -> Any:
    result = np.zeros((vocab_size, gradients.shape[-1]))
    result[ids] += gradients
    return result


# --- two parts of a gradient ----------------------------------------------------------------------


def by_hand(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The formulas of the two parts, without autograd."""
    table = table.detach()
    one_hot = functional.one_hot
    vocab_size = len(table)
    error = (table[inputs] @ table.T).softmax(dim=1) - one_hot(targets, vocab_size)
    error = error / len(inputs)
    return one_hot(inputs, vocab_size).T.float() @ (error @ table), error.T @ table[inputs]


def by_backward(table: Tensor, inputs: Tensor, targets: Tensor) -> list[Any]:
    parts: list[Any] = []
    for cut in (1, 0):
        uses = [table, table]
        uses[cut] = table.detach()
        table.grad = None
        logits = uses[0][inputs] @ uses[1].T
        torch.autograd.backward(functional.cross_entropy(logits, targets))
        assert table.grad is not None
        parts.append(table.grad.numpy().copy())
    return parts


def by_one_hot(table: Tensor, inputs: Tensor, targets: Tensor) -> list[Tensor]:
    """With the one-hot vectors of the chapter, in single precision."""
    one_hot = torch.zeros(len(inputs), len(table))
    for row, i in zip(one_hot, inputs, strict=True):
        row[i] = 1
    parts: list[Tensor] = []
    for read, scored in ((table, table.detach()), (table.detach(), table)):
        loss = functional.cross_entropy(one_hot @ read @ scored.T, targets)
        parts += torch.autograd.grad(loss, table)
    return parts


def first_loss(vocab_size: int, d_model: int, sigma: float, factor: float) -> float:
    return math.log(vocab_size) + factor * factor * sigma * sigma * d_model / 2


def rounded_loss(vocab_size: int, d_model: int, sigma: float, factor: float) -> Any:
    return np.float32(round(first_loss(vocab_size, d_model, sigma, factor), 3))


RIGHT = [
    ("token-embeddings.duplicates", by_loop),
    ("token-embeddings.duplicates", by_autograd),
    ("token-embeddings.duplicates", by_index_add),
    ("token-embeddings.duplicates",
     lambda ids, gradients, vocab_size: np.eye(vocab_size)[ids.reshape(-1)].T
     @ gradients.reshape(-1, gradients.shape[-1])),
    ("token-embeddings.minus-one", ["list", "numpy", "tensor"]),
    ("token-embeddings.minus-one", {"numpy", "tensor", "list"}),
    ("token-embeddings.minus-one", {"numpy": 3, "tensor": 3, "list": 3}),
    ("token-embeddings.minus-one", np.array(["tensor", "numpy", "list"])),
    ("token-embeddings.tied", by_hand),
    ("token-embeddings.tied", by_backward),
    ("token-embeddings.tied", by_one_hot),
    ("token-embeddings.scale", first_loss),
    ("token-embeddings.scale", rounded_loss),
    ("token-embeddings.scale",
     lambda v, d, s, f: torch.tensor(v).log() + (s * f) ** 2 * d / 2),
    ("token-embeddings.columns", [True, True, True, False, False]),
]  # fmt: skip

WRONG: Wrong = [
    ("token-embeddings.duplicates", overwritten, 0),
    ("token-embeddings.minus-one", ["list", "numpy"], "More of them answer: try each"),
    ("token-embeddings.minus-one", ["list", "numpy", "tensor", "index_select"],
     "index_select is not the same as brackets: run it, and see."),
    ("token-embeddings.minus-one", ["list", "numpy", "tensor", "embedding"],
     "nn.Embedding calls nn.functional.embedding"),
    ("token-embeddings.minus-one", ["one_hot"],
     "A one-hot vector has no column -1: run it, and see."),
    ("token-embeddings.minus-one", ["companion"], "The companion checks its ids"),
    ("token-embeddings.minus-one", ["list", "torch"], "'torch' is not one of the seven names"),
    ("token-embeddings.minus-one", [1, 2], "Your answer is [1, 2]; it should be a list of names."),
    ("token-embeddings.minus-one", 3, "Your answer is 3; it should be a list of names."),
    ("token-embeddings.minus-one", "list", "Your answer is 'list'; it should be a list of names."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)
