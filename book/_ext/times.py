"""Say under the title of each chapter how long it takes to read, to run and to practise.

Reading time is counted in the source of the chapter, so that it is the same everywhere: its prose
at 200 words a minute, its code at 15 lines a minute, half a minute for each figure; the questions
at its end count as prose. Exercises and their solutions do not: what they take stands in the
package's list of exercises. Running time is what running all cells took when the book was built,
imports included, rounded up. It differs from machine to machine, so it goes into the pages alone,
after the notebooks are written.

The directive `chapter-times` sets a table of all chapters.
"""

import functools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from companion.exercises import chapters

WORDS_A_MINUTE = 200
LINES_A_MINUTE = 15
MINUTES_A_FIGURE = 0.5
ROUNDED_TO = 5
"""Minutes of reading are rounded to the nearest five, seconds of running up to the next five."""

HARD_SPACE = "\N{NO-BREAK SPACE}"
EXTENSIONS = {"amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"}
_DIRECTIVE = re.compile(r"\{(?P<name>[\w-]+)\}\s*(?P<title>.*)")
_WORD = re.compile(r"\w")


@dataclass
class Content:
    """What there is to read in a chapter."""

    words: int = 0
    lines: int = 0
    figures: int = 0

    @property
    def minutes(self) -> int:
        """Minutes to read it."""
        minutes = (
            self.words / WORDS_A_MINUTE
            + self.lines / LINES_A_MINUTE
            + self.figures * MINUTES_A_FIGURE
        )
        return max(ROUNDED_TO, ROUNDED_TO * math.floor(minutes / ROUNDED_TO + 0.5))


@functools.cache
def content_of(source: str, quiz: str = "") -> Content:
    r"""Count what there is to read in a chapter, exercises and solutions left out.

    Parameters
    ----------
    source : str
        The chapter in MyST Markdown.
    quiz : str
        Its questions, as they lie in ``book/quizzes``.

    Returns
    -------
    Content
        Words of prose, lines of code that are not blank, and figures.

    Examples
    --------
    >>> content_of("# A title\n\nSee {term}`an id <token id>`, $x_i$.")
    Content(words=6, lines=0, figures=0)
    """
    content = Content()
    _count(source, content)
    for question in yaml.safe_load(quiz) or []:
        for text in (question["question"], *(t for c in question["choices"] for t in _said(c))):
            _count(text, content)
    return content


def _said(choice: dict[str, Any]) -> tuple[str, str]:
    return choice["text"], choice["why"]


@functools.cache
def _parser() -> MarkdownIt:
    return create_md_parser(MdParserConfig(enable_extensions=EXTENSIONS), RendererHTML)


def _count(source: str, content: Content) -> None:
    in_solution = False
    for token in _parser().parse(source):
        directive = _DIRECTIVE.match(token.info) if "fence" in token.type else None
        name = directive["name"] if directive else ""
        if name in {"solution-start", "solution-end"}:
            in_solution = name == "solution-start"
        elif in_solution or name in {"exercise", "quiz", "raw"}:
            continue
        elif name == "code-cell":
            _count_code(token.content, content)
        elif directive:
            _count(directive["title"], content)
            _count(_body(token.content), content)
        elif token.type in {"fence", "code_block"}:
            content.lines += sum(map(bool, map(str.strip, token.content.splitlines())))
        elif token.type in {"math_block", "math_block_label", "amsmath"}:
            content.words += 1
        else:
            content.words += sum(map(_words, _texts(token)))


def _texts(token: Token) -> Iterator[str]:
    """Yield what a reader sees of a paragraph; a formula is one word."""
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
    yield words


def _words(text: str) -> int:
    return sum(_WORD.search(part) is not None for part in text.split())


def _body(content: str) -> str:
    """Return the body of a directive without its options."""
    return re.sub(r"\A(?::[\w-]+:.*\n)+", "", content)


