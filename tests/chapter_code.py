"""Functions of a chapter, for tests that compare them with other programs."""

import ast
from pathlib import Path
from typing import Any

from ttv.reader import blocks

BOOK = Path(__file__).parents[1] / "book"


def cells(chapter: str) -> list[str]:
    """Return the code of a chapter's cells, without their options."""
    found = blocks((BOOK / f"{chapter}.md").read_text(encoding="utf-8"), chapter)
    return [block.body for block in found if block.name == "code-cell"]


def run_cell(chapter: str, holds: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run the cell that holds a text, with these names; return them with its own."""
    (cell,) = (cell for cell in cells(chapter) if holds in cell)
    exec(cell, names)
    return names


def of_chapter(chapter: str, *functions: str) -> dict[str, Any]:
    """Run the imports, the constants and some of the functions of a chapter; return its names."""
    names: dict[str, Any] = {}
    for statement in ast.parse("\n".join(cells(chapter))).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]):
                is_wanted = name.isupper() and len(name) > 1
            case ast.FunctionDef(name=name):
                is_wanted = name in functions
            case _:
                is_wanted = isinstance(statement, ast.Import | ast.ImportFrom)
        if is_wanted:
            exec(compile(ast.Module([statement], []), chapter, "exec"), names)
    return names
