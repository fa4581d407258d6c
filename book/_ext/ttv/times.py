"""Say under the title of each chapter how long it takes to read, to run and to practise.

Reading time is counted in the source of the page, so that it is the same everywhere: its prose at
200 words a minute, its code at 15 lines a minute, half a minute for each figure; the questions at
its end count as prose. What is under `## Going deeper` is counted by itself. Exercises and their
solutions are not counted: the package's list of exercises says what they take. A file that the page
includes is not counted either: the page has shown its lines step by step. Running time is what
running all cells took when the book was built, imports included, rounded up. It differs from
machine to machine, so it goes into the pages alone, after the notebooks are written.

The directive `chapter-times` sets a table of all chapters. The role `minutes` adds up the main
lines of pages, such as {minutes}`start words bytes`, and writes "1 h 35 min".
"""

import functools
import math
import re
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import yaml
from docutils import nodes
from markdown_it.token import Token
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from ttv.exercises import in_order
from ttv.notebooks import is_notebook
from ttv.reader import Block, CheckedRole, read

WORDS_A_MINUTE = 200
LINES_A_MINUTE = 15
MINUTES_A_FIGURE = 0.5
ROUNDED_TO = 5
"""Minutes of reading are rounded to the nearest five, seconds of running up to the next five."""

DEEPER = "Going deeper"
"""Title of the section with the optional part of a chapter."""

NOT_COUNTED = {"exercise", "literalinclude", "quiz", "raw"}
HARD_SPACE = "\N{NO-BREAK SPACE}"
_WORD = re.compile(r"\w")


@dataclass
class Content:
    """What there is to read in a part of a page."""

    words: int = 0
    lines: int = 0
    figures: int = 0

    @property
    def minutes(self) -> int:
        """Minutes to read it; 0 if there is nothing."""
        minutes = (
            self.words / WORDS_A_MINUTE
            + self.lines / LINES_A_MINUTE
            + self.figures * MINUTES_A_FIGURE
        )
        return ROUNDED_TO * max(minutes > 0, math.floor(minutes / ROUNDED_TO + 0.5))


@dataclass
class Reading:
    """What there is to read in a page, exercises and solutions left out."""

    main: Content = field(default_factory=Content)
    deeper: Content = field(default_factory=Content)


@functools.cache
def reading_of(source: str, quiz: str = "", page: str = "page") -> Reading:
    r"""Count what there is to read in a page in MyST Markdown and in its questions in YAML.

    >>> reading_of("# A title\n\nSee {term}`an id <token id>`, $x_i$.").main
    Content(words=6, lines=0, figures=0)
    >>> reading_of("# A title\n\n## Going deeper\n\nMore.\n\n## Further reading").deeper
    Content(words=3, lines=0, figures=0)
    """
    reading = Reading()
    _count(source, reading, page)
    for question in yaml.safe_load(quiz) or []:
        choices = question["choices"]
        said = [question["question"], *(c[part] for c in choices for part in ("text", "why"))]
        for text in said:
            _count(text, Reading(reading.main), page)
    return reading


def _count(source: str, reading: Reading, page: str, first_line: int = 1) -> None:
    content, in_solution, heading = reading.main, False, ""
    for part in read(source, page, first_line):
        if not isinstance(part, Block):
            if heading == "h2" and part.type == "inline":
                content = reading.deeper if part.content.strip() == DEEPER else reading.main
            heading = part.tag if part.type == "heading_open" else ""
            if not in_solution:
                content.words += _words(_seen(part))
        elif part.name in {"solution-start", "solution-end"}:
            in_solution = part.name == "solution-start"
        elif not in_solution and part.name not in NOT_COUNTED:
            _count_block(part, content, page)


def _count_block(block: Block, content: Content, page: str) -> None:
    if block.name in {"", "code-cell"}:
        content.lines += sum(map(bool, map(str.strip, block.body.splitlines())))
        content.figures += "figure" in block.options.get("mystnb", {})
    else:
        _count(block.argument, Reading(content), page, block.start)
        _count(block.body, Reading(content), page, block.body_start)


def _seen(token: Token) -> str:
    """Return what a reader sees of a paragraph or a formula; a formula is one word."""
    if token.type.startswith(("math", "amsmath")):
        return "x"
    words = ""
    for child in token.children or []:
        if child.type == "myst_role":
            words += child.content.partition("<")[0] or child.content
        elif child.type.startswith("math"):
            words += "x"
        elif child.type in {"text", "code_inline"}:
            words += child.content
        elif child.type in {"softbreak", "hardbreak"}:
            words += " "
    return words


def _words(text: str) -> int:
    return sum(_WORD.search(part) is not None for part in text.split())


# --- the book -------------------------------------------------------------------------------------


def reading(env: BuildEnvironment, name: str) -> Reading:
    """Count what there is to read in a page of the book, such as ``words``."""
    book = Path(env.srcdir) / "book"
    quiz = book / "quizzes" / f"{name}.yml"
    questions = quiz.read_text(encoding="utf-8") if quiz.exists() else ""
    source = (book / f"{name}.md").read_text(encoding="utf-8")
    return reading_of(source, questions, f"book/{name}")


