"""One sentence runs through the book, and it has the same ids wherever it is seen."""

import re
from pathlib import Path

import nbformat
import pytest

from companion.bpe import gpt2
from companion.story import SENTENCE, load_story
from companion.wordpiece import bert_uncased
from companion.words import WordTokenizer, build_vocab

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "book" / "notebooks").glob("*.ipynb"))
KNOWN = {
    "words": WordTokenizer(build_vocab(load_story())).encode(SENTENCE),
    "bytes": [*SENTENCE.encode()],
    "GPT-2": gpt2().encode(SENTENCE),
    "BERT": bert_uncased().encode(SENTENCE),
}
CARRIED = {
    "words": ("words", 9),
    "bytes": ("bytes", 12),  # of 47
    "gpt2-tokenizer": ("GPT-2", 10),
    "wordpiece": ("BERT", 11),
    "choosing": ("GPT-2", 5),  # a prompt that breaks off
    "libraries": ("GPT-2", 10),
    "windows": ("GPT-2", 10),
    "token-embeddings": ("GPT-2", 10),
    "positions": ("GPT-2", 10),
    "sinusoids": ("GPT-2", 10),
    "bert-input": ("BERT", 11),
    "gpt2-input": ("GPT-2", 10),
    "relative-positions": ("GPT-2", 10),
    "training": ("words", 9),
}
"""Each page that shows the sentence as ids: whose, and how many. `bpe` is still learning some."""


def code_and_outputs(path: Path) -> str:
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    outputs = [str(o.get("text") or o.get("data", {})) for c in cells for o in c.outputs]
    return "\n".join([*(cell.source for cell in cells), *outputs])


def id_lists(text: str) -> list[list[int]]:
    """All lists of four and more numbers that a text writes out."""
    found = re.findall(r"\[\s*(\d+(?:,\s+\d+){3,}),?\s*\]", text)
    return [[int(number) for number in numbers.split(",")] for numbers in found]


@pytest.mark.parametrize("chapter", CARRIED)
def test_a_chapter_shows_the_ids_of_the_sentence(chapter: str) -> None:
    whose, n = CARRIED[chapter]
    text = code_and_outputs(ROOT / "book" / "notebooks" / f"{chapter}.ipynb")
    assert "SENTENCE" in text
    assert any(ids[:n] == KNOWN[whose][:n] for ids in id_lists(text))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_page_shows_others(path: Path) -> None:
    for ids in id_lists(code_and_outputs(path)):
        for known in KNOWN.values():
            if ids[:2] == known[:2]:
                n = min(len(ids), len(known), 4)  # as far as "Once upon a time"
                assert ids[:n] == known[:n]
