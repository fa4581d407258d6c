"""Exercises that check their answers.

Each chapter ends in exercises. If the answer is code or a number, pass it to `check`, which tries
it on cases of its own and says what is wrong:

>>> from workbook import check
>>> from companion.windows import window_count
>>> check("windows.count", window_count)
windows.count: right.
>>> check("windows.count", lambda n, context_size, stride: n // stride)
windows.count: not yet. A window needs its inputs and a target: start from n - context_size.

``check()`` lists the exercises of the book and which of them you have passed. The exercises of a
chapter are in the module of its name: first what they need, then the table. No
module imports torch or numpy before one of its exercises needs it.
"""

from typing import Any

from workbook.exercises._grading import NOTHING, Exercise, Result, grade
from workbook.exercises._registry import chapters, find, listing, passed

__all__ = ["Exercise", "Result", "chapters", "check", "find", "grade"]


def check(name: object = NOTHING, answer: object = NOTHING) -> Any:
    """Check an answer to an exercise, and print the result.

    Parameters
    ----------
    name : str, optional
        Name of an exercise, as its page gives it: ``"windows.count"``. Without it all exercises
        are listed, with a mark on those that were passed in this session.
    answer : object, optional
        Your answer, a function or a value. A tensor, an array, a tuple and a list of the same
        numbers count as the same. Without it, the exercise says what it asks for.

    Returns
    -------
    object
        For a function with which its chapter goes on, your answer if it is right, and until then
        our version: ``learn = check("bpe.learn", learn)``. For all else None, but for a name that
        is none the answer as it is.

    Notes
    -----
    Your function runs as if you had called it, in the same thread and with torch's grad mode as you
    have set it. It gets copies of the arguments, and what it prints is not shown. If it raises an
    error, the message says which; `check` itself raises only KeyboardInterrupt. There is no time
    limit: interrupt a function that does not end (the stop button of a notebook, Ctrl+C), and see
    the end of what it printed. Of a generator, 100,000 values are taken.

    Examples
    --------
    >>> from workbook import check
    >>> check("words.cas")
    There is no exercise 'words.cas'. Did you mean 'words.case'? check() lists all.
    """
    if name is NOTHING:
        print(listing())
        return None
    exercise = find(name)
    if isinstance(exercise, str):  # why there is none
        print(exercise)
        return None if answer is NOTHING else answer
    result = grade(exercise, answer)
    if result.passed:
        passed.add(exercise.name)
    print(f"{exercise.name}: {result.message}")
    return answer if result.passed and exercise.ours else exercise.ours
