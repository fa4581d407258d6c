"""The exercises of the chapter `choosing`: wrong answers."""

from typing import Any

from answers import Wrong, tried


def two_groups(digits: str) -> list[str]:
    return [group for group in (digits[:-6], digits[-6:-3], digits[-3:]) if group]


def merges_in_both(first: Any, second: Any) -> int:
    return 256 + len(set(first.merges) & set(second.merges))


WRONG: Wrong = [
    ("choosing.digits", two_groups, "it should return ['12', '345', '678', '901']"),
    ("choosing.shared", merges_in_both, "returns 256; it should return 257."),
]  # fmt: skip

test_answers = tried([], WRONG)
