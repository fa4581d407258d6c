"""What readers write in the chapters is `examples/one_file.py`, word for word."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from ttv.reader import blocks, pages_in_order

ROOT = Path(__file__).parents[2]
ONE_FILE = (ROOT / "examples" / "one_file.py").read_text(encoding="utf-8")
PAGES = {page: (ROOT / f"{page}.md").read_text("utf-8") for page in pages_in_order(ROOT)}
OWN = {node.name for node in ast.parse(ONE_FILE).body if isinstance(node, ast.FunctionDef)}


def of_the_file(page: str) -> Iterator[str]:
    """Yield the code of a page that must be in the file: what is repeated, and our versions."""
    ours = False
    for block in blocks(PAGES[page], page):
        if block.name.startswith("solution-"):
            ours = "ours" in str(block.options.get("class", ""))
        elif block.name == "code-cell":
            prompt = block.options.get("mystnb", {}).get("code_prompt_show")
            for node in ast.parse(block.body).body:
                is_function = isinstance(node, ast.FunctionDef) and node.name in OWN
                if prompt == "Your file so far" or (ours and is_function):
                    yield str(ast.get_source_segment(block.body, node))


@pytest.mark.parametrize("page", PAGES)
def test_functions_are_repeated_word_for_word(page: str) -> None:
    for code in of_the_file(page):
        assert f"\n{code}\n" in ONE_FILE
