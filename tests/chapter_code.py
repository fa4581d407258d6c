"""Functions of a chapter, for tests that compare them with other programs."""

import ast
import re
from pathlib import Path
from typing import Any

BOOK = Path(__file__).parents[1] / "book"


def cells(chapter: str) -> list[str]:
    """Return the code of a chapter's cells, without their options."""
    text = (BOOK / f"{chapter}.md").read_text(encoding="utf-8")
    found = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    options = re.compile(r"\A(?:---\n.*?\n---\n|(?::[^\n]*\n)+)", re.DOTALL)
    return [options.sub("", cell) for cell in found]


def run_cell(chapter: str, holds: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run the cell that holds a text, with these names; return them with its own."""
    (cell,) = (cell for cell in cells(chapter) if holds in cell)
    exec(cell, names)
    return names


def of_chapter(chapter: str, *functions: str) -> dict[str, Any]:
    """Run the imports, the constants and some of the functions of a chapter; return its names."""
    names: dict[str, Any] = {}
    for statement in (statement for cell in cells(chapter) for statement in ast.parse(cell).body):
        match statement:
            case ast.Import() | ast.ImportFrom():
                wanted = True
            case ast.Assign(targets=[ast.Name(id=name)]):
                wanted = name.isupper() and len(name) > 1
            case ast.FunctionDef(name=name):
                wanted = name in functions
            case _:
                wanted = False
        if wanted:
            exec(compile(ast.Module([statement], []), chapter, "exec"), names)
    return names
