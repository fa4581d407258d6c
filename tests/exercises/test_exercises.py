"""`check`: it judges, explains, lists, and never raises because of what a reader wrote.

The answers that it is given to each exercise stand in `test_NAME.py`, chapter by chapter.
"""

import contextlib
import importlib
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from companion.exercises import Exercise, _registry, chapters, check, find, grade
from companion.exercises import _grading as grading
from companion.exercises._grading import Mistake

ROOT = Path(__file__).parents[2]
ALL = [exercise for group in chapters().values() for exercise in group]
CHECKED = [exercise for exercise in ALL if exercise.checked]


def add(right: Any, **options: Any) -> Exercise:
    """Make an exercise to try things on."""
    return Exercise("demo.add", "Add", "sums", 1, 1, right=right, **options)


SUM = add(
    lambda a, b: a + b,
    cases=[(1, 2), (2, 2), (0, 5)],
    mistakes=[
        Mistake(lambda a, b: a * b, "That multiplies."),
        Mistake(lambda a, b: a - b, "Minus."),
    ],
)


def said(exercise: Exercise, answer: object) -> str:
    result = grade(exercise, answer)
    assert result.passed is (result.message == "right.")
    return result.message


# --- judging --------------------------------------------------------------------------------------


def test_a_right_function_passes() -> None:
    assert grade(SUM, lambda a, b: b + a).passed
    assert grade(SUM, sum_of).passed
    assert grade(SUM, lambda *args: sum(args)).passed
    assert grade(SUM, lambda a, b, c=0: a + b + c).passed
    assert grade(SUM, Adder()).passed


def sum_of(x: int, y: int) -> int:
    return np.int64(x + y)


class Adder:
    def __call__(self, a: int, b: int) -> torch.Tensor:
        return torch.tensor(a + b)


def test_a_usual_mistake_is_named() -> None:
    assert said(SUM, lambda a, b: a * b) == "not yet. That multiplies."
    assert said(SUM, lambda a, b: a - b) == "not yet. Minus."
    # Wrong in one case only, and there it does what the mistake does.
    assert said(SUM, lambda a, b: a + b if a else 0) == "not yet. That multiplies."


def test_an_unusual_mistake_is_shown() -> None:
    assert said(SUM, lambda a, b: 7) == (
        "not yet. your function(1, 2) gives 7, and it should give 3."
    )
    assert said(SUM, max) == "not yet. max(1, 2) gives 2, and it should give 3."


def test_a_mistake_that_fails_on_a_case_is_passed_over() -> None:
    exercise = add(lambda a: a, cases=[(0,)], mistakes=[Mistake(lambda a: 1 / a, "Never.")])
    assert said(exercise, lambda a: 5) == "not yet. your function(0) gives 5, and it should give 0."


def test_wrong_calls() -> None:
    assert said(SUM, lambda a: a) == "not yet. It is called with (a, b), and yours takes (a)."
    assert said(SUM, lambda a, b, c: a) == (
        "not yet. It is called with (a, b), and yours takes (a, b, c)."
    )
    assert said(SUM, 3) == (
        "not yet. Hand over the function itself, a function of (a, b), not what it returns."
    )


def test_nothing_yet() -> None:
    def stub(a: int, b: int) -> None: ...

    assert said(SUM, stub) == (
        "nothing yet. Your function returns None: write its body, down to a return."
    )
    assert said(add(3), ...) == (
        "nothing yet. Put your answer in place of the dots, and run again."
    )
    judged = Exercise("demo.j", "J", "t", 1, 1, judge=lambda f: None if f(1) > 0 else "No.")
    assert said(judged, lambda x: None) == (
        "nothing yet. Your function returns None: write its body, down to a return."
    )


def test_an_answer_cannot_spoil_the_cases() -> None:
    exercise = add(lambda x: sum(x), cases=[([1, 2, 3],), ([4],)])

    def greedy(x: list[int]) -> int:
        total = 0
        while x:
            total += x.pop()
        return total

    assert grade(exercise, greedy).passed
    assert grade(exercise, greedy).passed
    assert said(exercise, lambda x: x.clear() or 7) == (
        "not yet. your function([1, 2, 3]) gives 7, and it should give 6."
    )