def exercise_minutes(name: str) -> int:
    """Return the minutes that the exercises of a page take."""
    module = f"companion.exercises.{name.replace('-', '_')}"  # alone: others may need torch
    if find_spec(module) is None:
        return 0
    return sum(exercise.minutes for exercise in import_module(module).EXERCISES)


def running_seconds(env: BuildEnvironment, name: str) -> int | None:
    """Return the seconds that the cells of a page took, rounded up; None if they failed."""
    data = env.nb_metadata[f"book/{name}"].get("exec_data", {})  # type: ignore[attr-defined]
    runtime = data.get("runtime")
    return ROUNDED_TO * math.ceil(runtime / ROUNDED_TO) if runtime else None


def line(main: int, deeper: int, running: int | None, exercises: int) -> str:
    """Write the line under the title of a chapter.

    >>> line(35, 0, 10, 60).replace(HARD_SPACE, " ")
    '35 minutes to read · 10 seconds to run · 60 minutes of exercises'
    >>> line(15, 20, 10, 60).replace(HARD_SPACE, " ")
    '15 minutes · 20 more in Going deeper · 60 of exercises · 10 seconds to run'
    """
    seconds = f"{running} seconds to run" if running else ""
    if deeper:
        parts = [f"{main} minutes", f"{deeper} more in {DEEPER}"]
        parts += [f"{exercises} of exercises" if exercises else "", seconds]
    else:
        parts = [f"{main} minutes to read", seconds]
        parts += [f"{exercises} minutes of exercises" if exercises else ""]
    # Each part stays on one line.
    return " · ".join(part.replace(" ", HARD_SPACE) for part in parts if part)


def hours(minutes: int) -> str:
    """Write minutes as hours and minutes.

    >>> [hours(minutes).replace(HARD_SPACE, " ") for minutes in (35, 95, 120)]
    ['35 min', '1 h 35 min', '2 h']
    """
    parts = (f"{minutes // 60} h" if minutes >= 60 else "", f"{minutes % 60} min")
    text = " ".join(part for part in parts if part and part != "0 min")
    return text.replace(" ", HARD_SPACE)


class MinutesRole(CheckedRole):
    """Minutes of the main lines of several pages together."""

    def node(self) -> nodes.Node:
        """Read the pages and write the sum of what each of them says."""
        return nodes.Text(hours(sum(reading(self.env, n).main.minutes for n in self.text.split())))


class running_time(nodes.Inline, nodes.TextElement):  # noqa: N801 (docutils names nodes so)
    """The seconds that a chapter took to run, which are known when all pages have been read."""


class ChapterTimes(SphinxDirective):
    """Set the table of all chapters."""

    def run(self) -> list[nodes.Node]:
        """Return the table, with a place for each running time."""
        lines = [
            "| chapter | to read, minutes | deeper, minutes | exercises, minutes "
            "| to run, seconds |",
            "| --- | ---: | ---: | ---: | ---: |",
        ]
        for name in in_order(Path(self.env.srcdir)):
            counted = reading(self.env, name)
            deeper = counted.deeper.minutes or "–"
            lines.append(
                f"| {{doc}}`{name}` | {counted.main.minutes} | {deeper} | {exercise_minutes(name)} "
                f"| {name} |"
            )
        found = self.parse_text_to_nodes("\n".join(lines))
        rows = [row for node in found for row in node.findall(nodes.row)]
        for row in rows[1:]:
            cell = row.children[-1]
            assert isinstance(cell, nodes.Element)
            cell.children = [nodes.paragraph("", "", running_time(chapter=cell.astext()))]
        return found


def _fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(running_time)):
        seconds = running_seconds(app.env, node["chapter"])
        node.replace_self(nodes.Text(str(seconds) if seconds else "–"))


def _add_line(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Add the line to a page with code; the landing page has its own times."""
    root = docname == app.config.root_doc
    if app.builder.name != "html" or root or not is_notebook(app.env, docname):
        return
    name = docname.removeprefix("book/")
    title = next(doctree.findall(nodes.title))
    counted, running = reading(app.env, name), running_seconds(app.env, name)
    text = line(counted.main.minutes, counted.deeper.minutes, running, exercise_minutes(name))
    paragraph = nodes.paragraph(classes=["ttv-times"])
    before, deeper, after = text.partition(DEEPER.replace(" ", HARD_SPACE))
    paragraph += nodes.Text(before)
    if deeper:
        link = nodes.reference("", "", nodes.emphasis("", deeper), internal=True)
        link["refid"] = nodes.make_id(DEEPER)
        paragraph += [link, nodes.Text(after)]
    title.parent.insert(title.parent.index(title) + 1, paragraph)


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_directive("chapter-times", ChapterTimes)
    app.add_role("minutes", MinutesRole())
    app.connect("doctree-resolved", _fill)
    # After the notebooks are written (900): theirs must not depend on the machine.
    app.connect("doctree-resolved", _add_line, priority=950)
