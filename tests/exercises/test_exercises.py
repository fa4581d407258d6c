"""`check`: it checks, explains, lists, and raises no error because of what a reader wrote.

The answers that are tried on each exercise are in `test_NAME.py`, chapter by chapter.
"""

import contextlib
import importlib
import re
import shutil
import signal
import subprocess
import sys
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
from answers import find_exercise

from companion.exercises import Exercise, _registry, chapters, check, find, grade
from companion.exercises import _grading as grading
from companion.exercises._grading import Mistake

ROOT = Path(__file__).parents[2]
ALL = [exercise for group in chapters().values() for exercise in group]
CHECKED = [exercise for exercise in ALL if exercise.checked]
NOTHING_RETURNED = "nothing yet. Your function returns None: write its body, down to a return."


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


def judged(judge: Callable[[Any], Any], takes: str = "x") -> Exercise:
    return Exercise("demo.judged", "Judged", "sums", 1, 1, judge=judge, takes=takes)


def said(exercise: Exercise, answer: object = grading.NOTHING) -> str:
    """Return what is said about an answer, without the "not yet." of most messages."""
    result = grade(exercise, answer)
    assert result.passed is (result.message == "right.")
    return result.message.removeprefix("not yet. ")


# --- functions ------------------------------------------------------------------------------------


def sum_of(x: int, y: int) -> Any:
    return np.int64(x + y)


class Adder:
    def __call__(self, a: int, b: int) -> torch.Tensor:
        return torch.tensor(a + b)


class Zero:
    def __call__(self, a: int, b: int) -> int:
        return 0


def stub(a: int, b: int) -> None: ...


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda a, b: b + a, "right."),
        (sum_of, "right."),
        (lambda *args: sum(args), "right."),
        (lambda a, b, c=0: a + b + c, "right."),
        (Adder(), "right."),
        (lambda a, b: a * b, "That multiplies."),
        (lambda a, b: a - b, "Minus."),
        # Wrong in one case only, and there it does what the mistake does.
        (lambda a, b: a + b if a else 0, "That multiplies."),
        # A mistake must explain every wrong case.
        (lambda a, b: a * b if a == 1 else 9,
         "your function(1, 2) returns 2; it should return 3."),
        (lambda a, b: a + b if a < 2 else 9, "your function(2, 2) returns 9; it should return 4."),
        (lambda a, b: 7, "your function(1, 2) returns 7; it should return 3."),
        (max, "max(1, 2) returns 2; it should return 3."),
        (Zero(), "your function(1, 2) returns 0; it should return 3."),
        (lambda a: a, "The checker calls your function with (a, b), but it takes (a)."),
        (lambda a, b, c: a, "The checker calls your function with (a, b), but it takes (a, b, c)."),
        (3, "Pass the function itself, a function of (a, b), not the value that it returns."),
        (stub, NOTHING_RETURNED),
        # A function that returns something somewhere has been written.
        (lambda a, b: None if a else 5, "your function(1, 2) returns None; it should return 3."),
        (..., "nothing yet. Put your answer in place of the dots, and run again."),
    ],
)  # fmt: skip
def test_what_is_said_about_a_function(answer: Any, message: str) -> None:
    assert said(SUM, answer) == message


def test_a_mistake_that_fails_on_a_case_is_passed_over() -> None:
    exercise = add(lambda a: a, cases=[(0,)], mistakes=[Mistake(lambda a: 1 / a, "Never.")])
    assert said(exercise, lambda a: 5) == "your function(0) returns 5; it should return 0."


def test_an_answer_cannot_change_the_cases() -> None:
    def greedy(x: list[int]) -> int:
        total = 0
        while x:
            total += x.pop()
        return total

    exercise = add(
        greedy, cases=[([1, 2, 3],), ([4],)], mistakes=[Mistake(lambda x: x.pop(0), "First.")]
    )
    for _ in range(2):
        assert said(exercise, greedy) == "right."
    assert said(exercise, lambda x: x.clear() or 7) == (
        "your function([1, 2, 3]) returns 7; it should return 6."
    )
    assert said(exercise, lambda x: x[0] if len(x) > 1 else 4) == "First."


