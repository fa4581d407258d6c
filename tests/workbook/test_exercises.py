"""`check`: it checks, explains, lists, and raises no error because of what a reader wrote.

The answers that are tried on each exercise are in the other files, chapter by chapter.
"""

import io
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import redirect_stdout
from decimal import Decimal
from fractions import Fraction
from itertools import count, repeat
from typing import Any

import numpy as np
import pytest
import torch

from workbook.exercises import Exercise, chapters, check, grade
from workbook.exercises._grading import NOTHING, Mistake

ALL = [exercise for group in chapters().values() for exercise in group]
CHECKED = [exercise for exercise in ALL if exercise.checked]
NOTHING_RETURNED = "nothing yet. Your function returns None: write its body, down to a return."


def add(right: Any, **options: Any) -> Exercise:
    """Make an exercise to try things on."""
    return Exercise("demo.add", "Add", "sums", 1, 1, right=right, **options)


def judged(judge: Callable[[Any], Any], takes: str = "x") -> Exercise:
    return Exercise("demo.judged", "Judged", "sums", 1, 1, judge=judge, takes=takes)


def said(exercise: Exercise, answer: object = NOTHING) -> str:
    """Return what is said about an answer, without the "not yet." of most messages."""
    result = grade(exercise, answer)
    assert result.passed is (result.message == "right.")
    return result.message.removeprefix("not yet. ")


def fail(error: BaseException) -> Any:
    raise error


def same(x: Any) -> Any:
    return x


def stub(a: int, b: int) -> None: ...


def deep(a: int, b: int) -> int:
    return deep(a, b) + 1


def put(row: list[int], table: list[Any]) -> int:
    table.append(sum(row))
    return len(table)


SUM = add(
    lambda a, b: a + b,
    cases=lambda: [(1, 2), (2, 2), (0, 5)],
    mistakes=[Mistake(lambda a, b: a * b, "That multiplies.")],
)
PAIRS = add(lambda n: [(i, i + 1) for i in range(n)], cases=[(3,), (0,), (2,)])
PUT = add(put, cases=[([1, 2], [5]), ([4], [])], in_place=True, mistakes=[
    Mistake(lambda row, table: table.append(row) or len(table), "Add it up.")])  # fmt: skip
CALL = "your function([1, 2], [5])"
NAMED = add([1, 2], mistakes=[Mistake((2, 1), "Reversed."), Mistake([..., 3], "Not 3.")],
            remarks=["One.", "Two."])  # fmt: skip
LARGE = judged(lambda answer: None if answer > 2 else f"{answer} is too small.", takes="")
NO_END = "yields more than 100,000 values: does its loop end?"

