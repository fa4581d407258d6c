"""Exercises of the chapter `sinusoids`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from companion.exercises._grading import Exercise, Mistake


def _random(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)  # not to change the reader's random numbers
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _angles(n: int, frequencies: Tensor, first: int = 0) -> Tensor:
    return torch.arange(first, first + n)[:, None] * frequencies


def _speeds(d: int, divisor: float) -> Tensor:
    """Return 10,000 to the power of -i/divisor for each pair i."""
    return torch.pow(10_000.0, -torch.arange(d // 2, dtype=torch.float64) / divisor)


def _paper(d: int) -> Tensor:
    return _speeds(d, d / 2)


def _alternating(angles: Tensor) -> Tensor:
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def _sines_first(angles: Tensor) -> Tensor:
    return torch.cat([angles.sin(), angles.cos()], dim=1)


_WAVES = _alternating(_angles(100, _paper(6)))
_TABLES = [
    (_WAVES,),
    (_WAVES[:, 0::2],),
    (_WAVES[:40, 1::2],),
    (_random(100, 6, seed=1),),
    (_random(30, 4, seed=2),),
]


def _fit(rows: Tensor, following: Tensor) -> Tensor:
    solution: Tensor = torch.linalg.lstsq(rows, following).solution
    return solution


def _share(missed: Tensor, following: Tensor) -> float:
    return float(missed.square().sum() / following.square().sum())


def _missed_share(rows: Tensor) -> float:
    before, after = rows[:-1], rows[1:]
    return _share(after - before @ _fit(before, after), after)


def _missed_by_the_transpose(rows: Tensor) -> float:
    before, after = rows[:-1], rows[1:]
    return _share(after - before @ _fit(before, after).T, after)


def _missed_around_the_end(rows: Tensor) -> float:
    after = rows.roll(-1, dims=0)
    return _share(after - rows @ _fit(rows, after), after)


def _squares(rows: Tensor) -> float:
    return float(rows[1:].square().sum())


def _missed_of_the_spread(rows: Tensor) -> float:
    return _missed_share(rows) * _squares(rows) / _squares(rows - rows[1:].mean(dim=0))


def _other(d: int) -> Tensor:
    return _speeds(d, max(d / 2 - 1, 1))


def _built(
    frequencies: Callable[[int], Tensor],
    arrange: Callable[[Tensor], Tensor] = _sines_first,
    first: int = 0,
) -> Callable[[int, int], Tensor]:
    def table(n: int, d: int) -> Tensor:
        return arrange(_angles(n, frequencies(d), first))

    return table


_other_sinusoids = _built(_other)


def _recover_case(
    seed: int, n_tokens: int, n: int, d: int, token: int, position: int
) -> tuple[Any, ...]:
    rows = _random(n_tokens + n + 1, d, seed=seed)
    tokens, positions, nudge = rows[:n_tokens], rows[n_tokens:-1], 1e-6 * rows[-1]
    return tokens[token] + positions[position] + nudge, tokens, positions  # "nearest", not "equal"


_SUMS = [
    _recover_case(10, 500, 64, 4, token=123, position=45),
    _recover_case(20, 500, 64, 4, token=0, position=63),
    _recover_case(30, 40, 90, 4, token=39, position=0),
    _recover_case(40, 300, 7, 3, token=200, position=5),
]


def _distances(total: Tensor, tokens: Tensor, positions: Tensor) -> Tensor:
    apart: Tensor = tokens[:, None] + positions - total  # (V, n, d)
    return apart.square().sum(dim=-1).sqrt()


def _nearest_sum(total: Tensor, tokens: Tensor, positions: Tensor) -> int:
    return int(_distances(total, tokens, positions).argmin())


def _nearest_pair(total: Tensor, token_table: Tensor, position_table: Tensor) -> tuple[int, int]:
    return divmod(_nearest_sum(total, token_table, position_table), len(position_table))


def _nearest_row(total: Tensor, rows: Tensor) -> int:
    return int((rows - total).norm(dim=1).argmin())


def _token_then_position(total: Tensor, tokens: Tensor, positions: Tensor) -> tuple[int, int]:
    token = _nearest_row(total, tokens)
    return token, _nearest_row(total - tokens[token], positions)


EXERCISES = [
    Exercise(
        "sinusoids.shift", "The matrix of a step", topic="a step is a rotation",
        level=2, minutes=20, right=_missed_share, cases=_TABLES, tolerance=1e-4,
        mistakes=[
            Mistake(lambda rows: _missed_share(rows) ** 0.5,
                    "That is a ratio of lengths; the share is a ratio of sums of squares."),
            Mistake(lambda rows: 1 - _missed_share(rows), "That is the share that is explained."),
            Mistake(lambda rows: 100 * _missed_share(rows),
                    "That is in percent; give the share, between 0 and 1."),
            Mistake(_missed_by_the_transpose,
                    "The matrix is transposed: lstsq(A, B) finds the X with A @ X near B."),
            Mistake(_missed_around_the_end, "The last row has no next row: leave that pair out."),
            Mistake(lambda rows: _missed_share(rows.flip(0)),
                    "This leads from each row to the previous one: exchange the two."),
            Mistake(lambda rows: _missed_share(rows) * _squares(rows),
                    "That is a sum of squares; divide it by the sum of squares of the next rows."),
            Mistake(lambda rows: _missed_share(rows) * _squares(rows) / rows[1:].numel(),
                    "That is a mean; divide the sum by the sum of squares of the next rows."),
            Mistake(_missed_of_the_spread,
                    "You subtract the mean of the next rows first; use their squares as they are."),
        ],
        hint="The function takes a tensor of shape (n, d), for any n and d, and returns a number.",
    ),
    Exercise(
        "sinusoids.half-dim", "The other exponent", topic="variants of the formula",
        level=2, minutes=15, right=_other_sinusoids, cases=[(5, 4), (12, 6), (30, 16), (9, 2)],
        tolerance=1e-3,
        mistakes=[
            Mistake(_built(lambda d: _speeds(d, d / 2 - 1)),
                    "Right except for d = 2: there the exponent is 0/0, and the table is nan."),
            Mistake(_built(_paper), "The order is right, but this is the exponent of the paper."),
            Mistake(_built(_other, _alternating),
                    "The exponent is right, but all sines must come before all cosines."),
            Mistake(_built(_paper, _alternating), "This is the table of the paper."),
            Mistake(_built(_other, lambda angles: torch.cat([angles.cos(), angles.sin()], dim=1)),
                    "The sines come before the cosines."),
            Mistake(_built(_other, first=1), "Positions are counted from 0."),
            Mistake(_built(lambda d: _speeds(d, d - 1)),
                    "You divide by d - 1; the exponent is i/(d/2 - 1), so halve d first."),
            Mistake(_built(lambda d: _other(d).square()),
                    "The exponent is i/(d/2 - 1), without the 2 of the paper's exponent."),
            Mistake(lambda n, d: _other_sinusoids(n, d).T,
                    "Rows and columns are exchanged: the shape is (n, d)."),
        ],
        hint="For d = 2 there is one angle, and it grows by one radian per position.",
    ),
    Exercise(
        "sinusoids.recover", "Hidden or lost?", topic="adding positions",
        level=2, minutes=20, right=_nearest_pair, cases=_SUMS,
        mistakes=[
            Mistake(lambda *case: _nearest_pair(*case)[::-1],
                    "Both are right, but in the wrong order: the token comes first."),
            Mistake(_nearest_sum,
                    "That is an index into the list of sums; give its token and its position."),
            Mistake(lambda total, tokens, positions:
                    divmod(_nearest_sum(total, tokens, positions), len(tokens)),
                    "You divide by the wrong length: how many sums does each token have?"),
            Mistake(lambda total, tokens, positions:
                    (int((tokens @ total).argmax()), int((positions @ total).argmax())),
                    "These rows have the largest products; find the pair with the nearest sum."),
            Mistake(lambda total, *tables: [_nearest_row(total, rows) for rows in tables],
                    "Each of these rows is near the sum by itself; find two that add up to it."),
            Mistake(_token_then_position, "Compare all pairs: here the token is chosen first."),
            Mistake(lambda *case: divmod(int(_distances(*case).argmax()), len(case[2])),
                    "That is the pair whose sum is farthest away."),
        ],
        hint="total has shape (d,), and the tables (V, d) and (n, d).",
    ),
    Exercise(
        "sinusoids.concat", "Append and multiply", topic="add or append",
        level=2, minutes=15, right=lambda d: torch.eye(d).repeat(1, 2), cases=[(3,), (1,), (8,)],
        mistakes=[
            Mistake(lambda d: torch.eye(d).repeat(2, 1),
                    "That is its transpose: Linear keeps its weight as (outputs, inputs)."),
            Mistake(lambda d: torch.eye(d, 2 * d),
                    "With this weight the position has no effect: the right half is all zeros."),
            Mistake(lambda d: torch.eye(2 * d), "The result should have d coordinates, not 2d."),
            Mistake(lambda d: torch.eye(d).repeat(1, 2) / 2,
                    "With this weight the result is the mean of the two vectors, half their sum."),
            Mistake(lambda d: torch.ones(d, 2 * d),
                    "With this weight every coordinate of the result is the sum of all 2d."),
            Mistake(lambda d: torch.eye(d).repeat_interleave(2, dim=1),
                    "This adds neighbours; add coordinate 0 of the token to the position's."),
            Mistake(torch.eye, "The layer takes 2d numbers: half of its weight is missing."),
        ],
        hint="The function takes a number, the width of a vector, and returns a matrix.",
    ),
]  # fmt: skip
