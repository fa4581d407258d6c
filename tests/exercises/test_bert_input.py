"""The exercises of the chapter `bert-input`: right answers pass, each wrong one hears why."""

from collections.abc import Callable

import numpy as np
import torch
from answers import tried
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
    layers = [
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


ASKED = {
    "bert-input.owner": "the list of the rows that no ordinary piece can take",
}

HINTS = {
    "bert-input.swap": "The function takes two texts; `mine` takes tensors of ids and of segment "
    "ids.",
    "bert-input.mean": "The mask has shape (B, n): with a last axis more, (B, n, 1), it fits the "
    "vectors.",
}

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

WRONG = [
    ("bert-input.owner", [0], "One more: what stands at the other end of every input?"),
    ("bert-input.owner", [511], "One more: what stands at the beginning of every input?"),
    ("bert-input.owner", [0, 512],
     "A table of 512 rows has no row 512: they are counted from 0."),
    ("bert-input.owner", (1, 512), "Positions are counted from 0, and so are the rows."),
    ("bert-input.owner", [0, 1, 511], "Position 1 is where the text begins."),
    ("bert-input.owner", [0, 1], "Position 1 is where the text begins; look at the other end."),
    ("bert-input.owner", [],
     "The special tokens take positions, too, and always the same ends."),
    ("bert-input.owner", [0, 510], "Some entries are not among the right ones."),
    ("bert-input.owner", "[CLS]", "It is '[CLS]', and should be a list."),
    ("bert-input.swap", changed_by(SMALL),
     "`[CLS]` cannot have changed; if it has, dropout is at work: call .eval()."),
    ("bert-input.swap", changed_by(without_segments),
     "A token that stays at its position can still change its segment."),
    ("bert-input.swap",
     lambda first, second: [i for i, (one, two) in
                            enumerate(zip(rows(first, second), rows(second, first), strict=True))
                            if one[1] != two[1]],
     "That is where the segment changes; the token can change where it does not."),
    ("bert-input.swap", lambda first, second: range(1, len(rows(first, second)) - 1),
     "Not all between the two ends changes: some tokens find their like there."),
    ("bert-input.swap", lambda first, second: [i + 1 for i in changed(first, second)],
     "Positions are counted from 0."),
    ("bert-input.swap", lambda first, second: [i - 1 for i in changed(first, second)],
     "`[CLS]` has position 0, so the first text begins at position 1."),
    ("bert-input.swap", lambda first, second: len(changed(first, second)),
     "That is how many; return the positions themselves."),
    ("bert-input.swap",
     lambda first, second: np.not_equal(rows(first, second), rows(second, first)).any(axis=1),
     "Return the positions, not True or False for each of them."),
    ("bert-input.swap", lambda first, second: SMALL(first, second),
     "your function('I like cats', 'I like dogs') raises TypeError: ids must be a tensor of "
     "integers, not str: 'I like cats'; use torch.tensor(ids). The function takes two texts; "
     "`mine` takes tensors of ids and of segment ids."),
    ("bert-input.swap", lambda text: [], "It is called with (first, second), and yours takes "
                                         "(text)."),
    ("bert-input.swap", [3, 7],
     "Hand over the function itself, a function of (first, second), not what it returns."),
    ("bert-input.mean", lambda x, mask: x.mean(dim=1),
     "Padding counts here like any token: use the mask."),
    ("bert-input.mean", lambda x, mask: (x * mask.unsqueeze(-1)).mean(dim=1),
     "The sum is right, but mean() divides it by n: divide by the real places."),
    ("bert-input.mean", lambda x, mask: torch.einsum("bnd,bn->bd", x, mask.float()),
     "That is the sum of the real vectors: it is not divided yet."),
    ("bert-input.mean", lambda x, mask: (x * mask[..., None]).sum(dim=1) / mask.sum(),
     "Divide each row by its own number of real places, not by that of the batch."),
    ("bert-input.mean",
     lambda x, mask: [row[: int(places.sum())].mean(0).tolist()
                      for row, places in zip(x, mask, strict=True)],
     "Padding may stand in front as well: let the mask choose the places."),
    ("bert-input.mean",
     lambda x, mask: (x * (1 - mask)[..., None]).sum(1) / (1 - mask).sum(1)[:, None],
     "That is the mean of the padding: the mask has 1 where a token is real."),
    ("bert-input.mean", lambda x, mask: x[mask.bool()].mean(dim=0),
     "That is one mean for the whole batch; each row has its own."),
    ("bert-input.mean",
     lambda x, mask: (x * mask[..., None]).sum(dim=0) / mask[..., None].sum(dim=0),
     "That averages over the rows of the batch; the places are dimension 1."),
    ("bert-input.mean",
     lambda x, mask: (x * mask[..., None]).sum(1, keepdim=True)
     / mask[..., None].sum(1, keepdim=True),
     "The numbers are right, but the shape is (B, 1, d), and should be (B, d)."),
    ("bert-input.mean", lambda x, mask: (x * mask).sum(dim=1) / mask.sum(dim=1),
     "your function([[[1.0, 4.0, 9.0], [16.0, 25.0, 36.0], …, [[1, 1, 1, 1], [1, 1, 0, 0]]) raises "
     "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
     "dimension 2. The mask has shape (B, n): with a last axis more, (B, n, 1), it fits the "
     "vectors."),
    ("bert-input.ledger", lambda v, p, d: (v + p + 2) * d,
     "Something of 2 d is missing: have you both segments, and all that the normalization "
     "learns?"),
    ("bert-input.ledger", lambda v, p, d: (v + p + 3) * d,
     "Something of d is missing: there are two segments, and the normalization has a factor and an "
     "addend for each number."),
    ("bert-input.ledger", lambda v, p, d: (v + p) * d,
     "That is two tables of three, and no normalization."),
    ("bert-input.ledger", lambda v, p, d: (v + 516) * d,
     "Not every BERT has 512 positions: use max_positions."),
    ("bert-input.ledger", lambda v, p, d: v * d, "That is the token table alone."),
    ("bert-input.ledger", lambda v, p, d: 4 * (v + p + 4) * d,
     "That is the size in bytes; the question is how many numbers there are."),
    ("bert-input.ledger", lambda v, p, d: (v + p + 4) * 768,
     "your function(120000, 1024, 384) gives 92949504, and it should give 46474752."),
    ("bert-input.ledger", 46_512_768,
     "Hand over the function itself, a function of (vocab_size, max_positions, d_model), not what "
     "it returns."),
    ("bert-input.segment", lambda t, s, p: 2 / 3,
     "That is right if all three are equal; here they are given."),
    ("bert-input.segment", lambda t, s, p: (t + p) / (t + s + p),
     "What adds up are the variances: square the standard deviations."),
    ("bert-input.segment", lambda t, s, p: s**2 / (t**2 + s**2 + p**2),
     "That is the share in which the two vectors differ."),
    ("bert-input.segment", lambda t, s, p: np.sqrt((t**2 + p**2) / (t**2 + s**2 + p**2)),
     "No root: both vectors have the same length, so a cosine divides by its square."),
    ("bert-input.segment", lambda t, s, p: (t**2 + p**2 - s**2) / (t**2 + s**2 + p**2),
     "The two segment rows are not opposite: their product is about zero, not minus a square."),
    ("bert-input.segment", lambda t, s, p: 0,
     "Only the segment rows are new; two of three parts are the same."),
    ("bert-input.segment", lambda t, s, p: t**2 + p**2,
     "That is the product of the two vectors, for each number; divide by their lengths."),
    ("bert-input.segment", 2 / 3,
     "Hand over the function itself, a function of (token, segment, position), not what it "
     "returns."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, ASKED, HINTS)


def test_the_ledger_counts_what_the_layer_has(made_anew: Callable[[str], Exercise]) -> None:
    layer = BertEmbeddings(100, max_positions=16, d_model=8)
    n_parameters = sum(parameter.numel() for parameter in layer.parameters())
    assert made_anew("bert-input.ledger").right(100, 16, 8) == n_parameters
