"""The generator of notebooks; what it makes of each chapter is in `book/notebooks`.

The published form is tested where the book was built with an address, as CI does.
"""

import os
import re
import zipfile
from pathlib import Path

import nbformat
import pytest
from docutils import nodes
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

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
    folded = [text for text in whole if re.search(r"<summary>(Solution|Our version)", text)]
    assert given == [text for text in whole if text not in folded]
    assert any("<summary>Our version" in text and "\ndef learn(" in text for text in folded)


def test_the_buttons_lead_to_the_published_notebook(site: Path) -> None:
    links = filter(None, ["../notebooks/words.ipynb", PUBLICATION.colab_url("words.ipynb")])
    words = (site / "book" / "words.html").read_text("utf-8")
    assert [link for link in links if f'href="{link}"' not in words] == []


def test_what_has_no_plain_form_is_named_with_its_line() -> None:
    page = nodes.container("", node := nodes.topic())
    page.source, page.line = "page.md", 7
    with pytest.raises(UnwritableError, match=r"page\.md:7: topic has no plain Markdown form"):
        PlainMarkdown(str, str, str).block(node)


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
