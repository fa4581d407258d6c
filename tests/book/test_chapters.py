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


def missing(name: str) -> list[str]:
    """List what a chapter lacks."""
    source = SOURCES[name]
    lacks = [f"a section ## {title}" for title in SECTIONS if f"\n## {title}\n" not in source]
    if ":class: objectives" not in source:
        lacks.append("a box of objectives")
    return lacks + of_figures(name) + of_questions(name) + of_exercises(name)


def of_figures(name: str) -> list[str]:
    """List what the figures of a chapter lack."""
    lacks = []
    for block in blocks(SOURCES[name], name):
        options = block.options.get("mystnb", {})
        figure = options.get("figure", {})
        if figure and not (figure.get("caption") and figure.get("name")):
            lacks.append(f"the caption and the name of the figure in line {block.start}")
        alt = str(options.get("image", {}).get("alt", block.options.get("alt", "")))
        # In YAML an unquoted " #" begins a comment, and the rest of the text is lost.
        if (figure or alt) and not re.search(r"[.!?]['\"”)]*$", alt):
            lacks.append(f"the alt text, in whole sentences, of the figure in line {block.start}")
    return lacks


def of_questions(name: str) -> list[str]:
    """List what the questions of a chapter lack."""
    path = ROOT / "book" / "quizzes" / f"{name}.yml"
    if f"```{{quiz}} {name}\n" not in SOURCES[name] or not path.exists():
        return [f"questions in book/quizzes/{name}.yml, and the directive that shows them"]
    questions = yaml.safe_load(path.read_text(encoding="utf-8"))
    lacks = [] if 3 <= len(questions) <= 5 else ["three to five questions"]
    rights = set()
    for number, question in enumerate(questions, start=1):
        choices = question["choices"]
        if not 3 <= len({choice["text"] for choice in choices}) == len(choices) <= len(LETTERS):
            lacks.append(f"three to six different choices for question {number}")
        if not all(choice.get("why") for choice in choices):
            lacks.append(f"a reason for each choice of question {number}")
        if [choice["right"] for choice in choices if "right" in choice] != [True]:
            lacks.append(f"the one right choice of question {number}")
        rights.add([bool(choice.get("right")) for choice in choices].index(True))
    return lacks if len(rights) > 1 else [*lacks, "right choices under more than one letter"]


def of_exercises(name: str) -> list[str]:
    """List what the exercises of a chapter lack."""
    source, known = SOURCES[name], chapters().get(name, ())
    titles = re.findall(r"^```\{exercise\} (.+)\n:label: (.+)$", source, re.MULTILINE)
    shown = {label.replace(f"{name}-", f"{name}.", 1): title for title, label in titles}
    listed = {exercise.name: exercise.title for exercise in known}
    lacks = [f"{e} in the page, as in its checker" for e in sorted(listed.items() - shown.items())]
    lacks += [f"the checker of {e}" for e in sorted(shown.items() - listed.items())]
    if sum(exercise.first for exercise in known) > 2:
        lacks.append("at most two exercises to be done first")
    deeper = source.partition("\n## Going deeper\n")[2]
    lacks += [
        f"{e.name}, to be done first, in the main part" for e in known
        if e.first and f":label: {e.name.replace('.', '-', 1)}\n" in deeper
    ]  # fmt: skip
    lacks += [
        f"a new name for the answer of {name}"
        for name in answered_already(with_stubs(source, f"book/{name}"))
    ]
    tests = ROOT / "tests" / "workbook" / f"test_{name.replace('-', '_')}.py"
    wrong = runpy.run_path(str(tests)).get("WRONG", []) if tests.exists() else []
    tried = Counter(given[0] for given in wrong)
    notebook = ROOT / "book" / "notebooks" / f"{name}.ipynb"
    shown_right = notebook.read_text(encoding="utf-8") if notebook.exists() else ""
    for exercise in (exercise for exercise in known if exercise.checked):
        if tried[exercise.name] + len(exercise.mistakes) + len(exercise.remarks) < 2:
            lacks.append(f"two wrong answers to {exercise.name}, in its mistakes or in its tests")
        if exercise.name == "one-file.file":
            continue  # its solution is examples/one_file.py: tests/workbook/test_one_file.py
        if not exercise.ours and shown_right.count(f'"{exercise.name}: right.') != 1:
            lacks.append(f"one solution of {exercise.name} that its checker calls right")
    return lacks


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
    assert missing(name) == []


def test_checkers_and_questions_belong_to_chapters() -> None:
    assert set(chapters()) == set(CHAPTERS) >= {"words", "training"}
    assert {path.stem for path in (ROOT / "book" / "quizzes").glob("*.yml")} == set(CHAPTERS)
