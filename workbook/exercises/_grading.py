"""How an answer is checked: run, compared with the right one, and with common wrong ones."""

import contextlib
import copy
import inspect
import io
import math
import numbers
import textwrap
from collections.abc import Callable, Iterable, Mapping, MappingView, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

NOTHING = object()  # the value of an argument that was not given
_NOTHING_RETURNED = "nothing yet. Your function returns None: write its body, down to a return."
_PLAIN = {bool, int, float, str, bytes, type(None)}
# How many values are taken; no answer has as many, and a range may have a billion.
_MOST = 100_000

Judge = Callable[..., "str | None"]
Cases: TypeAlias = Sequence[tuple[Any, ...]]


class Later:
    """A module that is imported when something of it is first used: most exercises do without."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


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

    With neither `right` nor `judge` it asks for an explanation, which is not checked: the chapter
    has one to compare with. `judge` takes the answer, or each result and its case with `cases`.

    >>> from workbook.exercises import Exercise, grade
    >>> from workbook.exercises._grading import Mistake
    >>> double = Exercise("demo.double", "Twice", "arithmetic", 1, 1, right=lambda x: 2 * x,
    ...                   cases=[(0,), (3,)], mistakes=[Mistake(lambda x: x * x, "Not squared.")])
    >>> grade(double, lambda x: x + x).message
    'right.'
    >>> grade(double, lambda x: x**2).message
    'not yet. Not squared.'
    """

    name: str  #: Chapter and short name, such as "windows.count".
    title: str  #: Its title in the chapter.
    topic: str  #: What it trains, in a word or two, for the page for teachers.
    level: Literal[1, 2, 3]  #: A minute of thought, some work, or a small project.
    minutes: int  #: The time it takes.
    first: bool = False  #: Whether it is one of the exercises of its chapter to do first.
    ours: Any = None  #: Our version, with which the page goes on where the reader has none.
    needs: str = ""  #: "torch" or "numpy", if it cannot be answered without.
    right: Any = NOTHING  #: The right answer, a function or a value.
    cases: Cases | Callable[[], Cases] = ()  #: For a function, its arguments; it gets copies.
    mistakes: Sequence[Mistake] = ()  #: The first that explains every wrong result is named.
    remarks: Sequence[str] = ()  #: For a list, what to say if an entry is the first wrong one.
    judge: Judge | None = None  #: Says what is wrong, or None, where many answers are right.
    takes: str = ""  #: If `judge` checks a function, the names of its arguments, as in "n, stride".
    asks: str = ""  #: What the answer must be, where `right` does not show it.
    hint: str = ""  #: What may help if the answer raises an error.
    hints: Sequence[tuple[str, str]] = ()  #: What helps instead, if the error has the first part.
    unordered: bool = False  #: Whether the order of the results does not matter.
    in_place: bool = False  #: Whether the arguments, as they are after a call, are results, too.
    watch: Callable[[Any], Any] | None = None  #: Wraps a function, to see more than its results.
    tolerance: float = 1e-6  #: How far off a number may be, by its size; integers are exact.

    @property
    def checked(self) -> bool:
        """Whether there is something to check; if not, the answer is an explanation."""
        return self.right is not NOTHING or self.judge is not None


class Result(NamedTuple):
    """Whether an answer is right, and what to tell the reader."""

    passed: bool
    message: str


def grade(exercise: Exercise, answer: object = NOTHING) -> Result:
    """Check an answer, a function or a value.

    An answer that raises an error, even SystemExit, is a wrong answer with a message; only
    KeyboardInterrupt leaves this function.

    >>> from workbook.exercises import find, grade
    >>> grade(find("words.case"), 31)
    Result(passed=True, message='right.')
    """
    if not exercise.checked:
        return Result(False, "this one asks for an explanation; compare yours with the chapter's.")
    if answer is NOTHING:
        asked = _asked(exercise)
        return Result(False, f"this one asks for {asked}: check({exercise.name!r}, …).")
    if exercise.needs and find_spec(exercise.needs) is None:
        return Result(False, f"this one needs {exercise.needs}, which is not installed.")
    if answer is ...:
        return Result(False, "nothing yet. Put your answer in place of the dots, and run again.")
    printed = _Tail()
    try:
        with contextlib.redirect_stdout(io.TextIOWrapper(printed, "utf-8", write_through=True)):
            found = _fault(exercise, answer)
    except KeyboardInterrupt:
        if printed.end:
            end = printed.end.decode(errors="replace")
            print(f"Before you stopped it, your function printed:\n{end}")
        raise
    except BaseException as error:  # SystemExit, too: a reader's exit() must not end a notebook
        found = _about_error(exercise, error)
    if found is None:
        return Result(True, "right.")
    return Result(False, found if found is _NOTHING_RETURNED else f"not yet. {found}")


