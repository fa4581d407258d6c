"""Say how long each chapter takes to read, to practise and to run.

200 words of prose take a minute, a line of code or a formula 8 seconds, a figure half a minute.
What is folded, exercises, solutions and included files do not count. Times are rounded to five
minutes, short ones to the minute, so by at most a seventh. The roles `minutes`, `exercise-minutes`
and `times` say what several pages take.
"""

import math
import re
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from companion.exercises import chapters

A_WORD, A_LINE, A_FIGURE = 1 / 200, 8 / 60, 1 / 2
NOT_COUNTED = {"exercise", "solution", "dropdown", "tag_stub", "tag_hide-input", "tag_hide-cell"}


def minutes(node: nodes.Node) -> float:
    """Return the minutes that it takes to read a part of a page."""
    if not isinstance(node, nodes.Element) or NOT_COUNTED.intersection(node.get("classes", [])):
        return 0
    if isinstance(node, nodes.literal_block):  # it has a source if it is a file
        return 0 if "source" in node else A_LINE * len(re.findall(r"^.*\S", node.astext(), re.M))
    if node.get("nb_element") == "cell_code_output":
        return A_FIGURE * len(list(node.findall(nodes.figure)))
    if isinstance(node, nodes.TextElement):
        is_formula = isinstance(node, nodes.math_block)
        return A_LINE if is_formula else A_WORD * len(node.astext().split())
    return A_FIGURE * isinstance(node, nodes.figure) + sum(map(minutes, node.children))


def rounded(minutes: float) -> int:
    """Round to five minutes, or below 17.5 to the minute; what takes anything takes one."""
    step = 1 if minutes < 17.5 else 5
    return max(step * math.floor(minutes / step + 0.5), int(minutes > 0))


@cache
def times(env: BuildEnvironment, name: str) -> tuple[int, int, int, int]:
    """Return the minutes of ``words``: main line, deeper part, first exercises, the others."""
    page = env.get_doctree(f"book/{name}")
    more = sum(minutes(s) for s in page.findall(nodes.section) if s[0].astext() == "Going deeper")
    exercises = chapters().get(name, ())
    first = sum(exercise.minutes for exercise in exercises if exercise.first)
    others = sum(exercise.minutes for exercise in exercises) - first
    return rounded(minutes(page) - more), rounded(more), first, others


def hours(minutes: int) -> str:
    """Write minutes as hours and minutes: 1 h 35 min."""
    parts = [f"{n} {unit}" for n, unit in zip(divmod(minutes, 60), ("h", "min"), strict=True) if n]
    return " ".join(parts).replace(" ", "\N{NO-BREAK SPACE}")


def of_exercises(first: int, others: int) -> str:
    """Write what the exercises to do first take, and then the others: 15 min first, 1 h more."""
    return f"{hours(first)} first, {hours(others)} more"


def line(main: int, deeper: int, first: int, others: int, seconds: int = 0) -> str:
    """Write what a page takes, without what takes nothing."""
    kinds = ((main, "to read"), (deeper, "more in Going deeper"))
    parts = [f"{hours(n)} {what}" for n, what in kinds if n]
    if first:
        parts.append(f"exercises: {of_exercises(first, others)}")
    return " · ".join(parts + [f"{seconds} s to run"] * (seconds > 0))


def _role(name: str, raw: str, text: str, *_: Any) -> tuple[list[nodes.Node], list[Any]]:
    return [nodes.inline(raw, kind=name, pages=text.split())], []  # filled when all is read


def _fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in [n for n in doctree.findall(nodes.inline) if "pages" in n]:
        parts = zip(*(times(app.env, page) for page in node["pages"]), strict=True)
        main, deeper, first, others = map(sum, parts)
        text = {"minutes": hours(rounded(main)), "exercise-minutes": of_exercises(first, others)}
        node.replace_self(nodes.Text(text.get(node["kind"]) or line(main, deeper, first, others)))


def _add_line(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    runtime = app.env.nb_metadata[docname].get("exec_data", {}).get("runtime")  # type: ignore[attr-defined]
    if runtime and docname != app.config.root_doc:
        text = line(*times(app.env, docname.removeprefix("book/")), 5 * math.ceil(runtime / 5))
        section = next(doctree.findall(nodes.section))
        section.insert(1, nodes.paragraph("", text, classes=["ttv-times"]))


def setup(app: Sphinx) -> None:
    for role in ("minutes", "exercise-minutes", "times"):
        app.add_role(role, _role)
    app.connect("doctree-resolved", _fill)
    # After the notebook is written (900): seconds are not the same everywhere.
    app.connect("doctree-resolved", _add_line, priority=950)
