"""The exercises of the chapter `relative-positions`: right and wrong answers."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from answers import Wrong, tried

from companion.exercises import Exercise
from companion.positions import alibi_slopes, rotate, t5_bucket

Vector = Any
Product = Callable[[Vector, Vector, int], Any]


def product_in_complex_numbers(q: Vector, k: Vector, relative: int) -> float:
    q, k = (np.asarray(x).reshape(-1, 2) @ [1, 1j] for x in (q, k))
    speeds = 10_000.0 ** (-np.arange(len(q)) / len(q))
    return float((q.conj() * k * np.exp(1j * relative * speeds)).sum().real)


def product_at_two_places(q: Vector, k: Vector, relative: int) -> Any:
    """Two rotations in single precision, with a query somewhere in the text."""
    i = 60
    q, k = rotate(q[None].float(), [i]), rotate(k[None].float(), [i + relative])
    return (q @ k.T).squeeze()


def turned(query_by: int, key_by: int) -> Product:
    """Turn the query and the key by so many times their distance."""

    def product(q: Vector, k: Vector, relative: int) -> Any:
        q = rotate(q[None], [query_by * relative])[0]
        k = rotate(k[None], [key_by * relative])[0]
        return q @ k

    return product


def columns_by_reshape(width: int) -> torch.Tensor:
    return torch.arange(width).reshape(2, -1).T.flatten()


def columns_by_zip(width: int) -> list[tuple[int, int]]:
    return list(zip(range(width // 2), range(width // 2, width), strict=True))


def slopes(n_heads: int) -> list[float]:
    """The recursion of the authors' program."""
    power = 2 ** math.floor(math.log2(n_heads))
    if power == n_heads:
        return [2 ** (-8 * (i + 1) / n_heads) for i in range(n_heads)]
    return slopes(power) + slopes(2 * power)[0::2][: n_heads - power]


def of_the_larger(n_heads: int) -> list[float]:
    return slopes(2 ** math.ceil(math.log2(n_heads)))[:n_heads]


def bucket_by_borders(relative: int) -> int:
    borders = [*range(1, 17), *(16 * 8 ** (i / 16) for i in range(1, 16))]
    return sum(border <= -relative for border in borders)


RIGHT = [
    ("relative-positions.distance", turned(0, 1)),
    ("relative-positions.distance", turned(-1, 0)),
    ("relative-positions.distance", product_in_complex_numbers),
    ("relative-positions.distance", product_at_two_places),
    ("relative-positions.layout", columns_by_reshape),
    ("relative-positions.layout", lambda width: (c for pair in columns_by_zip(width)
                                                 for c in pair)),
    ("relative-positions.slopes", slopes),
    ("relative-positions.slopes", alibi_slopes),
    ("relative-positions.slopes", lambda n_heads: sorted(slopes(n_heads))),
    ("relative-positions.bucket", bucket_by_borders),
    ("relative-positions.bucket", lambda relative: t5_bucket(relative, bidirectional=False)),
    ("relative-positions.reverse", [False, True, True]),
]  # fmt: skip

WRONG: Wrong = [
    ("relative-positions.distance", turned(1, 0), 3),
    ("relative-positions.distance", turned(1, 1), 0),
    ("relative-positions.distance", turned(-1, 1), 5),
    ("relative-positions.slopes", of_the_larger, 4),
]

TestAnswers = tried(RIGHT, WRONG)


def test_the_vectors_are_in_double_precision(made_anew: Callable[[str], Exercise]) -> None:
    # So both precisions are right: one that is single comes near enough.
    cases = made_anew("relative-positions.distance").cases
    assert {vector.dtype for q, k, _ in cases for vector in (q, k)} == {torch.float64}