def test_none_may_be_right() -> None:
    exercise = add(lambda a: None if a else 0, cases=[(1,), (0,)])
    assert said(exercise, lambda a: None if a else 0) == "right."
    assert said(exercise, lambda a: None) == NOTHING_RETURNED
    assert said(add(lambda a: None, cases=[(1,)]), lambda a: None) == "right."


def test_an_argument_with_a_default_is_not_passed() -> None:
    exercise = add(lambda a, how="sum": a, cases=[(1,)])
    assert said(exercise, lambda a: a) == "right."
    assert said(exercise).startswith("this one asks for a function of (a); ")


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "given", "same"),
    [
        ([1, 2, 3], (1, 2, 3), True), ([1, 2, 3], np.array([1, 2, 3]), True),
        ([1, 2, 3], torch.arange(1, 4), True), ([1, 2, 3], range(1, 4), True),
        ([[1], [2]], torch.tensor([[1], [2]], dtype=torch.uint8), True),
        ([(0, 2), (1, 3)], {0: 2, 1: 3}.items(), True), ([1, 2], {1: "a", 2: "b"}.keys(), True),
        ([1, 1], {"a": 1, "b": 1}.values(), True), ({"a": 1}, Counter("a"), True),
        (0.5, Fraction(1, 2), True), (2, 2.0, True), (1 / 3, np.float32(1 / 3), True),
        (b"ab", bytearray(b"ab"), True), ({1, 2}, frozenset({2, 1}), True),
        ({"a": [1]}, {"a": (1,)}, True), (3, torch.tensor(3), True), (True, np.bool_(True), True),
        (None, None, True), (float("nan"), np.nan, True),
        ([0.1], torch.tensor([0.1], requires_grad=True), True),
        ({("a", "b"): 1}, {("a", "b"): np.int64(1)}, True),
        (1.0, 1 + 5e-7, True), (1.0, 1 + 2e-6, False), (0.0, 5e-10, True), (0.0, 2e-9, False),
        (1, 2, False), (1_000_000, 1_000_000.5, False),
        (float("nan"), 1.0, False), (1.0, float("nan"), False),
        ([1, 1], [True, 1], False), ({"a": 1}, {"b": 1}, False), ({1: 1, 2: 2}, {1: 1}, False),
        ({"a": [0.5]}, {"a": [0.5 + 1e-8]}, True), ("ab", b"ab", False), ({1, 2}, [1, 2], False),
        ([1, 2], {1, 2}, False), ([(1, 2), {3: (4, 5)}], [[1, 2], {3: [4, 5]}], True),
        ({(1, (2, 3)): 4}, {(1, (2, 3)): 4}, True), ({(1, 2)}, {(1, 3)}, False),
        (b"ab", memoryview(b"ab"), False), ([97, 98], memoryview(b"ab"), True),
        ({"a": 1}, {"a": 1, "b": 0}, False),
    ],
)  # fmt: skip
def test_what_counts_as_the_same(right: Any, given: Any, same: bool) -> None:
    assert grade(add(right), given).passed is same


def test_what_can_be_read_only_once_is_a_list() -> None:
    assert grade(add([1, 2]), iter([1, 2])).passed
    assert grade(add([1, 2]), (number for number in (1, 2))).passed


@pytest.mark.parametrize(
    ("right", "given", "message"),
    [
        (3, 4, "4 is too large."),
        (3, 2.5, "2.5 is too small."),
        (3, float("nan"), "Your answer is nan, which is not a number: look for a division 0/0."),
        (3, "3", "Your answer is '3'; it should be an integer."),
        (1, True, "Your answer is True; it should be an integer."),
        (True, 1, "Your answer is 1; it should be True or False."),
        ("a b", "a  b", "'a  b' is wrong."),
        ([1, 2, 3], [1, 2], "Your list has 2 entries; it should have 3."),
        ([1, 2, 3], [1, 5, 4], "Entry 1 (counted from 0) is 5, which is wrong."),
        ([0.25, 1.5], [0.25, 1.75], "Entry 1 (counted from 0) is 1.75, which is wrong."),
        ([1, 2], 1, "Your answer is 1; it should be a list."),
        (1, [1], "Your answer is [1]; it should be an integer."),
        (3, lambda: 3, "This is a function; pass the value that it returns."),
        ({"a": 1}, {"a": 2}, "{'a': 2} is wrong."),
    ],
)
def test_a_wrong_value(right: Any, given: Any, message: str) -> None:
    assert said(add(right), given) == message


