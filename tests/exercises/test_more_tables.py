"""The exercises of the chapter `more-tables`: right and wrong answers."""

import math

from answers import Right, Wrong, tried


def history(ids: list[int], size: int, end: int) -> tuple[int, ...]:
    """Cut the text after its last end, and fill it from the left."""
    after = ids[len(ids) - ids[::-1].index(end) :] if end in ids else ids
    return tuple([*[end] * size, *after][:-size:-1])


RIGHT: Right = [
    ("more-tables.row", 4.0),
    ("more-tables.history", history),
    ("more-tables.twin", lambda mixed, sizes: float(mixed + math.lcm(*sizes))),
]
WRONG: Wrong = [
    ("more-tables.row", 22, "22 is too large"),
    (
        "more-tables.history",
        lambda ids, size, end: [end] * (size - 1),
        "should return [13, 99, 99]",
    ),
    ("more-tables.history", lambda ids, size, end: ids[:-size:-1], "return [13, 99, 99]"),
    ("more-tables.twin", lambda mixed, sizes: mixed % math.lcm(*sizes) + math.lcm(*sizes), "52"),
    ("more-tables.qwen", 320_000_001, "too small"),
]

test_answers = tried(RIGHT, WRONG)
