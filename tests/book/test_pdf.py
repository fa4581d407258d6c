"""The book as a PDF; the long tests print it, as a release does, and read what was printed."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pdf
import pytest
from playwright.sync_api import Browser
from pypdf import PdfReader
from pypdf.generic import Destination
from visits import PARTED

from ttv import offer_pdf

ROOT = Path(__file__).parents[2]
IMPRINT = pdf.Imprint("A title", "A subtitle", "Ada & Bob", "1.2.3", "https://a.example/b/")


@dataclass
class Printed:
    """A book in print; to read a page takes long enough to do it once."""

    reader: PdfReader
    pages: list[pdf.Page]

    @cached_property
    def texts(self) -> list[str]:
        return [page.extract_text() for page in self.reader.pages]


def apart(function: Callable[..., object], *arguments: object) -> None:
    """Call what starts a browser of its own, in a thread: the tests' browser occupies this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(function, *arguments).result()


@pytest.fixture(scope="module", name="book")
def _book(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Printed:
    target = tmp_path_factory.mktemp("pdf") / "book.pdf"
    apart(pdf.make, site, target)
    return Printed(PdfReader(target), pdf.pages_of(site))


def _plain(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")


def _flat(outline: Sequence[Any]) -> Iterator[Destination]:
    for entry in outline:
        if isinstance(entry, list):
            yield from _flat(entry)
        else:
            yield entry


@pytest.mark.slow
def test_every_chapter_has_its_text_a_bookmark_and_a_line_in_the_contents(book: Printed) -> None:
    reader, pages = book.reader, book.pages
    numbers = pdf.page_numbers(reader)
    starts = [numbers[page.key] for page in pages]
    # In order, each on a page of its own, after the title and the contents.
    assert starts == sorted(set(starts))
    assert starts[0] > 2
    tops = [entry for entry in reader.outline if not isinstance(entry, list)]
    assert [_plain(entry.title) for entry in tops] == ["Contents", *(page.title for page in pages)]
    places = [reader.get_destination_page_number(entry) for entry in tops[1:]]
    assert places == [number - 1 for number in starts]
    titles = [_plain(entry.title) for entry in _flat(reader.outline)]
    assert {"1.1. The example text", "1.12. Exercises"} <= set(titles)  # sections, below chapters
    contents = _plain("".join(book.texts[1 : starts[0] - 1]))
    for page, number in zip(pages, starts, strict=True):
        assert page.title in _plain(book.texts[number - 1])
        assert re.search(rf"{re.escape(page.title)} ?{number}\b", contents), page.title


@pytest.mark.slow
def test_every_link_inside_leads_somewhere(book: Printed) -> None:
    reader = book.reader
    places = {unquote(name.removeprefix("/")) for name in reader.named_destinations}
    inside, outside = [], []
    for page in reader.pages:
        for annotation in page.get("/Annots", []):
            link = annotation.get_object()
            if "/Dest" in link:
                inside.append(unquote(str(link["/Dest"]).removeprefix("/")))
            else:
                outside.append(str(link["/A"]["/URI"]))
    assert len(inside) > 40
    assert set(inside) <= places
    assert any(name.startswith("bibliography--") for name in inside)
    assert any(name.startswith("glossary--term-") for name in inside)
    assert outside
    assert not [url for url in outside if not url.startswith("https://") and "http://" not in url]
    assert not [url for url in outside if "127.0.0.1" in url or url.startswith("file:")]


@pytest.mark.slow
def test_no_page_is_blank_and_each_has_its_number(book: Printed) -> None:
    assert 3 * len(book.pages) < len(book.texts) < 45 * len(book.pages)
    for number, text in enumerate(book.texts[1:], start=2):
        assert len(text.split()) > 8, number
        assert text.startswith(str(number)), number  # the foot is drawn first


@pytest.mark.slow
def test_exercises_solutions_and_answers_are_in_place(book: Printed) -> None:
    numbers = pdf.page_numbers(book.reader)
    keys = [page.key for page in book.pages]
    end = numbers[keys[keys.index("words") + 1]]
    chapter = [_plain(text) for text in book.texts[numbers["words"] - 1 : end - 1]]
    said = (
        "1. In the vocabulary of the story",
        "Their meanings are related",
        "Answers",
        "A: No. The ids follow the sorted",
        "Exercise 1.1 (They and they) ",
        "Solution to Exercise 1.1 (They and they)",
        "is now in the vocabulary",
        "Exercise 1.2 (A splitter that loses nothing) ",
        "Solution to Exercise 1.5",
    )
    found = [next((i for i, page in enumerate(chapter) if text in page), -1) for text in said]
    assert -1 not in found, found
    assert found == sorted(found), found
    # The title of a solution names its exercise, and what it says is on the same or the next page.
    assert found[6] in (found[5], found[5] + 1)
    assert not [page for page in chapter if "Show code cell" in page or "nothing yet" in page]


@pytest.mark.slow
def test_it_says_what_it_is_and_nothing_of_the_day(book: Printed) -> None:
    reader = book.reader
    assert {key: str(text) for key, text in (reader.metadata or {}).items()} == {
        "/Title": "Text to Vectors",
        "/Author": "The Text to Vectors authors",
        "/Subject": "How text becomes the input of a transformer such as GPT-2 or BERT, "
        "from tokenization to embeddings and positions",
    }
    assert str(reader.root_object["/Lang"]) == "en"
    title = _plain(book.texts[0])
    assert "Text to Vectors" in title
    assert "CC BY 4.0" in title


@pytest.mark.slow
def test_fonts_are_embedded(book: Printed) -> None:
    fonts = {}
    for page in book.reader.pages:
        resources: Any = page["/Resources"]
        for name, font in resources.get("/Font", {}).items():
            fonts[name, page.page_number] = font.get_object()
    assert fonts
    for font in fonts.values():
        if font["/Subtype"] == "/Type0":
            described = font["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object()
            assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(described)
        else:
            assert font["/Subtype"] == "/Type3"  # drawn in the file itself


# --- the page that is printed -------------------------------------------------------------------


PAGES = [pdf.Page(pdf.HOME, "About this book"), pdf.Page("book/one", "1. One", "A part")]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A site of two pages."""
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "index.html").write_text(
        """<html><head></head><body><nav class="bd-links"><p class="caption">A part</p>
        <a class="reference internal" href="one.html">1. One</a></nav>
        <article class="bd-article"><h1>Home</h1><a href="one.html#x">there</a></article>""",
        encoding="utf-8",
    )
    _write(tmp_path, '<h2 id="x">X</h2>')
    return tmp_path


def _write(site: Path, body: str) -> None:
    page = f'<article class="bd-article"><section id="s"><h1>1. One</h1>{body}</section></article>'
    (site / "book" / "one.html").write_text(page, encoding="utf-8")


def test_pages_come_in_the_order_of_the_sidebar(small: Path) -> None:
    assert pdf.pages_of(small) == PAGES


def test_links_between_pages_stay_inside(small: Path) -> None:
    html = pdf.assemble(small, PAGES, IMPRINT)
    assert '<a href="#one--x">there</a>' in html
    assert 'id="one--x"' in html
    assert "Ada &amp; Bob" in html


def test_a_link_to_nothing_is_an_error(small: Path) -> None:
    _write(small, "<p>no such place</p>")
    with pytest.raises(pdf.PrintError, match=r"links to nothing: book/index: #one--x"):
        pdf.assemble(small, PAGES, IMPRINT)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://a.example/b/", '<a href="https://a.example/b/book/other.html">there</a>'),
        (None, "<h1>1. One</h1>there</section>"),
    ],
)
def test_a_link_to_what_is_not_in_it_leads_to_the_site(
    small: Path, address: str | None, expected: str
) -> None:
    _write(small, '<a href="other.html">there</a><p id="x"></p>')
    imprint = pdf.Imprint("T", "S", "A", "1", address)
    html = pdf.assemble(small, PAGES, imprint)
    assert expected.replace("</section>", "") in html


def test_what_is_wider_than_the_paper_is_an_error(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(small, '<div style="width: 1200px">much too wide</div><p id="x"></p>')
    html = pdf.assemble(small, PAGES, IMPRINT)
    source = tmp_path / "wide.html"
    source.write_text(html, encoding="utf-8")
    with pytest.raises(pdf.PrintError, match=r"wider than the page: div.* in one: much too wide"):
        apart(pdf.print_page, source, tmp_path / "wide.pdf")


@pytest.mark.slow
def test_a_mark_stays_with_its_formula_on_paper(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    pages = [page for page in pdf.pages_of(site) if page.name == "book/sinusoids"]
    source = tmp_path / "sinusoids.html"
    source.write_text(pdf.assemble(site, pages, IMPRINT), encoding="utf-8")
    page = browser.new_page()
    page.emulate_media(media="print")
    page.goto(source.as_uri())

    def parted() -> Iterator[str]:
        for width in (pdf.TEXT_WIDTH, *range(400, 620, 20)):  # others break lines elsewhere
            page.set_viewport_size({"width": width, "height": 900})
            yield from page.evaluate(PARTED)

    assert list(parted()) == []
    page.add_style_tag(content=".bd-article .ttv-together { white-space: normal }")
    assert any(parted())
    page.close()


def test_without_a_built_book_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(pdf.PrintError, match="run `make book` first"):
        pdf.make(tmp_path, tmp_path / "book.pdf")


# --- around it ----------------------------------------------------------------------------------


def test_the_site_offers_the_file_that_is_made(site: Path) -> None:
    assert pdf.TARGET.name == offer_pdf.BOOK
    assert pdf.TARGET.parent == site.parent
    page = (site / "book" / "index.html").read_text(encoding="utf-8")
    assert (offer_pdf.BOOK in page) == (site / offer_pdf.BOOK).exists()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A book of two files, last changed at 100, and the folder of its site."""
    for name in ("_toc.yml", "book/words.md", "_build/html/index.html"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (100, 100))
    return tmp_path


def _print(root: Path, time: int) -> None:
    printed = root / "_build" / offer_pdf.BOOK
    printed.write_bytes(b"printed")
    os.utime(printed, (time, time))


def _buttons(root: Path, page: str) -> list[dict[str, Any]]:
    """Build the site, as far as the PDF is concerned, and tell the buttons of a page."""
    handlers: dict[str, Callable[..., None]] = {}
    app: Any = SimpleNamespace(
        srcdir=root,
        outdir=root / "_build" / "html",
        config=SimpleNamespace(root_doc=pdf.HOME),
        builder=SimpleNamespace(name="html"),
        connect=lambda event, handler, priority=500: handlers.update({event: handler}),
    )
    offer_pdf.setup(app)
    handlers.pop("env-before-read-docs")(app, None, [])
    downloads: dict[str, Any] = {"label": "download-buttons", "buttons": []}
    buttons: list[dict[str, Any]] = [downloads]
    context = {"header_buttons": buttons, "pathto": lambda name, _: f"../{name}"}
    if handlers:
        handlers["html-page-context"](app, page, "page.html", context, "no doctree")
        handlers["build-finished"](app, None)
    return [*buttons, *downloads["buttons"]]


def test_pages_offer_the_file_only_where_it_has_been_printed(root: Path) -> None:
    offered = root / "_build" / "html" / offer_pdf.BOOK
    assert [b["label"] for b in _buttons(root, pdf.HOME)] == ["download-buttons"]
    assert not offered.exists()

    _print(root, 100)
    first, _, in_menu = _buttons(root, pdf.HOME)
    assert first["url"] == in_menu["url"] == "../text-to-vectors.pdf"
    labels = [button["label"] for button in _buttons(root, "book/words")]
    assert labels == ["download-buttons", "download-book-button"]
    assert offered.read_bytes() == b"printed"


def test_a_file_older_than_what_it_is_made_from_is_offered_no_more(root: Path) -> None:
    offered = root / "_build" / "html" / offer_pdf.BOOK
    _print(root, 150)
    assert len(_buttons(root, pdf.HOME)) == 3
    # What is made from the book, as the PDF is, may be younger.
    (root / "book" / "notebooks").mkdir()
    for derived in ("book/notebooks/words.ipynb", "_build/html/index.html", "unrelated.txt"):
        (root / derived).write_text("new", encoding="utf-8")
    assert len(_buttons(root, pdf.HOME)) == 3
    assert offered.exists()

    os.utime(root / "book" / "words.md", (200, 200))
    assert [b["label"] for b in _buttons(root, pdf.HOME)] == ["download-buttons"]
    assert not offered.exists()

    _print(root, 201)
    assert len(_buttons(root, pdf.HOME)) == 3
    assert offered.exists()


def test_what_a_file_is_made_from_is_known() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in offer_pdf.sources(ROOT)}
    assert {"_config.yml", "_toc.yml", "book/words.md", "book/references.bib", "tools/pdf.css",
            "book/assets/print.css", "companion/data/story.txt", "companion/plots/__init__.py",
            "book/_ext/ttv/offer_pdf.py"} <= names  # fmt: skip
    assert any(name.startswith("benchmarks/results/") for name in names)
    assert not any(name.endswith((".pyc", ".ipynb")) for name in names)


def test_a_page_printed_by_a_reader_has_its_article_and_nothing_around_it(
    browser: Browser, site: Path, tmp_path: Path
) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto((site / "book" / "words.html").as_uri())
    page.pdf(path=tmp_path / "words.pdf", prefer_css_page_size=True)
    page.close()
    text = _plain("".join(p.extract_text() for p in PdfReader(tmp_path / "words.pdf").pages))
    assert text.count("1. Word tokenization: from text to ids") == 1
    assert "Build both vocabularies and subtract their sizes." in text
    assert "Right. An id is a name." in text
    for control in ("On this page", "Contents", "Previous", "Skip to", "Search", "Open in Colab"):
        assert control not in text, control