def test_a_right_function_and_a_mistake_cannot_spoil_the_cases_either() -> None:
    exercise = add(
        lambda x: x.pop(), cases=[([1, 2, 3],)], mistakes=[Mistake(lambda x: x.pop(0), "First.")]
    )
    assert said(exercise, lambda x: 7) == (
        "not yet. your function([1, 2, 3]) gives 7, and it should give 3."
    )
    assert said(exercise, lambda x: x[0]) == "not yet. First."


@pytest.mark.parametrize(
    ("right", "given"),
    [
        ([1, 2, 3], (1, 2, 3)), ([1, 2, 3], np.array([1, 2, 3])), ([1, 2, 3], torch.arange(1, 4)),
        ([1, 2, 3], range(1, 4)),
        ([[1], [2]], torch.tensor([[1], [2]], dtype=torch.uint8)), (0.5, Fraction(1, 2)),
        (2, 2.0), (1 / 3, np.float32(1 / 3)), (b"ab", bytearray(b"ab")),
        ({1, 2}, frozenset({2, 1})),
        ({"a": [1]}, {"a": (1,)}), (3, torch.tensor(3)), (True, np.bool_(True)), (None, None),
        (float("nan"), np.nan), ([0.1], torch.tensor([0.1], requires_grad=True)),
    ],
)  # fmt: skip
def test_the_same_value_in_another_form(right: Any, given: Any) -> None:
    assert grade(add(right), given).passed


@pytest.mark.parametrize(
    ("right", "given", "message"),
    [
        (3, 4, "4 is too large."),
        (3, 2.5, "2.5 is too small."),
        (3, "3", "It is '3', and should be an integer."),
        (1, True, "It is True, and should be an integer."),
        (True, 1, "It is 1, and should be True or False."),
        ("ab", "ba", "'ba' is not it."),
        ([1, 2, 3], [1, 2], "It has 2 entries, and there should be 3."),
        ([1, 2, 3], [1, 5, 4], "Entry 1, counted from 0, is 5: look again."),
        ([0.25, 1.5], [0.25, 1.75], "Entry 1, counted from 0, is 1.75: look again."),
        ([1, 2], 1, "It is 1, and should be a list."),
        (1, [1], "It is [1], and should be an integer."),
        (1, None, "It is None, and should be an integer."),
        (3, lambda: 3, "This is a function; hand over the value that it returns."),
        ({"a": 1}, {"a": 2}, "{'a': 2} is not it."),
    ],
)
def test_a_wrong_value(right: Any, given: Any, message: str) -> None:
    assert said(add(right), given) == f"not yet. {message}"


def test_an_iterator_is_read_once() -> None:
    assert grade(add([1, 2]), iter([1, 2])).passed
    assert grade(add([1, 2]), (number for number in (1, 2))).passed


def test_a_text_is_shown_as_it_is() -> None:
    assert said(add("a b"), "a  b") == "not yet. 'a  b' is not it."


def test_a_dictionary_may_have_pairs_for_keys() -> None:
    assert grade(add({("a", "b"): 1}), {("a", "b"): np.int64(1)}).passed


def test_order_and_tolerance() -> None:
    assert grade(add([1, 2, 3], unordered=True), {3, 1, 2}).passed
    assert grade(add([1, 2], unordered=True), {1: "a", 2: "b"}.keys()).passed
    assert not grade(add([1, 2, 3], unordered=True), {3, 1}).passed
    assert grade(add([1, 2, 3], unordered=True), [3, 1, 2]).passed
    assert said(add([1, 2, 3], unordered=True), [3, 1, 1]) == (
        "not yet. Some entries are not among the right ones."
    )
    assert not grade(add([1, 2, 3]), [3, 1, 2]).passed
    assert grade(add(0.2397, tolerance=0.01), 0.24).passed
    assert not grade(add(0.2397), 0.24).passed
    assert not grade(add(10, tolerance=0.5), 11).passed  # whole numbers are exact


