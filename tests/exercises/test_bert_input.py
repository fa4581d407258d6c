"""The exercises of the chapter `bert-input`: right and wrong answers."""

from collections.abc import Callable

import numpy as np
import torch
from answers import Wrong, tried
from torch import Tensor

from companion.embeddings import BertEmbeddings
from companion.exercises import Exercise
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
    """Find what changes in the vectors themselves."""

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


def masked_mean_of_lists(x: Tensor, mask: Tensor) -> list[list[float]]:
    return [
        [
            sum(v for v, m in zip(column, places, strict=True) if m) / sum(places)
            for column in zip(*row, strict=True)
        ]
        for row, places in zip(x.tolist(), mask.tolist(), strict=True)
    ]


def count_of_module(vocab_size: int, max_positions: int, d_model: int) -> int:
    layers: list[torch.nn.Module] = [
        torch.nn.Embedding(size, d_model, device="meta") for size in (vocab_size, max_positions, 2)
    ]
    layers.append(torch.nn.LayerNorm(d_model, device="meta"))
    return sum(parameter.numel() for layer in layers for parameter in layer.parameters())


def measured_cosine(token: float, segment: float, position: float) -> Tensor:
    """Draw rows so wide that chance plays no part."""
    draw = torch.Generator().manual_seed(0)
    t, p, s0, s1 = torch.randn(4, 500_000, generator=draw)
    shared = token * t + position * p
    return torch.cosine_similarity(shared + segment * s0, shared + segment * s1, dim=0)


RIGHT = [
    ("bert-input.owner", [0, 511]),
    ("bert-input.owner", (511, 0)),
    ("bert-input.owner", np.array([0, 511])),
    ("bert-input.swap", changed),
    ("bert-input.swap", lambda first, second: reversed(changed(first, second))),
    ("bert-input.swap", changed_by(without_dropout)),
    ("bert-input.mean", masked_mean),
    ("bert-input.mean", masked_mean_of_lists),
    ("bert-input.mean", lambda x, mask: np.einsum("bnd,bn->bd", x, mask / mask.sum(1)[:, None])),
    ("bert-input.ledger", lambda v, p, d: (v + p + 4) * d),
    ("bert-input.ledger", count_of_module),
    ("bert-input.ledger", lambda v, p, d: np.int64(v + p + 4) * d),
    ("bert-input.segment", lambda t, s, p: (t * t + p * p) / (t * t + s * s + p * p)),
    ("bert-input.segment", lambda t, s, p: 1 - s**2 / np.square([t, s, p]).sum()),
    ("bert-input.segment", measured_cosine),
]  # fmt: skip

WRONG: Wrong = [
    ("bert-input.owner", [0], 0),
    ("bert-input.owner", [511], 1),
    ("bert-input.owner", [0, 512], 2),
    ("bert-input.owner", (1, 512), 3),
    ("bert-input.owner", [0, 1, 511], 4),
    ("bert-input.owner", [0, 1], 5),
    ("bert-input.owner", [], 6),
    ("bert-input.owner", [0, 510], "Some entries are wrong."),
    ("bert-input.owner", "[CLS]", "Your answer is '[CLS]'; it should be a list."),
    ("bert-input.swap", changed_by(SMALL), 0),
    ("bert-input.swap", changed_by(without_segments), 1),
    ("bert-input.swap",
     lambda first, second: [i for i, (one, two) in
                            enumerate(zip(rows(first, second), rows(second, first), strict=True))
                            if one[1] != two[1]],
     2),
    ("bert-input.swap", lambda first, second: range(1, len(rows(first, second)) - 1), 3),
    ("bert-input.swap", lambda first, second: [i + 1 for i in changed(first, second)], 4),
    ("bert-input.swap", lambda first, second: [i - 1 for i in changed(first, second)], 5),
    ("bert-input.swap", lambda first, second: len(changed(first, second)), 6),
    ("bert-input.swap",
     lambda first, second: np.not_equal(rows(first, second), rows(second, first)).any(axis=1), 7),
    ("bert-input.swap", lambda first, second: SMALL(first, second), "raises TypeError"),
    ("bert-input.swap", lambda text: [], "The checker calls your function"),
    ("bert-input.swap", [3, 7], "Pass the function itself"),
    ("bert-input.mean", lambda x, mask: x.mean(dim=1), 0),
    ("bert-input.mean", lambda x, mask: (x * mask.unsqueeze(-1)).mean(dim=1), 1),
    ("bert-input.mean", lambda x, mask: torch.einsum("bnd,bn->bd", x, mask.float()), 2),
    ("bert-input.mean", lambda x, mask: (x * mask[..., None]).sum(dim=1) / mask.sum(), 3),
    ("bert-input.mean",
     lambda x, mask: [row[: int(places.sum())].mean(0).tolist()
                      for row, places in zip(x, mask, strict=True)],
     4),
    ("bert-input.mean",
     lambda x, mask: (x * (1 - mask)[..., None]).sum(1) / (1 - mask).sum(1)[:, None], 5),
    ("bert-input.mean", lambda x, mask: x[mask.bool()].mean(dim=0), 6),
    ("bert-input.mean",
     lambda x, mask: (x * mask[..., None]).sum(dim=0) / mask[..., None].sum(dim=0), 7),
    ("bert-input.mean",
     lambda x, mask: (x * mask[..., None]).sum(1, keepdim=True)
     / mask[..., None].sum(1, keepdim=True),
     8),
    ("bert-input.mean", lambda x, mask: (x * mask).sum(dim=1) / mask.sum(dim=1),
     "raises RuntimeError"),
    ("bert-input.ledger", lambda v, p, d: (v + p + 2) * d, 0),
    ("bert-input.ledger", lambda v, p, d: (v + p + 3) * d, 1),
    ("bert-input.ledger", lambda v, p, d: (v + p) * d, 2),
    ("bert-input.ledger", lambda v, p, d: (v + 516) * d, 3),
    ("bert-input.ledger", lambda v, p, d: v * d, 4),
    ("bert-input.ledger", lambda v, p, d: 4 * (v + p + 4) * d, 5),
    ("bert-input.ledger", lambda v, p, d: (v + p + 4) * 768, "returns 92949504"),
    ("bert-input.ledger", 46_512_768, "Pass the function itself"),
    ("bert-input.segment", lambda t, s, p: 2 / 3, 0),
    ("bert-input.segment", lambda t, s, p: (t + p) / (t + s + p), 1),
    ("bert-input.segment", lambda t, s, p: s**2 / (t**2 + s**2 + p**2), 2),
    ("bert-input.segment", lambda t, s, p: np.sqrt((t**2 + p**2) / (t**2 + s**2 + p**2)), 3),
    ("bert-input.segment", lambda t, s, p: (t**2 + p**2 - s**2) / (t**2 + s**2 + p**2), 4),
    ("bert-input.segment", lambda t, s, p: 0, 5),
    ("bert-input.segment", lambda t, s, p: t**2 + p**2, 6),
    ("bert-input.segment", 2 / 3, "Pass the function itself"),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)


def test_the_ledger_counts_what_the_layer_has(made_anew: Callable[[str], Exercise]) -> None:
    layer = BertEmbeddings(100, max_positions=16, d_model=8)
    n_parameters = sum(parameter.numel() for parameter in layer.parameters())
    assert made_anew("bert-input.ledger").right(100, 16, 8) == n_parameters
