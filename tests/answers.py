"""What is tried on the exercises of a chapter, with the answers that its own tests name."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from companion.exercises import Exercise, find, grade

MakeAnew = Callable[[str], Exercise]

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


def _numbered(answers: Sequence[tuple[Any, ...]]) -> list[str]:
    """Name each answer by its exercise, and its number there."""
    met = Counter[str]()
    ids = []
    for name, *_ in answers:
        met[name] += 1
        ids.append(f"{name}-{met[name]}")
    return ids


def tried(right: Right, wrong: Wrong) -> type:
    """Return tests: right answers pass, and each wrong one gets the message it should get."""

    class TestAnswers:
        @pytest.mark.parametrize(("name", "answer"), right, ids=_numbered(right))
        def test_a_right_answer_is_accepted(
            self, made_anew: MakeAnew, name: str, answer: object
        ) -> None:
            torch = sys.modules.get("torch")  # some chapters do without it
            before = torch and torch.get_rng_state()
            result = grade(made_anew(name), answer)
            assert result.message == "right."
            assert result.passed
            # The random numbers of the reader stay as they are.
            assert torch is None or torch.equal(torch.get_rng_state(), before)

        @pytest.mark.parametrize(("name", "answer", "heard"), wrong, ids=_numbered(wrong))
        def test_a_wrong_answer_gets_its_message(
            self, made_anew: MakeAnew, name: str, answer: object, heard: int | str
        ) -> None:
            exercise = made_anew(name)
            result = grade(exercise, answer)
            if isinstance(heard, int):
                assert result.message == f"not yet. {exercise.mistakes[heard].message}"
            else:
                assert heard in result.message
                assert result.message.startswith(("not yet. ", "nothing yet. "))
            assert not result.passed

    return TestAnswers
