"""How an answer is judged: run, compared with the right one, and with the usual wrong ones."""

import copy
import ctypes
import inspect
import math
import numbers
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Literal

NOTHING = object()
"""Stands for an argument that was not given."""

SECONDS = 5.0
"""How long an answer may run."""

Judge = Callable[[Any], "str | None"]


@dataclass(frozen=True)
class Mistake:
    """A usual wrong answer: its own value or function, and what to say to whoever gives it."""

    answer: Any
    message: str


@dataclass(frozen=True)
class Exercise:
    """An exercise of a chapter, and how its answer is checked.

    Parameters
    ----------
    name : str
        Chapter and short name: ``"windows.count"``.
    title : str
        Its title in the chapter.
    topic : str
        What it trains, in a word or two, for the page for teachers.
    level : int
        1 for a minute's thought, 2 for some work, 3 for a small project.
    minutes : int
        The time it takes.
    right : object, optional
        The right answer: a function, or a value.
    cases : sequence of tuples, optional
        For a function the arguments of each call. A case gets its own copy of them.
    mistakes : sequence of Mistake, optional
        Usual wrong answers. One that gives the same as the reader's wherever that is wrong says
        what to mend.
    judge : callable, optional
        In place of `right`, where many answers are right: takes the answer, and returns None if it
        is right, else what to say.
    asks : str, optional
        What the answer must be, where `right` does not show it.
    hint : str, optional
        What may help when the answer raises an error.
    unordered : bool, optional
        The order of the results does not matter.
    tolerance : float, optional
        How far a number may be off, relative to its size.

    Notes
    -----
    With neither `right` nor `judge` the answer is an argument, which nobody checks but the reader:
    the chapter has a model answer.

    Examples
    --------
    >>> from companion.exercises import Exercise, grade
    >>> from companion.exercises._grading import Mistake
    >>> double = Exercise("demo.double", "Twice", "arithmetic", 1, 1, right=lambda x: 2 * x,
    ...                   cases=[(0,), (3,)], mistakes=[Mistake(lambda x: x * x, "Not squared.")])
    >>> grade(double, lambda x: x + x).message
    'right.'
    >>> grade(double, lambda x: x**2).message
    'not yet. Not squared.'
    """

    name: str
    title: str
    topic: str
    level: Literal[1, 2, 3]
    minutes: int
    right: Any = NOTHING
    cases: Sequence[tuple[Any, ...]] = ()
    mistakes: Sequence[Mistake] = ()
    judge: Judge | None = None
    asks: str = ""
    hint: str = ""
    unordered: bool = False
    tolerance: float = 1e-6

    @property
    def checked(self) -> bool:
        """Whether there is something to check; if not, the answer is an argument."""
        return self.right is not NOTHING or self.judge is not None


@dataclass(frozen=True)
class Result:
    """What came of an answer.

    Parameters
    ----------
    passed : bool
        Whether the answer is right.
    message : str
        What to say to whoever gave it.

    Examples
    --------
    >>> from companion.exercises import Result
    >>> Result(True, "right.").passed
    True
    """

    passed: bool
    message: str


def grade(exercise: Exercise, answer: object = NOTHING) -> Result:
    """Judge an answer; whatever the answer does, this returns.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    answer : object, optional
        A function or a value.

    Returns
    -------
    Result
        Whether it is right, and what to say.

    Examples
    --------
    >>> from companion.exercises import find, grade
    >>> grade(find("words.case"), "31").passed
    False
    """
    if not exercise.checked:
        return Result(False, "this one asks for an argument; compare yours with the chapter's.")
    if answer is NOTHING:
        return Result(False, f"this one asks for {_asked(exercise)}.")
    if answer is ...:
        return Result(False, "nothing yet. Put your answer in place of the dots, and run again.")
    outcome = _run(lambda: _verdict(exercise, answer))
    if outcome.error is not None:
        return Result(False, f"not yet. {_about_error(exercise, outcome.error)}")
    if outcome.value is None:
        return Result(True, "right.")
    return Result(False, str(outcome.value))


def _asked(exercise: Exercise) -> str:
    """Say what an answer must be."""
    call = f"check({exercise.name!r}, …)"
    if exercise.asks:
        return f"{exercise.asks}: {call}"
    if callable(exercise.right):
        names = ", ".join(inspect.signature(exercise.right).parameters)
        return f"a function of ({names}), itself and not what it returns: {call}"
    return f"a value, {_kind_of(exercise.right)}: {call}"


def _kind_of(value: object) -> str:
    kinds = {
        bool: "True or False", int: "an integer", float: "a number", str: "a string",
        bytes: "bytes", list: "a list", tuple: "a list", dict: "a dictionary", set: "a set",
    }  # fmt: skip
    return kinds.get(type(value), f"of type {type(value).__name__}")


