"""What live figures show, from the names of their chapters, as these are after the labelled cell.

`kernel` asks when it runs the chapter, in the chapter's own Python: nothing else is imported.
"""

import itertools
from collections.abc import Callable
from typing import Any

Names = dict[str, Any]


def rounded(numbers: Any) -> Any:
    """Return a tensor as lists. The page rounds again: 0.00499998 must not become 0.005 here."""
    return [rounded(row) if row.ndim else round(row.item(), 9) for row in numbers]


def index(names: Names) -> dict[str, Any]:
    """Return the rows of the sentence, with vectors from the page's two random tables."""
    tokenizer, text = names["tokenizer"], names["text"]
    rows = []
    for place, token_id in enumerate(tokenizer.encode(text)):
        token = tokenizer.decode([token_id])
        parts = [names["token_table"][token_id], names["position_table"][place]]
        vectors = [vector.round(2).tolist() for vector in (*parts, sum(parts))]
        rows.append({"token": token, "id": token_id, "vectors": vectors})
    return {"text": text, "rows": rows}


def token_embeddings(names: Names) -> dict[str, Any]:
    """Return the chapter's table of ten rows and the ids that it looks up first."""
    return {"table": rounded(names["embedding"].weight), "ids": names["three"].tolist()}


def windows(names: Names) -> dict[str, Any]:
    """Return the sizes of the chapter's figure of coverage."""
    windows = names["settings"][2]
    return {"n": len(names["row"]), "context": windows.context_size, "stride": windows.stride}


def positions(names: Names) -> dict[str, Any]:
    """Return what the chapter's block gives for its three tokens in each order."""
    block, tokens, table = names["block"], names["one"], names["token_table"]
    orders = list(itertools.permutations(range(3)))
    texts = [table[[tokens[i] for i in order]] for order in orders]
    return {
        "tokens": names["tokens"],
        "orders": orders,
        "without": [rounded(block(x)) for x in texts],
        "added": [rounded(block(x + names["position_table"][:3])) for x in texts],
    }


def sinusoids(names: Names) -> dict[str, Any]:
    """Return rows of the chapter's table, and how far each hand turns at a step."""
    frequencies = names["frequencies"](8).tolist()
    return {"frequencies": frequencies, "rows": rounded(names["sinusoids"](72, 8))}


def relative_positions(names: Names) -> dict[str, Any]:
    """Return the chapter's point at each position, and a point that is ten times slower."""
    at = names["at"]
    return {
        "pairs": [
            {"degrees": degrees, "points": [rounded(at(p * degrees / 30)) for p in range(25)]}
            for degrees in (30, 3)
        ]
    }


STATES: dict[str, Callable[[Names], dict[str, Any]]] = {
    "index": index,
    "positions": positions,
    "relative-positions": relative_positions,
    "sinusoids": sinusoids,
    "token-embeddings": token_embeddings,
    "windows": windows,
}
"""By the name of the figure; a figure that is not here begins from its script alone."""
