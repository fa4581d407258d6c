"""What a chapter must have: a run of this file with ``-k NAME`` lists all that is missing."""

import ast
import re
import runpy
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ttv.exercises import with_stubs
from ttv.quiz import LETTERS
from ttv.reader import blocks, pages_in_order
from workbook.exercises import chapters

ROOT = Path(__file__).parents[2]
SOURCES = {page.removeprefix("book/"): (ROOT / f"{page}.md").read_text(encoding="utf-8")
           for page in pages_in_order(ROOT)}  # fmt: skip
CHAPTERS = [name for name, source in SOURCES.items() if "{solution-start}" in source]
SECTIONS = ("Summary", "Check yourself", "Exercises", "Further reading")


def missing(name: str) -> Iterator[str]:
    """List what a chapter lacks."""
    source = SOURCES[name]
    yield from (f"a section ## {title}" for title in SECTIONS if f"\n## {title}\n" not in source)
    if ":class: objectives" not in source:
        yield "a box of objectives"
    yield from of_figures(name)
    yield from of_questions(name)
    yield from of_exercises(name)
    yield from of_checkers(name)


def of_figures(name: str) -> Iterator[str]:
    """List what the figures of a chapter lack."""
    for block in blocks(SOURCES[name], name):
        options = block.options.get("mystnb", {})
        figure = options.get("figure", {})
        if figure and not (figure.get("caption") and figure.get("name")):
            yield f"the caption and the name of the figure in line {block.start}"
        alt = str(options.get("image", {}).get("alt", block.options.get("alt", "")))
        # In YAML an unquoted " #" begins a comment, and the rest of the text is lost.
        if (figure or alt) and not re.search(r"[.!?]['\"”)]*$", alt):
            yield f"the alt text, in whole sentences, of the figure in line {block.start}"


def of_questions(name: str) -> Iterator[str]:
    """List what the questions of a chapter lack."""
    path = ROOT / "book" / "quizzes" / f"{name}.yml"
    if f"```{{quiz}} {name}\n" not in SOURCES[name] or not path.exists():
        yield f"questions in book/quizzes/{name}.yml, and the directive that shows them"
        return
    questions = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not 3 <= len(questions) <= 5:
        yield "three to five questions"
    rights = [[choice.get("right", False) for choice in q["choices"]] for q in questions]
    if len({right.index(True) for right in rights if any(right)}) == 1:
        yield "right choices under more than one letter"
    for number, (question, right) in enumerate(zip(questions, rights, strict=True), start=1):
        choices = question["choices"]
        if not 3 <= len({choice["text"] for choice in choices}) == len(choices) <= len(LETTERS):
            yield f"three to six different choices for question {number}"
        if not all(choice.get("why") for choice in choices):
            yield f"a reason for each choice of question {number}"
        if right.count(True) != 1:
            yield f"the one right choice of question {number}"


def of_exercises(name: str) -> Iterator[str]:
    """List what the exercises of a chapter lack in its page."""
    source, known = SOURCES[name], chapters().get(name, ())
    titles = re.findall(r"^```\{exercise\} (.+)\n:label: (.+)$", source, re.MULTILINE)
    shown = {label.replace(f"{name}-", f"{name}.", 1): title for title, label in titles}
    listed = {exercise.name: exercise.title for exercise in known}
    yield from (f"{e} in the page, as in its checker" for e in listed.items() - shown.items())
    yield from (f"the checker of {e}" for e in shown.items() - listed.items())
    first = [exercise.name for exercise in known if exercise.first]
    if len(first) > 2:
        yield "at most two exercises to be done first"
    deeper = source.partition("\n## Going deeper\n")[2]
    for each in first:
        if f":label: {each.replace('.', '-', 1)}\n" in deeper:
            yield f"{each}, to be done first, in the main part"
    for answer in answered_already(with_stubs(source, f"book/{name}")):
        yield f"a new name for the answer of {answer}"


def of_checkers(name: str) -> Iterator[str]:
    """List what the checkers of a chapter lack: wrong answers, and a solution that is right."""
    tests = ROOT / "tests" / "workbook" / f"test_{name.replace('-', '_')}.py"
    wrong = runpy.run_path(str(tests)).get("WRONG", []) if tests.exists() else []
    tried = Counter(given[0] for given in wrong)
    notebook = ROOT / "book" / "notebooks" / f"{name}.ipynb"
    shown_right = notebook.read_text(encoding="utf-8") if notebook.exists() else ""
    for exercise in (exercise for exercise in chapters().get(name, ()) if exercise.checked):
        if tried[exercise.name] + len(exercise.mistakes) + len(exercise.remarks) < 2:
            yield f"two wrong answers to {exercise.name}, in its mistakes or in its tests"
        if exercise.name == "one-file.file":
            continue  # its solution is examples/one_file.py: tests/workbook/test_one_file.py
        if not exercise.ours and shown_right.count(f'"{exercise.name}: right.') != 1:
            yield f"one solution of {exercise.name} that its checker calls right"


def answered_already(source: str) -> Iterator[str]:
    """Yield turns whose answer has a name that was defined before."""
    defined, is_solution = set[str](), False
    for block in blocks(source, "page"):
        if block.name.startswith("solution-"):
            is_solution = bool(block.argument)
        elif block.name == "code-cell" and not is_solution:
            answers = re.findall(r'^(\w+) = check\("([\w.-]+)"', block.body, re.MULTILINE)
            yield from (name for answer, name in answers if answer in defined)
            tree = ast.walk(ast.parse(block.body))
            is_stub = "stub" in block.options.get("tags", [])
            defined |= {n.name for n in tree if isinstance(n, ast.FunctionDef) and not is_stub}


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_all_its_parts(name: str) -> None:
    assert [*missing(name)] == []


def test_checkers_and_questions_belong_to_chapters() -> None:
    assert set(chapters()) == set(CHAPTERS) >= {"words", "training"}
    assert {path.stem for path in (ROOT / "book" / "quizzes").glob("*.yml")} == set(CHAPTERS)
