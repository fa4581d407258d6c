"""Say how long each chapter takes to read and to practise.

What is folded does not count, nor do exercises, solutions and included files. Sums are of
unrounded times. The roles `minutes`, `times` and others say what several pages take.
"""

import math
import pickle
import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from ttv.notebooks import is_code_cell, is_notebook
from ttv.quiz import quiz_question
from workbook.exercises import chapters

A_WORD, A_LINE = 1 / 200, 8 / 60  # minutes of prose; of code, or of a formula
A_LINE_SEEN = 2 / 60  # of output, or of code that the reader has seen before
A_FIGURE, A_PREDICTION, A_QUIZ = 1 / 2, 1 / 2, 2
NOT_COUNTED = {"exercise", "solution", "dropdown", "tag_stub", "tag_hide-cell"}
# Lines that the reader of the page `one-file` has seen before.
SEEN = frozenset(
    Path(__file__).parents[3].joinpath("examples/one_file.py").read_text().splitlines()
)


def minutes_of_page(page: nodes.document, name: str) -> tuple[float, float]:
    """Return the minutes that it takes to read the main line of a page, and its deeper part."""
    seen = SEEN if name == "one-file" else frozenset()
    deeper = [s for s in page.findall(nodes.section) if s[0].astext() == "Going deeper"]
    of_deeper = sum(minutes(section, seen) for section in deeper)
    return minutes(page, seen) - of_deeper, of_deeper


def minutes(node: nodes.Node, seen: frozenset[str] = frozenset()) -> float:
    """Return the minutes that it takes to read a part of a page; the reader has `seen` lines."""
    if not isinstance(node, nodes.Element) or NOT_COUNTED.intersection(node.get("classes", [])):
        return 0
    if is_code_cell(node):
        return _minutes_of_cell(node, seen)
    if isinstance(node, quiz_question):  # a quiz is its first question and those that follow
        return A_QUIZ if node["number"] == 1 else 0
    if isinstance(node, nodes.literal_block):  # it has a source if it is a file
        return 0 if "source" in node else A_LINE * len(_lines(node))
    if isinstance(node, nodes.math_block):
        return A_LINE
    if isinstance(node, nodes.TextElement):
        return A_WORD * len(node.astext().split())
    is_picture = isinstance(node, nodes.figure) and any(node.findall(nodes.image))
    own = A_FIGURE * is_picture + A_PREDICTION * ("predict" in node["classes"])
    return own + sum(minutes(child, seen) for child in node.children)


def _minutes_of_cell(cell: nodes.Element, seen: frozenset[str]) -> float:
    # Its lines, unless they are folded, what it prints, and its figures.
    total, parts = 0.0, list[Any](cell.children)
    for part in parts:
        if part.get("nb_element") != "cell_code_source":
            total += A_FIGURE * len(list(part.findall(nodes.figure)))
            total += A_LINE_SEEN * sum(len(_lines(n)) for n in part.findall(nodes.literal_block))
        elif "tag_hide-input" not in cell["classes"]:
            total += sum(A_LINE_SEEN if line in seen else A_LINE for line in _lines(part))
    return total


def _lines(node: nodes.Node) -> list[str]:
    return re.findall(r"^.*\S", node.astext(), re.M)


def rounded(minutes: float) -> int:
    """Round to the minute, from half an hour on to five; what takes anything takes one."""
    step = 1 if minutes < 30 else 5
    return max(step * math.floor(minutes / step + 0.5), int(minutes > 0))


@cache
def times(doctrees: str, name: str) -> tuple[float, float, int, int]:
    """Return the minutes of ``words``: main line, deeper part, first exercises, the others."""
    page = pickle.loads(Path(doctrees, "book", f"{name}.doctree").read_bytes())
    exercises = chapters().get(name, ())
    first = sum(exercise.minutes for exercise in exercises if exercise.first)
    return *minutes_of_page(page, name), first, sum(e.minutes for e in exercises) - first


def hours(minutes: float) -> str:
    """Write minutes as hours and minutes: 1 h 35 min."""
    parts = zip(divmod(rounded(minutes), 60), ("h", "min"), strict=True)
    return " ".join(f"{n} {unit}" for n, unit in parts if n).replace(" ", "\N{NO-BREAK SPACE}")


def _role(name: str, raw: str, text: str, *_: Any) -> tuple[list[nodes.Node], list[Any]]:
    return [nodes.inline(raw, kind=name, pages=text.split())], []  # filled when all is read


def _fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in [n for n in doctree.findall(nodes.inline) if "pages" in n]:
        parts = zip(*(times(str(app.doctreedir), page) for page in node["pages"]), strict=True)
        main, deeper, first, others = map(sum, parts)
        more = f", {hours(others)} more" if others else ""
        exercises = f"{hours(first)} first{more}" if first else hours(others)
        further = f"{hours(deeper)} more in Going deeper · " if deeper else ""
        text = {"minutes": hours(main), "first-minutes": hours(first),
                "more-minutes": hours(others), "exercise-minutes": exercises,
                "times": f"{hours(main)} to read · {further}exercises: {exercises}"}  # fmt: skip
        node.replace_self(nodes.Text(text[node["kind"]]))


def _add_line(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if is_notebook(app.env, docname) and docname != app.config.root_doc:
        main, *_ = times(str(app.doctreedir), docname.removeprefix("book/"))
        section = next(doctree.findall(nodes.section))
        section.insert(1, nodes.paragraph("", f"{hours(main)} to read", classes=["ttv-times"]))


def setup(app: Sphinx) -> None:
    for role in ("minutes", "exercise-minutes", "first-minutes", "more-minutes", "times"):
        app.add_role(role, _role)
    app.connect("doctree-resolved", _fill)
    # After the notebook is written (900), which has no such line.
    app.connect("doctree-resolved", _add_line, priority=950)
