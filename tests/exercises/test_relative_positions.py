"""The exercises of the chapter `relative-positions`: right and wrong answers."""

import math
from typing import Any

import numpy as np
import torch
from answers import tried

from companion.positions import alibi_slopes, t5_bucket

Vector = Any


def product_in_complex_numbers(q: Vector, k: Vector, relative: int) -> float:
    q, k = (np.asarray(x).reshape(-1, 2) @ [1, 1j] for x in (q, k))
    speeds = 10_000.0 ** (-np.arange(len(q)) / len(q))
    return float((q.conj() * k * np.exp(1j * relative * speeds)).sum().real)


def columns_by_reshape(width: int) -> torch.Tensor:
    return torch.arange(width).reshape(2, -1).T.flatten()


def slopes(n_heads: int) -> list[float]:
    """The recursion of the authors' program."""
    power = 2 ** math.floor(math.log2(n_heads))
    if power == n_heads:
        return [2 ** (-8 * (i + 1) / n_heads) for i in range(n_heads)]
    return slopes(power) + slopes(2 * power)[0::2][: n_heads - power]


def bucket_by_borders(relative: int) -> int:
    borders = [*range(1, 17), *(16 * 8 ** (i / 16) for i in range(1, 16))]
    return sum(border <= -relative for border in borders)


RIGHT = [
    ("relative-positions.distance", product_in_complex_numbers),
    ("relative-positions.layout", columns_by_reshape),
    ("relative-positions.slopes", slopes),
    ("relative-positions.slopes", alibi_slopes),
    ("relative-positions.bucket", bucket_by_borders),
    ("relative-positions.bucket", lambda relative: t5_bucket(relative, bidirectional=False)),
    ("relative-positions.reverse", [False, True, True]),
]

test_answers = tried(RIGHT)