def test_an_argument_has_nothing_to_check() -> None:
    exercise = Exercise("demo.why", "Why", "thought", 2, 10)
    assert not exercise.checked
    assert said(exercise, "because") == (
        "this one asks for an argument; compare yours with the chapter's."
    )


def test_without_an_answer_it_says_what_is_asked_for() -> None:
    assert said(SUM, grading.NOTHING) == (
        "this one asks for a function of (a, b), itself and not what it returns: "
        "check('demo.add', …)."
    )
    assert said(add(3), grading.NOTHING) == (
        "this one asks for a value, an integer: check('demo.add', …)."
    )
    assert said(add(3, asks="the size of it"), grading.NOTHING) == (
        "this one asks for the size of it: check('demo.add', …)."
    )


@pytest.mark.parametrize(
    ("right", "kind"),
    [
        (True, "True or False"), (1, "an integer"), (0.5, "a number"), ("a", "a string"),
        (b"a", "bytes"), ([1], "a list"), ((1,), "a list"), ({1: 2}, "a dictionary"),
        ({1}, "a set"), (1j, "of type complex"),
    ],
)  # fmt: skip
def test_the_kind_of_a_value_is_named(right: Any, kind: str) -> None:
    asked = f"this one asks for a value, {kind}: check('demo.add', …)."
    assert said(add(right), grading.NOTHING) == asked
    assert said(add(right), None) == f"not yet. It is None, and should be {kind}."


@pytest.mark.parametrize(
    ("right", "given", "same"),
    [
        (1.0, 1 + 5e-7, True), (1.0, 1 + 2e-6, False), (0.0, 5e-10, True), (0.0, 2e-9, False),
        (0, 5e-10, True), (1, 2, False), (float("nan"), 1.0, False), (1.0, float("nan"), False),
        ([1, 1], [True, 1], False), ({"a": 1}, {"b": 1}, False), ({1: 1, 2: 2}, {1: 1}, False),
        ({"a": [0.5]}, {"a": [0.5 + 1e-8]}, True), ("ab", b"ab", False), ({1, 2}, [1, 2], False),
        ([1, 2], {1, 2}, False), ([(1, 2), {3: (4, 5)}], [[1, 2], {3: [4, 5]}], True),
        ({(1, (2, 3)): 4}, {(1, (2, 3)): 4}, True), ({(1, 2)}, {(1, 3)}, False),
        (b"ab", memoryview(b"ab"), False), ([97, 98], memoryview(b"ab"), True),
    ],
)  # fmt: skip
def test_what_is_the_same(right: Any, given: Any, same: bool) -> None:
    assert grade(add(right), given).passed is same


def test_the_elements_of_an_unordered_answer_are_compared_as_ever() -> None:
    exercise = add([0.25, 0.75], unordered=True)
    assert grade(exercise, [0.75 + 1e-8, 0.25]).passed
    assert said(exercise, [0.25]) == "not yet. It has 1 entries, and there should be 2."
    assert said(add([True], unordered=True), {1}).startswith("not yet.")
    assert grade(add([1, "a", (2,)], unordered=True), ["a", (2,), 1]).passed  # of any types


def test_a_usual_wrong_value_is_named() -> None:
    exercise = add([1, 2], mistakes=[Mistake((2, 1), "Turned round."), Mistake([0], "Zero.")])
    assert said(exercise, np.array([2, 1])) == "not yet. Turned round."
    assert said(exercise, [0]) == "not yet. Zero."
    assert said(exercise, [1, 3]) == "not yet. Entry 1, counted from 0, is 3: look again."


def test_a_mistake_must_explain_every_wrong_case() -> None:
    assert said(SUM, lambda a, b: a * b if a == 1 else 9) == (
        "not yet. your function(1, 2) gives 2, and it should give 3."
    )
    assert said(SUM, lambda a, b: a + b if a < 2 else 9) == (
        "not yet. your function(2, 2) gives 9, and it should give 4."
    )


