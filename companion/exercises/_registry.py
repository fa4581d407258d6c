"""Which exercises there are, and which were passed in this session."""

import difflib
from functools import cache
from importlib import import_module

from companion.exercises._grading import Exercise

CHAPTERS = (
    "words",
    "bytes",
    "bpe",
    "gpt2-tokenizer",
    "wordpiece",
    "unigram",
    "choosing",
    "windows",
    "token-embeddings",
    "positions",
    "sinusoids",
    "bert-input",
    "gpt2-input",
    "relative-positions",
    "training",
)
"""The chapters, in the order of the book."""

_passed: set[str] = set()


@cache
def _of_chapter(chapter: str) -> tuple[Exercise, ...]:
    # Imported when it is asked for: some chapters need torch, which takes seconds to load.
    module = import_module(f"companion.exercises.{chapter.replace('-', '_')}")
    return tuple(module.EXERCISES)


def chapters() -> dict[str, tuple[Exercise, ...]]:
    """Return the exercises of each chapter, in the order of the book.

    Returns
    -------
    dict of str to tuple of Exercise
        The name of each chapter and its exercises.

    Examples
    --------
    >>> from companion.exercises import chapters
    >>> [exercise.name for exercise in chapters()["words"]][:2]
    ['words.case', 'words.lossless']
    """
    return {chapter: _of_chapter(chapter) for chapter in CHAPTERS}


def find(name: object) -> Exercise | str:
    """Return the exercise of a name, or what to say to a reader who asks for another.

    Parameters
    ----------
    name : object
        A name such as ``"windows.count"``.

    Returns
    -------
    Exercise or str
        The exercise; if there is none of that name, or the name is no string, a sentence that
        says so.

    Examples
    --------
    >>> from companion.exercises import find
    >>> find("words.case").title
    'They and they'
    """
    if not isinstance(name, str):
        return (
            "The name of an exercise is a string, such as 'words.case', and comes first. "
            "check() lists all."
        )
    chapter = name.partition(".")[0]
    for exercise in _of_chapter(chapter) if chapter in CHAPTERS else ():
        if exercise.name == name:
            return exercise
    names = [exercise.name for group in chapters().values() for exercise in group]
    near = difflib.get_close_matches(name, names, cutoff=0.5)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    return f"There is no exercise {name[:60]!r}.{guess} check() lists all."


def mark_passed(name: str) -> None:
    """Remember that an exercise was passed, until this session ends."""
    _passed.add(name)


def listing() -> str:
    """Return the list of all exercises, those marked that were passed."""
    lines, checked = [], 0
    for chapter, exercises in chapters().items():
        lines.append(chapter)
        for exercise in exercises:
            checked += exercise.checked
            mark = "x" if exercise.name in _passed else " "
            box = f"[{mark}]" if exercise.checked else " - "
            lines.append(f"  {box} {exercise.name:32} {exercise.title}")
    lines.append(f"{len(_passed)} of {checked} passed in this session; - asks for an argument")
    return "\n".join(lines)
