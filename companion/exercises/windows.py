"""Exercises of the chapter `windows`."""

from companion.exercises._grading import Exercise, Mistake
from companion.windows import window_count

EXERCISES = [
    Exercise(
        "windows.count", "Counting", topic="windows and strides", level=1, minutes=5,
        right=window_count,
        cases=[(1547, 5, 1), (1547, 5, 6), (1547, 1024, 1024), (5, 5, 1), (6, 5, 1), (3, 5, 2)],
        mistakes=[
            Mistake(lambda n, context_size, stride: n // stride,
                    "A window needs its inputs and a target: start from n - context_size."),
        ],
    ),
]  # fmt: skip
