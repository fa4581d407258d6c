"""The notebooks in the repository: fresh, complete, plain, and compared by nbval for real."""

import base64
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).parents[2]
Nbval = Callable[..., "subprocess.CompletedProcess[str]"]
NOTEBOOKS = sorted((ROOT / "book" / "notebooks").glob("*.ipynb"))
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

# MyST that a plain reader would show as it stands: a role, a directive, a target, an attribute.
RAW_MYST = re.compile(
    r"\{[a-z][\w:.+-]*\}`|^\s*:{3,}|^\s*[`~]{3,}\s*\{|^\s*\([\w-]+\)=\s*$|^\+\+\+|^%|\]\{[.#]",
    re.MULTILINE,
)


@EACH
def test_a_notebook_is_what_the_book_generates(path: Path, site: Path) -> None:
    fresh = site.parent / "notebooks" / path.name
    # Not in the assertion: pytest would compare megabytes line by line, for minutes.
    same = _comparable(path) == _comparable(fresh)
    assert same, "run `make notebooks` and commit the result"


def _comparable(path: Path) -> nbformat.NotebookNode:
    notebook: nbformat.NotebookNode = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = []  # it depends on the version of Python
        if sys.platform != "linux":  # the same figure may differ in a pixel
            for output in cell.get("outputs", []):
                output.get("data", {}).pop("image/png", None)
    return notebook


def test_there_is_a_notebook_for_each_chapter_and_no_other(site: Path) -> None:
    fresh = {path.name for path in (site.parent / "notebooks").glob("*.ipynb")}
    assert {path.name for path in NOTEBOOKS} == fresh >= {"index.ipynb", "words.ipynb"}


def test_the_picture_of_the_readme_is_the_one_of_the_landing_page() -> None:
    folder = ROOT / "book" / "notebooks"
    picture = folder / "path-of-a-sentence.png"
    outputs = [
        o for c in nbformat.read(folder / "index.ipynb", 4).cells for o in c.get("outputs", [])
    ]
    drawn = next(o.data["image/png"] for o in outputs if "image/png" in o.get("data", {}))
    assert picture.read_bytes() == base64.b64decode(drawn)
    assert f"book/notebooks/{picture.name}" in (ROOT / "README.md").read_text(encoding="utf-8")


@EACH
def test_outputs_can_be_compared(path: Path) -> None:
    """Nothing that changes from run to run, and nothing of the machine that made it."""
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", cell.source
            assert "image/svg+xml" not in output.get("data", {}), cell.source
            text = str({**output, "data": {**output.get("data", {}), "image/png": ""}})
            assert not re.search(r" at 0x[0-9a-f]+|/home/|/root/|/Users/|C:\\\\", text), cell.source


@EACH
def test_the_text_is_plain_markdown(path: Path) -> None:
    reader = MarkdownIt("commonmark").enable("table")
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            prose = "\n".join(_prose(reader.parse(cell.source)))
            assert not (found := RAW_MYST.search(prose)), f"{found[0]!r} in {cell.id}"


def _prose(tokens: list[Token]) -> list[str]:
    """All that a reader sees as text: everything but the content of code."""
    fences = [f"```{token.info}" for token in tokens if token.type == "fence"]
    texts = [
        "".join("`" if child.type == "code_inline" else child.content for child in token.children)
        for token in tokens
        if token.children
    ]
    return fences + texts


# What no cell computes, and other tests know: the values of a byte, the sizes of GPT-2 and BERT.
KNOWN = {"256", "768", "50257", "30522", "512", "1024"}
# Worked out on paper, or a fact of the world; of `words`, tests/core/test_words.py computes them.
BY_HAND = {
    "words": "14838 1159 405",
    "bytes": "7 11 16 21 32 100 128",
    "bpe": "2 4 64 65 255 257 258 50000",
    "gpt2-tokenizer": "50000",
    "one-file": "150 50000 50256",  # tests/core/test_one_file.py
    "wordpiece": "997",
    "unigram": "0.0008 0.00002 0.002 0.01 3 5 600",
    "windows": "5.23",
    "token-embeddings": "0.1 0.3 0.5 0.6 5 100",
    "positions": "2 4 5.23 10 18 20 22",
    "choosing": "100",
    "start": "3",
    "bert-input": "0.9 2.13 5.23 9 100 101 384",
    "gpt2-input": "38.6 50527 0.01 0.02",
    "libraries": "0.23 1 2 3 4 4.57 5 5.20 5.23 6 7 8",
    "more-tables": "2.5 5.23 6 10 15 16 18 25 31 32 63",  # tests/book/test_more_tables.py
    "own-tokenizer": "300",  # the last is measured in tests/book/test_own_tokenizer.py
    "sinusoids": "4 7 8 16",
    "streaming": "0.14 0.23 2 3 5.23",  # versions: tests/core/test_streaming.py
    "relative-positions": "5.23 5 7 12 45 64 128 10000",
    "worksheet-key": "2 3",  # its parts
}
# A row that begins with its source: tests/book/test_models_table.py compares it. The minutes of an
# exercise are those of its checker.
SOURCED = re.compile(r"^\| \[.*\|$|\(about \d+ minutes\)", re.MULTILINE)
# These speak of the whole page.
WIDE = ("Summary", "Check yourself", "Exercises", "In the companion", "Further reading")