# ------------------------------------------------------------------------------ the verdict


def _verdict(exercise: Exercise, answer: Any) -> str | None:
    """Return None for a right answer, else the message; errors of the answer come through."""
    if exercise.judge is not None:
        return _verdict_of_judge(exercise.judge, answer)
    if callable(exercise.right):
        return _verdict_on_function(exercise, answer)
    if callable(answer) and not hasattr(answer, "tolist"):
        return _not_yet("This is a function; hand over the value that it returns.")
    return _verdict_on_value(exercise, answer)


def _verdict_of_judge(judge: Judge, answer: Any) -> str | None:
    watched = _Watched(answer) if inspect.isroutine(answer) else answer
    try:
        found = judge(watched)
    except Exception:
        if isinstance(watched, _Watched) and watched.gave_nothing:
            return _NOTHING_RETURNED
        raise
    if isinstance(watched, _Watched) and watched.gave_nothing:
        return _NOTHING_RETURNED
    return None if found is None else _not_yet(found)


class _Watched:
    """A reader's function in the hands of a judge: its errors say where they come from."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._results: list[Any] = []
        self.__name__ = _label(function)

    def __call__(self, *arguments: Any) -> Any:
        result = _called(self._function, arguments)
        self._results.append(result)
        return result

    @property
    def gave_nothing(self) -> bool:
        return bool(self._results) and all(result is None for result in self._results)


def judge_of_truths(truths: Sequence[tuple[bool, str]], number: str) -> Judge:
    """Judge as many values, each True or False; with each stands what to say if it is wrong."""

    def judge(answer: Any) -> str | None:
        given = plain(answer)
        if not isinstance(given, list) or len(given) != len(truths):
            return f"It is {shown(given)}, and should be a list of {number} values."
        for value, (right, remark) in zip(given, truths, strict=True):
            if not isinstance(value, bool):
                return f"{shown(value)} is neither True nor False."
            if value != right:
                return remark
        return None

    return judge


def _label(function: Any) -> str:
    name = getattr(function, "__name__", "<lambda>")
    return "your function" if name == "<lambda>" else str(name)


def _called(function: Any, arguments: tuple[Any, ...]) -> Any:
    """Call a reader's function with its own copy of the arguments."""
    try:
        return function(*copy.deepcopy(arguments))
    except Exception as error:
        shown_call = f"{_label(function)}({_shown_arguments(arguments)})"
        raise _AnswerError(shown_call, error) from error


def _verdict_on_value(exercise: Exercise, answer: Any) -> str | None:
    right, given = plain(exercise.right), plain(answer)
    if _same(given, right, exercise):
        return None
    for mistake in exercise.mistakes:
        if _same(given, plain(mistake.answer), exercise):
            return _not_yet(mistake.message)
    return _not_yet(_difference(given, right, exercise))


def _verdict_on_function(exercise: Exercise, answer: Any) -> str | None:
    names = list(inspect.signature(exercise.right).parameters)
    if not callable(answer):
        return _not_yet(
            f"Hand over the function itself, a function of ({', '.join(names)}), "
            "not what it returns."
        )
    wrong_call = _wrong_call(answer, len(names), names)
    if wrong_call:
        return _not_yet(wrong_call)
    rights = [plain(exercise.right(*copy.deepcopy(case))) for case in exercise.cases]
    results = [plain(_called(answer, case)) for case in exercise.cases]
    if all(result is None for result in results) and not all(right is None for right in rights):
        return _NOTHING_RETURNED
    missed = [i for i, right in enumerate(rights) if not _same(results[i], right, exercise)]
    if not missed:
        return None
    for mistake in exercise.mistakes:
        if _is_mistake(mistake, exercise, results, missed):
            return _not_yet(mistake.message)
    i = missed[0]
    return _not_yet(
        f"{_label(answer)}({_shown_arguments(exercise.cases[i])}) gives {shown(results[i])}, "
        f"and it should give {shown(rights[i])}."
    )


def _is_mistake(
    mistake: Mistake, exercise: Exercise, results: Sequence[Any], missed: Sequence[int]
) -> bool:
    """Tell whether a usual mistake gives what the answer gives, wherever the answer is wrong."""
    for i in missed:
        try:
            wrong = plain(mistake.answer(*copy.deepcopy(exercise.cases[i])))
        except Exception:
            return False
        if not _same(results[i], wrong, exercise):
            return False
    return True


