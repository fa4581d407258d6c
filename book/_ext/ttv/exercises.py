"""Put a stub under each exercise whose solution is checked, mark two, and list all exercises.

The stub is what the reader fills in. It is made from the solution, while Sphinx reads the page, so
that the two cannot drift apart: the same function with an empty body, or the same name without a
value, and the call of `check`. In the page and in the notebook it is a cell like any other, and is
run like any other.

The directive `exercise-list` sets a table of each chapter's exercises, as the companion has them.
"""

import ast
import copy
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from companion.exercises import Exercise, chapters, find
from ttv.reader import Block, blocks, pages_in_order


def with_stubs(source: str, page: str) -> str:
    """Return the source of a page with a stub cell after each exercise that has a checker.

    Those to do first say so, and how long they take.
    """
    found = blocks(source, page)
    solutions = _solutions(found)
    lines = source.split("\n")
    exercises = [block for block in found if block.name == "exercise"]
    for block in reversed(exercises):  # what comes before stays where it is
        code = solutions.get(str(block.options.get("label")))
        stub = code and stub_of(code, f"{page}.md:{block.start}")
        if stub:
            cell = ["```{code-cell} ipython3", ":tags: [stub]", "", stub, "```"]
            lines[block.end : block.end] = ["", *cell]
        label = str(block.options.get("label")).removeprefix(f"{Path(page).name}-")
        exercise = find(f"{Path(page).name}.{label}")
        if isinstance(exercise, Exercise) and exercise.first:
            first = f"**Do this exercise first** (about {exercise.minutes} minutes)."
            lines[block.body_start - 1 : block.body_start - 1] = [first, ""]
    return "\n".join(lines)


def _solutions(found: list[Block]) -> dict[str, str]:
    """Collect the code of each solution, by the label of its exercise."""
    solutions: dict[str, str] = {}
    current = None
    for block in found:
        if block.name == "solution-start":
            current = block.argument
            solutions[current] = ""
        elif block.name == "solution-end":
            current = None
        elif block.name == "code-cell" and current is not None:
            solutions[current] += block.body + "\n"
    return solutions


def stub_of(code: str, where: str) -> str | None:
    """Make the stub of a solution; None if nothing in it is checked."""
    tree = ast.parse(code)
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    checks = [call for call in calls if ast.unparse(call.func) == "check"]
    if not checks:
        return None
    match checks[0].args:
        case [ast.Constant(value=str(name)), ast.Name(id=answer)]:
            pass
        case _:
            wrong = ast.unparse(checks[0])
            raise ExtensionError(f"{where}: write check('name', answer), not {wrong}")
    parts = ["from companion.exercises import check"]
    defined = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == answer]
    if defined:
        parts += ["", "", _empty(defined[0]), "", ""]
    else:
        parts += ["", f"{answer} = ..."]
    return "\n".join([*parts, f'check("{name}", {answer})'])


def _empty(function: ast.FunctionDef) -> str:
    """Write a function without its body, but with its docstring."""
    docstring = ast.get_docstring(function, clean=False)
    stub = copy.copy(function)
    stub.body = [ast.Expr(ast.Constant(docstring))] if docstring else []
    stub.body.append(ast.Expr(ast.Constant(...)))
    stub.decorator_list = []
    return ast.unparse(ast.fix_missing_locations(stub))


def _add_stubs(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = with_stubs(source[0], docname)


class ExerciseList(SphinxDirective):
    """Set the tables."""

    def run(self) -> list[nodes.Node]:
        """Return a heading and a table for each chapter, in the order of the book."""
        lines, known = [], chapters()
        names = [page.removeprefix("book/") for page in pages_in_order(Path(self.env.srcdir))]
        for chapter in [name for name in names if name in known]:
            lines += [f"**{{doc}}`{chapter}`**: {{times}}`{chapter}`", ""]
            lines += ["| exercise | topic | level | minutes | needs |"]
            lines += ["| --- | --- | ---: | ---: | --- |"]
            for each in known[chapter]:
                first = ", *do first*" if each.first else ""
                link = f"{{ref}}`{each.title} <{each.name.replace('.', '-', 1)}>`{first}"
                topic = each.topic if each.checked else f"{each.topic} (*an argument*)"
                lines += [f"| {link} | {topic} | {each.level} | {each.minutes} | {each.needs} |"]
            lines += [""]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_directive("exercise-list", ExerciseList)
    app.connect("source-read", _add_stubs)
