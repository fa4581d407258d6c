"""Exercises of the chapter `relative-positions`."""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from companion.exercises._grading import Exercise, Mistake, judge_of_truths
from companion.positions import alibi_slopes, rotate, t5_bucket

# ------------------------------------------------------------------------------ distance


def _vectors(seed: int, d: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)  # the reader's random numbers stay theirs
    q, k = torch.randn(2, d, generator=generator, dtype=torch.float64)
    return q, k


_PAIRS = [
    (*_vectors(seed, d), relative)
    for seed, d, relative in [(1, 16, -3), (1, 16, 3), (2, 8, 0), (3, 2, 5), (4, 64, -49)]
]


def _product_at(q: Tensor, k: Tensor, relative: int) -> float:
    return float(q @ rotate(k[None], [relative])[0])


def _product_mirrored(q: Tensor, k: Tensor, relative: int) -> float:
    return _product_at(q, k, -relative)


def _product_without_side(q: Tensor, k: Tensor, relative: int) -> float:
    return _product_at(q, k, abs(relative))


def _product_to_the_left(q: Tensor, k: Tensor, relative: int) -> float:
    return _product_at(q, k, -abs(relative))


def _product_unturned(q: Tensor, k: Tensor, relative: int) -> float:
    return float(q @ k)


def _product_in_halves(q: Tensor, k: Tensor, relative: int) -> float:
    return float(q @ rotate(k[None], [relative], layout="half")[0])


def _product_turned_twice(q: Tensor, k: Tensor, relative: int) -> float:
    return _product_at(q, k, 2 * relative)


def _product_scaled(q: Tensor, k: Tensor, relative: int) -> float:
    return _product_at(q, k, relative) / math.sqrt(len(q))


def _product_by_one_speed(q: Tensor, k: Tensor, relative: int) -> float:
    pairs = k.reshape(-1, 2)  # each pair as if it were the first
    return float(q @ rotate(pairs, [relative] * len(pairs)).flatten())


# ------------------------------------------------------------------------------ layout