def test_none_may_be_right() -> None:
    exercise = add(lambda a: None if a else 0, cases=[(1,), (0,)])
    assert grade(exercise, lambda a: None if a else 0).passed
    assert said(exercise, lambda a: None) == grading._NOTHING_RETURNED
    assert grade(add(lambda a: None, cases=[(1,)]), lambda a: None).passed
    # A function that returns something somewhere has been written.
    assert said(SUM, lambda a, b: None if a else 5) == (
        "not yet. your function(1, 2) gives None, and it should give 3."
    )


def test_what_is_long_is_cut() -> None:
    assert grading.shown("x" * 78) == f"'{'x' * 78}'"
    assert grading.shown("x" * 79) == f"'{'x' * 78}…"
    assert grading.shown("abcdef", 4) == "'ab…"
    assert grading.shown(np.eye(2)) == "array([[1., 0.], [0., 1.]])"  # on one line
    exercise = add(lambda a, b: a, cases=[("x" * 50, (1, 2))])
    assert said(exercise, lambda a, b: 3) == (
        f"not yet. your function('{'x' * 38}…, [1, 2]) gives 3, and it should give '{'x' * 50}'."
    )


def test_a_callable_object_is_your_function() -> None:
    class Zero(Adder):
        def __call__(self, a: int, b: int) -> torch.Tensor:
            return torch.tensor(0)

    assert said(SUM, Zero()) == "not yet. your function(1, 2) gives 0, and it should give 3."


def test_a_tensor_is_a_value_though_it_may_be_called() -> None:
    class Called(np.ndarray):
        def __call__(self) -> None: ...

    assert grade(add([1, 2]), np.array([1, 2]).view(Called)).passed


# --- judges ---------------------------------------------------------------------------------------


def judged(judge: Callable[[Any], Any]) -> Exercise:
    return Exercise("demo.judged", "Judged", "sums", 1, 1, judge=judge)


def test_a_judge_says_what_is_wrong() -> None:
    exercise = judged(lambda answer: None if answer > 2 else f"{answer} is too small.")
    assert exercise.checked
    assert said(exercise, 3) == "right."
    assert said(exercise, 2) == "not yet. 2 is too small."
    assert said(exercise, "a").startswith("not yet. It raises TypeError: '>' not supported")


def test_a_judge_calls_a_function_that_is_watched() -> None:
    exercise = judged(lambda f: None if f(2) + f([1])[0] == 5 else f"{f.__name__} is wrong.")

    def half_done(x: Any) -> Any:
        return [3] if isinstance(x, list) else None

    def right(x: Any) -> Any:
        return [x.pop() + 2] if isinstance(x, list) else x

    assert said(exercise, right) == "right."
    assert said(exercise, lambda x: [x] if isinstance(x, list) else x).startswith(
        "not yet. It raises TypeError: "
    )
    assert said(exercise, lambda x: [9] if isinstance(x, list) else x) == (
        "not yet. your function is wrong."
    )

    def wrong(x: Any) -> Any:
        return [9] if isinstance(x, list) else x

    assert said(exercise, wrong) == "not yet. wrong is wrong."
    assert said(exercise, lambda x: None) == grading._NOTHING_RETURNED  # None + … raises
    assert said(exercise, half_done).startswith("not yet. It raises TypeError: unsupported")
    assert said(exercise, lambda x: 1 / 0) == (
        "not yet. your function(2) raises ZeroDivisionError: division by zero."
    )
    # Whatever has a function in it, a module say, is handed over as it is.
    assert said(exercise, torch.nn.Identity()).startswith("not yet. It raises AttributeError")


