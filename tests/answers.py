"""What is tried on the exercises of a chapter, with the answers that its own tests name."""

import sys
from collections.abc import Sequence
from typing import Any

import pytest

from companion.exercises import Exercise, find, grade

Right = Sequence[tuple[str, Any]]
"""Exercises, and right answers to them."""

Wrong = Sequence[tuple[str, Any, int | str]]
"""Exercises, wrong answers, and the mistake that is heard: its number, or a part of a message.

The answers of the mistakes themselves are tried for all chapters in `test_exercises.py`.
"""


def find_exercise(name: str) -> Exercise:
    """Return the exercise of a name that exists."""
    exercise = find(name)
    assert isinstance(exercise, Exercise), exercise
    return exercise


def tried(right: Right, wrong: Wrong) -> type:
    """Return tests: right answers pass, and each wrong one gets the message it should get."""

    class TestAnswers:
        @pytest.mark.parametrize(("name", "answer"), right)
        def test_a_right_answer_is_accepted(self, name: str, answer: object) -> None:
            torch = sys.modules.get("torch")  # some chapters do without it
            before = torch and torch.get_rng_state()
            assert grade(find_exercise(name), answer) == (True, "right.")
            # The random numbers of the reader stay as they are.
            assert torch is None or torch.equal(torch.get_rng_state(), before)

        @pytest.mark.parametrize(("name", "answer", "heard"), wrong)
        def test_a_wrong_answer_gets_its_message(
            self, name: str, answer: object, heard: int | str
        ) -> None:
            exercise = find_exercise(name)
            passed, message = grade(exercise, answer)
            assert not passed
            assert message.startswith(("not yet. ", "nothing yet. "))
            assert (
                exercise.mistakes[heard].message if isinstance(heard, int) else heard
            ) in message

    return TestAnswers