class _Tail(io.BufferedIOBase):
    """Keep the end of what is printed: a loop that does not end must not fill the memory."""

    end, name = b"", "<stdout>"

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.end = (self.end + bytes(data))[-500:]
        return len(data)


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


def _fault(exercise: Exercise, answer: Any) -> str | None:
    """Return what is wrong with an answer, or None; errors of the answer come through."""
    names = _parameters(exercise)
    if not names:
        if callable(answer) and not hasattr(answer, "tolist"):
            return "This is a function; pass the value that it returns."
        value = plain(answer)
        return exercise.judge(value) if exercise.judge else _compared(exercise, [()], value)
    if wrong_call := _about_call(answer, names):
        return wrong_call
    watched = _Watched(answer, exercise)
    try:
        found = _about_function(exercise, watched)
    except _AnswerError:
        raise
    except Exception:
        if not watched.returns_nothing:
            raise
        return _NOTHING_RETURNED  # the judge could not read None
    return _NOTHING_RETURNED if found and watched.returns_nothing else found


class _Watched:
    """A reader's function: it gets copies of its arguments, and its errors say where they arose."""

    def __init__(self, function: Any, exercise: Exercise) -> None:
        self._function = exercise.watch(function) if exercise.watch else function
        self._exercise, self.returns_nothing = exercise, True
        name = getattr(function, "__name__", "<lambda>")
        self.name = "your function" if name == "<lambda>" else str(name)

    def __call__(self, *arguments: Any) -> Any:
        """Return the result in Python's own types; what a generator yields in a list."""
        try:
            result = _result(self._function, arguments, self._exercise)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _AnswerError(self.call(arguments), error) from error
        self.returns_nothing &= (result[0] if self._exercise.in_place else result) is None
        return result

    def call(self, arguments: tuple[Any, ...]) -> str:
        """Show a call."""
        return f"{self.name}({', '.join(shown(plain(value), 40) for value in arguments)})"


def _about_call(function: Any, names: str) -> str | None:
    """Say why an answer cannot be called as it will be."""
    if not callable(function):
        return f"Pass the function itself, a function of ({names}), not the value that it returns."
    try:
        signature = inspect.signature(function)
        signature.bind(*names.split(", "))
    except ValueError:  # some built-in functions do not tell
        return None
    except TypeError:
        own = ", ".join(signature.parameters)
        return f"The checker calls your function with ({names}), but it takes ({own})."
    return None


def _about_function(exercise: Exercise, answer: _Watched) -> str | None:
    """Say what is wrong with a function: as a whole, or in a case."""
    cases = exercise.cases() if callable(exercise.cases) else exercise.cases
    if not exercise.judge:
        return _compared(exercise, cases, answer)
    if not cases:
        return exercise.judge(answer)
    for case in cases:
        if remark := exercise.judge(answer(*case), *case):
            return f"{answer.call(case)}: {remark}"
    return None


def _compared(exercise: Exercise, cases: Cases, answer: Any) -> str | None:
    """Compare a value, or what a function returns in each case, with the right one."""
    is_function = callable(exercise.right)
    given = [answer(*case) if is_function else answer for case in cases]
    right = [_result(exercise.right, case, exercise) for case in cases]
    missed = [i for i, _ in enumerate(cases) if not _agree(given[i], right[i], exercise)]
    if not missed:
        return None
    for mistake in exercise.mistakes:
        if all(_does(mistake.answer, cases[i], given[i], exercise) for i in missed):
            return mistake.message
    if exercise.in_place:
        wrong = [i for i in missed if not _agree(given[i][0], right[i][0], exercise)]
        if not wrong:
            i = missed[0]
            return _about_arguments(answer, cases[i], given[i][1:], right[i][1:], exercise)
        exercise, missed = replace(exercise, in_place=False), wrong
        given, right = [result for result, *_ in given], [result for result, *_ in right]
    for kind, change, message in (*_CHANGES, *(_OF_LISTS if is_function else ())):
        if all(isinstance(right[i], kind) and _does(change, (right[i],), given[i], exercise)
               for i in missed):  # fmt: skip
            return message
    found, wanted = given[missed[0]], right[missed[0]]
    if not is_function:
        return _difference(found, wanted, exercise)
    call = answer.call(cases[missed[0]])
    if isinstance(found, list) and isinstance(wanted, list) and shown(found) == shown(wanted):
        for i, (a, b) in enumerate(zip(found, wanted, strict=False)):
            if not _agree(a, b, exercise):  # too far on to be shown with the whole list
                return f"{call}: entry {i} (counted from 0) is {shown(a)}; it should be {shown(b)}."
        return f"{call} returns {len(found)} entries; it should return {len(wanted)}."
    return f"{call} returns {shown(found)}; it should return {shown(wanted)}."