SAID: list[tuple[Exercise, list[tuple[Any, str]]]] = [
    (SUM, [
        (lambda *args: np.int64(sum(args)), "right."),
        (lambda a, b: torch.tensor(a + b), "right."),
        # Wrong in one case only, and there it does what the mistake does.
        (lambda a, b: a + b if a else 0, "That multiplies."),
        # A mistake must explain every wrong case.
        (lambda a, b: a * b if a == 1 else 9, "your function(1, 2) returns 2; it should return 3."),
        (max, "max(1, 2) returns 2; it should return 3."),
        (lambda a: a, "The checker calls your function with (a, b), but it takes (a)."),
        (3, "Pass the function itself, a function of (a, b), not the value that it returns."),
        (stub, NOTHING_RETURNED),
        # A function that returns something somewhere has been written.
        (lambda a, b: None if a else 5, "your function(1, 2) returns None; it should return 3."),
        (..., "nothing yet. Put your answer in place of the dots, and run again."),
        (lambda a, b: None if a == 1 else 1 / 0,
         "your function(2, 2) raises ZeroDivisionError: division by zero."),
        (deep, "deep(1, 2) raises RecursionError: maximum recursion depth exceeded."),
        (lambda a, b: sys.exit("bye"), "your function(1, 2) raises SystemExit: bye."),
        (lambda a, b: repeat(a), f"your function(1, 2) {NO_END}"),
    ]),
    (PAIRS, [
        # A `return` inside the loop gives None where the loop does not run.
        (lambda n: [[0, 1]] if n else None,
         "Only the first entry comes back: does `return` stand inside the loop?"),
        (lambda n: [[i, i + 1] for i in range(n)][-1:],
         "Only the last entry comes back: is the list made anew in the loop?"),
        (lambda n: (0, 1) if n else None,
         "Only one entry comes back: collect all entries in a list."),
        (lambda n: [k for i in range(n) for k in (i, i + 1)],
         "This is one long list: put what belongs together into a list or pair of its own."),
        (lambda n: n, "That is how many there are; return the list."),
    ]),
    (add(lambda n: [*range(n)], cases=[(99,)]), [  # lists that begin alike
        (lambda n: [*range(n - 9), *[0] * 9],
         "your function(99): entry 90 (counted from 0) is 0; it should be 90."),
        (lambda n: range(98), "your function(99) returns 98 entries; it should return 99."),
    ]),
    (PUT, [
        (put, "right."),
        (lambda row, table: len(table) + 1, f"After {CALL}, `table` is [5]; it should be [5, 3]."),
        (lambda row, table: (put(row, table), row.clear())[0],
         f"{CALL} changes `row`, which should stay as it is."),
        (lambda row, table: -put(row, table), "All signs are reversed."),
        (lambda row, table: table.append(row) or len(table), "Add it up."),
        (lambda row, table: table.append(sum(row)), NOTHING_RETURNED),
    ]),
    (add(lambda a: None if a else 0, cases=[(1,), (0,)]), [  # None may be right
        (lambda a: None if a else 0, "right."), (lambda a: None, NOTHING_RETURNED),
    ]),
    (add([0.25, 10, 0.75], unordered=True), [
        ({10, 0.75 + 1e-8, 0.25}, "right."), ([10, 0.25, 0.25], "An entry occurs twice."),
        ([10, 0.25, "a"], "'a' does not belong there."),
    ]),
    (add([1, "a", (2,)], unordered=True), [(["a", (2,), 1], "right.")]),  # of any types
    (NAMED, [
        (np.array([2, 1]), "Reversed."), (("a", 3), "Not 3."), ([9, 9], "One."), ([1, 9], "Two."),
    ]),
    (judged(lambda f: None if f(2) + f([1])[0] == 5 else f"{f.name} is wrong."), [
        (lambda x: (3,) if isinstance(x, list) else torch.tensor(x), "right."),
        (same, "same is wrong."), (lambda x: None, NOTHING_RETURNED),  # None + … raises
        (lambda x: sys.exit("bye"), "your function(2) raises SystemExit: bye."),
    ]),
    (add(NOTHING, judge=lambda y, x: "!" * (y - x), cases=[(1,), (2,)], takes="x"), [
        (same, "right."), (lambda x: 2 * x, "your function(1): !"),
    ]),
    (LARGE, [(3, "right."), (2, "2 is too small.")]),
    *((add(right), [(given, message)]) for right, given, message in [
        (3, 4, "4 is too large."), (5, -4, "-4 is too small."),
        (3, float("nan"), "Your answer is nan, which is not a number: look for a division 0/0."),
        (3, "3", "Your answer is '3'; it should be an integer."),
        # The right length is not given away.
        ([1, 2, 3], [1], "Your list has 1 entry, too few."),
        ([1, 2, 3], [1, 5, 4], "Entry 1 (counted from 0) is 5, which is wrong."),
        ([True, "a"], [0, "a"], "Entry 0 (counted from 0) is 0; it should be True or False."),
        ([1, 2], count(), f"Your answer {NO_END}"),
        ([1, 2], np.zeros((50_257, 48)), "Your list has 50257 entries, too many."),
        ([1, 2], 1, "Your answer is 1; it should be a list."),
        (3, lambda: 3, "This is a function; pass the value that it returns."),
        ("a", "x" * 999, f"'{'x' * 78}… is wrong."),
        # What a right answer often becomes.
        ([1, 2], [2, 1], "All is there, but in the wrong order: turn it round."),
        (0.24, 24.0, "That is in percent; give the share, between 0 and 1."),
        (0.24, 0.76, "That is the other part of the whole: subtract it from 1."),
        ({"a": [1, 2]}, {"a": [-1, -2]}, "All signs are reversed."),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("exercise", "answer", "message"), [(e, *each) for e, answers in SAID for each in answers]
)
def test_what_is_said(exercise: Exercise, answer: Any, message: str) -> None:
    assert re.sub(r"exceeded .*\.$", "exceeded.", said(exercise, answer)) == message


def test_an_error_is_cut_and_a_hint_follows_it() -> None:
    mistakes = [Mistake(lambda a: 1 / a, "Never.")]  # it fails on the case, and is passed over
    exercise = add(lambda a: a, cases=[(0,)], mistakes=mistakes, hint="Divide by something else.")
    message = said(exercise, lambda a: fail(ValueError(f"{'x' * 999} y")))
    assert message.endswith(" raises ValueError: " + 300 * "x" + " …. Divide by something else.")


def test_an_answer_cannot_change_the_cases() -> None:
    exercise = add(lambda x: sum(x.pop() for _ in range(len(x))), cases=[([1, 2, 3],), ([4],)])
    for _ in range(2):
        assert said(exercise, sum) == "right."
        assert "([1, 2, 3]) returns 7; it should" in said(exercise, lambda x: x.clear() or 7)


@pytest.mark.parametrize(
    ("right", "given", "same"),
    [
        ([1, 2, 3], np.array([1, 2, 3]), True), ([1, 2, 3], torch.arange(1, 4), True),
        ([1, 2], iter([1, 2]), True), ([(0, 2), (1, 3)], {0: 2, 1: 3}.items(), True),
        (["ab", "c"], np.array(["ab", "c"]), True), (["ab", "c"], deque(["ab", "c"]), True),
        (0.5, Fraction(1, 2), True), (2, 2.0, True), (1 / 3, np.float32(1 / 3), True),
        (0.75, Decimal("0.75"), True), (0.75, Decimal("0.7"), False), (8, 8 + 1e-12, True),
        (2**60 + 1, Decimal(2**60 + 1), True), (2**60 + 1, Fraction(2**60), False),
        (2**60 + 1, np.int64(2**60 + 1), True), (2**60 + 1, 2**60, False),
        (2**60 + 1, 2.0**60, False), ({1, 2}, frozenset({2, 1}), True),
        (3, torch.tensor(3), True), (True, np.bool_(True), True), (float("nan"), np.nan, True),
        ({("a", "b"): 1}, {("a", "b"): np.int64(1)}, True), ({(1, (2, 3))}, {(1, (2, 3))}, True),
        ({"a": 1}, {"a": 1, "b": 0}, True), ({"a": 1, "b": 0}, {"a": 1}, True),
        (1.0, 1 + 5e-7, True), (1.0, 1 + 2e-6, False), (0.0, 5e-10, True), (0.0, 2e-9, False),
        (1_000_000, 1_000_000.5, False), (float("nan"), 1.0, False), ([1, 1], [True, 1], False),
        ({"a": 1}, {"b": 1}, False), ("ab", b"ab", False), ({1, 2}, [1, 2], False),
        ([1, 2, 3], [3, 1, 2], False),
    ],
)  # fmt: skip
def test_what_counts_as_the_same(right: Any, given: Any, same: bool) -> None:
    assert grade(add(right), given).passed is same


@pytest.mark.parametrize(
    ("right", "tolerance", "given", "same"),
    [
        (0.2397, 0.01, 0.24, True), (0.2397, 1e-6, 0.24, False),
        (0.0, 0.01, 5e-6, True), (0.0, 0.01, 2e-5, False),  # near 0 no size says how far off
        (10, 0.5, 11.0, False),  # integers are exact
    ],
)  # fmt: skip
def test_how_far_off_a_number_may_be(right: Any, tolerance: float, given: Any, same: bool) -> None:
    assert grade(add(right, tolerance=tolerance), given).passed is same


def test_what_cannot_be_checked_says_so() -> None:
    exercise = Exercise("demo.why", "Why", "thought", 2, 10)
    assert said(exercise, "because").startswith("this one asks for an explanation; ")
    assert said(LARGE, "a").startswith("The checker cannot read it (TypeError: '>' not supp")


def test_what_an_answer_prints_is_held_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(SUM, lambda a, b: sys.stdout.buffer.write(b"\xff") and a + b) == "right."
    assert said(SUM, lambda a, b: print(a) or 1 / 0).endswith("division by zero.")
    assert capsys.readouterr().out == ""


def test_an_interrupt_reaches_the_reader_with_the_end_of_what_was_printed() -> None:
    def spin(x: int, y: int = 0) -> None:
        for i in range(10_000):
            print("step", i)
        raise KeyboardInterrupt

    for exercise in (add(lambda x: x, cases=[(1,)]), judged(lambda f: f(1))):
        with redirect_stdout(io.StringIO()) as out, pytest.raises(KeyboardInterrupt):
            grade(exercise, spin)
        assert out.getvalue().endswith("step 9998\nstep 9999\n\n")
        assert len(out.getvalue()) < 1000


def test_check_prints_remembers_and_lists(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbook.exercises._registry.passed", passed := set[str]())
    monkeypatch.setattr("workbook.exercises.passed", passed)
    for answer in (31, 30, 31):
        check("words.case", answer)
    assert capsys.readouterr().out.splitlines() == [
        "words.case: right.", "words.case: not yet. 30 is too small.", "words.case: right.",
    ]  # fmt: skip
    check("words.unknown")
    assert capsys.readouterr().out.startswith("words.unknown: this one asks for the share of ")
    check()
    *_, last = capsys.readouterr().out.splitlines()
    assert last.startswith(f"1 of {len(CHECKED)} passed in this session")


def test_check_returns_the_function_to_go_on_with() -> None:
    def windows(ids: list[int], n: int, stride: int) -> Any:
        return [(ids[i:][:n], ids[i + 1 :][:n]) for i in range(0, len(ids) - n, stride)]

    assert check("windows.windows", windows) is windows
    (ours,) = {check("windows.windows", wrong) for wrong in (stub, max, ..., 3)}
    assert ours([1, 2, 3], 2, 1) == [([1, 2], [2, 3])]
    assert check("windows.windows") is ours
    assert check("words.case", 31) is check("words.case", 30) is None


def test_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    names: list[Any] = ["words.cas", "half", 31]
    assert [check(name, 31) for name in names] == [31, 31, 31]
    assert capsys.readouterr().out.splitlines() == [
        "There is no exercise 'words.cas'. Did you mean 'words.case'? check() lists all.",
        "There is no exercise 'half'. check() lists all.",
        "The first argument is a name, such as 'words.case'. check() lists all.",
    ]


WITHOUT_PACKAGES = """
import sys
sys.modules |= dict.fromkeys("matplotlib numpy safetensors tiktoken torch tqdm".split())
from workbook.exercises import chapters, check, grade
check("words.case", 31)
assert "companion.bpe" not in sys.modules
check("windows.twice", max)
import inspector
from companion import bpe, unigram, wordpiece
bpe.train_bpe("ab", 257), unigram.train_unigram("ab", 4), wordpiece.train_wordpiece("ab", 9)
for exercise in [each for group in chapters().values() for each in group if not each.needs]:
    said = [grade(exercise, mistake.answer).message for mistake in exercise.mistakes]
    assert not [text for text in said if " raises " in text or "installed" in text], said
    if exercise.checked and not exercise.judge:
        assert grade(exercise, exercise.right).message == "right.", exercise.name
"""


def test_what_needs_no_package_is_learned_and_checked_without_any() -> None:
    """As in the page, where Python has only its standard library."""
    done = subprocess.check_output([sys.executable, "-c", WITHOUT_PACKAGES], text=True)
    assert done.splitlines() == [
        "words.case: right.", "windows.twice: this one needs torch, which is not installed."
    ]  # fmt: skip


# Answers that are wrong everywhere, and that must not confuse a checker.
ODD = [
    None, True, -1, 10**30, float("nan"), 1j, "", "a", b"a", [], [[]], [None], {1: 2}, {"a"},
    np.zeros((0, 3)), np.array("a"), object(), [object()], [1, "a", b"c", None], [[1, 2], [3]],
    range(3), ["a", "b", "c", 1, True], ([1, 2, 3], "abc"),
]  # fmt: skip


@pytest.mark.parametrize("exercise", CHECKED, ids=lambda exercise: exercise.name)
def test_an_exercise_says_what_it_asks_for_and_reads_odd_answers(exercise: Exercise) -> None:
    asked = said(exercise)
    assert asked.startswith("this one asks for ")
    assert exercise.asks or exercise.judge is None  # a judge does not show what it wants
    takes_function = "a function of" in asked
    if takes_function:
        raised = said(exercise, lambda *arguments: fail(ValueError("out of wits")))
        assert raised.endswith(f") raises ValueError: out of wits. {exercise.hint}".rstrip())
        assert said(exercise, lambda *arguments: None) == NOTHING_RETURNED
    # What has no judge of its own is compared in the same way in all exercises.
    for value in ODD if exercise.judge else ODD[::10]:
        returning = [lambda *_, value=value: value, lambda *_, value=value: iter([value])]
        for answer in returning if takes_function else [value]:
            message = said(exercise, answer)
            assert message != "right.", value
            assert "The checker cannot read it" not in message, (value, message)


@pytest.mark.parametrize("exercise", CHECKED, ids=lambda exercise: exercise.name)
def test_every_common_mistake_and_wrong_entry_gets_its_message(exercise: Exercise) -> None:
    for mistake in exercise.mistakes:
        answer = mistake.answer
        if isinstance(answer, list) and ... in answer:  # where any entry will do, the right one
            answer = [r if a is ... else a for a, r in zip(answer, exercise.right, strict=True)]
        assert said(exercise, answer) == mistake.message
    for i, remark in enumerate(exercise.remarks):
        kind = type(exercise.right[i])
        wrong = not exercise.right[i] if kind is bool else kind()
        answer = [*exercise.right[:i], wrong, *exercise.right[i + 1 :]]
        assert said(exercise, answer) == remark
