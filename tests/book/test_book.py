"""The notebooks: those in the repository run what the book runs; their text is plain and true.

Their text follows the chapters when `main` is published, so that a change of prose alone, made in
an editor on the web, is whole: what is said here of prose is said of what the build has written.
"""

import re
import sys
from collections import defaultdict
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

# MyST that a plain reader would show as it stands: a fence, an attribute, a target; a role before
# its code.
RAW_MYST = re.compile(r"^(:{3,}|\{|\([\w-]+\)=$|\+\+\+|%)|(?<!\w)\{[a-z][\w:.+-]*\}$")


def cells(path: Path) -> list[nbformat.NotebookNode]:
    return list(nbformat.read(path, as_version=4).cells)


def fresh(path: Path, site: Path) -> list[nbformat.NotebookNode]:
    """Return the cells as the build has written them."""
    return cells(site.parent / "notebooks" / path.name)


@EACH
def test_a_notebook_is_what_the_book_generates(path: Path, site: Path) -> None:
    # Not in the assertion: pytest would compare megabytes line by line, for minutes.
    same = _code(cells(path)) == _code(fresh(path, site))
    assert same, "run `make notebooks` and commit the result"


def _code(found: list[nbformat.NotebookNode]) -> list[object]:
    """Return what is run, what it prints, and its tags; the ids of cells count the text too."""
    code = [cell for cell in found if cell.cell_type == "code"]
    for cell in code:
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.outputs = []  # it depends on the version of Python
        for output in cell.outputs:
            if sys.platform != "linux":  # the same figure may differ in a pixel
                output.get("data", {}).pop("image/png", None)
    return [(cell.source, cell.outputs, cell.metadata.get("tags", [])) for cell in code]


def test_there_is_a_notebook_for_each_chapter_and_no_other(site: Path) -> None:
    built = {path.name for path in (site.parent / "notebooks").glob("*.ipynb")}
    assert {path.name for path in NOTEBOOKS} == built >= {"index.ipynb", "words.ipynb"}
    assert (FOLDER / PICTURE).read_bytes() == first_picture(FOLDER / "index.ipynb")


@EACH
def test_a_notebook_is_plain_markdown(path: Path, site: Path) -> None:
    for cell in fresh(path, site):
        if cell.cell_type == "markdown":
            prose = [line for token in READER.parse(cell.source) for line in _prose(token)]
            assert [line for line in prose if RAW_MYST.search(line)] == []
            urls = re.findall(r"\]\((?!\w+:)([^)\s]+)\)", cell.source)
            assert [url for url in urls if not (FOLDER / url).resolve().is_file()] == []


def _prose(token: Token) -> list[str]:
    """All that a reader sees as text, or for code its language."""
    return [token.info, *(part.content for part in token.children or [] if part.type == "text")]


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
# These speak of the whole page, as do its beginning and all that goes deeper.
WIDE = ("Summary", "Check yourself", "Exercises", "Further reading")
# Of the text: formulas, names and numbers of figures, dates.
NO_NUMBERS = re.compile(
    r"\$[^$]*\$|U\+[0-9A-F]+|[A-Za-z]+-\d+|(Fig\.|Exercise|Python) [\d.]+( to [\d.]+)?"
    r"|\d+\s(h|min|minutes)\b|\b(19|20)\d\d\b|[A-Za-z]\d+"
)


@EACH
def test_a_number_in_the_prose_is_computed_in_its_section_or_known(path: Path, site: Path) -> None:
    said = set[tuple[str, str]]()  # with the section that must have it, if it is one of them
    computed, title, is_deep = defaultdict[str, set[str]](set), "", False
    for cell in fresh(path, site):
        if cell.cell_type == "code":
            computed[title] |= _numbers("\n".join([cell.source, *map(_text_of, cell.outputs)]))
            continue
        for before, token in pairwise(READER.parse(SOURCED.sub("", cell.source))):
            if before.type == "heading_open" and before.tag == "h2":
                title = re.sub(r"^[\d.]+ ", "", token.content)
                is_deep = is_deep or title == "Going deeper"
            elif token.type == "inline" and before.type != "heading_open":
                section = "" if is_deep or title in WIDE else title
                said |= {(section, number) for number in _numbers(_own_words(token))}
    computed[""] = set().union(*computed.values())
    source = (FOLDER.parent / f"{path.stem}.md").read_text(encoding="utf-8")
    known = KNOWN.union(map(version_of, PLACE.findall(source)))
    found = {n: section for section, n in said if n not in known | computed[section]}
    assert found == {n: found.get(n, "not there") for n in BY_HAND.get(path.stem, "").split()}


def _own_words(token: Token) -> str:
    """Text of a paragraph without code, links (citations, references) and bold labels."""
    words, depth = [], 0
    for child in token.children or []:
        depth += child.nesting * (child.type.partition("_")[0] in {"link", "strong"})
        if child.type in {"text", "softbreak"} and depth == 0:
            words.append(child.content or " ")
    return NO_NUMBERS.sub(" ", "".join(words))


def _numbers(text: str) -> set[str]:
    """All numbers but 0 and 1, which are everywhere, without separators."""
    plain = re.sub(r"(?<=\d)[,_](?=\d{3})", "", text)
    return set(re.findall(r"\d+(?:\.\d+)?", plain)) - {"0", "1"}


def _text_of(output: nbformat.NotebookNode) -> str:
    return str(output.get("text", "") or output.get("data", {}).get("text/plain", ""))
