"""Put a stub under each exercise whose solution is checked, mark two, and list all exercises.

The stub, which the reader fills in, is made from the solution: the same function without a body, or
the same name without a value, and the call of `check`. Where the page goes on with the function,
it is made from our version in `workbook.exercises`, which the solution, of the class `ours`, shows.
The directive `exercise-list` sets a table of each chapter's exercises.
"""

import ast
import inspect
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.nodes import solution_node

from ttv.reader import blocks, pages_in_order
from workbook.exercises import Exercise, chapters, find

OURS = "ours"


def with_stubs(source: str, page: str) -> str:
    """Return the source of a page with a stub cell after each exercise that has a checker."""
    lines, solutions, cells = source.split("\n"), dict[str, str](), list[str]()
    for block in reversed(blocks(source, page)):  # what comes before stays where it is
        where = f"{page}.md:{block.start}"
        match block.name:
            case "solution-end":
                cells = []
            case "code-cell":
                cells = [block.body, *cells]
            case "solution-start":
                solutions[block.argument] = "\n".join(cells)
                if OURS in str(block.options.get("class")):
                    exercise = _find(page, block.argument)
                    if exercise is None or exercise.ours is None:
                        raise ExtensionError(f"{where}: {block.argument} has no version of ours")
                    listing = inspect.getsource(exercise.ours).rstrip()
                    lines[block.end : block.end] = ["", "```python", listing, "```"]
            case "exercise":
                label = str(block.options.get("label"))
                exercise, code = _find(page, label), solutions.get(label, "")
                if exercise and exercise.ours:
                    name = exercise.ours.__name__
                    call = f'{name} = check("{exercise.name}", {name})'
                    code = f"{inspect.getsource(exercise.ours)}\n{call}"
                if stub := stub_of(code, where):
                    cell = ["", "```{code-cell} ipython3", ":tags: [stub]", "", stub, "```"]
                    lines[block.end : block.end] = cell
                if exercise and exercise.first:  # it is the reader's turn
                    first = f"**Your turn** (about {exercise.minutes} minutes)."
                    lines[block.body_start - 1 : block.body_start - 1] = [first, ""]
    return "\n".join(lines)


def _find(page: str, label: str) -> Exercise | None:
    chapter = Path(page).name
    exercise = find(f"{chapter}.{label.removeprefix(f'{chapter}-')}")
    return exercise if isinstance(exercise, Exercise) else None


def stub_of(code: str, where: str) -> str | None:
    """Make the stub of a solution; None if nothing in it is checked."""
    tree = ast.parse(code)
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    check = next((call for call in calls if ast.unparse(call.func) == "check"), None)
    if check is None:
        return None
    match check.args:
        case [ast.Constant(value=str(name)), ast.Name(id=answer)]:
            call = f'check("{name}", {answer})'
        case _:
            wrong = ast.unparse(check)
            raise ExtensionError(f"{where}: write check('name', answer), not {wrong}")
    empty = f"\n{answer} = ...\n"
    for part in tree.body:
        if isinstance(part, ast.FunctionDef) and part.name == answer:
            docstring = part.body[: ast.get_docstring(part) is not None]
            part.body, part.decorator_list = [*docstring, ast.Expr(ast.Constant(...))], []
            empty = f"\n\n{ast.unparse(part)}\n\n\n"
        elif isinstance(part, ast.Assign) and part.value is check:
            call = f"{answer} = {call}"
    return f"from workbook import check\n{empty}{call}"


class ExerciseList(SphinxDirective):
    def run(self) -> list[nodes.Node]:
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


def _name_ours(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for solution in doctree.findall(solution_node):
        if OURS in solution["classes"]:
            solution[0] = nodes.title("", "Our version")


def setup(app: Sphinx) -> None:
    app.add_directive("exercise-list", ExerciseList)
    app.connect("doctree-resolved", _name_ours)
