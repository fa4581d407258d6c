"""In the folder of BERT that `bert-input` writes is found what the page names.

Of the other folders, `libraries` and `own-tokenizer` print what is found.
"""

from typing import Any

import torch
from chapter_code import run_cell

from companion.wordpiece import bert_uncased
from inspector import inspect_tokenizer


def test_the_page_names_what_is_found_in_the_folder_that_it_writes() -> None:
    names: dict[str, Any] = {"tokenizer": bert_uncased(), "torch": torch}
    for cell in ("library = BertTokenizerFast(", "model.save_pretrained"):
        run_cell("bert-input", cell, names)
    found = {finding.code: finding.level for finding in inspect_tokenizer(names["folder"])}
    assert {"lossy", "forgeable"} <= found.keys()
    assert {*found.values()} == {"note"}
