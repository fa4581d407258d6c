"""What live figures show: computed as their chapters compute it, when the book is built."""

import contextlib
import io
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ttv.reader import blocks

BOOK = Path(__file__).parents[2]


def names_of(page: str, last: str) -> dict[str, Any]:
    """Run the cells of a chapter up to the first one with a text, and return their names."""
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), plt.rc_context({"backend": "agg"}):
        for block in blocks((BOOK / f"{page}.md").read_text(encoding="utf-8"), f"book/{page}"):
            if block.name == "code-cell":
                fails = "raises-exception" in block.options.get("tags", [])
                with contextlib.suppress(*[Exception] * fails):
                    exec(block.body, names)  # the book's own code
                plt.close("all")
                if last in block.body:
                    return names
    raise ValueError(f"no cell of {page} holds {last!r}")


def rounded(numbers: Any) -> Any:
    """Return a tensor as lists, with the digits that a picture needs."""
    return [rounded(row) if row.ndim else round(row.item(), 6) for row in numbers]


def index() -> dict[str, Any]:
    """Return the rows of the sentence, with vectors from the page's two random tables."""
    names = names_of("index", "token_table")
    tokenizer, text = names["tokenizer"], names["text"]
    rows = []
    for place, token_id in enumerate(tokenizer.encode(text)):
        token = tokenizer.decode([token_id])
        parts = [names["token_table"][token_id], names["position_table"][place]]
        vectors = [vector.round(2).tolist() for vector in (*parts, sum(parts))]
        rows.append({"token": token, "id": token_id, "vectors": vectors})
    return {"text": text, "rows": rows}


def token_embeddings() -> dict[str, Any]:
    """Return the chapter's table of ten rows and the ids that it looks up first."""
    names = names_of("token-embeddings", "manual_seed(123)")
    return {"table": rounded(names["embedding"].weight), "ids": names["three"].tolist()}


def windows() -> dict[str, Any]:
    """Return the sizes of the chapter's figure of coverage."""
    return {"n": 33, "context": 8, "stride": 8}


def positions() -> dict[str, Any]:
    """Return what the chapter's block gives for its three tokens in each order."""
    names = names_of("positions", "turned = ")
    block, tokens, table = names["block"], names["one"], names["token_table"]
    orders = list(itertools.permutations(range(3)))
    texts = [table[[tokens[i] for i in order]] for order in orders]
    return {
        "tokens": names["tokens"],
        "orders": orders,
        "without": [rounded(block(x)) for x in texts],
        "added": [rounded(block(x + names["position_table"][:3])) for x in texts],
    }


def sinusoids() -> dict[str, Any]:
    """Return rows of the chapter's table, and how far each hand turns at a step."""
    names = names_of("sinusoids", "def sinusoids(")
    frequencies = names["frequencies"](8).tolist()
    return {"frequencies": frequencies, "rows": rounded(names["sinusoids"](72, 8))}


def relative_positions() -> dict[str, Any]:
    """Return the chapter's point at each position, and a point that is ten times slower."""
    at = names_of("relative-positions", "def at(")["at"]
    return {
        "pairs": [
            {"degrees": degrees, "points": [rounded(at(p * degrees / 30)) for p in range(25)]}
            for degrees in (30, 3)
        ]
    }


STATES: dict[str, Callable[[], dict[str, Any]]] = {
    "index": index,
    "positions": positions,
    "relative-positions": relative_positions,
    "sinusoids": sinusoids,
    "token-embeddings": token_embeddings,
    "windows": windows,
}
"""By the name of the figure; a figure that is not here begins from its script alone."""
