"""The exercises of the chapter `sinusoids`: right and wrong answers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from answers import Wrong, tried

from companion.exercises import Exercise

Array = Any


def missed_share(rows: Any) -> float:
    rows = np.asarray(rows)
    _, residuals, _, _ = np.linalg.lstsq(rows[:-1], rows[1:], rcond=None)
    return float(residuals.sum() / (rows[1:] ** 2).sum())


def missed_share_by_qr(rows: torch.Tensor) -> Any:
    q, _ = torch.linalg.qr(rows[:-1])  # what is orthogonal to all columns is missed
    return (rows[1:] - q @ (q.T @ rows[1:])).square().sum() / rows[1:].square().sum()


def table(n: int, d: int, step: Callable[[int, int], float]) -> Array:
    """Waves in numpy: step(i, d) is the exponent of pair i."""
    speeds = np.array([10_000.0 ** -step(i, d) for i in range(d // 2)])
    angles = np.arange(n)[:, None] * speeds
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def other(i: int, d: int) -> float:
    return i / (d // 2 - 1) if d > 2 else 0.0


def paper(i: int, d: int) -> float:
    return 2 * i / d


def in_single_precision(n: int, d: int) -> torch.Tensor:
    i = torch.arange(d // 2)
    speeds = 10_000 ** (-i / max(d // 2 - 1, 1))
    angles = torch.arange(n)[:, None] * speeds
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def paired(n: int, d: int) -> Array:
    return table(n, d, paper).reshape(n, 2, d // 2).swapaxes(1, 2).reshape(n, d)


def nearest_pair(total: Any, tokens: Any, places: Any) -> tuple[int, int]:
    best = (float("inf"), -1, -1)
    for i, token in enumerate(tokens.tolist()):
        for j, place in enumerate(places.tolist()):
            apart = sum(
                (e + p - x) ** 2 for e, p, x in zip(token, place, total.tolist(), strict=True)
            )
            best = min(best, (apart, i, j))
    return best[1:]


def nearest_pair_by_cdist(
    total: torch.Tensor, tokens: torch.Tensor, places: torch.Tensor
) -> torch.Tensor:
    remaining = total - tokens  # what the position would have to be
    return torch.cdist(remaining, places).eq(torch.cdist(remaining, places).min()).nonzero()[0]


def identity_twice(d: int) -> Array:
    return np.hstack([np.eye(d), np.eye(d)])


RIGHT = [
    ("sinusoids.shift", missed_share),
    ("sinusoids.shift", missed_share_by_qr),
    ("sinusoids.half-dim", lambda n, d: table(n, d, other)),
    ("sinusoids.half-dim", in_single_precision),
    ("sinusoids.recover", nearest_pair),
    ("sinusoids.recover", nearest_pair_by_cdist),
    ("sinusoids.concat", identity_twice),
]

WRONG: Wrong = [
    ("sinusoids.recover",
     lambda total, tokens, positions: divmod(
        int(((tokens[:, None] + positions) * total).sum(-1).argmax()), len(positions)),
     3),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)


def test_the_tables_are_in_double_precision(made_anew: Callable[[str], Exercise]) -> None:
    # In single precision, rounding could be larger than the tolerance for a share of 0.
    tables = [table for (table,) in made_anew("sinusoids.shift").cases]
    tables += [tensor for case in made_anew("sinusoids.recover").cases for tensor in case]
    assert {table.dtype for table in tables} == {torch.float64}
    np.testing.assert_allclose(tables[0], paired(100, 6), rtol=0, atol=1e-12)
    right = made_anew("sinusoids.half-dim").right
    np.testing.assert_allclose(right(30, 16), table(30, 16, other), rtol=0, atol=1e-12)


def test_the_sum_is_near_one_pair_and_not_equal(made_anew: Callable[[str], Exercise]) -> None:
    exercise = made_anew("sinusoids.recover")
    pairs = [(123, 45), (0, 63), (39, 0), (200, 5)]
    assert [exercise.right(*case) for case in exercise.cases] == pairs
    for (total, tokens, places), (token, place) in zip(exercise.cases, pairs, strict=True):
        assert 0 < (total - tokens[token] - places[place]).abs().max() < 1e-5
