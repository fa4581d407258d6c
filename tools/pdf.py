"""Make one PDF of the whole book from its built pages.

    python tools/pdf.py

The articles of the pages in `_build/html` are put behind one another in a single page, in the order
of the sidebar, with a title page and a table of contents before them; links between pages become
links inside it. Chromium prints that page twice: the first print says on which page each heading
stands, the second has the numbers in the table of contents.
"""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag
from bs4.filter import SoupStrainer
from chromium import ARGUMENTS, MISSING, find_chromium
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, TextStringObject

import companion

ROOT = Path(__file__).parents[1]
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
PICTURE = ROOT / "book" / "notebooks" / "path-of-a-sentence.png"
HOME = "book/index"
SCREENS = ("book/playground", "book/open-tokenizer")  # they need a screen
NOT_PRINTED = (
    ".headerlink, script, noscript, .ttv-panel, .toctree-wrapper, button, .tag_stub > .cell_output"
)
SHORT = 18  # code of so many lines stays on one page; longer code may break
TEXT_WIDTH = 605  # of the text on paper, in pixels: what fits here, fits there


class Page(NamedTuple):
    """A page of the site: its path without ``.html``, its title with its number, its part."""

    name: str
    title: str
    part: str = ""  # the landing page belongs to none

    @property
    def key(self) -> str:
        """What the ids of the page begin with, and the name of its paper in CSS."""
        return re.sub(r"\W+", "-", self.name.removeprefix("book/"))


def pages_of(site: Path) -> list[Page]:
    """Read the pages and their order from the sidebar of the landing page."""
    pages, part = [Page(HOME, "About this book")], ""
    for tag in _soup(_html(site, HOME)).select("nav.bd-links :is(p.caption, a.reference.internal)"):
        text = tag.get_text().strip()
        if tag.name == "p":
            part = text
        else:
            name = _resolve(HOME, str(tag["href"]))[0].removesuffix(".html")
            pages.append(Page(name, text, part))
    return [page for page in pages if page.name not in SCREENS]


def assemble(site: Path, pages: Sequence[Page]) -> str:
    """Put the articles of the pages into one HTML page, ready to be printed.

    A link to a page that is not among them leads to the published site, or nowhere if the book is
    not published.
    """
    home, articles = _soup(_html(site, HOME)), {page: _article(site, page) for page in pages}
    found = home.select('link[rel="canonical"]')
    address = str(found[0]["href"]).removesuffix(f"{HOME}.html") if found else None
    keys = {page.name: page.key for page in pages}
    for page, article in articles.items():
        for link in article.select("a[href]"):
            _relink(link, page, keys, address)
    body = "\n".join([_contents(articles), *map(str, articles.values())])
    return f"""<!DOCTYPE html>
<html lang="en" data-theme="light" data-mode="light">
<head>
<meta charset="utf-8">
<title>{escape(CONFIG["title"])}</title>
{_head(site, home, pages)}
</head>
<body>
<section class="ttv-title">
<p class="ttv-name">{escape(CONFIG["title"])}</p>
<p class="ttv-subtitle">{escape(_subtitle(home))}</p>
<img src="{PICTURE.as_uri()}" alt="">
<p class="ttv-authors">{escape(CONFIG["author"])}</p>
<p class="ttv-imprint">With the companion package, version {companion.__version__}.
{f"<br>{address}" if address else ""}<br>
Text and figures: Creative Commons Attribution 4.0 International (CC BY 4.0).
Code and story: MIT licence.</p>
</section>
<main class="bd-main"><div class="bd-content"><div class="bd-article-container">
<article class="bd-article">{body}</article>
</div></div></main>
</body>
</html>
"""


def _html(site: Path, page: str) -> str:
    return (site / f"{page}.html").read_text(encoding="utf-8")


def _soup(html: str, only: SoupStrainer | None = None) -> BeautifulSoup:
    return BeautifulSoup(html, "html.parser", parse_only=only)


def _subtitle(home: BeautifulSoup) -> str:
    """Return the first sentence of what the landing page says of the book."""
    return str(home.select('meta[name="description"]')[0]["content"]).partition(". ")[0]


