"""The exercises of the chapter `relative-positions`: right answers pass, wrong ones hear why."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from answers import tried

from companion.exercises import Exercise
from companion.positions import alibi_slopes, rotate, t5_bucket

Vector = Any
Product = Callable[[Vector, Vector, int], Any]


def product_in_complex_numbers(q: Vector, k: Vector, relative: int) -> float:
    q, k = (np.asarray(x).reshape(-1, 2) @ [1, 1j] for x in (q, k))
    speeds = 10_000.0 ** (-np.arange(len(q)) / len(q))
    return float((q.conj() * k * np.exp(1j * relative * speeds)).sum().real)


def product_at_two_places(q: Vector, k: Vector, relative: int) -> torch.Tensor:
    """Two rotations in single precision, with a query somewhere in the text."""
    i = 60
    q, k = rotate(q[None].float(), [i]), rotate(k[None].float(), [i + relative])
    return (q @ k.T).squeeze()


def turned(query_by: int, key_by: int, layout: Any = "interleaved") -> Product:
    """Turn the query and the key by so many times their distance."""

    def product(q: Vector, k: Vector, relative: int) -> torch.Tensor:
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


ASKED = {
    "relative-positions.reverse": "three answers, each True or False, for ALiBi, RoPE and T5's "
    "buckets: can the output differ",
}

HINTS = {
    "relative-positions.distance": "q and k have shape (d,); rotate wants rows and a position for "
    "each: rotate(k[None], [3])[0].",
    "relative-positions.layout": "d is an even number.",
    "relative-positions.slopes": "n_heads is an integer from 1 on.",
    "relative-positions.bucket": "relative is an integer, and may be 0, positive or negative.",
}

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
    ("relative-positions.slopes", lambda n_heads: np.float32(slopes(n_heads))),
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

WRONG = [
    ("relative-positions.distance", turned(0, -1), EXCHANGED),
    ("relative-positions.distance", turned(1, 0), EXCHANGED),
    ("relative-positions.distance", turned(1, 1),
     "This does not depend on relative: either nothing is turned, or both are turned by the same."),
    ("relative-positions.distance", absolute(1),
     "For a key before the query this gives what comes with a key after it: the sign of relative "
     "counts."),
    ("relative-positions.distance", absolute(-1),
     "For a key after the query this gives what comes with a key before it: the sign of relative "
     "counts."),
    ("relative-positions.distance", turned(0, 1, "half"),
     "The pairs are those of the layout \"half\"; here neighbours make a pair."),
    ("relative-positions.distance", turned(-1, 1),
     "That is the product at twice the distance: each of the two was turned by it."),
    ("relative-positions.distance",
     lambda q, k, relative: turned(0, 1)(q, k, relative) / len(q) ** 0.5,
     "This is the score; the product has no √d below it."),
    ("relative-positions.distance", at_one_speed,
     "Every pair turns at the speed of the first; each has its own."),
    ("relative-positions.layout", lambda d: torch.arange(d).reshape(-1, 2).T.flatten(),
     "That is the order of the chapter, which leads the other way, from neighbours to halves."),
    ("relative-positions.layout", lambda d: columns_by_reshape(d).reshape(-1, 2).flip(1).flatten(),
     "The right ones are neighbours, and each pair is the wrong way round: it would turn "
     "backwards."),
    ("relative-positions.layout", lambda d: [c for t in range(d // 2) for c in (t, d - 1 - t)],
     "The partner of the first column is the first of the second half, not the last of all."),
    ("relative-positions.layout", lambda d: np.roll(range(d), d // 2),
     "The halves have changed places, but their columns are still far apart."),
    ("relative-positions.layout", range, "This leaves all columns where they are."),
    ("relative-positions.layout", lambda d: columns_by_reshape(d) + 1,
     "Columns are counted from 0."),
    ("relative-positions.layout", lambda d: columns_by_reshape(16),
     "That is right for a width of 16, and for no other."),
    ("relative-positions.layout", columns_by_zip,
     "columns_by_zip(16) gives [[0, 8], [1, 9], [2, 10], [3, 11], [4, 12], [5, 13], [6, 14], "
     "[7, 15]], and it should give [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]."),
    ("relative-positions.slopes",
     lambda n_heads: 2.0 ** (-8 / n_heads * np.arange(1, n_heads + 1)),
     "For powers of two this is right. For others the program does not divide by the number of "
     "heads; it takes slopes from two lists."),
    ("relative-positions.slopes", with_more(slice(1, None, 2)),
     "The slopes that you add are there already: begin with the first of the larger list."),
    ("relative-positions.slopes", with_more(slice(None)),
     "Of the larger list only every second slope is taken."),
    ("relative-positions.slopes", with_more(slice(None, None, -2)),
     "The larger list is read from its end; begin with its first slope."),
    ("relative-positions.slopes", with_more(slice(0, 0)),
     "There is to be a slope for each head: some are missing."),
    ("relative-positions.slopes", of_the_larger,
     "These all come from the larger list; the smaller comes first, as a whole."),
    ("relative-positions.slopes",
     lambda n_heads: slopes(2 * 2 ** math.floor(math.log2(n_heads)))[:n_heads],
     "These all come from the larger list; the smaller comes first, as a whole."),
    ("relative-positions.slopes", lambda n_heads: [0.5**k for k in range(1, n_heads + 1)],
     "The step of one half is that of eight heads; with more the steps are smaller, with fewer "
     "larger, and for powers of two the last slope is always 1/256."),
    ("relative-positions.slopes", lambda n_heads: np.log2(slopes(n_heads)),
     "These are the exponents; the slopes are 2 to the power of them."),
    ("relative-positions.slopes", lambda n_heads: -alibi_slopes(n_heads),
     "Slopes are positive; the minus belongs to the bias."),
    ("relative-positions.bucket", t5_bucket, "These are the encoder's buckets."),
    ("relative-positions.bucket", lambda relative: bucket_by_borders(-abs(relative)),
     "Keys after the query have no buckets of their own in the decoder: all share that of "
     "distance 0."),
    ("relative-positions.bucket", lambda relative: bucket_by_borders(-relative),
     "relative is key minus query: it is negative for a key before the query."),
    ("relative-positions.bucket", bucket(lambda distance: 16 + way(distance), last=99),
     "The last bucket is 31, and all that is farther away belongs in it, too."),
    ("relative-positions.bucket", bucket(lambda distance: 16.5 + way(distance)),
     "A wide bucket begins at its border: round down, not to the nearest."),
    ("relative-positions.bucket",
     lambda relative: min(round(16 + way(-relative)), 31) if relative < 0 else 0,
     "your function(-50) gives 25, and it should give 24."),
    ("relative-positions.bucket", bucket(lambda distance: math.ceil(16 + way(distance))),
     "A wide bucket begins at its border: round down, not up."),
    ("relative-positions.bucket", bucket(lambda distance: 16 + math.log(distance / 16, 2**0.5)),
     "The steps are the encoder's, two for each doubling; sixteen steps share a factor of 8."),
    ("relative-positions.bucket", bucket(way, last=15),
     "The wide buckets come after the exact ones: they begin with 16."),
    ("relative-positions.bucket", bucket(lambda distance: 16 + 16 * math.log(distance / 16)),
     "Divide by the logarithm of the whole way, from 16 to 128."),
    ("relative-positions.bucket", bucket(lambda distance: 16 + (distance - 16) / 7),
     "These wide buckets are all equally wide; they divide a logarithmic scale."),
    ("relative-positions.bucket", 24,
     "Hand over the function itself, a function of (relative), not what it returns."),
    ("relative-positions.reverse", [True, True, True],
     "ALiBi: its bias has an absolute value in it. Which distances does ␣eat have to its "
     "neighbours before and after the reversal?"),
    ("relative-positions.reverse", [False, False, True],
     "RoPE: is a turn by one step to the left the same as a turn by one step to the right?"),
    ("relative-positions.reverse", (False, True, False),
     "T5: look up the buckets of −1 and 1 in the encoder."),
    ("relative-positions.reverse", [0, 1, 1], "0 is neither True nor False."),
    ("relative-positions.reverse", False, "It is False, and should be a list of three values."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, ASKED, HINTS)


def test_the_vectors_are_in_double_precision(made_anew: Callable[[str], Exercise]) -> None:
    # So both precisions are right: one that is single comes near enough.
    cases = made_anew("relative-positions.distance").cases
    assert {vector.dtype for q, k, _ in cases for vector in (q, k)} == {torch.float64}
