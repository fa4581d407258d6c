"""How an answer is checked: run, compared with the right one, and with common wrong ones."""

import contextlib
import copy
import inspect
import io
import math
import numbers
import re
from collections.abc import Callable, Iterable, Mapping, MappingView, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal

NOTHING = object()
"""The value of an argument that was not given."""

Judge = Callable[[Any], "str | None"]


@dataclass(frozen=True)
class Mistake:
    """A common wrong answer, a value or a function, and what to tell a reader who gives it.

    In a list, ``...`` stands for any entry.
    """

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
        1 for a minute of thought, 2 for some work, 3 for a small project.
    minutes : int
        The time it takes.
    right : object, optional
        The right answer: a function, or a value.
    cases : sequence of tuples, optional
        For a function, the arguments of each call. Each call gets its own copy of them.
    mistakes : sequence of Mistake, optional
        Common wrong answers. If one gives the same as the reader's answer wherever that is wrong,
        the reader gets its message; the first one that does wins.
    remarks : sequence of str, optional
        For a list, what to say about each of its entries if it is the first that is wrong.
    judge : callable, optional
        In place of `right`, where many answers are right: takes the answer and returns None if it
        is right, else what is wrong.
    takes : str, optional
        If `judge` checks a function, the names of its arguments: ``"n, stride"``.
    asks : str, optional
        What the answer must be, where `right` does not show it.
    hint : str, optional
        What may help if the answer raises an error.
    unordered : bool, optional
        Whether the order of the results does not matter.
    sparse : bool, optional
        Whether counts of 0 may be left out of a dictionary.
    tolerance : float, optional
        How far a number may be off, relative to its size. Integers must be exact.

    Notes
    -----
    With neither `right` nor `judge` the exercise asks for an explanation, which is not checked: the
    chapter has one to compare with.

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
    remarks: Sequence[str] = ()
    judge: Judge | None = None
    takes: str = ""
    asks: str = ""
    hint: str = ""
    unordered: bool = False
    sparse: bool = False
    tolerance: float = 1e-6

    @property
    def checked(self) -> bool:
        """Whether there is something to check; if not, the answer is an explanation."""
        return self.right is not NOTHING or self.judge is not None


@dataclass(frozen=True)
class Result:
    """The result of checking an answer.

    Parameters
    ----------
    passed : bool
        Whether the answer is right.
    message : str
        What to tell the reader.

    Examples
    --------
    >>> from companion.exercises import Result
    >>> Result(True, "right.").passed
    True
    """

    passed: bool
    message: str


def grade(exercise: Exercise, answer: object = NOTHING) -> Result:
    """Check an answer.

    Parameters
    ----------
    exercise : Exercise
        The exercise.
    answer : object, optional
        A function or a value.

    Returns
    -------
    Result
        Whether it is right, and what to tell the reader. An answer that raises an error, even
        SystemExit, is a wrong answer with a message; only KeyboardInterrupt leaves this function.

    Examples
    --------
    >>> from companion.exercises import find, grade
    >>> grade(find("words.case"), "31").passed
    False
    """
    if not exercise.checked:
        return Result(False, "this one asks for an explanation; compare yours with the chapter's.")
    if answer is NOTHING:
        call = f"check({exercise.name!r}, …)"
        return Result(False, f"this one asks for {_asked(exercise)}: {call}.")
    if answer is ...:
        return Result(False, "nothing yet. Put your answer in place of the dots, and run again.")
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            message = _verdict(exercise, answer)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too: a reader's exit() must not end a notebook
        message = _not_yet(_about_error(exercise, error))
    return Result(message is None, message or "right.")


def _parameters(exercise: Exercise) -> str:
    """Return the names of the arguments, if the answer must be a function."""
    if callable(exercise.right):
        parameters = inspect.signature(exercise.right).parameters.values()
        return ", ".join(p.name for p in parameters if p.default is p.empty)
    return exercise.takes


def _asked(exercise: Exercise) -> str:
    """Say what an answer must be."""
    names = _parameters(exercise)
    if not names:
        return exercise.asks or f"a value, {_kind_of(exercise.right)}"
    what = f", {exercise.asks}" if exercise.asks else ""
    return f"a function of ({names}){what}; pass the function itself, not what it returns"


