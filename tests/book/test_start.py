"""The page `start`: its programs run, are the steps of the page, and agree with the libraries."""

import doctest
import re
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from chapter_code import cells
from tokenizer_files import write
from transformers import BertTokenizerFast

from companion.bpe import gpt2
from companion.embeddings import BertEmbeddings, GPT2Embeddings
from companion.story import SENTENCE
from companion.wordpiece import bert_uncased

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book" / "start.md").read_text(encoding="utf-8")


@cache
def run(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "examples" / f"{name}_input.py"))


def test_the_program_for_gpt2_gives_the_input_of_gpt2() -> None:
    found = run("gpt2")
    assert (found["text"], found["target_ids"].shape) == (SENTENCE, (2, 4))
    embeddings = GPT2Embeddings(1, 1, 768, dropout=0.0)
    embeddings.token, embeddings.position = found["token_table"], found["position_table"]
    assert torch.equal(found["x"], embeddings(found["input_ids"]))


def test_the_program_for_bert_gives_the_input_of_bert() -> None:
    found = run("bert")
    embeddings = BertEmbeddings(1, 1, 1, 768, dropout=0.0)
    for name in ("token", "segment", "position"):
        setattr(embeddings, name, found[f"{name}_table"])
    pair = bert_uncased().encode_pair(found["first"], found["second"])
    x = embeddings(torch.tensor([pair.ids]), torch.tensor([pair.segment_ids]))
    torch.testing.assert_close(found["x"], x)


def lines(code: str) -> set[str]:
    code = re.sub(r'\A""".*"""$|#.*$', "", code, flags=re.MULTILINE)
    return {line.strip() for line in code.split("\n")}


@pytest.mark.parametrize("name", ["gpt2_input.py", "bert_input.py"])
def test_a_program_is_shown_and_is_the_steps_of_the_page(name: str) -> None:
    assert f"```{{literalinclude}} ../examples/{name}\n" in PAGE
    program = lines((ROOT / "examples" / name).read_text(encoding="utf-8"))
    differ = program - lines("\n".join(cells("start")))  # it prints and imports less than the page
    assert [line for line in differ if not line.startswith(("print(", "from "))] == []


def test_transformers_gives_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its calls run on the bundled vocabularies, in folders of the names that it would download."""
    (tmp_path / "gpt2").mkdir()
    write(tmp_path / "gpt2", {"config": {"model_type": "gpt2"}})
    gpt2().save_tokenizer_json(tmp_path / "gpt2" / "tokenizer.json")
    bert = BertTokenizerFast(vocab=bert_uncased().vocab)
    bert.save_pretrained(tmp_path / "bert-base-uncased")
    (block,) = re.findall(r"^```pycon\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    names = {"text": SENTENCE, **{key: run("bert")[key] for key in ("first", "second")}}
    test = doctest.DocTestParser().get_doctest(block, names, "start.md", None, None)
    assert len(test.examples) == 5
    monkeypatch.chdir(tmp_path)  # a folder of that name comes before a download
    assert doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(test).failed == 0
