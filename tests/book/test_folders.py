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


@pytest.fixture(autouse=True)
def logger_as_before() -> Iterator[None]:
    """A page quiets `transformers`; other tests listen to it."""
    logger = logging.getLogger("transformers")
    level = logger.level
    yield
    logger.setLevel(level)


def of_libraries() -> list[list[Finding]]:
    names: dict[str, Any] = {}
    for cell in cells("libraries")[:-1]:  # the last one removes the folder
        if "plots." not in cell:
            exec(cell, names)
    return [inspect_tokenizer(names["folder"] / name) for name in (".", "saved", "wordpiece")]


def of_bert_input() -> list[list[Finding]]:
    names: dict[str, Any] = {"tokenizer": bert_uncased(), "torch": torch}
    run_cell("bert-input", "library = BertTokenizerFast(", names)
    return [inspect_tokenizer(run_cell("bert-input", "model.save_pretrained", names)["folder"])]


def of_own_tokenizer() -> list[list[Finding]]:
    end, text = "<|endoftext|>", load_story()
    own = train_bpe(text, 300, special_tokens=[end])
    names = {"Path": Path, "BPETokenizer": BPETokenizer, "END": end, "own": own, "held_out": text}
    run_cell("own-tokenizer", "missing = -(", names)
    return [run_cell("own-tokenizer", "findings = inspect_tokenizer", names)["findings"]]


PAGES = {
    "libraries": of_libraries, "bert-input": of_bert_input, "own-tokenizer": of_own_tokenizer,
}  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_what_is_found_in_the_folders_that_it_writes(page: str) -> None:
    text = (BOOK / f"{page}.md").read_text(encoding="utf-8")
    for findings in PAGES[page]():
        serious = [finding.code for finding in findings if finding.level != "note"]
        assert [code for code in serious if f"`{code}`" not in text] == []


def test_each_page_that_writes_a_folder_is_here() -> None:
    writers = {
        path.stem
        for path in BOOK.glob("*.md")
        for cell in cells(path.stem)
        if "save_pretrained(" in cell or "save_tokenizer_json(Path" in cell
    }
    assert writers == {*PAGES}