def _count_code(cell: str, content: Content) -> None:
    options, _, code = cell.rpartition("\n---\n") if cell.startswith("---\n") else ("", "", cell)
    content.figures += "\n  figure:" in options
    content.lines += sum(map(bool, map(str.strip, _body(code).splitlines())))


# --- the book -------------------------------------------------------------------------------------


def reading_minutes(env: BuildEnvironment, chapter: str) -> int:
    """Return the minutes that it takes to read a chapter."""
    book = Path(env.srcdir) / "book"
    source = (book / f"{chapter}.md").read_text(encoding="utf-8")
    quiz = book / "quizzes" / f"{chapter}.yml"
    return content_of(source, quiz.read_text(encoding="utf-8") if quiz.exists() else "").minutes


def exercise_minutes(chapter: str) -> int:
    """Return the minutes that the exercises of a chapter take."""
    return sum(exercise.minutes for exercise in chapters()[chapter])


def running_seconds(env: BuildEnvironment, chapter: str) -> int | None:
    """Return the seconds that the cells of a chapter took, rounded up; None if they failed."""
    data = env.nb_metadata[f"book/{chapter}"].get("exec_data", {})  # type: ignore[attr-defined]
    runtime = data.get("runtime")
    return ROUNDED_TO * math.ceil(runtime / ROUNDED_TO) if runtime else None


def line(reading: int, running: int | None, exercises: int) -> str:
    """Write the line under the title of a chapter.

    Examples
    --------
    >>> line(35, 10, 60).replace(HARD_SPACE, " ")
    '35 minutes to read · 10 seconds to run · 60 minutes of exercises'
    """
    parts = [f"{reading} minutes to read", f"{running} seconds to run" if running else ""]
    parts.append(f"{exercises} minutes of exercises" if exercises else "")
    # Each part stays on one line.
    return " · ".join(part.replace(" ", HARD_SPACE) for part in parts if part)


class running_time(nodes.Inline, nodes.TextElement):  # noqa: N801 (docutils names nodes so)
    """The seconds that a chapter took to run, which are known when all pages have been read."""


class ChapterTimes(SphinxDirective):
    """Set the table of all chapters."""

    def run(self) -> list[nodes.Node]:
        """Return the table, with a place for each running time."""
        lines = [
            "| chapter | to read, minutes | exercises, minutes | to run, seconds |",
            "| --- | ---: | ---: | ---: |",
        ]
        for chapter in chapters():
            for path in (f"book/{chapter}.md", f"book/quizzes/{chapter}.yml"):
                self.env.note_dependency(str(Path(self.env.srcdir) / path))
            times = (reading_minutes(self.env, chapter), exercise_minutes(chapter))
            lines.append(f"| {{doc}}`{chapter}` | {times[0]} | {times[1]} | {chapter} |")
        holder = nodes.Element()
        holder.document = self.state.document
        self.state.nested_parse(StringList(lines, source="chapter-times"), 0, holder)
        for row in list(holder.findall(nodes.row))[1:]:
            cell = row.children[-1]
            assert isinstance(cell, nodes.Element)
            cell.children = [nodes.paragraph("", "", running_time(chapter=cell.astext()))]
        return holder.children


def _fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(running_time)):
        seconds = running_seconds(app.env, node["chapter"])
        node.replace_self(nodes.Text(str(seconds) if seconds else "–"))


def _add_line(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    chapter = docname.removeprefix("book/")
    if app.builder.name != "html" or chapter not in chapters():
        return
    title = next(doctree.findall(nodes.title), None)
    if title is None:
        raise ExtensionError(f"{docname}: a chapter needs a title, for the time that it takes")
    running = running_seconds(app.env, chapter)
    text = line(reading_minutes(app.env, chapter), running, exercise_minutes(chapter))
    place = title.parent.index(title) + 1
    title.parent.insert(place, nodes.paragraph("", text, classes=["ttv-times"]))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.add_directive("chapter-times", ChapterTimes)
    app.connect("doctree-resolved", _fill)
    # After the notebooks are written (900): theirs must not depend on the machine.
    app.connect("doctree-resolved", _add_line, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
