"""The exercises of the chapter `training`: right and wrong answers."""

import math
from typing import Any

from answers import Wrong, changed, tried

from workbook.exercises.training import step


def by_number(i: int, target: int, inputs: Any, outputs: Any, rate: float) -> float:
    """Change the numbers of the rows themselves, and leave no error out."""
    x = list(inputs[i])
    weights = [math.exp(sum(a * b for a, b in zip(row, x, strict=True))) for row in outputs]
    errors = [weight / sum(weights) - (j == target) for j, weight in enumerate(weights)]
    for k, number in enumerate(x):
        moved = sum(error * row[k] for error, row in zip(errors, outputs, strict=True))
        inputs[i][k] -= rate * moved
        for error, row in zip(errors, outputs, strict=True):
            row[k] -= rate * error * number
    return -math.log(errors[target] + 1)


RIGHT = [("training.step", by_number)]

WRONG: Wrong = [
    ("training.step", changed(step, "E[i] = [a", "_ = [a"), "The row that was read, E[i], has to"),
    ("training.step", changed(step, "return loss", "E[i - 1][0] += 1\n    return loss"),
     "`E` is [[0.8, 1.0], [1.0, 1.0], [0.0, 0.5]]"),
    ("training.step", lambda *case: None, "Your function returns None"),
    ("training.step", lambda i, target: 0, "it takes (i, target)"),
    ("training.step", lambda *case: -by_number(*case), "All signs are reversed."),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
