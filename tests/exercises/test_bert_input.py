"""The exercises of the chapter `bert-input`: right and wrong answers."""

import torch
from answers import tried
from torch import Tensor

from companion.wordpiece import bert_uncased


def rows(first: str, second: str) -> list[tuple[int, int]]:
    ids, segment_ids, _ = bert_uncased().encode_pair(first, second)
    return list(zip(ids, segment_ids, strict=True))


def changed(first: str, second: str) -> list[int]:
    pairs = zip(rows(first, second), rows(second, first), strict=True)
    return [position for position, (one, two) in enumerate(pairs) if one != two]


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    return torch.stack(
        [row[places.bool()].mean(dim=0) for row, places in zip(x, mask, strict=True)]
    )


RIGHT = [
    ("bert-input.owner", [511, 0]),
    ("bert-input.swap", changed),
    ("bert-input.mean", masked_mean),
    ("bert-input.ledger", lambda v, p, d: (v + p + 4) * d),
    ("bert-input.segment", lambda t, s, p: (t * t + p * p) / (t * t + s * s + p * p)),
]  # fmt: skip

test_answers = tried(RIGHT)
