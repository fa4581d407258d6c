"""What is tried on the exercises of a chapter, with the answers that its own tests name."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from companion.exercises import Exercise, grade
from companion.exercises import _grading as grading

MakeAnew = Callable[[str], Exercise]


def _numbered(answers: Sequence[tuple[Any, ...]]) -> list[str]:
    """Name each answer by its exercise, and its number there."""
    met = Counter[str]()
    ids = []
    for name, *_ in answers:
        met[name] += 1
        ids.append(f"{name}-{met[name]}")
    return ids


def _fail(*arguments: object) -> None:
    raise ValueError("out of wits")


def tried(
    right: Sequence[tuple[str, Any]],
    wrong: Sequence[tuple[str, Any, str]],
    asked: Mapping[str, str] | None = None,
    hints: Mapping[str, str] | None = None,
) -> type:
    """Return tests: right answers pass, each wrong one hears why.

    What an exercise asks for, where it says so in words, and its hint are compared, too.
    """

    class TestAnswers:
        @pytest.fixture(autouse=True)
        def _unhurried(self, monkeypatch: pytest.MonkeyPatch) -> None:
            """Let an answer take as long as it does on a machine that is busy with other tests."""
            monkeypatch.setattr(grading, "SECONDS", 60.0)

        @pytest.mark.parametrize(("name", "answer"), right, ids=_numbered(right))
        def test_a_right_answer_is_accepted(
            self, made_anew: MakeAnew, name: str, answer: object
        ) -> None:
            result = grade(made_anew(name), answer)
            assert result.message == "right."
            assert result.passed

        @pytest.mark.parametrize(("name", "answer", "message"), wrong, ids=_numbered(wrong))
        def test_a_wrong_answer_hears_why(
            self, made_anew: MakeAnew, name: str, answer: object, message: str
        ) -> None:
            result = grade(made_anew(name), answer)
            assert result.message == f"not yet. {message}"
            assert not result.passed

        def test_without_an_answer_it_says_what_is_asked_for(self, made_anew: MakeAnew) -> None:
            for name, words in (asked or {}).items():
                exercise = made_anew(name)
                assert exercise.asks == words
                assert grade(exercise).message == f"this one asks for {words}: check({name!r}, …)."

        def test_after_an_error_comes_the_hint(self, made_anew: MakeAnew) -> None:
            for name, words in (hints or {}).items():
                message = grade(made_anew(name), _fail).message
                assert message.endswith(f") raises ValueError: out of wits. {words}")

        def test_making_exercises_leaves_the_random_numbers_of_the_reader_alone(
            self, made_anew: MakeAnew
        ) -> None:
            torch = sys.modules.get("torch")  # some chapters do without it
            before = torch and torch.get_rng_state()
            made_anew(right[0][0])
            assert torch is None or torch.equal(torch.get_rng_state(), before)

    return TestAnswers