def test_order_tolerance_and_zeros() -> None:
    numbers = add([0.25, 10, 0.75], unordered=True)
    for given in ([10, 0.75 + 1e-8, 0.25], {10, 0.75, 0.25}, {10: 1, 0.75: 2, 0.25: 3}.keys()):
        assert said(numbers, given) == "right."
    assert said(numbers, [10, 0.25, 0.25]) == "Some entries are wrong."
    assert said(numbers, {10, 0.25}) == "Your list has 2 entries; it should have 3."
    assert said(add([True], unordered=True), {1}) == "Some entries are wrong."
    assert said(add([1, "a", (2,)], unordered=True), ["a", (2,), 1]) == "right."  # of any types
    assert not grade(add([1, 2, 3]), [3, 1, 2]).passed

    assert grade(add(0.2397, tolerance=0.01), 0.24).passed
    assert not grade(add(0.2397), 0.24).passed
    assert not grade(add(10, tolerance=0.5), 11).passed  # integers are exact
    assert not grade(add(10, tolerance=0.5), 11.0).passed

    assert grade(add({"a": 1, "c": 0}, sparse=True), {"a": 1, "b": 0}).passed
    assert not grade(add({"a": 1}, sparse=True), {"a": 0, "b": 1}).passed


def test_a_common_wrong_value_is_named() -> None:
    exercise = add(
        [1, 2],
        mistakes=[
            Mistake((2, 1), "Reversed."), Mistake([0], "Zero."), Mistake([..., 3], "Not 3."),
        ],
    )  # fmt: skip
    assert said(exercise, np.array([2, 1])) == "Reversed."
    assert said(exercise, [0]) == "Zero."
    assert said(exercise, [1, 3]) == said(exercise, ("a", 3)) == "Not 3."
    assert said(exercise, [..., 2]) == "Entry 0 (counted from 0) is Ellipsis, which is wrong."


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.array([True, False]), "right."),
        ([False, False], "One is odd."), ([True, True], "Two is even."),
        ([False, True], "One is odd."), ([True, 0], "0 is neither True nor False."),
        ([True], "Your list has 1 entries; it should have 2."),
        ("ab", "Your answer is 'ab'; it should be a list."),
    ],
)  # fmt: skip
def test_each_wrong_entry_of_a_list_may_have_a_remark(answer: Any, message: str) -> None:
    exercise = add([True, False], remarks=["One is odd.", "Two is even."])
    assert said(exercise, answer) == message


def test_a_tensor_is_a_value_even_if_it_can_be_called() -> None:
    class Called(np.ndarray[Any, Any]):
        def __call__(self) -> None: ...

    assert grade(add([1, 2]), np.array([1, 2]).view(Called)).passed


@pytest.mark.parametrize(
    ("right", "kind"),
    [
        (True, "True or False"), (1, "an integer"), (0.5, "a number"), ("a", "a string"),
        (b"a", "bytes"), ([1], "a list"), ((1,), "a list"), ({1: 2}, "a dictionary"),
        ({1}, "a set"), (1j, "of type complex"),
    ],
)  # fmt: skip
def test_the_kind_of_a_value_is_named(right: Any, kind: str) -> None:
    assert said(add(right)) == f"this one asks for a value, {kind}: check('demo.add', …)."
    assert said(add(right), None) == f"Your answer is None; it should be {kind}."


def test_an_explanation_is_not_checked() -> None:
    exercise = Exercise("demo.why", "Why", "thought", 2, 10)
    assert not exercise.checked
    assert said(exercise, "because") == (
        "this one asks for an explanation; compare yours with the chapter's."
    )


