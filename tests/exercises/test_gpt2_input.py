"""The exercises of the chapter `gpt2-input`: right and wrong answers."""

from typing import Any

import torch
from answers import Wrong, tried


def is_tied(module: Any) -> bool:
    """Whether a gradient of the logits reaches the token table."""
    (gradient,) = torch.autograd.grad(
        module.logits(torch.ones(8)).sum(), module.token.weight, allow_unused=True
    )
    return gradient is not None


def places_differ(module: Any) -> bool:
    """Whether row 1 of the position table has a gradient after two ids."""
    module.zero_grad()
    module(torch.tensor([[3, 3]])).sum().backward()
    return bool(module.position.weight.grad[1].any())


def is_repeatable(module: Any) -> bool:
    module.eval()
    ids = torch.arange(16)[None]
    return all(torch.equal(module(ids), module(ids)) for _ in range(3))


def checks(module: Any) -> tuple[bool, bool, bool]:
    repeatable = is_repeatable(module)
    return is_tied(module), places_differ(module), repeatable


def reading(n: int, context_size: int, stride: int) -> list[tuple[int, list[int]]]:
    """A short last window instead of one that is moved back."""
    windows, new = [], 1
    for start in range(0, max(n - 1, 0), stride):
        end = min(start + context_size, n - 1)
        if new <= end:
            windows.append((start, list(range(new, end + 1))))
        new = max(new, end + 1)
    return windows


def without_tail(n: int, context_size: int, stride: int) -> Any:
    return [w for w in reading(n, context_size, stride) if w[0] + context_size <= n - 1]


def all_targets(n: int, context_size: int, stride: int) -> Any:
    return [
        (start, range(start + 1, min(start + context_size, n - 1) + 1))
        for start, _ in reading(n, context_size, stride)
    ]


def one_by_one(n: int, context_size: int, stride: int) -> Any:
    return [(place - 1, [place]) for place in range(1, n)]


RIGHT = [
    ("gpt2-input.quiet", checks),
    ("gpt2-input.long", reading),
    ("gpt2-input.long", lambda *case: [(start, set(places)) for start, places in reading(*case)]),
]

WRONG: Wrong = [
    ("gpt2-input.quiet", lambda module: (True, True, True),
     "A module with one position for all passes the check that"),
    ("gpt2-input.quiet", lambda module: (is_tied(module), places_differ(module), True),
     "A module that always uses dropout passes the check that it"),
    ("gpt2-input.long", without_tail, "position 9 is not a target of any window."),
    ("gpt2-input.long", all_targets, "position 2 is a target twice; keep only the new targets."),
    ("gpt2-input.long", one_by_one, "the target at position 2 has 1 id before it in its window"),
    ("gpt2-input.long", lambda n, context_size, stride: [(0, range(1, n))],
     "the window at 0 cannot have the target 5"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
