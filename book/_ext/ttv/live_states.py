"""What live figures show: computed as their chapters compute it, when the book is built."""

from collections.abc import Callable
from typing import Any


def token_embeddings() -> dict[str, Any]:
    """Return the chapter's table of ten rows and the ids that it looks up first."""
    import torch  # here: only a page that is read anew needs it

    torch.manual_seed(123)
    table = torch.nn.Embedding(10, 4).weight
    return {"table": [[round(x, 4) for x in row] for row in table.tolist()], "ids": [2, 3, 5]}


def windows() -> dict[str, Any]:
    """Return the sizes of the chapter's figure of coverage."""
    return {"n": 33, "context": 8, "stride": 8}


STATES: dict[str, Callable[[], dict[str, Any]]] = {
    "token-embeddings": token_embeddings,
    "windows": windows,
}
"""By the name of the figure; a figure that is not here begins from its script alone."""
