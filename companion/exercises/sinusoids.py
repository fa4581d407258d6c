"""Exercises of the chapter `sinusoids`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from companion.exercises._grading import Exercise, Mistake


def _random(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)  # the reader's random numbers stay theirs
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def _angles(n: int, frequencies: Tensor, first: int = 0) -> Tensor:
    return torch.arange(first, first + n)[:, None] * frequencies


def _speeds(d: int, divisor: float) -> Tensor:
    """Return 10,000 to the power of -i/divisor for each hand i."""
    return torch.pow(10_000.0, -torch.arange(d // 2, dtype=torch.float64) / divisor)


def _paper(d: int) -> Tensor:
    return _speeds(d, d / 2)


def _alternating(angles: Tensor) -> Tensor:
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def _sines_first(angles: Tensor) -> Tensor:
    return torch.cat([angles.sin(), angles.cos()], dim=1)


# ------------------------------------------------------------------------------ shift

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


def _missed_of_lengths(rows: Tensor) -> float:
    return float(_missed_share(rows) ** 0.5)


def _explained_share(rows: Tensor) -> float:
    return 1 - _missed_share(rows)


def _missed_percent(rows: Tensor) -> float:
    return 100 * _missed_share(rows)


def _missed_by_the_transpose(rows: Tensor) -> float:
    before, after = rows[:-1], rows[1:]
    return _share(after - before @ _fit(before, after).T, after)


def _missed_around_the_end(rows: Tensor) -> float:
    after = rows.roll(-1, dims=0)
    return _share(after - rows @ _fit(rows, after), after)


def _missed_backwards(rows: Tensor) -> float:
    return _missed_share(rows.flip(0))


def _missed_sum(rows: Tensor) -> float:
    return _missed_share(rows) * float(rows[1:].square().sum())


def _missed_mean(rows: Tensor) -> float:
    return _missed_sum(rows) / rows[1:].numel()


def _missed_of_the_spread(rows: Tensor) -> float:
    after = rows[1:]
    return _missed_sum(rows) / float((after - after.mean(dim=0)).square().sum())


# ------------------------------------------------------------------------------ half-dim


def _other(d: int) -> Tensor:
    return _speeds(d, max(d / 2 - 1, 1))


def _other_unguarded(d: int) -> Tensor:
    return _speeds(d, d / 2 - 1)


def _half_of_the_steps(d: int) -> Tensor:
    return _speeds(d, d - 1)


def _twice_the_steps(d: int) -> Tensor:
    return _other(d).square()


def _built(
    frequencies: Callable[[int], Tensor],
    arrange: Callable[[Tensor], Tensor] = _sines_first,
    first: int = 0,
) -> Callable[[int, int], Tensor]:
    def table(n: int, d: int) -> Tensor:
        return arrange(_angles(n, frequencies(d), first))

    return table


def _other_sinusoids(n: int, d: int) -> Tensor:
    return _built(_other)(n, d)


def _cosines_first(angles: Tensor) -> Tensor:
    return torch.cat([angles.cos(), angles.sin()], dim=1)


# ------------------------------------------------------------------------------ recover


def _recover_case(
    seed: int, n_tokens: int, n: int, d: int, token: int, place: int
) -> tuple[Any, ...]:
    rows = _random(n_tokens + n + 1, d, seed=seed)
    tokens, places, nudge = rows[:n_tokens], rows[n_tokens:-1], 1e-6 * rows[-1]
    return tokens[token] + places[place] + nudge, tokens, places  # "nearest", and not "equal"


_SUMS = [
    _recover_case(10, 500, 64, 4, token=123, place=45),
    _recover_case(20, 500, 64, 4, token=0, place=63),
    _recover_case(30, 40, 90, 4, token=39, place=0),
    _recover_case(40, 300, 7, 3, token=200, place=5),
]


def _distances(total: Tensor, tokens: Tensor, places: Tensor) -> Tensor:
    apart: Tensor = tokens[:, None] + places - total  # (V, n, d)
    return apart.square().sum(dim=-1).sqrt()


def _nearest_pair(total: Tensor, token_table: Tensor, position_table: Tensor) -> tuple[int, int]:
    flat = int(_distances(total, token_table, position_table).argmin())
    return flat // len(position_table), flat % len(position_table)


def _pair_swapped(total: Tensor, tokens: Tensor, places: Tensor) -> tuple[int, int]:
    token, place = _nearest_pair(total, tokens, places)
    return place, token


def _pair_as_one_number(total: Tensor, tokens: Tensor, places: Tensor) -> int:
    return int(_distances(total, tokens, places).argmin())


def _pair_by_wrong_length(total: Tensor, tokens: Tensor, places: Tensor) -> tuple[int, int]:
    flat = _pair_as_one_number(total, tokens, places)
    return flat // len(tokens), flat % len(tokens)


def _pair_by_products(total: Tensor, tokens: Tensor, places: Tensor) -> tuple[int, int]:
    return int((tokens @ total).argmax()), int((places @ total).argmax())


def _pair_one_by_one(total: Tensor, tokens: Tensor, places: Tensor) -> tuple[int, int]:
    nearest = [int((table - total).norm(dim=1).argmin()) for table in (tokens, places)]
    return nearest[0], nearest[1]


def _token_then_position(total: Tensor, tokens: Tensor, places: Tensor) -> tuple[int, int]:
    token, _ = _pair_one_by_one(total, tokens, places)
    return token, int((places - (total - tokens[token])).norm(dim=1).argmin())


def _farthest_pair(total: Tensor, tokens: Tensor, places: Tensor) -> tuple[int, int]:
    flat = int(_distances(total, tokens, places).argmax())
    return flat // len(places), flat % len(places)


# ------------------------------------------------------------------------------ concat


def _adding_weight(d: int) -> Tensor:
    return torch.eye(d).repeat(1, 2)


EXERCISES = [
    Exercise(
        "sinusoids.shift", "The matrix of a step", topic="a step is a rotation",
        level=2, minutes=20, right=_missed_share, cases=_TABLES, tolerance=1e-4,
        mistakes=[
            Mistake(_missed_of_lengths,
                    "That is a ratio of lengths; the share is one of squares, of lengths squared."),
            Mistake(_explained_share, "That is the share that the matrix explains."),
            Mistake(_missed_percent, "That is per cent; give the share, between 0 and 1."),
            Mistake(_missed_by_the_transpose,
                    "The matrix is transposed: lstsq(A, B) finds the X for which A @ X is near B, "
                    "with X on the right of the rows."),
            Mistake(_missed_around_the_end,
                    "The last row has no next one, and here the first takes its place: leave "
                    "that pair out."),
            Mistake(_missed_backwards,
                    "This leads from each row to the one before it: exchange the two."),
            Mistake(_missed_sum,
                    "That is a sum of squares; divide it by the sum of squares of the next rows."),
            Mistake(_missed_mean,
                    "That is a mean of squares; a share needs the squares of the next rows below "
                    "it."),
            Mistake(_missed_of_the_spread,
                    "The mean of the next rows was taken off first; compare with their squares as "
                    "they are."),
        ],
        hint="The function takes a tensor of shape (n, d), for any n and d, and returns a number.",
    ),
    Exercise(
        "sinusoids.half-dim", "The other exponent", topic="variants of the formula",
        level=2, minutes=15, right=_other_sinusoids, cases=[(5, 4), (12, 6), (30, 16), (9, 2)],
        tolerance=1e-3,
        mistakes=[
            Mistake(_built(_other_unguarded),
                    "Right but for d = 2: there the exponent is 0/0, and the table is not a "
                    "number."),
            Mistake(_built(_paper),
                    "The order of the columns is right; the exponent is still that of the paper."),
            Mistake(_built(_other, _alternating),
                    "The exponent is right; but all sines come first, and then all cosines."),
            Mistake(_built(_paper, _alternating), "This is the table of the paper."),
            Mistake(_built(_other, _cosines_first), "The sines come before the cosines."),
            Mistake(_built(_other, first=1), "Positions are counted from 0."),
            Mistake(_built(_half_of_the_steps),
                    "The exponent is divided by d - 1 here; it is d/2 - 1, with the half taken "
                    "first."),
            Mistake(_built(_twice_the_steps),
                    "The exponent is i/(d/2 - 1), without the 2 of the paper's."),
            Mistake(lambda n, d: _other_sinusoids(n, d).T,
                    "Rows and columns have changed places: the shape is (n, d)."),
        ],
        hint="For d = 2 there is one hand, and it turns by one radian a position.",
    ),
    Exercise(
        "sinusoids.recover", "Hidden or lost?", topic="adding positions",
        level=2, minutes=20, right=_nearest_pair, cases=_SUMS,
        mistakes=[
            Mistake(_pair_swapped,
                    "Both are right, and in the other order: the token comes first."),
            Mistake(_pair_as_one_number,
                    "That is a place in the list of all sums; say which token and which position "
                    "stand there."),
            Mistake(_pair_by_wrong_length,
                    "The place in the list is right, and taken apart by the wrong length: how many "
                    "sums does each token have?"),
            Mistake(_pair_by_products,
                    "These are the rows with the largest products, the test of the chapter; the "
                    "question is which pair has the nearest sum."),
            Mistake(_pair_one_by_one,
                    "Each of these rows is near the sum by itself; look for two rows that are near "
                    "it together."),
            Mistake(_token_then_position,
                    "The token was chosen before any position was looked at: compare all pairs."),
            Mistake(_farthest_pair, "That is the pair whose sum is farthest away."),
        ],
        hint="total has shape (d,), and the tables (V, d) and (n, d).",
    ),
    Exercise(
        "sinusoids.concat", "Append and multiply", topic="add or append",
        level=2, minutes=15, right=_adding_weight, cases=[(3,), (1,), (8,)],
        mistakes=[
            Mistake(lambda d: torch.eye(d).repeat(2, 1),
                    "That is its transpose: torch.nn.Linear keeps its weight as (outputs, "
                    "inputs)."),
            Mistake(lambda d: torch.eye(d, 2 * d),
                    "With it only the token comes through: the right half is all zeros."),
            Mistake(lambda d: torch.eye(2 * d),
                    "That gives back both parts, still one behind the other; the result should "
                    "have d coordinates."),
            Mistake(lambda d: torch.eye(d).repeat(1, 2) / 2,
                    "With it the result is the mean of the two vectors, half of their sum."),
            Mistake(lambda d: torch.ones(d, 2 * d),
                    "With it every coordinate of the result is the sum of all 2d coordinates."),
            Mistake(lambda d: torch.eye(d).repeat_interleave(2, dim=1),
                    "This adds neighbours, coordinates 0 and 1, 2 and 3; the partner of coordinate "
                    "0 of the token is coordinate 0 of the position."),
            Mistake(torch.eye,
                    "The layer takes 2d numbers in: half of it is missing."),
        ],
        hint="The function takes a number, the width of a vector, and returns a matrix.",
    ),
]  # fmt: skip