def _resolve(page: str, url: str) -> tuple[str, str]:
    """Return the file that a link of a page leads to, and the fragment."""
    parts = urlsplit(urljoin(f"http://book/{page}.html", url))
    return posixpath.normpath(unquote(parts.path)).lstrip("/"), unquote(parts.fragment)


def _head(site: Path, home: BeautifulSoup, pages: Sequence[Page]) -> str:
    """Name the style sheets of the site, and copy the styles of its formulas."""
    sheets = home.select('head link[rel="stylesheet"]')
    paths = [site / _resolve(HOME, str(sheet["href"]))[0] for sheet in sheets]
    lines = [f'<link rel="stylesheet" href="{path.as_uri()}">' for path in paths]
    lines.append(f"<style>\n{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}")
    for page in pages:
        title = json.dumps(page.title, ensure_ascii=False)
        lines.append(f"@page paper-{page.key} {{ @bottom-left {{ content: {title} }} }}")
        lines.append(f"#{page.key} {{ page: paper-{page.key} }}")
    lines.append("</style>")
    for page in pages:
        lines += re.findall(r'<style class="ttv-formulas">.*?</style>', _html(site, page.name))
    return "\n".join(lines)


def _article(site: Path, page: Page) -> Tag:
    """Take the article out of a page, and leave what needs a screen behind."""
    (article,) = _soup(_html(site, page.name), SoupStrainer("article")).select("article.bd-article")
    for tag in article.select(NOT_PRINTED):
        tag.decompose()
    for tag in article.select("pre"):
        if tag.get_text().strip().count("\n") < SHORT:
            tag["class"] = "ttv-short"
    for image in article.select("img[src]"):
        image["src"] = (site / _resolve(page.name, str(image["src"]))[0]).as_uri()
        del image["loading"]
    _gather_answers(article)
    for tag in article.select("[id]"):
        tag["id"] = f"{page.key}--{tag['id']}"
    article.name, article["class"], article["id"] = "section", "ttv-page", page.key
    heading = article.select("h1")[0]
    if page.name == HOME:
        heading.string = page.title
    if page.part:
        heading.insert_before(_soup(f'<p class="ttv-eyebrow">{escape(page.part)}</p>'))
    return article


def _gather_answers(article: Tag) -> None:
    """Turn the choices of the questions into lists, and gather the answers behind the last one."""
    questions, answers = article.select("div.ttv-quiz"), "<p><strong>Answers</strong></p>"
    for number, question in enumerate(questions, start=1):
        question.select("p")[0].insert(0, f"{number}. ")
        choices, reasons = "", ""
        for choice in question.select("details.ttv-choice"):
            (summary,), (why,) = choice.select(":scope > summary"), choice.select(":scope > p")
            choices += f"<li>{summary.decode_contents()}</li>"
            reasons += f"{summary.select('.ttv-letter')[0].get_text()}: {why.decode_contents()} "
            choice.decompose()
        question.append(_soup(f"<ul>{choices}</ul>"))
        answers += f"<p><strong>{number}. </strong>{reasons}</p>"
    if questions:
        questions[-1].insert_after(_soup(f'<div class="ttv-answers">{answers}</div>'))


def _relink(link: Tag, page: Page, keys: Mapping[str, str], address: str | None) -> None:
    """Make a link between pages one inside the document, or one to the published site."""
    url = str(link["href"])
    if urlsplit(url).scheme:
        if re.sub(r"^https?://|/$", "", url) in link.get_text():
            link["class"] = " ".join([*link.get_attribute_list("class"), "ttv-bare"])
        return
    name, fragment = _resolve(page.name, url)
    if key := keys.get(name.removesuffix(".html")):
        link["href"] = f"#{key}--{fragment}" if fragment else f"#{key}"
    elif address:
        link["href"] = urljoin(address, name) + (f"#{urlsplit(url).fragment}" if fragment else "")
    else:
        link.unwrap()