def _wrong_call(function: Any, n_arguments: int, names: Sequence[str]) -> str | None:
    """Say why a function cannot be called as it will be."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions do not tell
        return None
    try:
        signature.bind(*range(n_arguments))
    except TypeError:
        own = ", ".join(signature.parameters)
        return f"It is called with ({', '.join(names)}), and yours takes ({own})."
    return None


_NOTHING_RETURNED = "nothing yet. Your function returns None: write its body, down to a return."


def _not_yet(message: str) -> str:
    return f"not yet. {message}"


def _difference(given: Any, right: Any, exercise: Exercise) -> str:
    """Say in what way a value is not the right one, without giving the right one away."""
    if isinstance(right, list) and isinstance(given, list):
        if len(given) != len(right):
            return f"It has {len(given)} entries, and there should be {len(right)}."
        if not exercise.unordered:
            i = next(i for i in range(len(right)) if not _same(given[i], right[i], exercise))
            return f"Entry {i}, counted from 0, is {shown(given[i])}: look again."
        return "Some entries are not among the right ones."
    if _is_number(right) and _is_number(given):
        return f"{shown(given)} is too {'small' if given < right else 'large'}."
    if type(right) is type(given):
        return f"{shown(given)} is not it."
    return f"It is {shown(given)}, and should be {_kind_of(right)}."


# ------------------------------------------------------------------------------ comparing


def plain(value: Any) -> Any:
    """Return a value in Python's own types, so that a tensor equals an array equals a list."""
    if hasattr(value, "tolist") and not isinstance(value, bytes | bytearray | memoryview):
        return plain(value.tolist())
    if isinstance(value, str | bytes | bool | numbers.Number) or value is None:
        return value
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, Mapping):
        return {_hashable(plain(key)): plain(entry) for key, entry in value.items()}
    if isinstance(value, AbstractSet):
        return {_hashable(plain(entry)) for entry in value}
    if isinstance(value, Iterable):  # a tuple, a range, a generator
        return [plain(entry) for entry in value]
    return value


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _same(given: Any, right: Any, exercise: Exercise) -> bool:
    if isinstance(given, bool) != isinstance(right, bool):
        return False
    if _is_number(given) and _is_number(right):
        if isinstance(given, int) and isinstance(right, int):
            return given == right
        close = math.isclose(given, right, rel_tol=exercise.tolerance, abs_tol=1e-9)
        return close or (math.isnan(given) and math.isnan(right))
    if exercise.unordered and isinstance(given, set) and isinstance(right, list):
        given = plain(list(given))
    if isinstance(given, list) and isinstance(right, list):
        if exercise.unordered:
            given, right = sorted(given, key=repr), sorted(right, key=repr)
        return len(given) == len(right) and all(
            _same(a, b, exercise) for a, b in zip(given, right, strict=True)
        )
    if isinstance(given, dict) and isinstance(right, dict):
        return given.keys() == right.keys() and all(
            _same(given[key], right[key], exercise) for key in right
        )
    return type(given) is type(right) and bool(given == right)


def shown(value: Any, limit: int = 80) -> str:
    """Show a value on one line, cut where it is long."""
    text = re.sub(r"\s*\n\s*", " ", repr(value))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _shown_arguments(case: tuple[Any, ...]) -> str:
    return ", ".join(shown(plain(argument), 40) for argument in case)


# ------------------------------------------------------------------------------ running


class _AnswerError(Exception):
    """An error that an answer raised, and in which call."""

    def __init__(self, call: str, error: BaseException) -> None:
        self.call, self.error = call, error


class _OutOfTimeError(BaseException):
    """Thrown into an answer that does not end; no `except Exception` of its own stops it."""


@dataclass
class _Outcome:
    value: Any = None
    error: BaseException | None = field(default=None)


def _run(function: Callable[[], Any]) -> _Outcome:
    """Run a function, and stop it if it takes too long.

    It runs in a thread, since that can be stopped on every system and in every notebook.
    """
    outcome = _Outcome()

    def target() -> None:
        try:
            outcome.value = function()
        except BaseException as error:
            outcome.error = error

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    thread.join(SECONDS)
    for _ in range(40):  # an answer may catch even this, but not for ever
        if not thread.is_alive():
            break
        outcome.error = _OutOfTimeError()
        _throw(_OutOfTimeError, thread)
        thread.join(0.05)
    else:
        return _Outcome(error=_OutOfTimeError())  # it has caught all: leave it behind
    return outcome


def _throw(error: type[BaseException], thread: threading.Thread) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(error)
    )


def _about_error(exercise: Exercise, error: BaseException) -> str:
    """Say what an answer has raised, and what may help."""
    if isinstance(error, _OutOfTimeError):
        return f"It was still running after {SECONDS:.0f} seconds: does every loop come to an end?"
    where = "It"
    if isinstance(error, _AnswerError):
        where, error = error.call, error.error
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    name = type(error).__name__
    what = f"{name}: {text[:200]}" if text else name
    hint = f" {exercise.hint}" if exercise.hint else ""
    return f"{where} raises {what.rstrip('.')}.{hint}"
