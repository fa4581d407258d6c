"""The book as a PDF; the long tests print it, as a release does, and read what was printed."""

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


def _heading(site: Path, page: pdf.Page) -> str:
    html = (site / f"{page.name}.html").read_text(encoding="utf-8")
    return _plain(
        BeautifulSoup(html, "html.parser").select("article h1")[0].get_text()
    ).removesuffix("#")


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
    tops = [entry for entry in reader.outline if not isinstance(entry, list)]
    titles = ["Contents", pages[0].title, *(_heading(site, page) for page in pages[1:])]
    assert [_plain(entry.title) for entry in tops] == titles
    places = [reader.get_destination_page_number(entry) for entry in tops[1:]]
    assert places == [number - 1 for number in starts]
    assert "Split, number, look up" in str(reader.outline)  # a section, below its chapter
    contents = _plain("".join(texts[1 : starts[0] - 1]))
    for page, number in zip(pages, starts, strict=True):
        assert page.title in _plain(texts[number - 1])
        assert re.search(rf"{re.escape(page.title)} ?{number}\b", contents), page.title
    # No page is blank, and each has its number; the foot is drawn first.
    for number, text in enumerate(texts[1:], start=2):
        assert len(text.split()) > 8, number
        assert text.startswith(str(number)), number
    chapter = _plain(" ".join(texts[numbers["words"] - 1 : numbers["bytes"] - 1]))
    said = ("Answers", "A: ", "Exercise 1.1 (", "Solution to Exercise 1.1 (", "Exercise 1.2 (")
    found = [chapter.find(text) for text in said]
    assert found == sorted(found)
    assert found[0] > 0
    assert "CC BY 4.0" in texts[0]
    assert set(reader.metadata or {}) == {"/Title", "/Author", "/Subject"}  # and no date
    # Every link leads to a place in the book, or to the web.
    links = [a.get_object() for page in reader.pages for a in page.get("/Annots", [])]
    inside = {unquote(str(link["/Dest"]).removeprefix("/")) for link in links if "/Dest" in link}
    outside = {str(link["/A"]["/URI"]) for link in links if "/Dest" not in link}
    assert inside <= {unquote(name.removeprefix("/")) for name in reader.named_destinations}
    for kind in ("bibliography--", "glossary--term-"):
        assert any(name.startswith(kind) for name in inside)
    assert all(re.match(r"https?://(?!127\.)", url) for url in outside)


PAGES = [pdf.Page(pdf.HOME, "About this book"), pdf.Page("book/one", "1. One", "A part")]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A site of two pages."""
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "index.html").write_text(
        """<html><head><meta name="description" content="How &amp; why. More.">
        <link rel="canonical" href="https://a.example/b/book/index.html"></head>
        <body><nav class="bd-links"><p class="caption">A part</p>
        <a class="reference internal" href="one.html">1. One</a>
        <a class="reference internal" href="playground.html">Playground</a></nav>
        <article class="bd-article"><h1>Home</h1><a href="one.html#x">there</a></article>""",
        encoding="utf-8",
    )
    _write(tmp_path, '<h2 id="x">X</h2>')
    return tmp_path


def _write(site: Path, body: str) -> None:
    page = f'<article class="bd-article"><section id="s"><h1>1. One</h1>{body}</section></article>'
    (site / "book" / "one.html").write_text(page, encoding="utf-8")


def test_links_stay_inside_or_lead_to_the_site(small: Path) -> None:
    assert pdf.pages_of(small) == PAGES  # in the order of the sidebar
    html = pdf.assemble(small, PAGES)
    assert '<a href="#one--x">there</a>' in html
    assert 'id="one--x"' in html
    assert ">How &amp; why<" in html
    _write(small, '<a href="other.html">there</a><p id="x"></p>')
    link = '<a href="https://a.example/b/book/other.html">there</a>'
    assert link in pdf.assemble(small, PAGES)
    home = small / "book" / "index.html"
    home.write_text(home.read_text("utf-8").replace("canonical", "other"), encoding="utf-8")
    assert "<h1>1. One</h1>there" in pdf.assemble(small, PAGES)


def test_what_is_wider_than_the_paper_is_an_error(small: Path, tmp_path: Path) -> None:
    _write(small, '<div style="width: 1200px">much too wide</div><p id="x"></p>')
    source = tmp_path / "wide.html"
    source.write_text(pdf.assemble(small, PAGES), encoding="utf-8")
    with pytest.raises(SystemExit, match=r"wider than the page: div.* in one: much too wide"):
        apart(pdf.print_page, source, tmp_path / "wide.pdf")


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
    for control in ("On this page", "Contents", "Previous", "Skip to", "Search", "Open in Colab"):
        assert control not in text, control
