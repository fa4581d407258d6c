"""What the file of a reader has for rows of numbers, before an exercise asks for more."""

import math
from collections.abc import Sequence
from operator import mul

Row = Sequence[float]


def dot(row: Row, other: Row) -> float:
    """Return the dot product: large if both rows point the same way."""
    product: float = sum(map(mul, row, other))
    return product


def cosine(row: Row, other: Row) -> float:
    """Return the cosine: the dot product, divided by both lengths."""
    return dot(row, other) / (math.hypot(*row) * math.hypot(*other))


def softmax(scores: Row) -> list[float]:
    """Turn scores into probabilities; the largest score becomes 0 first."""
    largest = max(scores)
    weights = [math.exp(score - largest) for score in scores]
    total = sum(weights)
    return [weight / total for weight in weights]