def _contents(articles: Mapping[Page, Tag]) -> str:
    lines, part = ['<section class="ttv-page ttv-contents" id="ttv-contents"><h1>Contents</h1>'], ""
    for page, article in articles.items():
        if page.part != part:
            part = page.part
            lines.append(f'<p class="ttv-eyebrow">{escape(part)}</p>')
        entries = [(page.key, page.title)]
        if page.title[0].isdigit():  # the rest has few sections, or a great many alike
            sections = article.select("section[id]:has(> h2)")
            entries += [(str(each["id"]), each.select("h2")[0].get_text()) for each in sections]
        lines.append("<ol>")
        for key, title in entries:
            kind = "ttv-chapter" if key == page.key else "ttv-section"
            number = f'<span class="ttv-number" data-of="{escape(key)}"></span>'
            link = f'<a href="#{escape(key)}">{escape(title)}{number}</a>'
            lines.append(f'<li class="{kind}">{link}</li>')
        lines.append("</ol>")
    return "\n".join([*lines, "</section>"])


def print_page(source: Path, target: Path) -> list[str]:
    """Print an assembled page twice, the second time with the numbers, and return its headings.

    What is wider than the paper ends the program, as is a heading that the second print moves.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        executable = find_chromium(playwright)
        if executable is None:
            raise SystemExit(MISSING)
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": TEXT_WIDTH, "height": 900})
        page.emulate_media(media="print", color_scheme="light")
        page.set_default_timeout(600_000)  # the whole book, on a busy machine
        page.goto(source.as_uri())
        page.evaluate("document.fonts.ready")
        page.add_script_tag(path=Path(__file__).with_suffix(".js"))
        if too_wide := page.evaluate("fit()"):
            raise SystemExit("wider than the page: " + "; ".join(too_wide[:10]))
        numbers = page_numbers(PdfReader(BytesIO(page.pdf(prefer_css_page_size=True))))
        page.evaluate("numbers => number(numbers)", numbers)
        page.pdf(
            path=target, prefer_css_page_size=True, print_background=True,
            outline=True, tagged=True,
        )  # fmt: skip
        if page_numbers(PdfReader(target)) != numbers:
            raise SystemExit("the numbers in the contents have moved what they number")
        headings: list[str] = page.evaluate("headings()")
        browser.close()
    return headings


def page_numbers(reader: PdfReader) -> dict[str, int]:
    """Find the page of each place that a link inside the PDF leads to."""
    places = reader.named_destinations.items()
    numbers = {unquote(n[1:]): reader.get_destination_page_number(place) for n, place in places}
    return {name: number + 1 for name, number in numbers.items() if number is not None}


def make(site: Path, target: Path) -> None:
    """Make the PDF of a site, beside the assembled page.

    The file says what it is, and not when and by which browser it was made. Its bookmarks get their
    headings: Chromium loses formulas, and the spaces at which headings break. All is appended, as
    PDF provides for: to write the file anew takes longer than to print it.
    """
    source = target.with_suffix(".html")
    source.write_text(assemble(site, pages_of(site)), encoding="utf-8")
    headings = print_page(source, target)
    writer = PdfWriter(BytesIO(target.read_bytes()), incremental=True)
    said = {"Title": CONFIG["title"], "Author": CONFIG["author"]}
    said["Subject"] = _subtitle(_soup(_html(site, HOME)))
    writer.metadata = {f"/{name}": text for name, text in said.items()}
    for bookmark, heading in zip(_below(writer.root_object["/Outlines"]), headings, strict=True):
        bookmark[NameObject("/Title")] = TextStringObject(heading)
    with target.open("wb") as file:
        writer.write(file)


def _below(entry: Any) -> Iterator[Any]:
    """Give the bookmarks below one, in the order in which they are read."""
    child = entry.get("/First")
    while child:
        yield child.get_object()
        yield from _below(child.get_object())
        child = child.get_object().get("/Next")


if __name__ == "__main__":
    target = ROOT / "_build" / "text-to-vectors.pdf"
    make(ROOT / "_build" / "html", target)
    print(f"The book: {target} ({target.stat().st_size / 1e6:.1f} MB)")
