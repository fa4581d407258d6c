"""The exercises of the chapter `token-embeddings`: right and wrong answers."""

from answers import Wrong, tried
from torch import Tensor
from torch.nn import functional


def by_hand(table: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The formulas of the two parts, without autograd."""
    table = table.detach()
    one_hot = functional.one_hot
    vocab_size = len(table)
    error = (table[inputs] @ table.T).softmax(dim=1) - one_hot(targets, vocab_size)
    error = error / len(inputs)
    return one_hot(inputs, vocab_size).T.float() @ (error @ table), error.T @ table[inputs]


RIGHT = [
    ("token-embeddings.minus-one", {"numpy": 3, "tensor": 3, "list": 3}),
    ("token-embeddings.tied", by_hand),
]

WRONG: Wrong = [
    ("token-embeddings.minus-one", ["list", "numpy"], "More of them answer: try each"),
    ("token-embeddings.minus-one", ["list", "numpy", "tensor", "index_select"],
     "index_select is not the same as brackets: run it, and see."),
    ("token-embeddings.minus-one", ["list", "torch"], "'torch' is not one of the seven names"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
