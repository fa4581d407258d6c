"""What readers write in the chapters is `examples/one_file.py`, word for word."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path

from chapter_code import cells

from ttv.reader import blocks, pages_in_order
from workbook.exercises import chapters, grade

ROOT = Path(__file__).parents[2]
ONE_FILE = (ROOT / "examples" / "one_file.py").read_text(encoding="utf-8")
PAGES = {page: (ROOT / f"{page}.md").read_text("utf-8") for page in pages_in_order(ROOT)}
DEFINITION = ast.FunctionDef | ast.ClassDef
OWN = {node.name for node in ast.parse(ONE_FILE).body if isinstance(node, DEFINITION)}


def repeated(page: str) -> Iterator[str]:
    """Yield the code of a page that must be in the file."""
    for block in blocks(PAGES[page], page):
        if block.name == "code-cell":
            prompt = block.options.get("mystnb", {}).get("code_prompt_show")
            for node in ast.parse(block.body).body:
                is_own = isinstance(node, DEFINITION) and node.name in OWN
                if prompt == "Your file so far" or (prompt and is_own):
                    yield str(ast.get_source_segment(block.body, node))


def test_functions_are_repeated_word_for_word() -> None:
    found = [code for page in PAGES for code in repeated(page)]
    assert [code for code in found if f"\n{code}\n" not in ONE_FILE] == []
    assert len(found) > 9


def test_the_page_has_the_whole_file() -> None:
    page = cells("one-file")
    _, _, end = ONE_FILE.partition("paths else __doc__ * 9\n")
    first, program = textwrap.dedent(end).split("random.seed(3)\n")
    assert any(cell.startswith(f"text = load_story()\n{first}") for cell in page)
    assert f"random.seed(3)\n{program.rstrip()}" in page
    nodes = [node for cell in page for node in ast.parse(cell).body]
    defined = {node.name for node in nodes if isinstance(node, DEFINITION)}
    assert defined >= OWN - {"continued"}  # this one the reader writes there


def test_our_versions_are_right_and_those_of_the_file() -> None:
    for exercise in (exercise for group in chapters().values() for exercise in group):
        if exercise.ours:
            assert grade(exercise, exercise.ours) == (True, "right."), exercise.name
            code = inspect.getsource(exercise.ours)
            assert exercise.ours.__name__ not in OWN or f"\n{code}" in ONE_FILE
