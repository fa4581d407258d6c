"""The book as a PDF; the long test prints it, as a release does, and reads what was printed."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote

import pdf
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser
from pypdf import PdfReader


def apart(function: Callable[..., object], *arguments: object) -> None:
    """Call what starts a browser of its own, in a thread: the tests' browser occupies this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(function, *arguments).result()


def _plain(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")


@pytest.mark.slow
def test_the_book_in_print(site: Path, tmp_path: Path) -> None:
    apart(pdf.make, site, tmp_path / "book.pdf")
    reader, pages = PdfReader(tmp_path / "book.pdf"), pdf.pages_of(site)
    texts = [page.extract_text() for page in reader.pages]
    numbers = pdf.page_numbers(reader)
    starts = [numbers[page.key] for page in pages]
    # Chapters come in order, each on a page of its own, after the title and the contents.
    assert starts == sorted(set(starts))
    assert starts[0] > 2
    # A bookmark has the heading; the contents and the feet have the short title of the sidebar.
    _, *tops = [entry for entry in reader.outline if not isinstance(entry, list)]
    htmls = [BeautifulSoup((site / f"{p.name}.html").read_bytes(), "html.parser") for p in pages]
    headings = [_plain(html.select("article h1")[0].get_text())[:-1] for html in htmls[1:]]
    assert [_plain(entry.title) for entry in tops] == [pages[0].title, *headings]
    assert [reader.get_destination_page_number(e) for e in tops] == [n - 1 for n in starts]
    contents = _plain("".join(texts[1 : starts[0] - 1]))
    for page, number in zip(pages, starts, strict=True):
        assert page.title in _plain(texts[number - 1])
        assert re.search(rf"{re.escape(page.title)} ?{number}\b", contents), page.title
    # No page is blank, and each has its number; the foot is drawn first.
    assert [i for i, text in enumerate(texts[1:], 2) if not text.startswith(str(i))] == []
    assert min(len(text.split()) for text in texts) > 8
    chapter = _plain(" ".join(texts[numbers["words"] - 1 : numbers["bytes"] - 1]))
    assert re.search(r"Answers .*Exercise 1\.1 \(.*Solution to Exercise 1\.1 \(", chapter)
    assert set(reader.metadata or {}) == {"/Title", "/Author", "/Subject"}  # and no date
    # Every link leads to a place in the book, or to the web.
    links = [a.get_object() for page in reader.pages for a in page.get("/Annots", [])]
    inside = {unquote(str(link["/Dest"]).removeprefix("/")) for link in links if "/Dest" in link}
    outside = {str(link["/A"]["/URI"]) for link in links if "/Dest" not in link}
    assert inside <= {unquote(name.removeprefix("/")) for name in reader.named_destinations}
    for kind in ("bibliography--", "glossary--term-"):
        assert any(name.startswith(kind) for name in inside)
    assert all(re.match(r"https?://(?!127\.)", url) for url in outside)


@pytest.mark.parametrize(
    ("relation", "other"),
    [("canonical", '<a href="https://a.example/b/book/other.html">out</a>'), ("none", "out")],
)
def test_links_stay_inside_or_lead_to_the_published_site(
    relation: str, other: str, tmp_path: Path
) -> None:
    html = f"""<link rel="{relation}" href="https://a.example/b/{pdf.HOME}.html">
    <meta name="description" content="How. More."><article class="bd-article"><h1 id="x">Home</h1>
    <a href="index.html#x">in</a>, <a href="other.html">out</a></article>"""
    home = tmp_path / f"{pdf.HOME}.html"
    home.parent.mkdir()
    home.write_text(f"<html><head></head>{html}</html>", encoding="utf-8")
    assembled = pdf.assemble(tmp_path, [pdf.Page(pdf.HOME, "About this book")])
    assert f'<a href="#index--x">in</a>, {other}' in assembled
    assert 'id="index--x"' in assembled


def test_what_is_wider_than_the_paper_is_an_error(tmp_path: Path) -> None:
    wide = '<div class="bd-main bd-article"><p style="width: 1200px">much too wide</p></div>'
    (tmp_path / "wide.html").write_text(wide, encoding="utf-8")
    with pytest.raises(SystemExit, match=r"wider than the page: p\. .*: much too wide"):
        apart(pdf.print_page, tmp_path / "wide.html", tmp_path / "wide.pdf")


def test_a_page_printed_by_a_reader_has_its_article_and_nothing_around_it(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto((site / "book" / "words.html").as_uri())
    page.pdf(path=tmp_path / "words.pdf", prefer_css_page_size=True)
    page.close()
    text = _plain("".join(p.extract_text() for p in PdfReader(tmp_path / "words.pdf").pages))
    assert text.count("1. Word tokenization") == 1
    assert "Build both vocabularies and subtract their sizes." in text
    assert "Right. An id is a name." in text
    around = ("On this page", "Contents", "Previous", "Skip to", "Search", "Open in Colab")
    assert [control for control in around if control in text] == []
