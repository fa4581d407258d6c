"""What is tried on the exercises of a chapter, with the answers that its own tests name."""

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from workbook.exercises import chapters, grade

# Exercises with right answers; and with wrong ones, and a part of the message that is heard. The
# answers of the mistakes themselves are tried for all chapters in `test_exercises.py`, and the
# solution of a chapter is a right one, as its notebook shows. So a test has others.
Right = Sequence[tuple[str, Any]]
Wrong = Sequence[tuple[str, Any, str]]

EXERCISES = {exercise.name: exercise for group in chapters().values() for exercise in group}


def changed(function: Callable[..., Any], old: str, new: str) -> Callable[..., Any]:
    """Return one of our versions with a fault."""
    source, names = inspect.getsource(function), dict(function.__globals__)
    assert source.count(old) == 1
    exec(source.replace(old, new), names)
    answer: Callable[..., Any] = names[function.__name__]
    return answer


def tried(right: Right, wrong: Wrong = ()) -> Callable[..., None]:
    """Return a test of each answer: a right one passes, a wrong one gets its own message."""

    @pytest.mark.parametrize(
        ("name", "answer", "heard"), [*((name, answer, None) for name, answer in right), *wrong]
    )
    def test(name: str, answer: object, heard: str | None) -> None:
        torch = sys.modules.get("torch")  # some chapters do without it
        before = torch and torch.get_rng_state()
        passed, message = grade(EXERCISES[name], answer)
        # The random numbers of the reader stay as they are.
        assert torch is None or torch.equal(torch.get_rng_state(), before)
        if heard is None:
            assert (passed, message) == (True, "right.")
        else:
            assert not passed
            assert message.startswith(("not yet. ", "nothing yet. "))
            assert heard in message

    return test