def test_what_is_long_is_cut() -> None:
    assert grading.shown("x" * 78) == f"'{'x' * 78}'"
    assert grading.shown("x" * 79) == f"'{'x' * 78}…"
    assert grading.shown("abcdef", 4) == "'ab…"
    assert grading.shown(np.eye(2)) == "array([[1., 0.], [0., 1.]])"  # on one line
    exercise = add(lambda a, b: a, cases=[("x" * 50, (1, 2))])
    assert said(exercise, lambda a, b: 3) == (
        f"your function('{'x' * 38}…, [1, 2]) returns 3; it should return '{'x' * 50}'."
    )


# --- judges ---------------------------------------------------------------------------------------


def test_a_judge_says_what_is_wrong() -> None:
    exercise = judged(lambda answer: None if answer > 2 else f"{answer} is too small.", takes="")
    assert exercise.checked
    assert said(exercise, 3) == "right."
    assert said(exercise, 2) == "2 is too small."
    assert said(exercise, "a").startswith("The checker cannot read it (TypeError: '>' not supp")


def test_a_judge_calls_a_function() -> None:
    exercise = judged(lambda f: None if f(2) + f([1])[0] == 5 else f"{f.name} is wrong.")

    def right(x: Any) -> Any:
        return (x.pop() + 2,) if isinstance(x, list) else torch.tensor(x)

    def half_done(x: Any) -> Any:
        return [3] if isinstance(x, list) else None

    def wrong(x: Any) -> Any:
        return [9] if isinstance(x, list) else x

    assert said(exercise, right) == "right."
    assert said(exercise, wrong) == "wrong is wrong."
    assert said(exercise, lambda x: wrong(x)) == "your function is wrong."
    assert said(exercise, lambda x: None) == NOTHING_RETURNED  # None + … raises
    assert said(exercise, half_done).startswith("The checker cannot read it (TypeError: ")
    assert said(exercise, lambda x: 1 / 0) == (
        "your function(2) raises ZeroDivisionError: division by zero."
    )
    assert said(exercise, [1]).startswith("Pass the function itself, a function of (x)")
    assert said(exercise, lambda: 1).startswith("The checker calls your function with (x)")


def test_a_judge_that_never_calls_the_function_is_believed() -> None:
    assert said(judged(lambda f: None), lambda x: None) == "right."
    assert said(judged(lambda f: f(0)), lambda x: None) == NOTHING_RETURNED


# --- answers that misbehave -----------------------------------------------------------------------


class Hostile:
    """Raises an error when it is compared, shown or read."""

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


def gives_up(a: int, b: int) -> Any:
    yield a
    raise GeneratorExit


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda a, b: 1 / 0, "your function(1, 2) raises ZeroDivisionError: division by zero."),
        (lambda a, b: [][a], "your function(1, 2) raises IndexError: list index out of range."),
        (deep, "deep(1, 2) raises RecursionError: maximum recursion depth exceeded."),
        (leave, "leave(1, 2) raises SystemExit: bye."),
        (unprintable, "unprintable(1, 2) raises UnprintableError."),
        (gives_up, "gives_up(1, 2) raises GeneratorExit."),
        (lambda a, b: None if a == 1 else 1 / 0,
         "your function(2, 2) raises ZeroDivisionError: division by zero."),
        (Hostile(), "Pass the function itself, a function of (a, b), not the value that it returns."
                    ),
        (lambda a, b: Hostile(), "your function(1, 2) raises RuntimeError: no reading."),
    ],
)  # fmt: skip
def test_an_answer_that_raises_is_shown_with_its_error(answer: Any, message: str) -> None:
    assert re.sub(r"exceeded .*\.$", "exceeded.", said(SUM, answer)) == message


def test_a_hint_follows_the_error() -> None:
    exercise = add(lambda a: a, cases=[(1,)], hint="Divide by something else.")
    assert said(exercise, lambda a: 1 / 0).endswith("by zero. Divide by something else.")


class WordyError(Exception):
    pass


@pytest.mark.parametrize(
    ("text", "words"),
    [("It ends.", ": It ends."), ("no letter X", ": no letter X."),
     ("two\n  lines", ": two lines."), ("", "."),
     ("x" * 200, f": {'x' * 200}."), ("x" * 201, f": {'x' * 200}.")],
)  # fmt: skip
def test_the_message_of_an_error_is_put_on_one_line(text: str, words: str) -> None:
    def fail(a: int, b: int) -> None:
        raise WordyError(text)

    assert said(SUM, fail) == f"fail(1, 2) raises WordyError{words}"


