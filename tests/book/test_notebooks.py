"""The generator of notebooks; what it makes of each chapter is in `book/notebooks`.

The published form is tested where the book was built with an address, as CI does.
"""

import os
import re
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from docutils import nodes
from docutils.utils import new_document
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from nbformat.v4 import new_code_cell, new_notebook
from sphinx.addnodes import hlist
from sphinx.errors import ExtensionError

from ttv.notebooks import NotebookWriter
from ttv.plain_markdown import PlainMarkdown, UnwritableError
from ttv.publication import find_publication

PUBLICATION = find_publication(os.environ, Path(__file__).parents[2])


def sources(path: Path, kind: str = "markdown") -> list[str]:
    """Read the cells of one kind from a notebook."""
    return [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == kind]


def test_a_published_notebook_links_to_the_site_and_installs_the_companion(site: Path) -> None:
    fresh, published = site.parent / "notebooks" / "words.ipynb", site / "notebooks" / "words.ipynb"
    install = PUBLICATION.install_cell()
    assert sources(published, "code") == [*filter(None, [install]), *sources(fresh, "code")]
    text = "\n".join(sources(published))
    if PUBLICATION.site is None:
        assert text == "\n".join(sources(fresh))
    else:
        assert f'"text-to-vectors @ git+https://github.com/{PUBLICATION.repository}' in str(install)
        links = ("glossary.html#term-token", "bytes.html", "words.html#fig-words-growth")
        assert [link for link in links if f"]({PUBLICATION.site}book/{link})" not in text] == []
        assert "](../" not in text


def test_notebooks_for_classes_have_the_exercises_without_their_solutions(
    site: Path, tmp_path: Path
) -> None:
    folder = site / "notebooks"
    with zipfile.ZipFile(folder / "without-solutions.zip") as archive:
        archive.extractall(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {p.name for p in folder.glob("*.ipynb")}
    given, whole = sources(tmp_path / "bpe.ipynb"), sources(folder / "bpe.ipynb")
    assert any("**Exercise" in text for text in given)
    folded = [text for text in whole if re.search(r"<summary>(Solution|Our version)", text)]
    assert given == [text for text in whole if text not in folded]
    assert any("<summary>Our version" in text and "\ndef learn(" in text for text in folded)


def test_the_buttons_lead_to_the_published_notebook(site: Path) -> None:
    words, glossary = (
        (site / "book" / f"{p}.html").read_text("utf-8") for p in ("words", "glossary")
    )
    for link in filter(None, ["../notebooks/words.ipynb", PUBLICATION.colab_url("words.ipynb")]):
        assert f'href="{link}"' in words
    assert not re.search(r'href="[^"]*(\.ipynb|colab\.research)', glossary)


def test_a_cell_that_was_run_and_is_not_in_the_page_is_an_error() -> None:
    executed = new_notebook(cells=[new_code_cell("x = 1")])
    env: Any = None  # nothing is asked of it: the page has no links
    with pytest.raises(ExtensionError, match="page: 1 code cells were run but 0 stand in the page"):
        NotebookWriter(env, "page", executed).write(new_document("page"))


@pytest.mark.parametrize("kind", [nodes.raw, nodes.topic, nodes.container, hlist])
def test_what_has_no_plain_form_is_named_with_its_line(kind: type[nodes.Element]) -> None:
    page = nodes.container("", node := kind())
    page.source, page.line = "page.md", 7
    writer = PlainMarkdown(str, str, str)
    with pytest.raises(UnwritableError, match=f"page.md:7: {kind.__name__} has no plain Markdown"):
        writer.block(node)


WORD = st.text("019.)#>+-*_`<[]$ab\\|=~!&;(:", min_size=1, max_size=4)
LINES = st.lists(st.lists(WORD, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=3)


@given(LINES.map("\n".join))
@example("0.841 is about")
@example("1. one")
def test_a_plain_reader_sees_the_text_of_a_paragraph(text: str) -> None:
    markdown = PlainMarkdown(str, str, str).block(nodes.paragraph("", text))
    opening, inline, closing = MarkdownIt("commonmark").enable("table").parse(markdown)
    assert (opening.type, closing.type) == ("paragraph_open", "paragraph_close")
    parts = inline.children or []
    assert "".join("\n" if part.type == "softbreak" else part.content for part in parts) == text
