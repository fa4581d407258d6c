"""Which exercises there are, and which were passed in this session."""

import difflib
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

from workbook.exercises._grading import Exercise

passed: set[str] = set()  # the names of the exercises


@cache
def _names() -> tuple[str, ...]:
    """Return the names of the chapters that have exercises, in alphabetical order."""
    modules = pkgutil.iter_modules([str(Path(__file__).parent)])
    return tuple(sorted(m.name.replace("_", "-") for m in modules if not m.name.startswith("_")))


@cache
def _of_chapter(chapter: str) -> tuple[Exercise, ...]:
    """Import the exercises of a chapter: those of ``gpt2-input`` from the module ``gpt2_input``."""
    module = import_module(f"workbook.exercises.{chapter.replace('-', '_')}")
    return tuple(module.EXERCISES)


def chapters() -> dict[str, tuple[Exercise, ...]]:
    """Return the exercises of each chapter by its name; the names are in alphabetical order.

    >>> from workbook.exercises import chapters
    >>> [exercise.name for exercise in chapters()["words"]][:2]
    ['words.case', 'words.lossless']
    """
    return {chapter: _of_chapter(chapter) for chapter in _names()}


def find(name: object) -> Exercise | str:
    """Return the exercise of a name such as ``"windows.count"``.

    If there is none of that name, or the name is not a string, return a sentence that says so.

    >>> from workbook.exercises import find
    >>> find("words.case").level
    1
    """
    if not isinstance(name, str):
        return "The first argument is a name, such as 'words.case'. check() lists all."
    chapter = name.partition(".")[0]
    for exercise in _of_chapter(chapter) if chapter in _names() else ():
        if exercise.name == name:
            return exercise
    names = [exercise.name for group in chapters().values() for exercise in group]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    return f"There is no exercise {name[:60]!r}.{guess} check() lists all."


def listing() -> str:
    """Return the list of all exercises, with a mark on those that were passed."""
    lines, checked = [], 0
    for chapter, exercises in chapters().items():
        lines.append(chapter)
        for exercise in exercises:
            checked += exercise.checked
            mark = "x" if exercise.name in passed else " "
            box = f"[{mark}]" if exercise.checked else " - "
            first = " (do this one first)" if exercise.first else ""
            lines.append(f"  {box} {exercise.name:32} {exercise.title}{first}")
    lines.append(f"{len(passed)} of {checked} passed in this session; - asks for an explanation")
    return "\n".join(lines)