def _about_arguments(
    answer: _Watched, case: tuple[Any, ...], given: Any, right: Any, exercise: Exercise
) -> str:
    """Say which argument is not as it should be after a call with the right result."""
    each = zip(_parameters(exercise).split(", "), case, given, right, strict=True)
    name, before, found, wanted = next(e for e in each if not _agree(e[2], e[3], exercise))
    if _agree(plain(before), wanted, exercise):
        return f"{answer.call(case)} changes `{name}`, which should stay as it is."
    return f"After {answer.call(case)}, `{name}` is {shown(found)}; it should be {shown(wanted)}."


def _result(known: Any, case: tuple[Any, ...], exercise: Exercise) -> Any:
    """Return a value, or what a function makes of copies of its arguments."""
    if not callable(known):
        return plain(known)
    arguments = copy.deepcopy(case)
    result = plain(known(*arguments))
    return [result, *plain(arguments)] if exercise.in_place else result


def _does(known: Any, case: tuple[Any, ...], given: Any, exercise: Exercise) -> bool:
    """Tell whether a common mistake gives this result."""
    try:
        return _agree(given, _result(known, case, exercise), exercise)
    except Exception:
        return False


def _negative(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(zip(value, _negative([*value.values()]), strict=True))
    return [_negative(entry) for entry in value] if isinstance(value, list) else -value


# What a right answer often becomes, in any exercise, and what to tell a reader who gives it.
_CHANGES: Sequence[tuple[type, Callable[[Any], Any], str]] = (
    (list, lambda entries: entries[::-1], "All is there, but in the wrong order: turn it round."),
    (float, lambda share: 100 * share, "That is in percent; give the share, between 0 and 1."),
    (float, lambda share: 1 - share, "That is the other part of the whole: subtract it from 1."),
    (object, _negative, "All signs are reversed."),
)  # fmt: skip
# What becomes of a function that returns a list.
_OF_LISTS: Sequence[tuple[type, Callable[[Any], Any], str]] = (
    (list, lambda entries: entries[:1] or None,
     "Only the first entry comes back: does `return` stand inside the loop?"),
    (list, lambda entries: entries[-1:],
     "Only the last entry comes back: is the list made anew in the loop?"),
    *((list, lambda entries, i=i: entries[i] if entries else None,
       "Only one entry comes back: collect all entries in a list.") for i in (0, -1)),
    (list, lambda rows: [entry for row in rows for entry in row],
     "This is one long list: put what belongs together into a list or pair of its own."),
    (list, len, "That is how many there are; return the list."),
)  # fmt: skip


def _difference(given: Any, right: Any, exercise: Exercise) -> str:
    """Say in what way a value is not the right one, without giving the right one away."""
    if isinstance(right, list) and isinstance(given, list | set if exercise.unordered else list):
        if len(given) != len(right):
            entries = "1 entry" if len(given) == 1 else f"{len(given)} entries"
            return f"Your list has {entries}, too {'few' if len(given) < len(right) else 'many'}."
        if exercise.unordered:
            odd = [x for x in given if not any(_agree(x, entry, exercise) for entry in right)]
            return f"{shown(odd[0])} does not belong there." if odd else "An entry occurs twice."
        i = next(i for i in range(len(right)) if not _agree(given[i], right[i], exercise))
        entry = f"Entry {i} (counted from 0) is {shown(given[i])}"
        if type(given[i]) is not type(right[i]) and not _is_number(given[i]) & _is_number(right[i]):
            return f"{entry}; it should be {_kind_of(right[i])}."
        return exercise.remarks[i] if exercise.remarks else f"{entry}, which is wrong."
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
    if type(value) in _PLAIN:
        return value
    if hasattr(value, "tolist"):
        listed = value.tolist()  # Python's own types, unless it was an array of objects
        return plain(listed) if getattr(value, "dtype", "") == "object" else listed
    if isinstance(value, numbers.Number) and not isinstance(value, complex):
        number = float(value)  # type: ignore[arg-type]  # of a fraction or a decimal
        return int(value) if number.is_integer() else number  # type: ignore[call-overload]
    if isinstance(value, Mapping):
        return {_hashable(plain(key)): plain(entry) for key, entry in value.items()}
    # The keys and items of a dictionary are a set, but one with an order.
    if isinstance(value, AbstractSet) and not isinstance(value, MappingView):
        return {_hashable(plain(entry)) for entry in value}
    if isinstance(value, Iterable):  # a tuple, a range, a generator
        entries = [plain(entry) for entry in islice(value, _MOST + 1)]
        if len(entries) > _MOST:
            raise _EndlessError
        return entries
    return value


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _agree(given: Any, right: Any, exercise: Exercise) -> bool:
    """Compare two values in Python's own types, as an exercise wants it."""
    if exercise.unordered and isinstance(right, list) and isinstance(given, list | set):
        # Numbers by size, everything else by how it is written.
        given, right = (
            sorted(entries, key=lambda x: (x, "") if _is_number(x) else (math.inf, repr(x)))
            for entries in (given, right)
        )
    return _same(given, right, exercise.tolerance)


def _same(given: Any, right: Any, tolerance: float) -> bool:
    if right is ...:  # an entry of a mistake that may be anything
        return True
    if _is_number(given) and _is_number(right):
        return _same_number(given, right, tolerance)
    if isinstance(given, list) and isinstance(right, list):
        pairs = zip(given, right, strict=False)
        return len(given) == len(right) and all(_same(a, b, tolerance) for a, b in pairs)
    if isinstance(given, dict) and isinstance(right, dict):  # as in a Counter, 0 may be left out
        keys = given.keys() | right.keys()
        return all(_same(given.get(k, 0), right.get(k, 0), tolerance) for k in keys)
    return type(given) is type(right) and bool(given == right)


def _same_number(given: float, right: float, tolerance: float) -> bool:
    if isinstance(right, int):  # a count may come as 3.0, but not as 3.01
        if isinstance(given, int) or abs(right) > 2**53:  # where floats are not exact
            return given == right
        tolerance = 0.0
    close = math.isclose(given, right, rel_tol=tolerance, abs_tol=max(1e-3 * tolerance, 1e-9))
    return close or (math.isnan(given) and math.isnan(right))


def is_list(value: Any, kind: type, size: int | None = None) -> bool:
    """Tell whether an answer is a list of values of a type, and of this size if it has one."""
    is_right = isinstance(value, list) and size in (None, len(value))
    return is_right and all(isinstance(entry, kind) for entry in value)


def shown(value: Any, limit: int = 80) -> str:
    """Show a value on one line, cut where it is long."""
    head = value[:limit] if isinstance(value, str | bytes | list) else value
    text = " ".join(line.strip() for line in repr(head).splitlines())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


# ------------------------------------------------------------------------------ errors


class _EndlessError(Exception):
    """More values than any answer has."""


class _AnswerError(Exception):
    """In which call an answer raised an error, and this error."""


def _about_error(exercise: Exercise, error: BaseException) -> str:
    """Say what an answer has raised, and what may help."""
    call, error = error.args if isinstance(error, _AnswerError) else ("", error)
    if isinstance(error, _EndlessError):
        return f"{call or 'Your answer'} yields more than {_MOST:,} values: does its loop end?"
    if call:
        words = _in_words(error)
        hint = next((hint for part, hint in exercise.hints if part in words), exercise.hint)
        return f"{call} raises {words}. {hint}".rstrip()
    return f"The checker cannot read it ({_in_words(error)}). Give {_asked(exercise)}."


def _in_words(error: BaseException) -> str:
    """Name an error, with its message on one line, if it has one."""
    text, *more = textwrap.wrap(str(error), 300) or [""]
    return f"{type(error).__name__}: {text}{' …' if more else ''}".rstrip(": .")
