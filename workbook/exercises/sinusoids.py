"""Exercises of the chapter `sinusoids`."""

from collections.abc import Callable
from typing import Any

from workbook.exercises._grading import Exercise, Mistake
from workbook.exercises._rows import random, torch


def _waves(*, less: int, least: int = 0, alternating: bool = False) -> Callable[[int, int], Any]:
    """Divide i by d/2, or less, in the exponent of pair i; sines come first, or alternate."""

    def table(n: int, d: int) -> Any:
        exponents = -torch.arange(d // 2, dtype=torch.float64) / max(d / 2 - less, least)
        angles = torch.arange(n)[:, None] * torch.pow(10_000.0, exponents)
        return torch.stack([angles.sin(), angles.cos()], dim=2 if alternating else 1).flatten(1)

    return table


def _tables() -> list[tuple[Any]]:
    waves = _waves(less=0, alternating=True)(100, 6)
    return [(waves,), (waves[:, 0::2],), (waves[:40, 1::2],), (random(100, 6, seed=1),)]


def _missed_share(rows: Any) -> float:
    before, after = rows[:-1], rows[1:]
    matrix = torch.linalg.lstsq(before, after).solution
    return float((after - before @ matrix).square().sum() / after.square().sum())


def _sums() -> list[tuple[Any, ...]]:
    """Return sums of a token and a position, each moved a little: "nearest", not "equal"."""
    cases = []
    for n_tokens, n, d, token, position in ((500, 64, 4, 123, 45), (500, 64, 4, 0, 63),
                                            (40, 90, 4, 39, 0), (300, 7, 3, 200, 5)):  # fmt: skip
        rows = random(n_tokens + n + 1, d, seed=10)
        tokens, positions, nudge = rows[:n_tokens], rows[n_tokens:-1], 1e-6 * rows[-1]
        cases.append((tokens[token] + positions[position] + nudge, tokens, positions))
    # Here the nearest sum is not the one with the nearest direction.
    cases.append(tuple(map(torch.tensor, ([2.8, 0.4], [[1.1, 0], [3, 0]], [[0.0, 0], [0, 2]]))))
    return cases


def _nearest_sum(total: Any, tokens: Any, positions: Any) -> int:
    distances = (tokens[:, None] + positions - total).norm(dim=-1)  # (V, n)
    return int(distances.argmin())


EXERCISES = [
    Exercise("sinusoids.shift", "The matrix of a step", topic="a step is a rotation", level=2,
        minutes=20, needs="torch", right=_missed_share, cases=_tables, tolerance=1e-4,
        hint="The function takes a tensor of shape (n, d), for any n and d, and returns a number.",
        mistakes=[
            Mistake(lambda rows: _missed_share(rows) ** 0.5,
                    "That is a ratio of lengths; the share is a ratio of sums of squares."),
            Mistake(lambda rows: _missed_share(rows) * rows[1:].square().sum(),
                    "That is a sum of squares; divide it by the sum of squares of the next rows."),
        ]),
    Exercise("sinusoids.half-dim", "The other exponent", topic="variants of the formula", level=2,
        minutes=15, needs="torch", right=_waves(less=1, least=1),
        cases=[(5, 4), (12, 6), (30, 16), (9, 2)], tolerance=1e-3,
        hint="For d = 2 there is one angle, and it grows by one radian per position.",
        mistakes=[
            Mistake(_waves(less=1),
                    "Right except for d = 2: there the exponent is 0/0, and the table is nan."),
            Mistake(_waves(less=0), "The order is right, but this is the exponent of the paper."),
            Mistake(_waves(less=1, least=1, alternating=True),
                    "The exponent is right, but all sines must come before all cosines."),
        ]),
    Exercise("sinusoids.recover", "Hidden or lost?", topic="adding positions", level=2, minutes=20,
        first=True, needs="torch", cases=_sums,
        right=lambda total, token_table, position_table:
            divmod(_nearest_sum(total, token_table, position_table), len(position_table)),
        hint="total has shape (d,), and the tables (V, d) and (n, d).",
        mistakes=[
            Mistake(_nearest_sum,
                    "That is an index into the list of sums; give its token and its position."),
            Mistake(lambda total, *tables: [
                        int((rows - total).norm(dim=1).argmin()) for rows in tables],
                    "Each of these rows is near the sum by itself; find two that add up to it."),
        ]),
    Exercise("sinusoids.concat", "Append and multiply", topic="add or append", level=2, minutes=15,
        first=True, needs="torch", right=lambda d: torch.eye(d).repeat(1, 2),
        cases=[(3,), (1,), (8,)],
        hint="The function takes a number, the width of a vector, and returns a matrix.",
        mistakes=[
            Mistake(lambda d: torch.eye(d).repeat(2, 1),
                    "That is its transpose: Linear keeps its weight as (outputs, inputs)."),
            Mistake(lambda d: torch.eye(2 * d), "The result should have d coordinates, not 2d."),
        ]),
]  # fmt: skip
