"""The exercises of the chapter `bert-input`: right and wrong answers."""

from collections.abc import Callable

import torch
from answers import Wrong, tried
from torch import Tensor

from companion.embeddings import BertEmbeddings
from companion.wordpiece import bert_uncased

torch.manual_seed(0)
SMALL = BertEmbeddings(d_model=64)  # in training mode, as new modules are


def rows(first: str, second: str) -> list[tuple[int, int]]:
    ids, segment_ids, _ = bert_uncased().encode_pair(first, second)
    return list(zip(ids, segment_ids, strict=True))


def changed(first: str, second: str) -> list[int]:
    pairs = zip(rows(first, second), rows(second, first), strict=True)
    return [position for position, (one, two) in enumerate(pairs) if one != two]


def changed_by(layer: Callable[[Tensor, Tensor], Tensor]) -> Callable[[str, str], Tensor]:
    """Find the positions where the vectors change."""

    def positions(first: str, second: str) -> Tensor:
        one, two = (
            layer(torch.tensor(pair.ids), torch.tensor(pair.segment_ids))
            for pair in (
                bert_uncased().encode_pair(first, second),
                bert_uncased().encode_pair(second, first),
            )
        )
        return (one - two).abs().amax(dim=-1).gt(1e-5).nonzero()[:, 0]

    return positions


def without_dropout(ids: Tensor, segment_ids: Tensor) -> Tensor:
    x = SMALL.token.weight[ids] + SMALL.segment.weight[segment_ids]
    vectors: Tensor = SMALL.norm(x + SMALL.position.weight[: len(ids)])
    return vectors


def without_segments(ids: Tensor, segment_ids: Tensor) -> Tensor:
    return without_dropout(ids, torch.zeros_like(segment_ids))


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    return torch.stack(
        [row[places.bool()].mean(dim=0) for row, places in zip(x, mask, strict=True)]
    )


RIGHT = [
    ("bert-input.owner", [511, 0]),
    ("bert-input.swap", changed),
    ("bert-input.swap", changed_by(without_dropout)),
    ("bert-input.mean", masked_mean),
    ("bert-input.ledger", lambda v, p, d: (v + p + 4) * d),
    ("bert-input.segment", lambda t, s, p: (t * t + p * p) / (t * t + s * s + p * p)),
]  # fmt: skip

WRONG: Wrong = [
    ("bert-input.swap", changed_by(SMALL), 0),
    ("bert-input.swap", changed_by(without_segments), 1),
]

TestAnswers = tried(RIGHT, WRONG)
