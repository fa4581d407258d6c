"""The directive `exercise-list`: a table of each chapter's exercises, as the companion has them."""

from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.exercises import Exercise, chapters


class ExerciseList(SphinxDirective):
    """Set the tables."""

    def run(self) -> list[nodes.Node]:
        """Return a heading and a table for each chapter, in the order of the book."""
        lines = []
        for chapter, exercises in chapters().items():
            lines += [f"**{{doc}}`{chapter}`**", ""]
            lines += ["| exercise | topic | level | minutes |", "| --- | --- | ---: | ---: |"]
            lines += [row(exercise) for exercise in exercises]
            lines += [""]
        holder = nodes.Element()
        holder.document = self.state.document
        self.state.nested_parse(StringList(lines, source="exercises"), 0, holder)
        return holder.children


def row(exercise: Exercise) -> str:
    """Return the line of an exercise."""
    label = exercise.name.replace(".", "-", 1)
    topic = exercise.topic if exercise.checked else f"{exercise.topic} (*an argument*)"
    link = f"{{ref}}`{exercise.title} <{label}>`"
    return f"| {link} | {topic} | {exercise.level} | {exercise.minutes} |"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.add_directive("exercise-list", ExerciseList)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
