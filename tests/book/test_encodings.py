"""Code that readers see names the encoding of each file: on Windows it is not UTF-8 by itself."""

import ast
import re
from collections.abc import Iterator
from doctest import DocTestParser
from pathlib import Path

import pytest

from ttv.reader import blocks

ROOT = Path(__file__).parents[2]
FILES = [
    path
    for pattern in ("book/*.md", "companion/**/*.py", "examples/*.py")
    for path in sorted(ROOT.glob(pattern))
]


def programs(path: Path) -> Iterator[str]:
    """The cells of a page, or a module and its docstrings' examples."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        cells = blocks(text, str(path.with_suffix("")))
        yield from (cell.body for cell in cells if cell.name == "code-cell")
        return
    yield text
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            examples = DocTestParser().get_examples(ast.get_docstring(node) or "")
            yield "".join(example.source for example in examples)


def unnamed(code: str) -> list[str]:
    """Calls that read or write text in whichever encoding the machine prefers."""
    found = []
    lines = [line for line in code.split("\n") if line.lstrip()[:1] not in ("%", "!")]
    for node in ast.walk(ast.parse("\n".join(lines))):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        said = [ast.unparse(argument) for argument in [*node.args, *node.keywords]]
        encoded = any("utf-8" in text or "ascii" in text or "encoding=" in text for text in said)
        binary = any(re.fullmatch(r"(mode=)?'[rwxa]b\+?'", text) for text in said)
        if name in ("open", "read_text", "write_text") and not encoded and not binary:
            found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_file_is_read_in_the_encoding_of_the_machine(path: Path) -> None:
    assert [call for code in programs(path) for call in unnamed(code)] == []


def test_a_call_without_an_encoding_would_be_found() -> None:
    wrong = "a.read_text()\nopen(b)\nc.write_text('x')\nopen(d, 'w')"
    right = "a.read_text('utf-8')\nopen(b, 'rb')\nc.open('wb')\nopen(d, encoding='ascii')"
    assert len(unnamed(wrong)) == 4
    assert unnamed(right) == []
