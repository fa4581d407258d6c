"""What live figures show: computed as their chapters compute it, when the book is built."""

from collections.abc import Callable
from typing import Any

import numpy as np

from companion.bpe import gpt2
from companion.story import SENTENCE


def index() -> dict[str, Any]:
    """Return the rows of the sentence, with vectors from the page's two random tables."""
    tokenizer, random = gpt2(), np.random.default_rng(2)
    tables = [random.normal(size=(rows, 8)) for rows in (50257, 1024)]
    rows = []
    for place, token_id in enumerate(tokenizer.encode(SENTENCE)):
        token = tokenizer.decode([token_id])
        parts = [tables[0][token_id], tables[1][place]]
        vectors = [vector.round(2).tolist() for vector in (*parts, sum(parts))]
        written = token.encode().hex(" ")
        rows.append({"token": token, "bytes": written, "id": token_id, "vectors": vectors})
    return {"text": SENTENCE, "rows": rows}


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
    "index": index,
    "token-embeddings": token_embeddings,
    "windows": windows,
}
"""By the name of the figure; a figure that is not here begins from its script alone."""
