"""What readers write in the chapters is `examples/one_file.py`, word for word."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from ttv.reader import blocks, pages_in_order
from workbook.exercises import chapters, grade

ROOT = Path(__file__).parents[2]
ONE_FILE = (ROOT / "examples" / "one_file.py").read_text(encoding="utf-8")
PAGES = {page: (ROOT / f"{page}.md").read_text("utf-8") for page in pages_in_order(ROOT)}
DEFINITION = ast.FunctionDef | ast.ClassDef
OWN = {node.name for node in ast.parse(ONE_FILE).body if isinstance(node, DEFINITION)}


def of_the_file(page: str) -> Iterator[str]:
    """Yield the code of a page that must be in the file: what it repeats."""
    for block in blocks(PAGES[page], page):
        if block.name == "code-cell":
            prompt = block.options.get("mystnb", {}).get("code_prompt_show")
            for node in ast.parse(block.body).body:
                is_own = isinstance(node, DEFINITION) and node.name in OWN
                if prompt == "Your file so far" or (prompt and is_own):
                    yield str(ast.get_source_segment(block.body, node))


@pytest.mark.parametrize("page", PAGES)
def test_functions_are_repeated_word_for_word(page: str) -> None:
    for code in of_the_file(page):
        assert f"\n{code}\n" in ONE_FILE


def test_the_page_has_the_whole_file() -> None:
    cells = [b.body for b in blocks(PAGES["book/one-file"], "one-file") if b.name == "code-cell"]
    _, _, end = ONE_FILE.partition("paths else __doc__ * 9\n")
    first, program = textwrap.dedent(end).split("random.seed(3)\n")
    assert any(cell.startswith(f"text = load_story()\n{first}") for cell in cells)
    assert f"random.seed(3)\n{program.rstrip()}" in cells
    defined = {
        node.name for cell in cells for node in ast.parse(cell).body if isinstance(node, DEFINITION)
    }
    assert defined >= OWN - {"continued"}  # this one the reader writes there


def test_our_versions_are_right_and_those_of_the_file() -> None:
    ours = [e for group in chapters().values() for e in group if e.ours]
    assert len(ours) >= 6
    for exercise in ours:
        assert exercise.first
        assert grade(exercise, exercise.ours) == (True, "right."), exercise.name
        code = inspect.getsource(exercise.ours)
        assert len(code.splitlines()) <= 17
        assert exercise.ours.__name__ not in OWN or f"\n{code}" in ONE_FILE
