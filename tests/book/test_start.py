"""The page `start`: its programs run, are the steps of the page, and agree with the libraries."""

import doctest
import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import torch

from companion.bpe import BYTE_TO_UNICODE, gpt2
from companion.embeddings import BertEmbeddings, GPT2Embeddings
from companion.story import SENTENCE
from companion.wordpiece import bert_uncased

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book" / "start.md").read_text(encoding="utf-8")
PROGRAMS = sorted(path for path in (ROOT / "examples").glob("*_input.py"))


def run(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "examples" / f"{name}_input.py"))


def test_the_program_for_gpt2_gives_the_input_of_gpt2(capsys: pytest.CaptureFixture[str]) -> None:
    found = run("gpt2")
    assert capsys.readouterr().out == "inputs torch.Size([2, 4, 768]) targets torch.Size([2, 4])\n"
    assert found["text"] == SENTENCE
    embeddings = GPT2Embeddings(dropout=0.0)
    embeddings.token, embeddings.position = found["token_table"], found["position_table"]
    assert torch.equal(found["x"], embeddings(found["input_ids"]))


def test_the_program_for_bert_gives_the_input_of_bert(capsys: pytest.CaptureFixture[str]) -> None:
    found = run("bert")
    assert capsys.readouterr().out == "input torch.Size([1, 12, 768])\n"
    embeddings = BertEmbeddings(dropout=0.0)
    embeddings.token, embeddings.segment = found["token_table"], found["segment_table"]
    embeddings.position = found["position_table"]
    pair = bert_uncased().encode_pair(found["first"], found["second"])
    x = embeddings(torch.tensor([pair.ids]), torch.tensor([pair.segment_ids]))
    torch.testing.assert_close(found["x"], x)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_shown_and_is_the_steps_of_the_page(path: Path) -> None:
    assert f"```{{literalinclude}} ../examples/{path.name}\n" in PAGE
    cells = "\n".join(re.findall(r"^```\{code-cell\}.*?\n(.*?)^```$", PAGE, re.M | re.S))

    def lines(code: str) -> set[str]:
        code = re.sub(r'\A""".*"""$|#.*$', "", code, flags=re.M)
        return {line.strip() for line in code.split("\n")}

    program = lines(path.read_text(encoding="utf-8"))
    differ = program - lines(cells)  # the programs print and import less than the page
    assert {line for line in differ if not line.startswith(("print(", "from "))} == set()


def test_transformers_gives_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its calls run on the bundled vocabularies, in folders of the names that it would download."""
    names = {"gpt2": "gpt2", "bert-base-uncased": "bert"}
    for folder, model_type in names.items():
        (tmp_path / folder).mkdir()
        config = json.dumps({"model_type": model_type})
        (tmp_path / folder / "config.json").write_text(config, encoding="utf-8")
    tokenizer = gpt2()
    tokenizer.save(tmp_path / "gpt2" / "merges.txt")
    vocab = {"".join(BYTE_TO_UNICODE[b] for b in token): i for token, i in tokenizer.vocab.items()}
    (tmp_path / "gpt2" / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
    pieces = "\n".join(bert_uncased().vocab)
    (tmp_path / "bert-base-uncased" / "vocab.txt").write_text(pieces, encoding="utf-8")

    block = re.search(r"^```pycon\n(.*?)^```$", PAGE, re.M | re.S)
    assert block
    names_of_page = {key: run("bert")[key] for key in ("first", "second")}
    test = doctest.DocTestParser().get_doctest(
        block[1], {"text": SENTENCE, **names_of_page}, "start.md", None, None
    )
    assert len(test.examples) == 5
    monkeypatch.chdir(tmp_path)  # a folder of that name comes before a download
    assert doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(test).failed == 0
    # What the comments of the programs name as replacements.
    from transformers import AutoTokenizer  # here: it takes seconds

    theirs = AutoTokenizer.from_pretrained("bert-base-uncased")
    assert theirs.vocab == bert_uncased().vocab
    for part in names_of_page.values():
        assert theirs.tokenize(part) == bert_uncased().tokenize(part)