def _kind_of(value: object) -> str:
    kinds = {
        bool: "True or False", int: "an integer", float: "a number", str: "a string",
        bytes: "bytes", list: "a list", tuple: "a list", dict: "a dictionary", set: "a set",
    }  # fmt: skip
    return kinds.get(type(value), f"of type {type(value).__name__}")


# ------------------------------------------------------------------------------ the verdict


def _verdict(exercise: Exercise, answer: Any) -> str | None:
    """Return None for a right answer, else the message; errors of the answer come through."""
    if not (names := _parameters(exercise)):
        if callable(answer) and not hasattr(answer, "tolist"):
            return _not_yet("This is a function; pass the value that it returns.")
        found = exercise.judge(answer) if exercise.judge else _about_value(exercise, answer)
        return None if found is None else _not_yet(found)
    wrong_call = _about_call(answer, names)
    if wrong_call:
        return _not_yet(wrong_call)
    watched = _Watched(answer)
    try:
        judge = exercise.judge
        found = judge(watched) if judge else _about_function(exercise, watched)
    except _AnswerError:
        raise
    except Exception as error:
        if not watched.returns_nothing:
            raise
        found = str(error)  # the judge could not read None
    if watched.returns_nothing and not _may_return_none(exercise):
        return _NOTHING_RETURNED
    return None if found is None else _not_yet(found)


_NOTHING_RETURNED = "nothing yet. Your function returns None: write its body, down to a return."


def _not_yet(message: str) -> str:
    return f"not yet. {message}"


class _Watched:
    """A reader's function: it gets copies of its arguments, and its errors say where they arose."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._results: list[Any] = []
        name = getattr(function, "__name__", "<lambda>")
        self.name = "your function" if name == "<lambda>" else str(name)

    def __call__(self, *arguments: Any) -> Any:
        """Return the result in Python's own types; what a generator yields in a list."""
        try:
            result = plain(self._function(*copy.deepcopy(arguments)))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _AnswerError(self.call(arguments), error) from error
        self._results.append(result)
        return result

    def call(self, arguments: tuple[Any, ...]) -> str:
        """Show a call."""
        return f"{self.name}({', '.join(shown(plain(value), 40) for value in arguments)})"

    @property
    def returns_nothing(self) -> bool:
        """Whether it was called, and never returned anything but None."""
        return bool(self._results) and all(result is None for result in self._results)


def _may_return_none(exercise: Exercise) -> bool:
    """Tell whether None is the right result in all cases."""
    return exercise.judge is None and all(
        exercise.right(*copy.deepcopy(case)) is None for case in exercise.cases
    )


def _about_value(exercise: Exercise, answer: Any) -> str | None:
    right, given = plain(exercise.right), plain(answer)
    if _same(given, right, exercise):
        return None
    for mistake in exercise.mistakes:
        if _same(given, plain(mistake.answer), exercise):
            return mistake.message
    return _difference(given, right, exercise)


def _about_function(exercise: Exercise, answer: _Watched) -> str | None:
    rights = [plain(exercise.right(*copy.deepcopy(case))) for case in exercise.cases]
    results = [answer(*case) for case in exercise.cases]
    missed = [i for i, right in enumerate(rights) if not _same(results[i], right, exercise)]
    if not missed:
        return None
    for mistake in exercise.mistakes:
        if all(_does_the_same(mistake, exercise, i, results[i]) for i in missed):
            return mistake.message
    i = missed[0]
    return (
        f"{answer.call(exercise.cases[i])} returns {shown(results[i])}; "
        f"it should return {shown(rights[i])}."
    )


def _does_the_same(mistake: Mistake, exercise: Exercise, i: int, result: Any) -> bool:
    """Tell whether a common mistake gives this result in case i."""
    try:
        wrong = plain(mistake.answer(*copy.deepcopy(exercise.cases[i])))
    except Exception:
        return False
    return _same(result, wrong, exercise)


def _about_call(function: Any, names: str) -> str | None:
    """Say why an answer cannot be called as it will be."""
    if not callable(function):
        return f"Pass the function itself, a function of ({names}), not the value that it returns."
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions do not tell
        return None
    try:
        signature.bind(*names.split(", "))
    except TypeError:
        own = ", ".join(signature.parameters)
        return f"The checker calls your function with ({names}), but it takes ({own})."
    return None