def _columns(d: int) -> list[int]:
    return [column for t in range(d // 2) for column in (t, t + d // 2)]


def _columns_of_the_chapter(d: int) -> list[int]:
    return [*range(0, d, 2), *range(1, d, 2)]


def _columns_in_turned_pairs(d: int) -> list[int]:
    return [column for t in range(d // 2) for column in (t + d // 2, t)]


def _columns_from_both_ends(d: int) -> list[int]:
    return [column for t in range(d // 2) for column in (t, d - 1 - t)]


def _columns_by_halves(d: int) -> list[int]:
    return [*range(d // 2, d), *range(d // 2)]


def _columns_from_one(d: int) -> list[int]:
    return [column + 1 for column in _columns(d)]


# ------------------------------------------------------------------------------ slopes


def _slopes(n_heads: int) -> list[float]:
    return [float(slope) for slope in alibi_slopes(n_heads)]


def _powers(n_heads: int) -> list[float]:
    """Return the slopes as if any number of heads were a power of two."""
    return [2.0 ** (-8 * (head + 1) / n_heads) for head in range(n_heads)]


def _power_below(n_heads: int) -> int:
    return 1 << (n_heads.bit_length() - 1)


def _and_more(choose: Callable[[list[float]], list[float]]) -> Callable[[int], list[float]]:
    """Take the smaller power's slopes, and more of those that are chosen from the larger's."""

    def slopes(n_heads: int) -> list[float]:
        power = _power_below(n_heads)
        return _powers(power) + choose(_powers(2 * power))[: n_heads - power]

    return slopes


def _first_of_the_larger(n_heads: int) -> list[float]:
    return _powers(2 * _power_below(n_heads))[:n_heads]


def _smaller_alone(n_heads: int) -> list[float]:
    return _powers(_power_below(n_heads))


def _halving(n_heads: int) -> list[float]:
    return [2.0 ** -(head + 1) for head in range(n_heads)]


def _exponents(n_heads: int) -> list[float]:
    return [math.log2(slope) for slope in _slopes(n_heads)]


def _negative(n_heads: int) -> list[float]:
    return [-slope for slope in _slopes(n_heads)]


# ------------------------------------------------------------------------------ bucket


def _decoder_bucket(relative: int) -> int:
    return int(t5_bucket(relative, bidirectional=False))


def _encoder_bucket(relative: int) -> int:
    return int(t5_bucket(relative))


def _way(distance: int) -> float:
    return math.log(distance / 16) / math.log(8)


def _wide(bucket: Callable[[int], int], cap: int = 31) -> Callable[[int], int]:
    """Keep the exact buckets, and take the wide ones by another rule."""

    def decoder_bucket(relative: int) -> int:
        distance = max(-relative, 0)
        return distance if distance < 16 else min(bucket(distance), cap)

    return decoder_bucket


def _both_sides(relative: int) -> int:
    return _decoder_bucket(-abs(relative))


def _other_side(relative: int) -> int:
    return _decoder_bucket(-relative)


# ------------------------------------------------------------------------------ reverse

_CAN_DIFFER = [
    (False, "ALiBi: its bias has an absolute value in it. Which distances does ␣eat have to its "
            "neighbours before and after the reversal?"),
    (True, "RoPE: is a turn by one step to the left the same as a turn by one step to the right?"),
    (True, "T5: look up the buckets of −1 and 1 in the encoder."),
]  # fmt: skip
"""Whether the output can differ, and what to say to whoever thinks otherwise."""


def _each(*arguments: int) -> Iterable[tuple[int]]:
    return [(argument,) for argument in arguments]


EXERCISES = [
    Exercise(
        "relative-positions.distance", "Only the distance", topic="RoPE",
        level=2, minutes=15, right=_product_at, cases=_PAIRS, tolerance=1e-3,
        mistakes=[
            Mistake(_product_unturned,
                    "This does not depend on relative: either nothing is turned, or both are "
                    "turned by the same."),
            Mistake(_product_without_side,
                    "For a key before the query this gives what comes with a key after it: the "
                    "sign of relative counts."),
            Mistake(_product_to_the_left,
                    "For a key after the query this gives what comes with a key before it: the "
                    "sign of relative counts."),
            Mistake(_product_mirrored,
                    "Before and after are exchanged: relative is the key's position minus the "
                    "query's, so it is the key that turns by it."),
            Mistake(_product_in_halves,
                    "The pairs are those of the layout \"half\"; here neighbours make a pair."),
            Mistake(_product_turned_twice,
                    "That is the product at twice the distance: each of the two was turned by it."),
            Mistake(_product_scaled, "This is the score; the product has no √d below it."),
            Mistake(_product_by_one_speed,
                    "Every pair turns at the speed of the first; each has its own."),
        ],
        hint="q and k have shape (d,); rotate wants rows and a position for each: rotate(k[None], "
             "[3])[0].",
    ),
    Exercise(
        "relative-positions.layout", "The other layout", topic="layouts of RoPE",
        level=2, minutes=15, right=_columns, cases=[*_each(16, 2, 4, 8, 64)],
        mistakes=[
            Mistake(_columns_of_the_chapter,
                    "That is the order of the chapter, which leads the other way, from neighbours "
                    "to halves."),
            Mistake(_columns_in_turned_pairs,
                    "The right ones are neighbours, and each pair is the wrong way round: it would "
                    "turn backwards."),
            Mistake(_columns_from_both_ends,
                    "The partner of the first column is the first of the second half, not the last "
                    "of all."),
            Mistake(_columns_by_halves,
                    "The halves have changed places, but their columns are still far apart."),
            Mistake(lambda d: list(range(d)), "This leaves all columns where they are."),
            Mistake(_columns_from_one, "Columns are counted from 0."),
            Mistake(lambda d: _columns(16), "That is right for a width of 16, and for no other."),
        ],
        hint="d is an even number.",
    ),
    Exercise(
        "relative-positions.slopes", "Twelve heads", topic="ALiBi",
        level=2, minutes=15, right=_slopes, cases=[*_each(12, 8, 1, 6, 16, 20)], unordered=True,
        tolerance=1e-5,
        mistakes=[
            Mistake(_powers,
                    "For powers of two this is right. For others the program does not divide by "
                    "the number of heads; it takes slopes from two lists."),
            Mistake(_and_more(lambda larger: larger[1::2]),
                    "The slopes that you add are there already: begin with the first of the larger "
                    "list."),
            Mistake(_and_more(lambda larger: larger),
                    "Of the larger list only every second slope is taken."),
            Mistake(_and_more(lambda larger: larger[::-2]),
                    "The larger list is read from its end; begin with its first slope."),
            Mistake(_first_of_the_larger,
                    "These all come from the larger list; the smaller comes first, as a whole."),
            Mistake(_smaller_alone, "There is to be a slope for each head: some are missing."),
            Mistake(_halving,
                    "The step of one half is that of eight heads; with more the steps are smaller, "
                    "with fewer larger, and for powers of two the last slope is always 1/256."),
            Mistake(_exponents, "These are the exponents; the slopes are 2 to the power of them."),
            Mistake(_negative, "Slopes are positive; the minus belongs to the bias."),
        ],
        hint="n_heads is an integer from 1 on.",
    ),
    Exercise(
        "relative-positions.bucket", "A bucket by hand", topic="T5's buckets",
        level=2, minutes=15, right=_decoder_bucket,
        cases=[*_each(-50, 0, -1, -15, -16, -17, -23, -100, -127, -128, -5000, 1, 40)],
        mistakes=[
            Mistake(_encoder_bucket, "These are the encoder's buckets."),
            Mistake(_both_sides,
                    "Keys after the query have no buckets of their own in the decoder: all share "
                    "that of distance 0."),
            Mistake(_other_side,
                    "relative is key minus query: it is negative for a key before the query."),
            Mistake(_wide(lambda distance: 16 + int(16 * _way(distance)), cap=10**6),
                    "The last bucket is 31, and all that is farther away belongs in it, too."),
            Mistake(_wide(lambda distance: 16 + round(16 * _way(distance))),
                    "A wide bucket begins at its border: round down, not to the nearest."),
            Mistake(_wide(lambda distance: 16 + math.ceil(16 * _way(distance))),
                    "A wide bucket begins at its border: round down, not up."),
            Mistake(_wide(lambda distance: 16 + int(2 * math.log2(distance / 16))),
                    "The steps are the encoder's, two for each doubling; sixteen steps share a "
                    "factor of 8."),
            Mistake(_wide(lambda distance: int(16 * _way(distance)), cap=15),
                    "The wide buckets come after the exact ones: they begin with 16."),
            Mistake(_wide(lambda distance: 16 + int(16 * math.log(distance / 16))),
                    "Divide by the logarithm of the whole way, from 16 to 128."),
            Mistake(_wide(lambda distance: 16 + int(16 * (distance - 16) / 112)),
                    "These wide buckets are all equally wide; they divide a logarithmic scale."),
        ],
        hint="relative is an integer, and may be 0, positive or negative.",
    ),
    Exercise(
        "relative-positions.reverse", "Before or after?", topic="before and after",
        level=2, minutes=10, judge=judge_of_truths(_CAN_DIFFER, "three"),
        asks="three answers, each True or False, for ALiBi, RoPE and T5's buckets: can the output "
        "differ",
    ),
]  # fmt: skip
