"""Every folder that a page writes is inspected: the page names each fault and risk of it."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from chapter_code import BOOK, cells, run_cell

from companion.bpe import BPETokenizer, train_bpe
from companion.story import load_story
from companion.wordpiece import bert_uncased
from inspector import Finding, inspect_tokenizer

PAGES = sorted(
    path.stem for path in BOOK.glob("*.md")
    if any("save_pretrained(" in cell or "save_tokenizer_json(Path" in cell
           for cell in cells(path.stem))
)  # fmt: skip


@pytest.fixture(autouse=True)
def logger_as_before() -> Iterator[None]:
    """A page quiets `transformers`; other tests listen to it."""
    logger = logging.getLogger("transformers")
    level = logger.level
    yield
    logger.setLevel(level)


def findings_of(page: str) -> list[list[Finding]]:
    """Run the cells of a page that write folders; return what is found in each."""
    names: dict[str, Any] = {}
    match page:
        case "libraries":
            for cell in cells(page)[:-1]:  # the last one removes the folder
                if "plots." not in cell:
                    exec(cell, names)
            folders = [names["folder"] / name for name in (".", "saved", "wordpiece")]
            return [inspect_tokenizer(folder) for folder in folders]
        case "bert-input":
            names = {"tokenizer": bert_uncased(), "torch": torch}
            run_cell(page, "library = BertTokenizerFast(", names)
            return [inspect_tokenizer(run_cell(page, "model.save_pretrained", names)["folder"])]
        case "own-tokenizer":
            end, text = "<|endoftext|>", load_story()
            own = train_bpe(text, 300, special_tokens=[end])
            names = {"Path": Path, "BPETokenizer": BPETokenizer}
            names |= {"END": end, "own": own, "held_out": text}
            run_cell(page, "missing = -(", names)
            return [run_cell(page, "findings = inspect_tokenizer", names)["findings"]]
    raise NotImplementedError(f"run the cells of {page} that write a folder here")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_what_is_found_in_the_folders_that_it_writes(page: str) -> None:
    text = (BOOK / f"{page}.md").read_text(encoding="utf-8")
    for findings in findings_of(page):
        serious = [finding.code for finding in findings if finding.level != "note"]
        assert [code for code in serious if f"`{code}`" not in text] == []
