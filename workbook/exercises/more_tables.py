"""Exercises of the chapter `more-tables`."""

import math
from collections.abc import Sequence
from functools import partial

from workbook.exercises._grading import Exercise, Mistake


def _history(ids: Sequence[int], size: int, end: int, *, resets: bool = True) -> list[int]:
    found: list[int] = []
    for before in range(1, size):
        is_over = before > len(ids) or (resets and end in found)
        found.append(end if is_over else ids[-before])
    return found


_KEPT = partial(_history, resets=False)

EXERCISES = [
    Exercise("more-tables.row", "A row by hand", topic="hashing", level=1, minutes=5, first=True,
        right=(4 * 3 ^ 6 * 5) % 7,
        mistakes=[
            Mistake((6 * 3 ^ 4 * 5) % 7, "The ids are exchanged: 4 is the current one, times 3."),
            Mistake(4 * 3 ^ 6 * 5, "Not divided yet: take the remainder by 7."),
            Mistake(4 * 3 % 7 ^ 6 * 5 % 7, "Take the remainder once, after the exclusive or."),
        ]),
    Exercise("more-tables.history", "What the next call needs", topic="n-grams", level=2,
        minutes=15, first=True, right=_history,
        cases=[([11, 12, 99, 13], 4, 99), ([11, 12, 13, 14, 15], 3, 99), ([5], 3, 99), ([], 4, 99),
               ([7, 8], 2, 0), ([7, 99], 3, 99), ([1, 2, 99, 3, 4, 5], 3, 99),
               ([9, 99, 8, 7], 4, 99), ([1, 99, 2, 99, 3], 4, 99)],
        hint="ids may be empty, and size is at least 2.",
        mistakes=[
            Mistake(_KEPT, "After the end of a text, what is before it does not count."),
            Mistake(lambda ids, size, end: _history(ids, size + 1, end),
                    "That is one too many: the next token itself is one of the size ids."),
            Mistake(lambda ids, size, end: _KEPT(ids, size, end)[::-1],
                    "The newest id comes first, and nothing before an end counts."),
        ]),
    Exercise("more-tables.twin", "The smallest twin", topic="collisions", level=2, minutes=10,
        right=lambda mixed, sizes: mixed + math.lcm(*sizes),
        cases=[(5, [1024, 2048]), (5, [1009, 1013]), (0, [6, 4]), (17, [11, 13, 17]), (3, [7]),
               (40, [3, 4])],
        hint="sizes is a list of integers from 2 on.",
        mistakes=[
            Mistake(lambda mixed, sizes: mixed + math.prod(sizes),
                    "Right for primes; sizes with a common divisor have a nearer twin."),
            Mistake(lambda mixed, sizes: mixed + max(sizes),
                    "This keeps the row in one head only, unless one size divides the other."),
            Mistake(lambda mixed, sizes: math.lcm(*sizes),
                    "That is the distance: add it to the number."),
        ]),
    Exercise("more-tables.qwen", "Rows of Qwen's layer", topic="primes", level=2, minutes=10,
        right=320_001_536,
        mistakes=[
            Mistake(320_001_446, "That is the sum of the primes; now round it up."),
            Mistake(320_001_408, "Round up, not down: every prime needs all its rows."),
            Mistake(320_002_688, "Round once, the whole table: the heads follow each other."),
            Mistake(320_000_768, "The trigrams' heads take the next primes, not the same again."),
        ]),
]  # fmt: skip