# --- where an answer runs -------------------------------------------------------------------------


def test_an_answer_runs_with_the_grad_mode_of_the_reader() -> None:
    exercise = add(lambda on: on, cases=[(False,)])
    with torch.no_grad():
        assert said(exercise, lambda on: torch.is_grad_enabled()) == "right."
    assert said(add(lambda on: on, cases=[(True,)]), lambda on: torch.is_grad_enabled()) == "right."


def test_answers_with_gradients_are_right_without_grad_mode() -> None:
    def parts(table: torch.Tensor, inputs: torch.Tensor, targets: torch.Tensor) -> Any:
        with torch.enable_grad():
            result = []
            for read, scored in ((table, table.detach()), (table.detach(), table)):
                loss = torch.nn.functional.cross_entropy(read[inputs] @ scored.T, targets)
                result.append(torch.autograd.grad(loss, table)[0])
        return result

    with torch.no_grad():
        assert said(find_exercise("token-embeddings.tied"), parts) == "right."


def test_what_an_answer_prints_is_held_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(SUM, lambda a, b: print(a) or a + b) == "right."
    assert said(SUM, lambda a, b: print(a) or 1 / 0).endswith("division by zero.")
    print("seen")
    assert capsys.readouterr().out == "seen\n"


def interrupt_late(a: int, b: int) -> None:
    if (a, b) != (1, 2):
        raise KeyboardInterrupt


@pytest.mark.parametrize("answer", [interrupt, interrupt_late])
def test_an_interrupt_reaches_the_reader(answer: Callable[..., None]) -> None:
    for exercise in (SUM, judged(lambda f: f(1, 2) or f(2, 1), takes="a, b")):
        with pytest.raises(KeyboardInterrupt):
            grade(exercise, answer)


ENDLESS = [
    "def spin(data):\n    while True: pass",
    "def spin(data):\n    while True:\n        yield 1",
    "def spin(data):\n    while True:\n        try: 1 / 0\n        except Exception: pass",
    "def spin(data):\n    import re\n    re.match('(a+)+$', 'a' * 40 + 'b')",
]


@pytest.mark.outside_mutation
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_an_interrupt_stops_an_answer_that_does_not_end() -> None:
    with contextlib.ExitStack() as stack:
        processes = []
        for answer in ENDLESS:
            code = (
                "import signal\nfrom companion.exercises import check\n"
                "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                f"{answer}\nprint('starts', flush=True)\ncheck('bytes.count', spin)\n"
            )
            process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            processes.append(process)
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "starts\n"
        time.sleep(0.5)
        for process, answer in zip(processes, ENDLESS, strict=True):
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
            assert errors.endswith("KeyboardInterrupt\n"), answer


# --- check ----------------------------------------------------------------------------------------


@pytest.fixture
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_registry, "_passed", set())


