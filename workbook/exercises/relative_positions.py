"""Exercises of the chapter `relative-positions`."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from workbook.exercises._grading import Exercise, Later, Mistake
from workbook.exercises._rows import random

positions = Later("companion.positions")


def _product_at(q: Any, k: Any, relative: int, layout: str = "interleaved") -> float:
    return float(q @ positions.rotate(k[None], [relative], layout=layout)[0])


def _powers(n_heads: int) -> list[float]:
    """Return the slopes as if any number of heads were a power of two."""
    return [2.0 ** (-8 * (head + 1) / n_heads) for head in range(n_heads)]


def _slopes(n_heads: int, more: slice = slice(None, None, 2)) -> list[float]:
    """Take the slopes of the smaller power of two, and more from the list of the larger."""
    power = 1 << (n_heads.bit_length() - 1)
    return _powers(power) + _powers(2 * power)[more][: n_heads - power]


def _decoder_bucket(relative: int, cut: Callable[[float], int] = int, most: int = 31) -> int:
    """Return the bucket of a key before the query; from 16 on the buckets are wide."""
    distance = max(-relative, 0)
    if distance < 16:
        return distance
    return min(16 + cut(16 * math.log(distance / 16) / math.log(8)), most)


EXERCISES = [
    Exercise("relative-positions.distance", "Only the distance", topic="RoPE", level=2, minutes=15,
        first=True, needs="torch", right=_product_at, tolerance=1e-3,
        cases=lambda: [(*random(2, d, seed=d), relative) for d, relative in (
            (16, -3), (16, 3), (8, 0), (2, 5), (64, -49))],
        hint="q and k have shape (d,); rotate wants rows and their positions: k[None], [3].",
        mistakes=[
            Mistake(lambda q, k, _: float(q @ k), "You rotate neither, or both by the same angle."),
            Mistake(lambda q, k, relative: _product_at(q, k, abs(relative)),
                    "This is wrong for a key before the query: use the sign of relative."),
            Mistake(lambda q, k, relative: _product_at(q, k, -relative),
                    "Before and after are exchanged: rotate the key by relative."),
            Mistake(lambda q, k, relative: _product_at(q, k, relative, "half"),
                    "The pairs are those of the layout \"half\"; here neighbours make a pair."),
        ]),
    Exercise("relative-positions.layout", "The other layout", topic="layouts of RoPE", level=2,
        minutes=15, right=lambda d: [column for t in range(d // 2) for column in (t, t + d // 2)],
        cases=[(d,) for d in (16, 2, 4, 8, 64)], hint="d is an even number.",
        mistakes=[
            Mistake(lambda d: [*range(0, d, 2), *range(1, d, 2)],
                    "That is the chapter's order, which leads the other way, to halves."),
            Mistake(lambda d: [column for t in range(d // 2) for column in (t + d // 2, t)],
                    "The pairs are right, but each is in the wrong order: it rotates backwards."),
        ]),
    Exercise("relative-positions.slopes", "Twelve heads", topic="ALiBi", level=2, minutes=15,
        first=True, right=_slopes, unordered=True, tolerance=1e-5,
        cases=[(n_heads,) for n_heads in (12, 8, 1, 6, 16, 20)],
        hint="n_heads is an integer from 1 on.",
        mistakes=[
            Mistake(_powers, "Right for powers of two; for others, take slopes from two lists."),
            Mistake(partial(_slopes, more=slice(1, None, 2)),
                    "Those slopes are there already: begin with the first of the larger list."),
            Mistake(lambda n_heads: _powers(1 << n_heads.bit_length())[:n_heads],
                    "These all come from the larger list; take the whole smaller list first."),
        ]),
    Exercise("relative-positions.bucket", "A bucket by hand", topic="T5's buckets", level=2,
        minutes=15, right=_decoder_bucket,
        cases=[(relative,) for relative in (-50, 0, -1, -15, -16, -17, -23, -100, -127, -128, -5000,
                                            1, 40)],
        hint="relative is an integer, and may be 0, positive or negative.",
        mistakes=[
            Mistake(lambda relative: _decoder_bucket(-abs(relative)),
                    "In the decoder, all keys after the query share bucket 0."),
            Mistake(lambda relative: _decoder_bucket(-relative),
                    "relative is key minus query: it is negative for a key before the query."),
            Mistake(partial(_decoder_bucket, most=10**6),
                    "The last bucket is 31: put everything that is farther away into it, too."),
            Mistake(partial(_decoder_bucket, cut=math.ceil),  # round() misses some of the same
                    "A wide bucket begins at its border: round down."),
        ]),
    Exercise("relative-positions.reverse", "Before or after?", topic="before and after", level=2,
        minutes=10, right=[False, True, True],
        asks="True or False for each of ALiBi, RoPE and T5's buckets: can the output differ",
        remarks=[
            "ALiBi: its bias contains an absolute value. Which distances does ␣eat have to its "
            "neighbours before and after the reversal?",
            "RoPE: is a rotation by −1 the same as a rotation by 1?",
            "T5: look up the buckets of −1 and 1 in the encoder.",
        ]),
]  # fmt: skip
