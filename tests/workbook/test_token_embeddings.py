"""The exercises of the chapter `token-embeddings`: right and wrong answers."""

from answers import Wrong, tried

RIGHT = [
    ("token-embeddings.minus-one", {"numpy": 3, "tensor": 3, "list": 3}),
]

WRONG: Wrong = [
    ("token-embeddings.minus-one", ["list", "numpy"], "More of them answer: try each"),
    ("token-embeddings.minus-one", ["list", "numpy", "tensor", "index_select"],
     "index_select is not the same as brackets: run it, and see."),
    ("token-embeddings.minus-one", ["list", "torch"], "'torch' is not one of the seven names"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
