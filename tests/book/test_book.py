"""The notebooks: those in the repository run what the book runs; their text is plain and true.

Their text follows the chapters when `main` is published, so that a change of prose alone, made in
an editor on the web, is whole: what is said here of prose is said of what the build has written.
"""

import re
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from update_notebooks import PICTURE, first_picture

from ttv.versions import PLACE, version_of

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "book" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
READER = MarkdownIt("commonmark").enable("table")

# MyST that a plain reader would show as it stands: a role, a directive, a target, an attribute.
RAW_MYST = re.compile(
    r"\{[a-z][\w:.+-]*\}`|^\s*:{3,}|^\s*[`~]{3,}\s*\{|^\s*\([\w-]+\)=\s*$|^\+\+\+|^%|\]\{[.#]",
    re.MULTILINE,
)
# What nbval would compare on this machine alone.
OF_A_MACHINE = re.compile(r" at 0x[0-9a-f]+|/home/|/root/|/Users/|C:\\\\|image/svg|'stderr'")


@EACH
def test_a_notebook_is_what_the_book_generates(path: Path, site: Path) -> None:
    # Not in the assertion: pytest would compare megabytes line by line, for minutes.
    same = _code(path) == _code(fresh(site, path))
    assert same, "run `make notebooks` and commit the result"


def fresh(site: Path, path: Path) -> Path:
    """Return the same notebook as the build has written it."""
    return site.parent / "notebooks" / path.name


def _code(path: Path) -> list[tuple[str, list[nbformat.NotebookNode], list[str]]]:
    """Return what is run, what it prints, and its tags; the ids of cells count the text too."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    for cell in cells:
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = []  # it depends on the version of Python
        if sys.platform != "linux":  # the same figure may differ in a pixel
            for output in cell.get("outputs", []):
                output.get("data", {}).pop("image/png", None)
    return [(cell.source, cell.outputs, cell.metadata.get("tags", [])) for cell in cells]


def test_there_is_a_notebook_for_each_chapter_and_no_other(site: Path) -> None:
    built = {path.name for path in (site.parent / "notebooks").glob("*.ipynb")}
    assert {path.name for path in NOTEBOOKS} == built >= {"index.ipynb", "words.ipynb"}
    assert (FOLDER / PICTURE).read_bytes() == first_picture(FOLDER / "index.ipynb")
    assert f"book/notebooks/{PICTURE}" in (ROOT / "README.md").read_text(encoding="utf-8")


@EACH
def test_a_notebook_is_plain_markdown_and_the_same_anywhere(path: Path, site: Path) -> None:
    for cell in nbformat.read(fresh(site, path), as_version=4).cells:
        if cell.cell_type == "markdown":
            prose = "\n".join(_prose(token) for token in READER.parse(cell.source))
            assert not (found := RAW_MYST.search(prose)), f"{found[0]!r} in {cell.id}"
            for url in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", cell.source):
                assert (FOLDER / url).resolve().is_file(), url
        for output in cell.get("outputs", []):
            text = str({**output, "data": {**output.get("data", {}), "image/png": ""}})
            assert not OF_A_MACHINE.search(text), cell.source


def _prose(token: Token) -> str:
    """All that a reader sees as text: everything but the content of code."""
    if token.type == "fence":
        return f"```{token.info}"
    parts = token.children or []
    return "".join("`" if part.type == "code_inline" else part.content for part in parts)


# What no cell computes, and other tests know: the values of a byte, the sizes of GPT-2 and BERT.
KNOWN = {"256", "768", "50257", "30522", "512", "1024"}
# Worked out on paper, or a fact of the world; of `words`, tests/core/test_words.py computes them.
BY_HAND = {
    "words": "14838 1159 405",
    "bytes": "7 11 16 21 32 100 128",
    "bpe": "2 4 64 65 255 257 258 50000",
    "gpt2-tokenizer": "50000",
    "one-file": "190 50000 50256",  # tests/core/test_one_file.py
    "wordpiece": "997",
    "unigram": "0.0008 0.00002 0.002 0.01 3 600",
    "token-embeddings": "0.1 0.3 2 5 25 100 384",
    "positions": "0.2 0.4 0.6 1.2 2.72 4 10 18 20 22",
    "choosing": "100",
    "training": "0.01",
    "start": "3",
    "bert-input": "0.9 101",
    "gpt2-input": "38.6 50527 0.01 0.02",
    "libraries": "3 4 4.57 5 5.20 6 7 8",
    "more-tables": "2.5 6 10 15 16 18 25 31 32 63",  # tests/book/test_more_tables.py
    "own-tokenizer": "300",  # the last is measured in tests/book/test_own_tokenizer.py
    "sinusoids": "4 7 8 16",
    "streaming": "2 3",
    "relative-positions": "5 7 12 45 64 128 10000",
    "worksheet-key": "2 3",  # its parts
}
# A row that begins with its source: tests/book/test_models_table.py compares it. The minutes of an
# exercise are those of its checker.
SOURCED = re.compile(r"^\| \[.*\|$|\(about \d+ minutes\)", re.MULTILINE)
# These speak of the whole page.
WIDE = ("Summary", "Check yourself", "Exercises", "Further reading")


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
        tokens = READER.parse(SOURCED.sub("", cell.source))
        for before, token in pairwise(tokens):
            if before.type == "heading_open" and before.tag == "h2":
                found.append(Section(re.sub(r"^[\d.]+ ", "", token.content)))
            elif token.type == "inline" and before.type != "heading_open":
                found[-1].said.append(_own_words(token))
    return found


def strangers(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """Return the numbers of the text that their sections do not compute, with a section of each."""
    parts = sections(notebook)
    page = _numbers("\n".join(part.computed for part in parts))
    titles = [part.title for part in parts]
    deep = titles.index("Going deeper") if "Going deeper" in titles else len(parts)
    found = dict[str, str]()
    for i, part in enumerate(parts):
        wide = i == 0 or i >= deep or part.title in WIDE
        known = (page if wide else _numbers(part.computed)) | KNOWN
        found |= {n: part.title for text in part.said for n in _numbers(text) - known}
    return found


@EACH
def test_every_number_in_the_prose_is_computed_in_its_section_or_known(
    path: Path, site: Path
) -> None:
    found = strangers(nbformat.read(fresh(site, path), as_version=4))
    filled_in = PLACE.findall((FOLDER.parent / f"{path.stem}.md").read_text(encoding="utf-8"))
    found = {n: title for n, title in found.items() if n not in map(version_of, filled_in)}
    assert found == {n: found.get(n, "not there") for n in BY_HAND.get(path.stem, "").split()}


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
