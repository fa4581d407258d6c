"""What a chapter must have: a run of this file with ``-k NAME`` lists all that is missing."""

import re
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from ttv.quiz import LETTERS
from ttv.reader import blocks, pages_in_order
from workbook.exercises import chapters

ROOT = Path(__file__).parents[2]
SOURCES = {page.removeprefix("book/"): (ROOT / f"{page}.md").read_text(encoding="utf-8")
           for page in pages_in_order(ROOT)}  # fmt: skip
CHAPTERS = [name for name, source in SOURCES.items() if "{solution-start}" in source]
PARTS = [
    ":class: objectives", "\n## Summary\n", "\n## Check yourself\n", "\n## Exercises\n",
    "\n## Further reading\n",
]  # fmt: skip


def of_figures(name: str) -> Iterator[str]:
    """List what the figures of a chapter lack."""
    for block in blocks(SOURCES[name], name):
        options = block.options.get("mystnb", {})
        alt = str(options.get("image", {}).get("alt", block.options.get("alt", "")))
        # In YAML an unquoted " #" begins a comment, and the rest of the text is lost.
        if ("figure" in options or alt) and not re.search(r"[.!?]['\"”)]*$", alt):
            yield f"the alt text, in whole sentences, of the figure in line {block.start}"


def of_questions(name: str) -> Iterator[str]:
    """List what the questions of a chapter lack."""
    path = ROOT / "book" / "quizzes" / f"{name}.yml"
    questions = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else []
    if f"```{{quiz}} {name}\n" not in SOURCES[name] or not 3 <= len(questions) <= 5:
        yield f"three to five questions in {path.name}, and the directive that shows them"
    letters = set[str]()
    for number, choices in enumerate((question["choices"] for question in questions), start=1):
        if not 3 <= len({choice["text"] for choice in choices}) == len(choices) <= len(LETTERS):
            yield f"three to six different choices for question {number}"
        right = [LETTERS[i] for i, choice in enumerate(choices) if choice.get("right")]
        if len(right) != 1:
            yield f"the one right choice of question {number}"
        letters.update(right)
    if len(letters) < 2:
        yield "right choices under more than one letter"


@cache
def wrong_answers(file: str) -> list[str]:
    """Return the exercise of each wrong answer that a file of tests has."""
    path = ROOT / "tests" / "workbook" / file
    found = runpy.run_path(str(path)).get("WRONG", []) if path.exists() else []
    return [given[0] for given in found]


def of_exercises(name: str) -> Iterator[str]:
    """List what the exercises of a chapter lack in its page, and their checkers elsewhere."""
    source, known = SOURCES[name], chapters().get(name, ())
    titles = re.findall(r"^```\{exercise\} (.+)\n:label: (.+)$", source, re.MULTILINE)
    shown = {(label.replace(f"{name}-", f"{name}.", 1), title) for title, label in titles}
    listed = {(exercise.name, exercise.title) for exercise in known}
    yield from (f"{e} in the page, as in its checker" for e in listed - shown)
    yield from (f"the checker of {e}" for e in shown - listed)
    deeper = source.partition("\n## Going deeper\n")[2]
    first = [exercise.name.replace(".", "-", 1) for exercise in known if exercise.first]
    if len(first) > 2 or any(f":label: {label}\n" in deeper for label in first):
        yield f"at most two exercises to be done first, in the main part: {first}"
    wrong = wrong_answers(f"test_{name.replace('-', '_')}.py") + wrong_answers("test_answers.py")
    notebook = ROOT / "book" / "notebooks" / f"{name}.ipynb"
    outputs = notebook.read_text(encoding="utf-8") if notebook.exists() else ""
    for exercise in (exercise for exercise in known if exercise.checked):
        if wrong.count(exercise.name) + len(exercise.mistakes) + len(exercise.remarks) < 2:
            yield f"two wrong answers to {exercise.name}, in its mistakes or in its tests"
        # The solution of `one-file.file` is examples/one_file.py: tests/workbook/test_one_file.py.
        is_shown = not exercise.ours and exercise.name != "one-file.file"
        if is_shown and outputs.count(f'"{exercise.name}: right.') != 1:
            yield f"one solution of {exercise.name} that its checker calls right"


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_all_its_parts(name: str) -> None:
    missing = [part for part in PARTS if part not in SOURCES[name]]
    assert [*missing, *of_figures(name), *of_questions(name), *of_exercises(name)] == []


def test_checkers_and_questions_belong_to_chapters() -> None:
    assert set(chapters()) == set(CHAPTERS) >= {"words", "training"}
    assert {path.stem for path in (ROOT / "book" / "quizzes").glob("*.yml")} == set(CHAPTERS)
