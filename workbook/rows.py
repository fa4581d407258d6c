"""What live figures show of rows: tokens of texts, with trained rows and with new ones."""

import itertools
from typing import Any

import numpy as np

from companion.bpe import gpt2
from companion.pretrained import minilm, row_tokens, rows
from companion.wordpiece import bert_uncased

SIZES = {
    "GPT-2": {"token": 50257, "position": 1024},
    "BERT": {"token": 30522, "segment": 2, "position": 512},
}


def in_front(*texts: str) -> list[tuple[str, ...]]:
    """Return the texts in each order that buttons make, with a word in front or not."""
    orders = {texts, texts[::-1]}
    words = itertools.product(("", "Now "), repeat=len(texts))
    return [tuple(map(str.__add__, w, order)) for w in words for order in sorted(orders)]


def gpt2_tokens(text: str) -> dict[str, Any]:
    """Return the tokens of a text, each with its id."""
    decode, encode = gpt2().decode, gpt2().encode
    return {each: [(decode([i]), i) for i in encode(each)] for (each,) in in_front(text)}


def bert_tokens(*texts: str) -> dict[str, Any]:
    """Return the tokens of texts, each with its id and its segment, by the lines of the fields."""
    found = {}
    for each in in_front(*texts):
        ids, segments, tokens = bert_uncased().encode_pair(*each)
        found["\n".join(each)] = [*zip(tokens, ids, segments, strict=True)]
    return found


def trained_rows() -> tuple[list[int], Any]:
    """Return ids, and what a page needs of the trained rows: an array of a row for each."""
    # After the tokens come 32 positions, the segments, gamma and beta. Each has its first 8
    # numbers, and for the normalization of sums the mean of all 384 and how long the rest is
    # without it. Its product with each segment follows; the one with a position is, as good as
    # exactly, that of three more numbers, along the mean of the positions and the two directions
    # in which they differ most.
    tables = [np.array(rows(name)) for name in ("token", "position", "segment", "gamma", "beta")]
    n_positions = 32
    tables[1] = tables[1][:n_positions]
    tokens, positions, segments = (t - t.mean(axis=1, keepdims=True) for t in tables[:3])
    middle = positions.mean(axis=0)
    axes = np.linalg.svd(positions - middle)[2][:2]
    along = [
        tokens @ np.vstack([middle, axes]).T,
        np.hstack([np.ones((n_positions, 1)), (positions - middle) @ axes.T]),
        np.zeros((4, 3)),
    ]
    every = np.vstack(tables)
    rest = every - every.mean(axis=1, keepdims=True)
    length = np.linalg.norm(rest, axis=1, keepdims=True)
    numbers = [every[:, :8], every.mean(axis=1, keepdims=True), length, rest @ segments.T]
    vocab = bert_uncased().vocab
    ids = [vocab[token] for token in row_tokens()]
    return ids, np.hstack([*numbers, np.vstack(along)]).round(4)


def bert_trained(known: dict[str, Any]) -> dict[str, Any]:
    """Return the trained rows of these tokens."""
    ids, numbers = trained_rows()
    shown = {i for tokens in known.values() for _, i, _ in tokens}
    *position, first, second, gamma, beta = numbers[len(ids) :].tolist()
    token = {i: row.tolist() for i, row in zip(ids, numbers, strict=False) if i in shown}
    rows = {"token": token, "position": position[:12], "segment": [first, second]}
    note = "Trained rows of all-MiniLM-L6-v2, a small BERT: 8 of 384 numbers."
    model = new("BERT", **rows, gamma=gamma[:8], beta=beta[:8])
    return model | {"d": 384, "digits": 3, "isTrained": True, "note": note}


def new(name: str, **rows: Any) -> dict[str, Any]:
    """Return rows of a model that nobody has trained."""
    note = f"Random rows, as in a new {name}: 8 of 768 numbers."
    kind = name.replace("-", "").lower()
    return {"kind": kind, "of": SIZES[name], "digits": 2, "note": note, "d": 768, "rows": rows}


def of_random(row: Any) -> list[float]:
    """Return of a row its first 8 numbers, the mean of all, and how long it is without it."""
    mean = float(row.mean())
    return [round(float(x), 4) for x in (*row[:8], mean, ((row - mean) ** 2).sum() ** 0.5)]


def nearest_rows() -> tuple[list[str], dict[str, Any]]:
    """Return the tokens that have trained rows, and the ten nearest rows of each in two tables."""
    # In a new table and in that of all-MiniLM-L6-v2: places among the tokens, and cosines.
    import torch

    trained, vocab = minilm().token.weight.detach(), list(bert_uncased().vocab)
    ids = (~trained[:, 0].isnan()).nonzero().flatten()
    torch.manual_seed(1)
    random, found = torch.nn.Embedding(*trained.shape).weight.detach(), {}
    for name, table in {"new": random, "trained": trained}.items():
        rows = torch.nn.functional.normalize(table[ids])
        near = (rows @ rows.T).topk(11)  # the first is the token itself
        found[name] = near.indices[:, 1:], near.values[:, 1:]
    return [vocab[i] for i in ids], found
