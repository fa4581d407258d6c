"""The exercises of the chapter `token-embeddings`: right and wrong answers."""

import math
from typing import Any

from answers import Wrong, tried
from torch import Tensor
from torch.nn import functional


def by_loop(ids: Any, gradients: Any, vocab_size: int) -> list[list[float]]:
    width = gradients.shape[-1]
    result = [[0.0] * width for _ in range(vocab_size)]
    for i, gradient in zip(ids.reshape(-1), gradients.reshape(-1, width), strict=True):
        for k in range(width):
            result[i][k] += gradient[k]
    return result


def by_hand(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The formulas of the two parts, without autograd."""
    table = table.detach()
    one_hot = functional.one_hot
    vocab_size = len(table)
    error = (table[inputs] @ table.T).softmax(dim=1) - one_hot(targets, vocab_size)
    error = error / len(inputs)
    return one_hot(inputs, vocab_size).T.float() @ (error @ table), error.T @ table[inputs]


def first_loss(vocab_size: int, d_model: int, sigma: float, factor: float) -> float:
    return math.log(vocab_size) + factor * factor * sigma * sigma * d_model / 2


RIGHT = [
    ("token-embeddings.duplicates", by_loop),
    ("token-embeddings.minus-one", ["list", "numpy", "tensor"]),
    ("token-embeddings.minus-one", {"numpy": 3, "tensor": 3, "list": 3}),
    ("token-embeddings.tied", by_hand),
    ("token-embeddings.scale", first_loss),
    ("token-embeddings.columns", [True, True, True, False, False]),
]

WRONG: Wrong = [
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
    ("token-embeddings.minus-one", "list", "Your answer is 'list'; it should be a list of names."),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