def _difference(given: Any, right: Any, exercise: Exercise) -> str:
    """Say in what way a value is not the right one, without giving the right one away."""
    if exercise.unordered and isinstance(given, set):
        given = list(given)
    if isinstance(right, list) and isinstance(given, list):
        if len(given) != len(right):
            return f"Your list has {len(given)} entries; it should have {len(right)}."
        if exercise.unordered:
            return "Some entries are wrong."
        i = next(i for i in range(len(right)) if not _same(given[i], right[i], exercise))
        if isinstance(right[i], bool) and not isinstance(given[i], bool):
            return f"{shown(given[i])} is neither True nor False."
        if exercise.remarks:
            return exercise.remarks[i]
        return f"Entry {i} (counted from 0) is {shown(given[i])}, which is wrong."
    if _is_number(right) and _is_number(given):
        if math.isnan(given):
            return "Your answer is nan, which is not a number: look for a division 0/0."
        return f"{shown(given)} is too {'small' if given < right else 'large'}."
    if type(right) is type(given):
        return f"{shown(given)} is wrong."
    return f"Your answer is {shown(given)}; it should be {_kind_of(right)}."


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
    # The keys and items of a dictionary are a set, but one with an order.
    if isinstance(value, AbstractSet) and not isinstance(value, MappingView):
        return {_hashable(plain(entry)) for entry in value}
    if isinstance(value, Iterable):  # a tuple, a range, a generator
        return [plain(entry) for entry in value]
    return value


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _same(given: Any, right: Any, exercise: Exercise) -> bool:
    if right is ...:  # an entry of a mistake that may be anything
        return True
    if isinstance(given, bool) != isinstance(right, bool):
        return False
    if _is_number(given) and _is_number(right):
        return _same_number(given, right, exercise.tolerance)
    if exercise.unordered and isinstance(given, set) and isinstance(right, list):
        given = plain(list(given))
    if isinstance(given, list) and isinstance(right, list):
        if exercise.unordered:
            given, right = sorted(given, key=_rank), sorted(right, key=_rank)
        return len(given) == len(right) and all(
            _same(a, b, exercise) for a, b in zip(given, right, strict=True)
        )
    if isinstance(given, dict) and isinstance(right, dict):
        if exercise.sparse:
            given, right = _without_zeros(given), _without_zeros(right)
        return given.keys() == right.keys() and all(
            _same(given[key], right[key], exercise) for key in right
        )
    return type(given) is type(right) and bool(given == right)


def _without_zeros(counts: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: count for key, count in counts.items() if count != 0}


def _same_number(given: Any, right: Any, tolerance: float) -> bool:
    if isinstance(right, int):  # a count may come as 3.0, but not as 3.01
        tolerance = 0.0
    close = math.isclose(given, right, rel_tol=tolerance, abs_tol=max(1e-3 * tolerance, 1e-9))
    return close or (math.isnan(given) and math.isnan(right))


def _rank(value: Any) -> tuple[float, str]:
    """Sort numbers by size, and everything else by how it is written."""
    return (float(value), "") if _is_number(value) else (math.inf, repr(value))


def shown(value: Any, limit: int = 80) -> str:
    """Show a value on one line, cut where it is long."""
    text = re.sub(r"\s*\n\s*", " ", repr(value))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


# ------------------------------------------------------------------------------ errors


class _AnswerError(Exception):
    """An error that an answer raised, and in which call."""

    def __init__(self, call: str, error: BaseException) -> None:
        self.call, self.error = call, error


def _about_error(exercise: Exercise, error: BaseException) -> str:
    """Say what an answer has raised, and what may help."""
    if isinstance(error, _AnswerError):
        hint = f" {exercise.hint}" if exercise.hint else ""
        return f"{error.call} raises {_in_words(error.error)}.{hint}"
    return f"The checker cannot read it ({_in_words(error)}). Give {_asked(exercise)}."


def _in_words(error: BaseException) -> str:
    """Name an error, with its message on one line."""
    try:
        text = " ".join(str(error).split())[:200]
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}".rstrip(": .")