@pytest.mark.usefixtures("_fresh")
def test_check_prints_and_remembers(capsys: pytest.CaptureFixture[str]) -> None:
    check("words.case", 31)
    check("words.case", 30)
    check("words.unknown", 0.5)
    check("words.unknown")
    check("words.unknown", ...)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "words.case: right.",
        "words.case: not yet. 30 is too small.",
        "words.unknown: not yet. 0.5 is too large.",
    ]
    assert lines[3].startswith("words.unknown: this one asks for the share of unknown tokens, ")
    assert lines[4].startswith("words.unknown: nothing yet.")
    check("words.case", 31)
    check()
    assert f"\n1 of {len(CHECKED)} passed in this session" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("words.cas", "There is no exercise 'words.cas'. Did you mean 'words.case'?"),
        ("Words.Case", "There is no exercise 'Words.Case'. Did you mean 'words.case'?"),
        ("ledger", "There is no exercise 'ledger'. Did you mean 'bert-input.ledger'?"),
        ("reach", "There is no exercise 'reach'. Did you mean 'positions.reach'?"),  # just enough
        ("half", "There is no exercise 'half'."),
        ("_grading.case", "There is no exercise '_grading.case'. Did you mean 'words.case'?"),
        ("words." + "x" * 100, f"There is no exercise 'words.{'x' * 54}'."),
        (31, "The first argument is the name of an exercise, a string such as 'words.case'."),
        (None, "The first argument is the name of an exercise, a string such as 'words.case'."),
    ],
)  # fmt: skip
def test_an_unknown_name(name: Any, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    check(name, 31)
    assert capsys.readouterr().out == f"{message} check() lists all.\n"


@pytest.mark.usefixtures("_fresh")
def test_the_list_has_a_line_for_each_chapter_and_exercise() -> None:
    _registry.mark_passed("words.case")
    _registry.mark_passed("words.case")
    expected = []
    for chapter, exercises in chapters().items():
        expected.append(chapter)
        for exercise in exercises:
            box = {"words.case": "[x]"}.get(exercise.name, "[ ]" if exercise.checked else " - ")
            expected.append(f"  {box} {exercise.name.ljust(32)} {exercise.title}")
    expected.append(f"1 of {len(CHECKED)} passed in this session; - asks for an explanation")
    assert _registry.listing().splitlines() == expected
    assert sum(line.startswith("   -  ") for line in expected) == len(ALL) - len(CHECKED) > 0


def test_find() -> None:
    for exercise in ALL:
        assert find(exercise.name) is exercise


# The chapters whose exercises run in the page, where nothing is installed.
WITHOUT_PACKAGES = ("words", "bytes", "bpe", "gpt2-tokenizer", "wordpiece", "choosing")
NOT_THERE = ["numpy", "torch", "matplotlib", "regex"]


@pytest.mark.outside_mutation
def test_checking_words_does_not_load_torch() -> None:
    code = (
        f"import sys\nsys.modules |= dict.fromkeys({NOT_THERE})\n"
        "from companion.exercises import check, find, chapters\n"
        f"for name in {WITHOUT_PACKAGES}:\n"
        "    for exercise in chapters()[name]: find(exercise.name)\n"
        "check('words.case', 31)\ncheck('gpt2-tokenizer.forge', lambda text: text)\n"
        "check('windows.count', 3)\ncheck('windows.cuont', 3)\ncheck()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "words.case: right."
    assert lines[1].startswith("gpt2-tokenizer.forge: not yet. your function('The river")
    assert lines[2] == "The exercises of 'windows' need torch, which is not installed."
    assert lines[3] == lines[2]
    assert "windows: not available here" in lines
    assert set(WITHOUT_PACKAGES) < set(lines)
    loaded = "import sys\nfrom companion.exercises import check\ncheck('words.case', 3)\n"
    loaded += "assert not {'torch', 'numpy', 'companion.bpe'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", loaded], check=True)


@pytest.mark.outside_mutation
def test_a_chapter_registers_itself_by_its_name(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "companion", tmp_path / "companion")
    source = (ROOT / "companion" / "exercises" / "words.py").read_text(encoding="utf-8")
    new = tmp_path / "companion" / "exercises" / "new_words.py"
    new.write_text(source.replace('"words.', '"new-words.'), encoding="utf-8")
    code = "from companion.exercises import check\ncheck('new-words.case', 31)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "new-words.case: right.\n"


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
    assert list(chapters()) == sorted(pages())


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


@pytest.mark.parametrize("exercise", CHECKED, ids=lambda exercise: exercise.name)
def test_an_exercise_says_what_it_asks_for_and_gives_its_hint(exercise: Exercise) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("out of wits")

    assert exercise.asks or exercise.judge is None  # a judge does not show what it wants
    asked = said(exercise)
    assert asked.startswith("this one asks for ")
    assert exercise.asks in asked
    if "a function of" in asked:
        assert said(exercise, fail).endswith(
            f") raises ValueError: out of wits. {exercise.hint}".rstrip()
        )
        assert said(exercise, lambda *arguments: None) == NOTHING_RETURNED
    else:
        assert not exercise.hint
        assert said(exercise, fail) == "This is a function; pass the value that it returns."


