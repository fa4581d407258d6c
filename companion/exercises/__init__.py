"""Exercises that answer back.

Each chapter ends in exercises. Where the answer is code or a number, hand it to `check`, which
runs it on cases of its own and says what is wrong, if anything is:

>>> from companion.exercises import check
>>> from companion.windows import window_count
>>> check("windows.count", window_count)
windows.count: right.
>>> check("windows.count", lambda n, context_size, stride: n // stride)
windows.count: not yet. A window needs its inputs and a target: start from n - context_size.

``check()`` lists the exercises of the book and which of them you have passed. The exercises of a
chapter lie in the module of its name.
"""

from companion.exercises._grading import NOTHING, Exercise, Result, grade
from companion.exercises._registry import chapters, find, listing, mark_passed

__all__ = ["Exercise", "Result", "chapters", "check", "find", "grade"]


def check(name: object = NOTHING, answer: object = NOTHING) -> None:
    """Check an answer to an exercise, and print what there is to say about it.

    Parameters
    ----------
    name : str, optional
        Name of an exercise, as its page gives it: ``"windows.count"``. Without it all exercises
        are listed, those marked that were passed in this session.
    answer : object, optional
        Your answer: a function, or a value, as the exercise asks. Tensors, arrays, tuples and
        lists of the same numbers are all the same. Without it you are told what is asked for.

    Notes
    -----
    Nothing that is wrong with an answer raises an error here: an answer that raises is shown with
    its error, and one that does not end is cut off after some seconds.

    Examples
    --------
    >>> from companion.exercises import check
    >>> check("bytes.cout", 3)
    There is no exercise 'bytes.cout'. Did you mean 'bytes.count'? check() lists all.
    """
    if name is NOTHING:
        print(listing())
        return
    exercise = find(name)
    if isinstance(exercise, str):  # why there is none
        print(exercise)
        return
    result = grade(exercise, answer)
    if result.passed:
        mark_passed(exercise.name)
    print(f"{exercise.name}: {result.message}")
