"""Say how long each chapter takes to read and to practise.

What is folded does not count, unless a visible cell uses the names of a folded one, in the main
line one of the main line; nor do exercises, solutions and included files. Sums are of unrounded
times. The roles `minutes`, `times` and others say what several pages take.
"""

import dis
import math
import pickle
import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_exercise.nodes import solution_node

from ttv.notebooks import is_code_cell, is_notebook
from ttv.quiz import quiz_question
from workbook.exercises import chapters

A_WORD, A_LINE = 1 / 200, 8 / 60  # minutes of prose; of code, or of a formula
A_LINE_SEEN = 2 / 60  # of output, or of code that the reader has seen before
A_FIGURE, A_PREDICTION, A_QUIZ = 1 / 2, 1 / 2, 2
NOT_COUNTED = {"exercise", "solution", "dropdown", "tag_stub"}
FOLDED = {"tag_hide-input", "tag_hide-cell"}
# In a folded cell, and on the page `one-file`.
SEEN = frozenset(
    Path(__file__).parents[3].joinpath("examples/one_file.py").read_text().splitlines()
)


def minutes_of_page(page: nodes.document, name: str) -> tuple[float, float]:
    """Return the minutes that it takes to read the main line of a page, and its deeper part."""
    seen = SEEN if name == "one-file" else frozenset()
    deeper = [s for s in page.findall(nodes.section) if s[0].astext() == "Going deeper"]
    solutions = page.findall(solution_node)
    apart = [cell for part in [*deeper, *solutions] for cell in part.findall(is_code_cell)]
    main = minutes(page, used(page, apart), seen)
    main -= sum(minutes(section, used(page, apart), seen) for section in deeper)
    return main, minutes(page, used(page), seen) - main if deeper else 0


def minutes(
    node: nodes.Node, names: frozenset[str] = frozenset(), seen: frozenset[str] = frozenset()
) -> float:
    """Return the minutes that it takes to read a part of a page.

    ``names`` are those that visible cells use, ``seen`` lines of code that the reader knows.
    """
    if not isinstance(node, nodes.Element) or NOT_COUNTED.intersection(node.get("classes", [])):
        return 0
    if is_code_cell(node):
        return _minutes_of_cell(node, names, seen)
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
    return own + sum(minutes(child, names, seen) for child in node.children)


def _minutes_of_cell(cell: nodes.Element, names: frozenset[str], seen: frozenset[str]) -> float:
    """Return the minutes of a code cell: its lines, what it prints, and its figures."""
    total, folded = 0.0, FOLDED.intersection(cell["classes"])
    parts: list[Any] = cell.children
    for part in parts:
        if part.get("nb_element") == "cell_code_source":
            if folded and not names_of(part.astext())[1] & names:
                continue
            known = SEEN if folded else seen
            total += sum(A_LINE_SEEN if line in known else A_LINE for line in _lines(part))
        elif "tag_hide-cell" not in cell["classes"]:
            total += A_FIGURE * len(list(part.findall(nodes.figure)))
            total += A_LINE_SEEN * sum(len(_lines(n)) for n in part.findall(nodes.literal_block))
    return total


def _lines(node: nodes.Node) -> list[str]:
    return re.findall(r"^.*\S", node.astext(), re.M)


def used(page: nodes.document, apart: Sequence[nodes.Node] = ()) -> frozenset[str]:
    """Return the names that visible cells use, but those `apart`, and do not define themselves."""
    cells = [cell for cell in list[Any](page.findall(is_code_cell)) if cell not in apart]
    hidden = {*FOLDED, "tag_stub"}
    visible = [cell[0].astext() for cell in cells if not hidden.intersection(cell["classes"])]
    return names_of("\n".join(visible))[0]


def names_of(code: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that some code takes from elsewhere, and those that it has for later."""
    blocks = [compile(code, "<cell>", "exec")]
    for block in blocks:  # which grows
        blocks += [part for part in block.co_consts if isinstance(part, CodeType)]
    steps = [step for block in blocks for step in dis.get_instructions(block)]
    names = {step.argval for step in steps if step.opname in ("LOAD_NAME", "LOAD_GLOBAL")}
    made = {
        step.argval
        for before, step in pairwise(dis.get_instructions(blocks[0]))
        if step.opname == "STORE_NAME" and not before.opname.startswith("IMPORT_")
    }
    return frozenset(names - made), frozenset(made)


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