# Answers that are wrong everywhere, and that must not confuse a checker.
ODD = [
    None, True, -1, 10**30, 1.5, float("nan"), float("inf"), 1j, "", "a", b"a", [], [[]], [None],
    {}, {1: 2}, set(), {"a"}, np.zeros((0, 3)), np.array("a"), torch.zeros(2, 0),
    object(), [object()], [1, "a", b"c", None], [[1, 2], [3]], range(3), ["a", "b", "c", 1, True],
    ([1, 2, 3], "abc"),
]  # fmt: skip


@pytest.mark.parametrize("exercise", CHECKED, ids=lambda exercise: exercise.name)
def test_an_odd_answer_is_wrong_and_the_checker_can_read_it(exercise: Exercise) -> None:
    # What has no judge of its own is compared in the same way in all exercises.
    for value in ODD if exercise.judge else ODD[::10]:
        returning = [lambda *_, value=value: value, lambda *_, value=value: iter([value])]
        for answer in returning if grading._parameters(exercise) else [value]:
            message = said(exercise, answer)
            assert message != "right.", value
            assert "The checker cannot read it" not in message, (value, message)


# The answers to the exercises of each chapter.
ANSWERS = [
    importlib.import_module(f"tests.exercises.{path.stem}")
    for path in sorted((ROOT / "tests" / "exercises").glob("test_*.py"))
    if path.name != "test_exercises.py"
]
RIGHT = Counter(name for module in ANSWERS for name, _ in module.RIGHT)
WRONG = Counter(name for module in ANSWERS for name, *_ in module.WRONG)


def test_three_wrong_answers_and_a_right_one_are_tried_on_each() -> None:
    wrong = {e.name: WRONG[e.name] + len(e.mistakes) + len(e.remarks) for e in CHECKED}
    assert {name for name, tried in wrong.items() if RIGHT[name] < 1 or tried < 3} == set()


@pytest.mark.outside_mutation
@pytest.mark.parametrize(
    ("name", "i"),
    [(exercise.name, i) for exercise in CHECKED for i, _ in enumerate(exercise.mistakes)],
)
def test_every_common_mistake_gets_its_message(name: str, i: int) -> None:
    exercise = find_exercise(name)
    mistake = exercise.mistakes[i]
    answer = mistake.answer
    if isinstance(answer, list) and ... in answer:  # where any entry will do, the right one
        answer = [r if a is ... else a for a, r in zip(answer, exercise.right, strict=True)]
    assert said(exercise, answer) == mistake.message


@pytest.mark.parametrize(
    "exercise", [exercise for exercise in CHECKED if exercise.remarks], ids=lambda e: e.name
)
def test_every_wrong_entry_gets_its_remark(exercise: Exercise) -> None:
    for i, remark in enumerate(exercise.remarks):
        answer = [*exercise.right[:i], not exercise.right[i], *exercise.right[i + 1 :]]
        assert said(exercise, answer) == remark


def test_the_answers_of_every_chapter_are_tried() -> None:
    for module in ANSWERS:
        assert hasattr(module.TestAnswers, "test_a_right_answer_is_accepted"), module.__name__


# --- stubs and questions --------------------------------------------------------------------------

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from ttv.exercises import stub_of  # noqa: E402
from ttv.quiz import LETTERS  # noqa: E402


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


QUIZZES = sorted((ROOT / "book" / "quizzes").glob("*.yml"))


@pytest.mark.parametrize("path", QUIZZES, ids=lambda path: path.stem)
def test_questions(path: Path) -> None:
    questions = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert 3 <= len(questions) <= 5
    for question in questions:
        assert question["question"].endswith("?")
        choices = question["choices"]
        assert len({choice["text"] for choice in choices}) == len(choices)
        assert 3 <= len(choices) <= len(LETTERS)
        assert all(choice["why"] for choice in choices)
        assert [choice["right"] for choice in choices if "right" in choice] == [True]
    # A reader who always takes the same letter is not always right.
    places = {[bool(c.get("right")) for c in q["choices"]].index(True) for q in questions}
    assert len(places) > 1


def test_every_chapter_has_questions() -> None:
    assert {path.stem for path in QUIZZES} == set(pages())
    for name, source in pages().items():
        assert f"```{{quiz}} {name}\n" in source