def test_a_judge_that_never_calls_the_function_is_believed() -> None:
    assert said(judged(lambda f: None), lambda: None) == "right."
    assert said(judged(lambda f: None if f(0) is None else "No."), lambda x: None) == (
        grading._NOTHING_RETURNED
    )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([True, False], "right."), (np.array([True, False]), "right."),
        ([False, False], "not yet. One is odd."), ((True, True), "not yet. Two is even."),
        ([False, True], "not yet. One is odd."),
        ([True], "not yet. It is [True], and should be a list of two values."),
        (True, "not yet. It is True, and should be a list of two values."),
        ("ab", "not yet. It is 'ab', and should be a list of two values."),
        ([True, 0], "not yet. 0 is neither True nor False."),
        ([True, "no"], "not yet. 'no' is neither True nor False."),
    ],
)  # fmt: skip
def test_a_judge_of_truths(answer: Any, message: str) -> None:
    judge = grading.judge_of_truths([(True, "One is odd."), (False, "Two is even.")], "two")
    assert said(judged(judge), answer) == message


# --- answers that misbehave -----------------------------------------------------------------------


class Hostile:
    """Raises whatever is asked of it."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparing")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("no showing")

    def __iter__(self) -> Any:
        raise RuntimeError("no reading")


def deep(a: int, b: int) -> int:
    return deep(a, b) + 1


def leave(a: int, b: int) -> None:
    sys.exit("bye")


def interrupt(a: int, b: int) -> None:
    raise KeyboardInterrupt


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def unprintable(a: int, b: int) -> None:
    raise UnprintableError


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda a, b: 1 / 0, "your function(1, 2) raises ZeroDivisionError: division by zero."),
        (lambda a, b: {}["x"], "your function(1, 2) raises KeyError: 'x'."),
        (lambda a, b: undefined, "your function(1, 2) raises NameError: name 'undefined' is not "  # noqa: F821
                                 "defined."),
        (deep, "deep(1, 2) raises RecursionError: maximum recursion depth exceeded."),
        (leave, "It raises SystemExit: bye."),
        (interrupt, "It raises KeyboardInterrupt."),
        (unprintable, "unprintable(1, 2) raises UnprintableError."),
        (Hostile(), "Hand over the function itself, a function of (a, b), not what it returns."),
        (lambda a, b: Hostile(), "It raises RuntimeError: no reading."),
    ],
)  # fmt: skip
def test_an_answer_that_raises_is_shown_with_its_error(answer: Any, message: str) -> None:
    assert re.sub(r"exceeded .*\.$", "exceeded.", said(SUM, answer)) == f"not yet. {message}"


def test_a_hint_follows_the_error() -> None:
    exercise = add(lambda a: a, cases=[(1,)], hint="Divide by something else.")
    assert said(exercise, lambda a: 1 / 0) == (
        "not yet. your function(1) raises ZeroDivisionError: division by zero. "
        "Divide by something else."
    )


class WordyError(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [("It ends.", ": It ends."), ("no letter X", ": no letter X."),
     ("two\n  lines", ": two lines."), ("", "."),
     ("x" * 200, f": {'x' * 200}."), ("x" * 201, f": {'x' * 200}.")],
)  # fmt: skip
def test_the_message_of_an_error_is_put_on_one_line(text: str, words: str) -> None:
    def fail(a: int, b: int) -> None:
        raise WordyError(text)

    assert said(SUM, fail) == f"not yet. fail(1, 2) raises WordyError{words}"


def test_an_answer_has_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert grading.SECONDS == 5
    slow = add(lambda a, b: a + b, cases=[(1, 2)])
    assert grade(slow, lambda a, b: time.sleep(0.2) or a + b).passed
    with monkeypatch.context() as patch:
        patch.setattr(grading, "SECONDS", 0.05)
        outcome = grading._run(lambda: time.sleep(5))
    assert outcome.value is None
    assert grading._about_error(SUM, outcome.error) == (
        "It was still running after 5 seconds: does every loop come to an end?"
    )


def spin(a: int, b: int) -> None:
    while True:
        pass


def catch_errors(a: int, b: int) -> None:
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.001)


def catch_everything(a: int, b: int) -> None:
    end = time.monotonic() + 8
    while time.monotonic() < end:
        with contextlib.suppress(BaseException):
            time.sleep(0.001)


def endless(a: int, b: int) -> Any:
    while True:
        yield a


def give_after_all(a: int, b: int) -> int:
    try:
        spin(a, b)
    finally:
        return a + b  # noqa: B012


@pytest.mark.parametrize("answer", [spin, catch_errors, catch_everything, endless, give_after_all])
def test_an_answer_that_does_not_end_is_cut_off(
    answer: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading, "SECONDS", 0.3)
    start = time.monotonic()
    assert said(SUM, answer) == (
        "not yet. It was still running after 0 seconds: does every loop come to an end?"
    )
    assert time.monotonic() - start < 5
    assert grade(SUM, lambda a, b: a + b).passed  # and the next answer is judged as ever


def test_an_answer_that_does_not_end_is_gone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "SECONDS", 0.05)
    end, gone = threading.Event(), threading.Event()

    def wait() -> None:
        try:
            while not end.wait(0.001):
                pass
        finally:
            gone.set()

    try:
        outcome = grading._run(wait)
        assert gone.is_set()
        assert isinstance(outcome.error, grading._OutOfTimeError)
    finally:
        end.set()


def test_an_answer_that_is_left_behind_does_not_keep_python_from_ending() -> None:
    assert grading._run(lambda: threading.current_thread().daemon).value is True


# --- check ----------------------------------------------------------------------------------------


@pytest.fixture
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_registry, "_passed", set())


@pytest.mark.usefixtures("_fresh")
def test_check_prints_and_remembers(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("words.case", 31) is None
    check("words.case", 30)
    check("words.unknown", 0.5)
    assert capsys.readouterr().out == (
        "words.case: right.\nwords.case: not yet. 30 is too small.\n"
        "words.unknown: not yet. 0.5 is too large.\n"
    )
    check()
    listed = capsys.readouterr().out
    assert re.search(r"^  \[x\] words\.case +They and they$", listed, re.MULTILINE)
    assert re.search(r"^  \[ \] words\.unknown +How much is unknown\?$", listed, re.MULTILINE)
    assert f"\n1 of {len(CHECKED)} passed in this session" in listed
    for exercise in ALL:
        assert f" {exercise.name} " in listed


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("words.cas", "There is no exercise 'words.cas'. Did you mean 'words.case'?"),
        ("Words.Case", "There is no exercise 'Words.Case'. Did you mean 'words.case'?"),
        ("ledger", "There is no exercise 'ledger'. Did you mean 'bert-input.ledger'?"),
        ("reach", "There is no exercise 'reach'. Did you mean 'positions.reach'?"),  # just enough
        ("half", "There is no exercise 'half'."),
        ("xyzzy", "There is no exercise 'xyzzy'."),
        (31, "The name of an exercise is a string, such as 'words.case', and comes first."),
        (None, "The name of an exercise is a string, such as 'words.case', and comes first."),
    ],
)  # fmt: skip
def test_an_unknown_name(name: Any, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    check(name, 31)
    assert capsys.readouterr().out == f"{message} check() lists all.\n"


@pytest.mark.usefixtures("_fresh")
def test_the_list_has_a_line_for_each_chapter_and_exercise() -> None:
    _registry.mark_passed("words.case")
    _registry.mark_passed("words.case")
    lines = _registry.listing().splitlines()
    words = chapters()["words"]
    assert lines[0] == "words"
    assert lines[1] == "  [x] words.case                       They and they"
    assert lines[len(words) + 1] == "bytes"
    assert len(lines) == len(chapters()) + len(ALL) + 1
    for exercise, line in zip(words, lines[1:], strict=False):
        box = {"words.case": "[x]"}.get(exercise.name, "[ ]" if exercise.checked else " - ")
        assert line == f"  {box} {exercise.name.ljust(32)} {exercise.title}"
    assert sum(line.startswith("   -  ") for line in lines) == len(ALL) - len(CHECKED) > 0
    assert lines[-1] == (f"1 of {len(CHECKED)} passed in this session; - asks for an argument")


def test_find() -> None:
    for exercise in ALL:
        assert find(exercise.name) is exercise
    assert find("words." + "x" * 100) == (
        f"There is no exercise 'words.{'x' * 54}'. check() lists all."
    )


@pytest.mark.usefixtures("_fresh")
def test_what_is_not_right_is_not_marked(capsys: pytest.CaptureFixture[str]) -> None:
    check("words.case", 30)
    check("words.case")
    check("words.case", ...)
    assert "\n0 of " in _registry.listing()
    assert capsys.readouterr().out.splitlines()[1:] == [
        "words.case: this one asks for the number of entries that are lost: "
        "check('words.case', …).",
        "words.case: nothing yet. Put your answer in place of the dots, and run again.",
    ]


def test_it_works_at_a_plain_prompt() -> None:
    code = (
        "from companion.exercises import check\ncheck('words.case', 317)\ncheck('words.case', 31)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "words.case: right."


def test_checking_words_does_not_load_torch() -> None:
    code = (
        "import sys\nfrom companion.exercises import check\n"
        "for name in ('words.case', 'bytes.x', 'bpe.x', 'gpt2-tokenizer.x', 'wordpiece.x'):\n"
        "    __import__('companion.exercises._registry').exercises._registry._of_chapter("
        "name.partition('.')[0])\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- the exercises of the book --------------------------------------------------------------------


def pages() -> dict[str, str]:
    """The source of each chapter that has exercises."""
    sources = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "book").glob("*.md")}
    return {name: source for name, source in sources.items() if "{solution-start}" in source}


def test_every_exercise_of_the_book_is_known_and_no_other() -> None:
    found = {
        f"{page}.{label.removeprefix(f'{page}-')}": title
        for page, source in pages().items()
        for title, label in re.findall(
            r"^```\{exercise\} (.+)\n:label: (.+)$", source, re.MULTILINE
        )
    }
    assert {exercise.name: exercise.title for exercise in ALL} == found
    assert list(chapters()) == [c for c in _in_order_of_the_book() if c in pages()]


def _in_order_of_the_book() -> list[str]:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [c["file"].removeprefix("book/") for part in toc["parts"] for c in part["chapters"]]


def test_every_checked_exercise_is_checked_in_its_solution() -> None:
    called = Counter(
        name for source in pages().values() for name in re.findall(r'^check\("([^"]+)", \w+\)$',
                                                                    source, re.MULTILINE)
    )  # fmt: skip
    assert called == Counter(exercise.name for exercise in CHECKED)


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.name)
def test_what_the_page_for_teachers_says_is_there(exercise: Exercise) -> None:
    assert exercise.topic
    assert exercise.level in (1, 2, 3)
    assert 1 <= exercise.minutes <= 60
    assert all(mistake.message.endswith((".", "?")) for mistake in exercise.mistakes)


# The answers to the exercises of each chapter.
ANSWERS = [
    importlib.import_module(f"tests.exercises.{path.stem}")
    for path in sorted((ROOT / "tests" / "exercises").glob("test_*.py"))
    if path.name != "test_exercises.py"
]
RIGHT = Counter(name for module in ANSWERS for name, _ in module.RIGHT)
WRONG = [answer for module in ANSWERS for answer in module.WRONG]


def said_of_all(table: str) -> set[str]:
    return {name for module in ANSWERS for name in getattr(module, table, {})}


def test_three_wrong_answers_and_a_right_one_are_tried_on_each() -> None:
    wrong = Counter(name for name, *_ in WRONG)
    assert {e.name for e in CHECKED if RIGHT[e.name] < 1 or wrong[e.name] < 3} == set()


def test_every_usual_mistake_is_heard() -> None:
    heard = {(name, message) for name, _, message in WRONG}
    usual = {(e.name, mistake.message) for e in CHECKED for mistake in e.mistakes}
    assert usual - heard == set()


def test_what_is_asked_for_and_the_hints_are_compared() -> None:
    assert said_of_all("ASKED") == {exercise.name for exercise in CHECKED if exercise.asks}
    assert said_of_all("HINTS") == {exercise.name for exercise in CHECKED if exercise.hint}
    # A judge does not show what the answer must be.
    assert said_of_all("ASKED") >= {exercise.name for exercise in CHECKED if exercise.judge}


def test_the_answers_of_every_chapter_are_tried() -> None:
    for module in ANSWERS:
        assert hasattr(module.TestAnswers, "test_a_right_answer_is_accepted"), module.__name__


# --- stubs and questions --------------------------------------------------------------------------

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from sphinx.errors import ExtensionError  # noqa: E402

from ttv.exercise_stubs import stub_of, with_stubs  # noqa: E402
from ttv.quiz import checked as checked_questions  # noqa: E402


def test_a_stub_keeps_name_signature_and_docstring_and_nothing_else() -> None:
    code = (
        "import math\n\n\ndef count(n: int, *, step=2) -> int:\n    '''Count.'''\n"
        "    return math.ceil(n / step)\n\n\nprint(count(3))\ncheck('windows.count', count)\n"
    )
    assert stub_of(code, "page") == (
        "from companion.exercises import check\n\n\ndef count(n: int, *, step=2) -> int:\n"
        '    """Count."""\n    ...\n\n\ncheck("windows.count", count)'
    )
    assert stub_of("lost = 348 - 317\ncheck('words.case', lost)", "page") == (
        'from companion.exercises import check\n\nlost = ...\ncheck("words.case", lost)'
    )
    assert stub_of("print(3)", "page") is None


def test_an_answer_without_a_name_has_no_stub() -> None:
    with pytest.raises(ExtensionError, match=r"page: write check\('name', answer\), not check"):
        stub_of("check('words.case', 348 - 317)", "page")


def test_a_stub_stands_between_exercise_and_solution() -> None:
    source = (
        "```{exercise} One\n:label: a-one\n\nText.\n```\n\n```{solution-start} a-one\n"
        ":class: dropdown\n```\n\n```{code-cell} ipython3\n:tags: [hide-input]\n\nx = 1\n"
        'check("a.one", x)\n```\n\n```{solution-end}\n```\n'
    )
    lines = with_stubs(source, "a").split("\n")
    stub = lines[5:12]
    assert stub == [
        "", "```{code-cell} ipython3", ":tags: [stub]", "",
        "from companion.exercises import check", "", "x = ...",
    ]  # fmt: skip
    assert with_stubs(source, "a").count("[stub]") == 1
    assert lines[:5] + lines[14:] == source.split("\n")


QUIZZES = sorted((ROOT / "book" / "quizzes").glob("*.yml"))


@pytest.mark.parametrize("path", QUIZZES, ids=lambda path: path.stem)
def test_questions(path: Path) -> None:
    questions = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert 3 <= len(checked_questions(questions, path.name)) <= 5
    for question in questions:
        assert question["question"].endswith("?")
        texts = [choice["text"] for choice in question["choices"]]
        assert len(set(texts)) == len(texts) >= 3
    # Whoever always takes the same letter shall not be right.
    places = {[bool(c.get("right")) for c in q["choices"]].index(True) for q in questions}
    assert len(places) > 1


def test_every_chapter_has_questions() -> None:
    assert {path.stem for path in QUIZZES} == set(pages())
    for name, source in pages().items():
        assert f"```{{quiz}} {name}\n" in source


@pytest.mark.parametrize(
    "question",
    [
        {"question": "Q?", "choices": [{"text": "a", "why": "w"}, {"text": "b", "why": "w"}]},
        {"question": "Q?", "choices": [{"text": "a", "why": "w", "right": True},
                                       {"text": "b", "why": "w", "right": True}]},
        {"question": "Q?", "choices": [{"text": "a", "right": True}, {"text": "b", "why": "w"}]},
        {"question": "Q?", "choices": [{"text": "a", "why": "w", "right": True}]},
    ],
)  # fmt: skip
def test_a_question_that_is_not_whole(question: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"x\.yml: 'Q\?' needs 2 to 6 choices, one of them right"):
        checked_questions([question], "x.yml")


def test_find_returns_an_exercise() -> None:
    assert find("words.case") in ALL
