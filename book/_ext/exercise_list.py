"""The directive `exercise-list`: a table of all exercises, as the companion knows them.

It has one option, `:level:`; with it the table holds only the exercises of that level.
"""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.exercises import Exercise, chapters

LEVELS = {1: "warm-up", 2: "some work", 3: "a small project"}


class ExerciseList(SphinxDirective):
    """Set the table."""

    option_spec = {"level": directives.positive_int}  # noqa: RUF012 (as docutils has it)

    def run(self) -> list[nodes.Node]:
        """Return the table, a row for each exercise, in the order of the book."""
        level = self.options.get("level")
        lines = [
            "| exercise | topic | level | minutes | checked |",
            "| --- | --- | --- | ---: | --- |",
        ]
        for chapter, exercises in chapters().items():
            for exercise in exercises:
                if level in (None, exercise.level):
                    lines.append(row(chapter, exercise))
        holder = nodes.Element()
        holder.document = self.state.document
        self.state.nested_parse(StringList(lines, source="exercises"), 0, holder)
        return holder.children


def row(chapter: str, exercise: Exercise) -> str:
    """Return the line of an exercise."""
    label = exercise.name.replace(".", "-", 1)
    checked = f"`{exercise.name}`" if exercise.checked else "an argument"
    title = f"{{doc}}`{chapter}`: {{ref}}`{exercise.title} <{label}>`"
    level = LEVELS[exercise.level]
    return f"| {title} | {exercise.topic} | {level} | {exercise.minutes} | {checked} |"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.add_directive("exercise-list", ExerciseList)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
