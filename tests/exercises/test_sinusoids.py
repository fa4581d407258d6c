"""The exercises of the chapter `sinusoids`: right answers pass, each wrong one hears why."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from answers import tried

from companion.exercises import Exercise

Array = Any


def missed_share(rows: Any, power: float = 1.0) -> float:
    rows = np.asarray(rows)
    _, residuals, _, _ = np.linalg.lstsq(rows[:-1], rows[1:], rcond=None)
    return float(residuals.sum() / (rows[1:] ** 2).sum()) ** power


def missed_share_by_qr(rows: torch.Tensor) -> torch.Tensor:
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


def missed_share_of_spread(rows: torch.Tensor) -> float:
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


def weight_of_a_layer(d: int) -> torch.nn.Parameter:
    layer = torch.nn.Linear(2 * d, d, bias=False)
    with torch.no_grad():
        layer.weight.zero_()
        for i in range(d):
            layer.weight[i, [i, d + i]] = 1
    return layer.weight


HINTS = {
    "sinusoids.shift": "The function takes a tensor of shape (n, d), for any n and d, and returns "
    "a number.",
    "sinusoids.half-dim": "For d = 2 there is one hand, and it turns by one radian a position.",
    "sinusoids.recover": "total has shape (d,), and the tables (V, d) and (n, d).",
    "sinusoids.concat": "The function takes a number, the width of a vector, and returns a matrix.",
}

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

WRONG = [
    ("sinusoids.shift", lambda rows: missed_share(rows, power=0.5),
     "That is a ratio of lengths; the share is one of squares, of lengths squared."),
    ("sinusoids.shift", lambda rows: 1 - missed_share(rows),
     "That is the share that the matrix explains."),
    ("sinusoids.shift", lambda rows: 100 * missed_share(rows),
     "That is per cent; give the share, between 0 and 1."),
    ("sinusoids.shift", missed_share_transposed,
     "The matrix is transposed: lstsq(A, B) finds the X for which A @ X is near B, with X on the "
     "right of the rows."),
    ("sinusoids.shift", missed_share_around,
     "The last row has no next one, and here the first takes its place: leave that pair out."),
    ("sinusoids.shift", lambda rows: missed_share(torch.flip(rows, [0])),
     "This leads from each row to the one before it: exchange the two."),
    ("sinusoids.shift", missed_share_of_spread,
     "The mean of the next rows was taken off first; compare with their squares as they are."),
    ("sinusoids.shift", lambda rows: missed_share(rows) * float((rows[1:] ** 2).sum()),
     "That is a sum of squares; divide it by the sum of squares of the next rows."),
    ("sinusoids.shift", lambda rows: missed_share(rows) * float((rows[1:] ** 2).mean()),
     "That is a mean of squares; a share needs the squares of the next rows below it."),
    ("sinusoids.shift", 0.0,
     "Hand over the function itself, a function of (rows), not what it returns."),
    ("sinusoids.half-dim", unguarded,
     "Right but for d = 2: there the exponent is 0/0, and the table is not a number."),
    ("sinusoids.half-dim", lambda n, d: table(n, d, lambda i, d: i / (d // 2 - 1)),
     "your function(9, 2) raises ZeroDivisionError: division by zero. For d = 2 there is one "
     "hand, and it turns by one radian a position."),
    ("sinusoids.half-dim", lambda n, d: table(n, d, paper),
     "The order of the columns is right; the exponent is still that of the paper."),
    ("sinusoids.half-dim", paired,
     "The exponent is right; but all sines come first, and then all cosines."),
    ("sinusoids.half-dim", lambda n, d: paired(n, d, paper), "This is the table of the paper."),
    ("sinusoids.half-dim", lambda n, d: table(n, d, other, sines="cs"),
     "The sines come before the cosines."),
    ("sinusoids.half-dim", lambda n, d: table(n, d, other, first=1),
     "Positions are counted from 0."),
    ("sinusoids.half-dim", lambda n, d: table(n, d, lambda i, d: i / (d - 1)),
     "The exponent is divided by d - 1 here; it is d/2 - 1, with the half taken first."),
    ("sinusoids.half-dim", lambda n, d: table(n, d, lambda i, d: 2 * other(i, d)),
     "The exponent is i/(d/2 - 1), without the 2 of the paper's."),
    ("sinusoids.half-dim", lambda n, d: table(n, d, other).T,
     "Rows and columns have changed places: the shape is (n, d)."),
    ("sinusoids.recover", lambda total, tokens, places: nearest_pair_by_cdist(
        total, tokens, places).flip(0),
     "Both are right, and in the other order: the token comes first."),
    ("sinusoids.recover", flat_place,
     "That is a place in the list of all sums; say which token and which position stand there."),
    ("sinusoids.recover", lambda total, tokens, places: divmod(
        flat_place(total, tokens, places), len(tokens)),
     "The place in the list is right, and taken apart by the wrong length: how many sums does "
     "each token have?"),
    ("sinusoids.recover", by_products,
     "These are the rows with the largest products, the test of the chapter; the question is "
     "which pair has the nearest sum."),
    ("sinusoids.recover", one_by_one,
     "Each of these rows is near the sum by itself; look for two rows that are near it together."),
    ("sinusoids.recover", token_first,
     "The token was chosen before any position was looked at: compare all pairs."),
    ("sinusoids.recover", lambda total, tokens, places: divmod(
        int(torch.cdist(total - tokens, places).argmax()), len(places)),
     "That is the pair whose sum is farthest away."),
    ("sinusoids.recover", lambda total, tokens, places: divmod(
        int(((tokens[:, None] + places) * total).sum(-1).argmax()), len(places)),
     # The product with a sum is the sum of the products, so this is the same again.
     "These are the rows with the largest products, the test of the chapter; the question is "
     "which pair has the nearest sum."),
    ("sinusoids.concat", lambda d: np.vstack([np.eye(d), np.eye(d)]),
     "That is its transpose: torch.nn.Linear keeps its weight as (outputs, inputs)."),
    ("sinusoids.concat", lambda d: np.hstack([np.eye(d), np.zeros((d, d))]),
     "With it only the token comes through: the right half is all zeros."),
    ("sinusoids.concat", lambda d: np.eye(2 * d),
     "That gives back both parts, still one behind the other; the result should have d "
     "coordinates."),
    ("sinusoids.concat", lambda d: identity_twice(d) / 2,
     "With it the result is the mean of the two vectors, half of their sum."),
    ("sinusoids.concat", lambda d: np.ones((d, 2 * d)),
     "With it every coordinate of the result is the sum of all 2d coordinates."),
    ("sinusoids.concat", lambda d: np.repeat(np.eye(d), 2, axis=1),
     "This adds neighbours, coordinates 0 and 1, 2 and 3; the partner of coordinate 0 of the "
     "token is coordinate 0 of the position."),
    ("sinusoids.concat", np.eye, "The layer takes 2d numbers in: half of it is missing."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, hints=HINTS)


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
