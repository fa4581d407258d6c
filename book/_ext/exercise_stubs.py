"""Put a stub under each exercise whose solution is checked: what the reader fills in.

The stub is made from the solution, while Sphinx reads the page, so that the two cannot drift apart:
the same function with an empty body, or the same name without a value, and the call of `check`. It
stands in the page and in the notebook as a cell like any other, and is run like any other.
"""

import ast
import copy
import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

FENCE = re.compile(r"^(?P<ticks>`{3,})\{(?P<name>[\w-]+)\}\s*(?P<argument>.*?)\s*$")


def with_stubs(source: str, page: str) -> str:
    """Return the source of a page with a stub cell after each exercise that has a checker."""
    lines = source.split("\n")
    blocks = list(_blocks(lines))
    solutions = _solutions(lines, blocks)
    written: list[str] = []
    end_of = {end: label for name, label, _, end in blocks if name == "exercise"}
    for i, line in enumerate(lines):
        written.append(line)
        code = solutions.get(end_of.get(i, ""))
        stub = code and stub_of(code, page)
        if stub:
            written += ["", "```{code-cell} ipython3", ":tags: [stub]", "", stub, "```"]
    return "\n".join(written)


def stub_of(code: str, page: str) -> str | None:
    """Make the stub of a solution; None if nothing in it is checked."""
    tree = ast.parse(code)
    calls = [node for node in ast.walk(tree) if _is_check(node)]
    if not calls:
        return None
    call = calls[0]
    match call:
        case ast.Call(args=[ast.Constant(value=str(name)), ast.Name(id=answer)]):
            pass
        case _:
            raise ExtensionError(f"{page}: write check('name', answer), not {ast.unparse(call)}")
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


def _is_check(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"
    )


def _blocks(lines: list[str]) -> Iterator[tuple[str, str, int, int]]:
    """Find the fenced directives of a page: name, label or argument, first and last line."""
    i = 0
    while i < len(lines):
        found = FENCE.match(lines[i])
        if not found:
            i += 1
            continue
        end = lines.index(found["ticks"], i + 1)
        label = found["argument"]
        for line in lines[i + 1 : end]:
            if line.startswith(":label:"):
                label = line.removeprefix(":label:").strip()
        yield found["name"], label, i, end
        i = end + 1


def _solutions(lines: list[str], blocks: list[tuple[str, str, int, int]]) -> dict[str, str]:
    """Collect the code of each solution, by the label of its exercise."""
    solutions: dict[str, str] = {}
    current = None
    for name, label, start, end in blocks:
        if name == "solution-start":
            current = label
            solutions[current] = ""
        elif name == "solution-end":
            current = None
        elif name == "code-cell" and current is not None:
            body = [line for line in lines[start + 1 : end] if not re.match(r":\w+:", line)]
            solutions[current] += "\n".join(body) + "\n"
    return solutions


def _add_stubs(app: Sphinx, docname: str, source: list[str]) -> None:
    if "{solution-start}" in source[0]:
        source[0] = with_stubs(source[0], docname)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.connect("source-read", _add_stubs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
