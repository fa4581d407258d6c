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


def turned(query_by: int, key_by: int, layout: Any = "interleaved") -> Product:
    """Turn the query and the key by so many times their distance."""

    def product(q: Vector, k: Vector, relative: int) -> Any:
        q = rotate(q[None], [query_by * relative], layout=layout)[0]
        k = rotate(k[None], [key_by * relative], layout=layout)[0]
        return q @ k

    return product


def absolute(sign: int) -> Product:
    return lambda q, k, relative: turned(0, 1)(q, k, sign * abs(relative))


def at_one_speed(q: Vector, k: Vector, relative: int) -> float:
    q, k = (np.asarray(x).reshape(-1, 2) @ [1, 1j] for x in (q, k))
    return float((q.conj() * k * np.exp(1j * relative)).sum().real)


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


def with_more(choose: slice) -> Callable[[int], list[float]]:
    def wrong(n_heads: int) -> list[float]:
        power = 2 ** math.floor(math.log2(n_heads))
        return slopes(power) + slopes(2 * power)[choose][: n_heads - power]

    return wrong


def of_the_larger(n_heads: int) -> list[float]:
    return slopes(2 ** math.ceil(math.log2(n_heads)))[:n_heads]


def bucket_by_borders(relative: int) -> int:
    borders = [*range(1, 17), *(16 * 8 ** (i / 16) for i in range(1, 16))]
    return sum(border <= -relative for border in borders)


def bucket(wide: Callable[[int], float], last: int = 31) -> Callable[[int], int]:
    def decoder_bucket(relative: int) -> int:
        if relative > -16:
            return max(-relative, 0)
        return min(int(wide(-relative)), last)

    return decoder_bucket


def way(distance: int) -> float:
    return 16 * math.log(distance / 16, 8)


RIGHT = [
    ("relative-positions.distance", turned(0, 1)),
    ("relative-positions.distance", turned(-1, 0)),
    ("relative-positions.distance", product_in_complex_numbers),
    ("relative-positions.distance", product_at_two_places),
    ("relative-positions.layout", columns_by_reshape),
    ("relative-positions.layout", lambda width: columns_by_reshape(width).numpy()),
    ("relative-positions.layout", lambda width: (c for pair in columns_by_zip(width)
                                                 for c in pair)),
    ("relative-positions.slopes", slopes),
    ("relative-positions.slopes", alibi_slopes),
    ("relative-positions.slopes", lambda n_heads: sorted(slopes(n_heads))),
    ("relative-positions.slopes", lambda n_heads: np.array(slopes(n_heads), np.float32)),
    ("relative-positions.bucket", bucket_by_borders),
    ("relative-positions.bucket", lambda relative: t5_bucket(relative, bidirectional=False)),
    ("relative-positions.reverse", [False, True, True]),
    ("relative-positions.reverse", np.array([False, True, True])),
    ("relative-positions.reverse", torch.tensor([False, True, True])),
]  # fmt: skip

EXCHANGED = (
    "Before and after are exchanged: relative is the key's position minus the query's, so it is "
    "the key that turns by it."
)

WRONG: Wrong = [
    ("relative-positions.distance", turned(0, -1), 3),
    ("relative-positions.distance", turned(1, 0), 3),
    ("relative-positions.distance", turned(1, 1), 0),
    ("relative-positions.distance", absolute(1), 1),
    ("relative-positions.distance", absolute(-1), 2),
    ("relative-positions.distance", turned(0, 1, "half"), 4),
    ("relative-positions.distance", turned(-1, 1), 5),
    ("relative-positions.distance",
     lambda q, k, relative: turned(0, 1)(q, k, relative) / len(q) ** 0.5, 6),
    ("relative-positions.distance", at_one_speed, 7),
    ("relative-positions.layout", lambda d: torch.arange(d).reshape(-1, 2).T.flatten(), 0),
    ("relative-positions.layout", lambda d: columns_by_reshape(d).reshape(-1, 2).flip(1).flatten(),
     1),
    ("relative-positions.layout", lambda d: [c for t in range(d // 2) for c in (t, d - 1 - t)], 2),
    ("relative-positions.layout", lambda d: np.roll(range(d), d // 2), 3),
    ("relative-positions.layout", range, 4),
    ("relative-positions.layout", lambda d: columns_by_reshape(d) + 1, 5),
    ("relative-positions.layout", lambda d: columns_by_reshape(16), 6),
    ("relative-positions.layout", columns_by_zip, "returns [[0, 8], [1, 9], [2"),
    ("relative-positions.slopes", lambda n_heads: 2.0 ** (-8 / n_heads * np.arange(1, n_heads + 1)),
     0),
    ("relative-positions.slopes", with_more(slice(1, None, 2)), 1),
    ("relative-positions.slopes", with_more(slice(None)), 2),
    ("relative-positions.slopes", with_more(slice(None, None, -2)), 3),
    ("relative-positions.slopes", with_more(slice(0, 0)), 5),
    ("relative-positions.slopes", of_the_larger, 4),
    ("relative-positions.slopes",
     lambda n_heads: slopes(2 * 2 ** math.floor(math.log2(n_heads)))[:n_heads], 4),
    ("relative-positions.slopes", lambda n_heads: [0.5**k for k in range(1, n_heads + 1)], 6),
    ("relative-positions.slopes", lambda n_heads: np.log2(slopes(n_heads)), 7),
    ("relative-positions.slopes", lambda n_heads: -alibi_slopes(n_heads), 8),
    ("relative-positions.bucket", t5_bucket, 0),
    ("relative-positions.bucket", lambda relative: bucket_by_borders(-abs(relative)), 1),
    ("relative-positions.bucket", lambda relative: bucket_by_borders(-relative), 2),
    ("relative-positions.bucket", bucket(lambda distance: 16 + way(distance), last=99), 3),
    ("relative-positions.bucket", bucket(lambda distance: 16.5 + way(distance)), 4),
    ("relative-positions.bucket",
     lambda relative: min(round(16 + way(-relative)), 31) if relative < 0 else 0, "returns 25"),
    ("relative-positions.bucket", bucket(lambda distance: math.ceil(16 + way(distance))), 5),
    ("relative-positions.bucket", bucket(lambda distance: 16 + math.log(distance / 16, 2**0.5)), 6),
    ("relative-positions.bucket", bucket(way, last=15), 7),
    ("relative-positions.bucket", bucket(lambda distance: 16 + 16 * math.log(distance / 16)), 8),
    ("relative-positions.bucket", bucket(lambda distance: 16 + (distance - 16) / 7), 9),
    ("relative-positions.bucket", 24, "Pass the function itself"),
    ("relative-positions.reverse", [True, True, True],
     "ALiBi: its bias contains an absolute value."),
    ("relative-positions.reverse", [False, False, True],
     "RoPE: is a rotation by −1 the same as a rotation by 1?"),
    ("relative-positions.reverse", (False, True, False),
     "T5: look up the buckets of −1 and 1 in the encoder."),
    ("relative-positions.reverse", [0, 1, 1], "0 is neither True nor False."),
    ("relative-positions.reverse", False,
     "Your answer is False; it should be a list of three values."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)


def test_the_vectors_are_in_double_precision(made_anew: Callable[[str], Exercise]) -> None:
    # So both precisions are right: one that is single comes near enough.
    cases = made_anew("relative-positions.distance").cases
    assert {vector.dtype for q, k, _ in cases for vector in (q, k)} == {torch.float64}