@dataclass
class Section:
    """A section of a notebook: what its text says, and what its cells contain and print."""

    title: str
    said: list[str] = field(default_factory=list)
    computed: str = ""


def sections(notebook: nbformat.NotebookNode) -> list[Section]:
    """Divide a notebook at its headings of the second level."""
    found = [Section("")]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            found[-1].computed += "\n".join([cell.source, *map(_text_of, cell.outputs), ""])
            continue
        tokens = MarkdownIt("commonmark").enable("table").parse(SOURCED.sub("", cell.source))
        for before, token in pairwise(tokens):
            if before.type == "heading_open" and before.tag == "h2":
                found.append(Section(re.sub(r"^[\d.]+ ", "", token.content)))
            elif token.type == "inline" and before.type != "heading_open":
                found[-1].said.append(_own_words(token))
    return found


def strangers(notebook: nbformat.NotebookNode, by_hand: set[str]) -> list[tuple[str, str]]:
    """Numbers of the text that its section does not compute, with their section."""
    parts = sections(notebook)
    page = _numbers("\n".join(part.computed for part in parts))
    titles = [part.title for part in parts]
    deep = titles.index("Going deeper") if "Going deeper" in titles else len(parts)
    found = []
    for i, part in enumerate(parts):
        wide = i == 0 or i >= deep or part.title in WIDE
        known = (page if wide else _numbers(part.computed)) | KNOWN | by_hand
        found += [(part.title, n) for text in part.said for n in sorted(_numbers(text) - known)]
    return found


@EACH
def test_every_number_in_the_prose_is_computed_in_its_section(path: Path) -> None:
    by_hand = set(BY_HAND.get(path.stem, "").split())
    assert strangers(nbformat.read(path, as_version=4), by_hand) == []


def test_a_wrong_number_would_be_found() -> None:
    def notebook(text: str) -> Any:
        cells = [new_markdown_cell("# A\n\n## One"), new_code_cell("print(7)")]
        cells += [new_markdown_cell(f"## Two\n\n{text}"), new_code_cell("n = 1_402")]
        return new_notebook(cells=[*cells, new_markdown_cell("## Summary\n\nOf 1,402, 7 in 2024.")])

    assert strangers(notebook("There are 1,402, of `8`, $9$, Fig. 6."), set()) == []
    assert strangers(notebook("There are 1,403 and 7."), set()) == [("Two", "1403"), ("Two", "7")]


def _own_words(token: Token) -> str:
    """Text of a paragraph without code, links (citations, references) and bold labels."""
    words, depth = [], 0
    for child in token.children or []:
        depth += child.nesting * (child.type.partition("_")[0] in {"link", "strong"})
        if child.type in {"text", "softbreak"} and depth == 0:
            words.append(child.content or " ")
    text = "".join(words)
    return re.sub(
        r"\$[^$]*\$|U\+[0-9A-F]+|[A-Za-z]+-\d+|(Fig\.|Exercise|Python) [\d.]+( to [\d.]+)?"
        r"|\d+\s(h|min|minutes)\b|\b(19|20)\d\d\b|[A-Za-z]\d+",
        " ",
        text,
    )


def _numbers(text: str) -> set[str]:
    """All numbers but 0 and 1, which are everywhere, without separators."""
    plain = re.sub(r"(?<=\d)[,_](?=\d{3})", "", text)
    return set(re.findall(r"\d+(?:\.\d+)?", plain)) - {"0", "1"}


def _text_of(output: nbformat.NotebookNode) -> str:
    return str(output.get("text", "") or output.get("data", {}).get("text/plain", ""))


def test_nbval_fails_when_the_companion_changes_what_a_cell_prints(
    nbval: Nbval, tmp_path: Path
) -> None:
    copy = Path(shutil.copy(ROOT / "book" / "notebooks" / "words.ipynb", tmp_path))
    module = shutil.copytree(ROOT / "companion", tmp_path / "companion") / "words.py"
    source = module.read_text(encoding="utf-8")
    old, new = 'return " ".join', 'return "  ".join'  # what cells print, and no assertion sees
    assert source.count(old) == 1
    module.write_text(source.replace(old, new), encoding="utf-8")
    done = nbval(copy, tmp_path)
    assert done.returncode == 1
    assert re.search(r"^\d failed, \d+ passed", done.stdout, re.MULTILINE)
    assert "Cell outputs differ" in done.stdout
