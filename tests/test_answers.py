"""The answers that are tried on the exercises: right ones pass, and each wrong one hears why.

They stand in `test_exercises_NAME.py`, chapter by chapter: RIGHT, and WRONG with what must be said.
What an exercise asks for, where that is said in words, and its hint, stand there too.
"""

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from companion.exercises import Exercise, chapters, grade
from companion.exercises import _grading as grading

MakeAnew = Callable[[str], Exercise]

CHECKED = [exercise for group in chapters().values() for exercise in group if exercise.checked]


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _table(name: str) -> dict[str, str]:
    return {key: text for module in ANSWERS for key, text in getattr(module, name, {}).items()}


ANSWERS = [_module(path) for path in sorted(Path(__file__).parent.glob("test_exercises_*.py"))]
RIGHT = [answer for module in ANSWERS for answer in module.RIGHT]
WRONG = [answer for module in ANSWERS for answer in module.WRONG]
ASKED = _table("ASKED")
HINTS = _table("HINTS")


def _numbered(answers: Iterable[tuple[Any, ...]]) -> list[str]:
    """Name each answer by its exercise, and its number there."""
    met = Counter[str]()
    ids = []
    for name, *_ in answers:
        met[name] += 1
        ids.append(f"{name}-{met[name]}")
    return ids


@pytest.fixture
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an answer take as long as it does on a machine that is busy with other tests."""
    monkeypatch.setattr(grading, "SECONDS", 60.0)


@pytest.mark.usefixtures("_unhurried")
@pytest.mark.parametrize(("name", "answer"), RIGHT, ids=_numbered(RIGHT))
def test_a_right_answer_is_accepted(made_anew: MakeAnew, name: str, answer: object) -> None:
    result = grade(made_anew(name), answer)
    assert result.message == "right."
    assert result.passed


@pytest.mark.usefixtures("_unhurried")
@pytest.mark.parametrize(("name", "answer", "message"), WRONG, ids=_numbered(WRONG))
def test_a_wrong_answer_hears_why(
    made_anew: MakeAnew, name: str, answer: object, message: str
) -> None:
    result = grade(made_anew(name), answer)
    assert result.message == f"not yet. {message}"
    assert not result.passed


def test_three_wrong_answers_and_a_right_one_are_tried_on_each() -> None:
    right, wrong = Counter(name for name, _ in RIGHT), Counter(name for name, *_ in WRONG)
    assert {e.name for e in CHECKED if right[e.name] < 1 or wrong[e.name] < 3} == set()


def test_every_usual_mistake_is_heard() -> None:
    heard = {(name, message) for name, _, message in WRONG}
    usual = {(e.name, mistake.message) for e in CHECKED for mistake in e.mistakes}
    assert usual - heard == set()


@pytest.mark.parametrize("name", ASKED)
def test_without_an_answer_it_says_what_is_asked_for(made_anew: MakeAnew, name: str) -> None:
    assert grade(made_anew(name)).message == f"this one asks for {ASKED[name]}: check({name!r}, …)."


@pytest.mark.parametrize("name", HINTS)
def test_after_an_error_comes_the_hint(made_anew: MakeAnew, name: str) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("out of wits")

    message = grade(made_anew(name), fail).message
    assert message.endswith(f") raises ValueError: out of wits. {HINTS[name]}")


def test_what_is_asked_for_and_the_hints_are_known() -> None:
    assert set(ASKED) == {exercise.name for exercise in CHECKED if exercise.asks}
    assert set(HINTS) == {exercise.name for exercise in CHECKED if exercise.hint}
    # A judge does not show what the answer must be.
    assert set(ASKED) >= {exercise.name for exercise in CHECKED if exercise.judge}


def test_making_exercises_leaves_the_random_numbers_of_the_reader_alone(
    made_anew: MakeAnew,
) -> None:
    before = torch.get_rng_state()
    for exercises in chapters().values():
        made_anew(exercises[0].name)
    assert torch.equal(torch.get_rng_state(), before)
