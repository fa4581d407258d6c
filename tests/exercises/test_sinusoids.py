"""The exercises of the chapter `sinusoids`: right and wrong answers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from answers import Wrong, tried

from companion.exercises import Exercise

Array = Any


def missed_share(rows: Any, power: float = 1.0) -> Any:
    rows = np.asarray(rows)
    _, residuals, _, _ = np.linalg.lstsq(rows[:-1], rows[1:], rcond=None)
    return float(residuals.sum() / (rows[1:] ** 2).sum()) ** power


def missed_share_by_qr(rows: torch.Tensor) -> Any:
    q, _ = torch.linalg.qr(rows[:-1])  # what is orthogonal to all columns is missed
    return (rows[1:] - q @ (q.T @ rows[1:])).square().sum() / rows[1:].square().sum()


def missed_share_transposed(rows: torch.Tensor) -> float:
    matrix = torch.linalg.lstsq(rows[:-1], rows[1:]).solution
    missed = rows[1:] - rows[:-1] @ matrix.T
    return float(missed.square().sum() / rows[1:].square().sum())


def missed_share_around(rows: torch.Tensor) -> float:
    following = torch.cat([rows[1:], rows[:1]])
    missed = following - rows @ torch.linalg.lstsq(rows, following).solution
    return float(missed.square().sum() / following.square().sum())


def missed_share_of_spread(rows: torch.Tensor) -> Any:
    return missed_share(rows) * float(
        rows[1:].square().sum() / (rows[1:] - rows[1:].mean(0)).square().sum()
    )


def table(
    n: int, d: int, step: Callable[[int, int], float], first: int = 0, sines: str = "sc"
) -> Array:
    """Waves in numpy: step(i, d) is the exponent of hand i."""
    speeds = np.array([10_000.0 ** -step(i, d) for i in range(d // 2)])
    angles = np.arange(first, first + n)[:, None] * speeds
    waves = {"s": np.sin(angles), "c": np.cos(angles)}
    return np.concatenate([waves[letter] for letter in sines], axis=1)


def other(i: int, d: int) -> float:
    return i / (d // 2 - 1) if d > 2 else 0.0


def paper(i: int, d: int) -> float:
    return 2 * i / d


def in_single_precision(n: int, d: int) -> torch.Tensor:
    i = torch.arange(d // 2)
    speeds = 10_000 ** (-i / max(d // 2 - 1, 1))
    angles = torch.arange(n)[:, None] * speeds
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def in_lists(n: int, d: int) -> list[list[float]]:
    return [list(row) for row in table(n, d, other)]


def unguarded(n: int, d: int) -> torch.Tensor:
    half = d // 2
    speeds = 10_000 ** (-torch.arange(half, dtype=torch.float64) / (half - 1))
    angles = torch.arange(n)[:, None] * speeds
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def paired(n: int, d: int, step: Callable[[int, int], float] = other) -> Array:
    return table(n, d, step).reshape(n, 2, d // 2).swapaxes(1, 2).reshape(n, d)


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


def flat_place(total: torch.Tensor, tokens: torch.Tensor, places: torch.Tensor) -> int:
    token, place = nearest_pair_by_cdist(total, tokens, places).tolist()
    return int(token * len(places) + place)


def by_products(total: torch.Tensor, tokens: torch.Tensor, places: torch.Tensor) -> list[int]:
    return [int((tokens @ total).argmax()), int((places @ total).argmax())]


def one_by_one(total: torch.Tensor, tokens: torch.Tensor, places: torch.Tensor) -> list[int]:
    return [int(torch.cdist(total[None], rows).argmin()) for rows in (tokens, places)]


def token_first(total: torch.Tensor, tokens: torch.Tensor, places: torch.Tensor) -> list[int]:
    token = int(torch.cdist(total[None], tokens).argmin())
    return [token, int(torch.cdist((total - tokens[token])[None], places).argmin())]


def identity_twice(d: int) -> Array:
    return np.hstack([np.eye(d), np.eye(d)])


def weight_of_a_layer(d: int) -> Any:
    layer = torch.nn.Linear(2 * d, d, bias=False, device="meta").to_empty(device="cpu")
    with torch.no_grad():
        layer.weight.zero_()
        for i in range(d):
            layer.weight[i, [i, d + i]] = 1
    return layer.weight


RIGHT = [
    ("sinusoids.shift", missed_share),
    ("sinusoids.shift", missed_share_by_qr),
    ("sinusoids.half-dim", lambda n, d: table(n, d, other)),
    ("sinusoids.half-dim", in_single_precision),
    ("sinusoids.half-dim", in_lists),
    ("sinusoids.recover", nearest_pair),
    ("sinusoids.recover", nearest_pair_by_cdist),
    ("sinusoids.concat", identity_twice),
    ("sinusoids.concat", weight_of_a_layer),
    ("sinusoids.concat", lambda d: [[int(j % d == i) for j in range(2 * d)] for i in range(d)]),
]

WRONG: Wrong = [
    ("sinusoids.shift", lambda rows: missed_share(rows, power=0.5), 0),
    ("sinusoids.shift", lambda rows: 1 - missed_share(rows), 1),
    ("sinusoids.shift", lambda rows: 100 * missed_share(rows), 2),
    ("sinusoids.shift", missed_share_transposed, 3),
    ("sinusoids.shift", missed_share_around, 4),
    ("sinusoids.shift", lambda rows: missed_share(torch.flip(rows, [0])), 5),
    ("sinusoids.shift", missed_share_of_spread, 8),
    ("sinusoids.shift", lambda rows: missed_share(rows) * float((rows[1:] ** 2).sum()), 6),
    ("sinusoids.shift", lambda rows: missed_share(rows) * float((rows[1:] ** 2).mean()), 7),
    ("sinusoids.shift", 0.0, "Pass the function itself"),
    ("sinusoids.half-dim", unguarded, 0),
    ("sinusoids.half-dim", lambda n, d: table(n, d, lambda i, d: i / (d // 2 - 1)),
     "raises ZeroDivisionError"),
    ("sinusoids.half-dim", lambda n, d: table(n, d, paper), 1),
    ("sinusoids.half-dim", paired, 2),
    ("sinusoids.half-dim", lambda n, d: paired(n, d, paper), 3),
    ("sinusoids.half-dim", lambda n, d: table(n, d, other, sines="cs"), 4),
    ("sinusoids.half-dim", lambda n, d: table(n, d, other, first=1), 5),
    ("sinusoids.half-dim", lambda n, d: table(n, d, lambda i, d: i / (d - 1)), 6),
    ("sinusoids.half-dim", lambda n, d: table(n, d, lambda i, d: 2 * other(i, d)), 7),
    ("sinusoids.half-dim", lambda n, d: table(n, d, other).T, 8),
    ("sinusoids.recover",
     lambda total, tokens, places: nearest_pair_by_cdist(total, tokens, places).flip(0), 0),
    ("sinusoids.recover", flat_place, 1),
    ("sinusoids.recover",
     lambda total, tokens, places: divmod(flat_place(total, tokens, places), len(tokens)), 2),
    ("sinusoids.recover", by_products, 3),
    ("sinusoids.recover", one_by_one, 4),
    ("sinusoids.recover", token_first, 5),
    ("sinusoids.recover",
     lambda total, tokens, places: divmod(
        int(torch.cdist(total - tokens, places).argmax()), len(places)),
     6),
    ("sinusoids.recover",
     lambda total, tokens, places: divmod(
        int(((tokens[:, None] + places) * total).sum(-1).argmax()), len(places)),
     3),
    ("sinusoids.concat", lambda d: np.vstack([np.eye(d), np.eye(d)]), 0),
    ("sinusoids.concat", lambda d: np.hstack([np.eye(d), np.zeros((d, d))]), 1),
    ("sinusoids.concat", lambda d: np.eye(2 * d), 2),
    ("sinusoids.concat", lambda d: identity_twice(d) / 2, 3),
    ("sinusoids.concat", lambda d: np.ones((d, 2 * d)), 4),
    ("sinusoids.concat", lambda d: np.repeat(np.eye(d), 2, axis=1), 5),
    ("sinusoids.concat", np.eye, 6),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)


def test_the_tables_are_in_double_precision(made_anew: Callable[[str], Exercise]) -> None:
    # In single precision a right answer could miss a share of nothing by more than is allowed.
    tables = [table for (table,) in made_anew("sinusoids.shift").cases]
    tables += [tensor for case in made_anew("sinusoids.recover").cases for tensor in case]
    assert {table.dtype for table in tables} == {torch.float64}
    np.testing.assert_allclose(tables[0], paired(100, 6, paper), rtol=0, atol=1e-12)
    right = made_anew("sinusoids.half-dim").right
    np.testing.assert_allclose(right(30, 16), table(30, 16, other), rtol=0, atol=1e-12)


def test_the_sum_is_near_one_pair_and_not_equal(made_anew: Callable[[str], Exercise]) -> None:
    exercise = made_anew("sinusoids.recover")
    pairs = [(123, 45), (0, 63), (39, 0), (200, 5)]
    assert [exercise.right(*case) for case in exercise.cases] == pairs
    for (total, tokens, places), (token, place) in zip(exercise.cases, pairs, strict=True):
        assert 0 < (total - tokens[token] - places[place]).abs().max() < 1e-5
