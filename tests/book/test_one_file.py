"""What readers write in the chapters is `examples/one_file.py`, word for word."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ttv.reader import blocks, pages_in_order

ROOT = Path(__file__).parents[2]
ONE_FILE = (ROOT / "examples" / "one_file.py").read_text(encoding="utf-8")
PAGES = {page: (ROOT / f"{page}.md").read_text("utf-8") for page in pages_in_order(ROOT)}
DEFINITION = ast.FunctionDef | ast.ClassDef
OWN = {node.name for node in ast.parse(ONE_FILE).body if isinstance(node, DEFINITION)}


def of_the_file(page: str) -> Iterator[str]:
    """Yield the code of a page that must be in the file: what is repeated, and our versions."""
    ours = False
    for block in blocks(PAGES[page], page):
        if block.name.startswith("solution-"):
            ours = "ours" in str(block.options.get("class", ""))
        elif block.name == "code-cell":
            prompt = block.options.get("mystnb", {}).get("code_prompt_show")
            for node in ast.parse(block.body).body:
                is_own = isinstance(node, DEFINITION) and node.name in OWN
                if prompt == "Your file so far" or ((ours or prompt) and is_own):
                    yield str(ast.get_source_segment(block.body, node))


@pytest.mark.parametrize("page", PAGES)
def test_functions_are_repeated_word_for_word(page: str) -> None:
    for code in of_the_file(page):
        assert f"\n{code}\n" in ONE_FILE


def test_the_cells_of_the_page_joined_are_the_file() -> None:
    cells = [b for b in blocks(PAGES["book/one-file"], "one-file") if b.name == "code-cell"]
    parts = [cell.body for cell in cells if "file" in cell.options.get("tags", [])]
    assert "\n\n\n".join(parts) + "\n" == ONE_FILE


def test_in_the_page_later_cells_know_our_version_but_do_not_hand_it_in(site: Path) -> None:
    plan = json.loads((site / "_static/run-here/plans/book-bpe.json").read_text(encoding="utf-8"))
    (ours,) = [i for i, code in enumerate(plan["pieces"]) if code.startswith("def learn(words")]
    (handed_in,) = [i for i, code in enumerate(plan["pieces"]) if 'check("bpe.learn"' in code]
    assert ours not in plan["before"]["bpe.learn"]
    assert sum(ours in pieces for pieces in plan["before"].values()) > 5
    assert not any(handed_in in pieces for pieces in plan["before"].values())
