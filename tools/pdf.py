"""Make one PDF of the whole book from its built pages.

    python tools/pdf.py

The pages in `_build/html` have their numbers already: of chapters, figures, exercises. Their
articles are put behind one another in a single page, in the order of the sidebar, with a title
page and a table of contents before them; links between pages become links inside it. Chromium
prints that page twice: the first print says on which page each heading stands, the second has the
numbers in the table of contents. The PDF depends on the pages alone: the same pages printed by the
same Chromium give the same text on the same pages.
"""

import json
import os
import posixpath
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag
from bs4.filter import SoupStrainer
from chromium import ARGUMENTS, MISSING, find_chromium
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject, TextStringObject

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"
TARGET = ROOT / "_build" / "text-to-vectors.pdf"
HOME = "book/index"
PLAYGROUND = "book/playground"
SHORT = 18
"""Code of so many lines stays on one page; longer code may break."""
TEXT_WIDTH = 605
"""The width of the text on paper, in pixels: what fits here, fits there."""

EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    """A page of the site: its path without ``.html``, its title with its number, its part."""

    name: str
    title: str
    part: str = ""  # the landing page belongs to none

    @property
    def key(self) -> str:
        """What the ids of the page begin with, and the name of its paper in CSS."""
        return re.sub(r"\W+", "-", self.name.removeprefix("book/"))


@dataclass(frozen=True)
class Imprint:
    """What the title page says."""

    title: str
    subtitle: str
    author: str
    version: str
    address: str | None = None


class PrintError(Exception):
    """The book cannot be printed as it is."""


# --- from the pages of the site to one page ---------------------------------------------------


def pages_of(site: Path) -> list[Page]:
    """Read the pages and their order from the sidebar of the landing page."""
    soup = _soup(site / f"{HOME}.html")
    pages = [Page(HOME, "About this book")]
    sidebar = soup.select_one("nav.bd-links")
    if sidebar is None:
        raise PrintError(f"{HOME}.html has no sidebar")
    part = ""
    for tag in sidebar.select("p.caption, a.reference.internal"):
        if tag.name == "p":
            part = tag.get_text().strip()
            continue
        name = _resolve(HOME, str(tag["href"]))[0]
        pages.append(Page(name.removesuffix(".html"), tag.get_text().strip(), part))
    return pages


def assemble(site: Path, pages: Sequence[Page], imprint: Imprint) -> str:
    """Put the articles of the pages into one HTML page, ready to be printed.

    It names its images, fonts and scripts by their place in `site`. A link to a page that is not
    among them leads to the published site, or nowhere if the book is not published; a link to a
    place that no page has is a `PrintError`.
    """
    articles = {page: _article(site, page) for page in pages}
    keys = {page.name: page.key for page in pages}
    ids = {str(tag["id"]) for article in articles.values() for tag in article.select("[id]")}
    ids.update(keys.values())
    for page, article in articles.items():
        for link in article.select("a[href]"):
            _relink(link, page, keys, imprint.address)
    dead = [
        f"{page.name}: {link['href']}"
        for page, article in articles.items()
        for link in article.select('a[href^="#"]')
        if str(link["href"])[1:] not in ids
    ]
    if dead:
        raise PrintError("links to nothing: " + ", ".join(dead))
    body = "\n".join([_contents(articles), *map(str, articles.values())])
    return f"""<!DOCTYPE html>
<html lang="en" data-theme="light" data-mode="light">
<head>
<meta charset="utf-8">
<title>{escape(imprint.title)}</title>
{_head(site, pages)}
</head>
<body>
{_title_page(imprint)}
<main class="bd-main"><div class="bd-content"><div class="bd-article-container">
<article class="bd-article">
{body}
</article>
</div></div></main>
</body>
</html>
"""


def _soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def _resolve(page: str, url: str) -> tuple[str, str]:
    """Name of the file that a link of a page leads to, and the fragment."""
    parts = urlsplit(urljoin(f"http://book/{page}.html", url))
    return posixpath.normpath(unquote(parts.path)).lstrip("/"), unquote(parts.fragment)


def _head(site: Path, pages: Sequence[Page]) -> str:
    """Name the style sheets of the site, and copy the styles of its formulas."""
    soup = _soup(site / f"{HOME}.html")
    lines = []
    for sheet in soup.select('head link[rel="stylesheet"]'):
        path = site / _resolve(HOME, str(sheet["href"]))[0]
        lines.append(f'<link rel="stylesheet" href="{path.as_uri()}">')
    lines.append(f"<style>\n{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}")
    for page in pages:
        title = json.dumps(page.title, ensure_ascii=False)
        lines.append(f"@page {_paper(page)} {{ @bottom-left {{ content: {title};")
        lines.append('font: 400 9pt "Source Sans 3 Variable", sans-serif; color: #4a545b;')
        lines.append("padding-bottom: 4mm; white-space: nowrap } }")
        lines.append(f"#{page.key} {{ page: {_paper(page)} }}")
    lines.append("</style>")
    for page in pages:
        html = (site / f"{page.name}.html").read_text(encoding="utf-8")
        lines += re.findall(r'<style class="ttv-formulas">.*?</style>', html)
    return "\n".join(lines)


def _paper(page: Page) -> str:
    return f"paper-{page.key}"


def _article(site: Path, page: Page) -> Tag:
    """Take the article out of a page, and leave what needs a screen behind."""
    html = (site / f"{page.name}.html").read_text(encoding="utf-8")
    soup = BeautifulSoup(html, "html.parser", parse_only=SoupStrainer("article"))
    article = soup.select_one("article.bd-article")
    if article is None:
        raise PrintError(f"{page.name}.html has no article")
    for tag in article.select(
        ".headerlink, script, noscript, .ttv-panel, .toctree-wrapper, button, "
        "details.hide > summary, .tag_stub > .cell_output"
    ):
        tag.decompose()
    for tag in article.select("details.hide"):
        tag.name = "div"
    for tag in article.select("pre"):
        if tag.get_text().strip().count("\n") < SHORT:
            tag["class"] = "ttv-short"
    for image in article.select("img[src]"):
        image["src"] = (site / _resolve(page.name, str(image["src"]))[0]).as_uri()
        del image["loading"]
    _unfold_quiz(article)
    for tag in article.select("[id]"):
        tag["id"] = f"{page.key}--{tag['id']}"
    if page.name == PLAYGROUND:
        _note_playground(article)
    article.name = "section"
    article["class"] = "ttv-page"
    article["id"] = page.key
    heading = article.select_one("h1")
    if heading is None:
        raise PrintError(f"{page.name}.html has no title")
    if page.name == HOME:
        heading.string = page.title
    if page.part:
        heading.insert_before(_tag(f'<p class="ttv-eyebrow">{escape(page.part)}</p>'))
    return article


def _tag(html: str) -> Tag:
    (tag,) = BeautifulSoup(html, "html.parser").select(":root")
    return tag


def _note_playground(article: Tag) -> None:
    """Leave of the playground its title, its first words and where it is."""
    for tag in article.select("section section"):
        tag.decompose()
    place = _tag(
        "<p>It needs a screen, and is on the site of this book: "
        '<a href="playground.html" class="ttv-site">the page of the same name</a>.</p>'
    )
    (article.select_one("section") or article).append(place)


def _unfold_quiz(article: Tag) -> None:
    """Turn the choices of the questions into lists, and gather the answers behind the last one."""
    questions = article.select("div.ttv-quiz")
    answers = ["<p><strong>Answers</strong></p>"]
    for number, question in enumerate(questions, start=1):
        first = question.find("p")
        if isinstance(first, Tag):
            first.insert(0, f"{number}. ")
        choices, reasons = "", ""
        for choice in question.select("details.ttv-choice"):
            summary, why = choice.find("summary"), choice.find("p", recursive=False)
            if not isinstance(summary, Tag) or not isinstance(why, Tag):
                raise PrintError(f"a choice of question {number} has no answer")
            letter = summary.select_one(".ttv-letter")
            choices += f"<li>{summary.decode_contents()}</li>"
            reasons += f"{letter.get_text() if letter else ''}: {why.decode_contents()} "
            choice.decompose()
        question.append(_tag(f"<ul>{choices}</ul>"))
        answers.append(f"<p><strong>{number}. </strong>{reasons}</p>")
    if questions:
        questions[-1].insert_after(_tag(f'<div class="ttv-answers">{"".join(answers)}</div>'))


def _relink(link: Tag, page: Page, keys: dict[str, str], address: str | None) -> None:
    """Make a link between pages one inside the document, or one to the published site."""
    url = str(link["href"])
    if EXTERNAL.match(url):
        bare = re.sub(r"^https?://|/$", "", url)
        if bare in link.get_text():
            link["class"] = " ".join([*link.get_attribute_list("class"), "ttv-bare"])
        return
    name, fragment = _resolve(page.name, url)
    key = keys.get(name.removesuffix(".html"))
    on_site = "ttv-site" in link.get_attribute_list("class") or "=" in fragment
    if key and not on_site:
        link["href"] = f"#{key}--{fragment}" if fragment else f"#{key}"
    elif address:
        link["href"] = urljoin(address, name) + (f"#{urlsplit(url).fragment}" if fragment else "")
        if "ttv-site" in link.get_attribute_list("class"):
            link.string = str(link["href"])
    elif key and fragment and "=" in fragment:
        link["href"] = f"#{key}"
    else:
        link.unwrap()


def _headings(article: Tag) -> Iterator[tuple[str, str]]:
    """Id and title of each section with a heading of the second level."""
    for heading in article.select("h2"):
        parent = heading.parent
        if parent is not None and parent.get("id"):
            yield str(parent["id"]), heading.get_text()


def _contents(articles: dict[Page, Tag]) -> str:
    lines = ['<section class="ttv-page ttv-contents" id="ttv-contents"><h1>Contents</h1>']

    def entry(kind: str, key: str, title: str) -> str:
        return (
            f'<li class="{kind}"><a href="#{escape(key)}">{escape(title)}'
            f'<span class="ttv-number" data-of="{escape(key)}"></span></a></li>'
        )

    part = ""
    for page, article in articles.items():
        if page.part != part:
            part = page.part
            lines.append(f'<p class="ttv-eyebrow">{escape(part)}</p>')
        lines.append("<ol>" + entry("ttv-chapter", page.key, page.title))
        if re.match(r"\d", page.title):  # the rest has few sections, or a great many alike
            lines += [entry("ttv-section", key, title) for key, title in _headings(article)]
        lines.append("</ol>")
    return "\n".join([*lines, "</section>"])


def _title_page(imprint: Imprint) -> str:
    where = f"<br>{escape(imprint.address)}" if imprint.address else ""
    return f"""<section class="ttv-title">
<p class="ttv-name">{escape(imprint.title)}</p>
<p class="ttv-subtitle">{escape(imprint.subtitle)}</p>
{_strips()}
<p class="ttv-authors">{escape(imprint.author)}</p>
<p class="ttv-imprint">With the companion package, version {escape(imprint.version)}.{where}<br>
Text and figures: Creative Commons Attribution 4.0 International (CC BY 4.0).
Code and story: MIT licence.</p>
</section>"""


def _strips() -> str:
    """Draw ten tokens: a blue vector and a green one, and their violet sum."""
    chance = random.Random(2)
    rects = []
    for token in range(10):
        for row in range(8):
            blue, green = chance.random(), chance.random()
            strengths = (blue, green, (blue + green) / 2)
            for strip, (colour, strength) in enumerate(
                zip(("#0b62a8", "#00734f", "#6a3d9a"), strengths, strict=True)
            ):
                x, y = 64 * token, 110 * strip + 11 * row
                rects.append(
                    f'<rect x="{x}" y="{y}" width="46" height="10" fill="{colour}" '
                    f'fill-opacity="{0.12 + 0.83 * strength:.2f}"/>'
                )
    return f'<svg viewBox="0 0 622 308" role="presentation">{"".join(rects)}</svg>'


# --- from the page to the PDF -----------------------------------------------------------------

FIT = r"""() => {
  // Code and formulas that are wider than their column become smaller, down to a limit.
  const tooWide = [];
  for (const pre of document.querySelectorAll(".bd-article pre")) {
    if (!pre.textContent.trim().includes("\n")) continue;  // a single line has no columns: it wraps
    pre.style.whiteSpace = "pre";
    const size = parseFloat(getComputedStyle(pre).fontSize);
    const inset = parseFloat(getComputedStyle(pre).paddingLeft) * 2;
    const needed = (pre.scrollWidth - inset) / (pre.clientWidth - inset);
    if (needed <= 1) continue;
    if (needed < 1.3) pre.style.fontSize = `${Math.floor(size / needed * 20) / 20}px`;
    else pre.style.whiteSpace = "";
  }
  for (const math of document.querySelectorAll('.bd-article mjx-container[display="true"]')) {
    const needed = math.scrollWidth / math.clientWidth;
    if (needed > 1) math.style.fontSize = `${Math.floor(100 / needed)}%`;
  }
  const page = document.querySelector(".bd-main").getBoundingClientRect();
  const gutter = 16;
  for (const tag of document.querySelectorAll(".bd-article *")) {
    if (tag.closest("mjx-assistive-mml, svg")) continue;
    const box = tag.getBoundingClientRect();
    if (box.width && (box.right > page.right + gutter || box.left < page.left - gutter))
      tooWide.push(`${tag.tagName.toLowerCase()}.${tag.className} in ` +
        `${tag.closest(".ttv-page")?.id}: ${tag.textContent.trim().slice(0, 40)}`);
  }
  return tooWide;
}"""

NUMBER = """numbers => {
  for (const span of document.querySelectorAll(".ttv-number"))
    span.textContent = numbers[span.dataset.of];
}"""


HEADINGS = r"""() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
  .filter(heading => heading.checkVisibility())
  .map(heading => heading.innerText.replace(/\s+/g, " ").trim())"""


def print_page(source: Path, target: Path) -> list[str]:
    """Print an assembled page twice, the second time with the numbers of its pages.

    What is wider than the paper is a `PrintError`, as is a heading that the second print moves.
    Returns all headings.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        executable = find_chromium(playwright)
        if executable is None:
            raise PrintError(MISSING)
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": TEXT_WIDTH, "height": 900})
        page.emulate_media(media="print", color_scheme="light")
        page.set_default_timeout(600_000)  # the whole book, on a busy machine
        page.goto(source.as_uri())
        page.evaluate("document.fonts.ready")
        too_wide = page.evaluate(FIT)
        if too_wide:
            raise PrintError("wider than the page: " + "; ".join(too_wide[:10]))
        first = page.pdf(prefer_css_page_size=True)
        numbers = page_numbers(PdfReader(BytesIO(first)))
        page.evaluate(NUMBER, numbers)
        page.pdf(
            path=target, prefer_css_page_size=True, print_background=True,
            outline=True, tagged=True,
        )  # fmt: skip
        if page_numbers(PdfReader(target)) != numbers:
            raise PrintError("the numbers in the contents have moved what they number")
        headings: list[str] = page.evaluate(HEADINGS)
        browser.close()
    return headings


def page_numbers(reader: PdfReader) -> dict[str, int]:
    """Find the page of each place that a link inside the PDF leads to."""
    numbers = {}
    for name, place in reader.named_destinations.items():
        number = reader.get_destination_page_number(place)
        if number is not None:
            numbers[unquote(name.removeprefix("/"))] = number + 1
    return numbers


def finish(target: Path, imprint: Imprint, headings: Sequence[str]) -> None:
    """Say in the file what it is, and not when and by which browser it was made.

    Chromium writes a bookmark for each heading, but not the space at which a heading breaks. The
    new description is appended, as PDF provides for: to write the file anew would take longer
    than to print it.
    """
    # As long as they were, so that all stays where it is.
    undated = re.sub(rb"\(D:\d{14}\+00'00'\)", b"(D:20000101000000+00'00')", target.read_bytes())
    writer = PdfWriter(BytesIO(undated), incremental=True)
    described = {"/Title": imprint.title, "/Author": imprint.author, "/Subject": imprint.subtitle}
    writer.metadata = described
    bookmarks = _below(writer.root_object["/Outlines"])
    for bookmark, heading in zip(bookmarks, headings, strict=True):
        bookmark[NameObject("/Title")] = TextStringObject(heading)
    with target.open("wb") as file:
        writer.write(file)


def _below(entry: Any) -> Iterator[DictionaryObject]:
    """Give the bookmarks below an entry of the outline, in the order in which they are read."""
    child = entry.get_object().get("/First")
    while child is not None:
        bookmark = child.get_object()
        yield bookmark
        yield from _below(bookmark)
        child = bookmark.get("/Next")


def find_imprint(site: Path, root: Path) -> Imprint:
    """Collect what the title page says from the files that say it."""
    import companion
    from ttv.publication import find_publication

    config: dict[str, Any] = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    description = _soup(site / f"{HOME}.html").select_one('meta[name="description"]')
    first = str(description["content"]).partition(". ")[0] if description else ""
    return Imprint(
        title=config["title"],
        subtitle=first,
        author=config["author"],
        version=companion.__version__,
        address=find_publication(os.environ, root).site,
    )


def make(site: Path, target: Path) -> int:
    """Make the PDF of a site, and return the number of its pages.

    The assembled page stays beside the PDF, with the ending ``.html``.
    """
    if not (site / f"{HOME}.html").exists():
        raise PrintError(f"no book in {site}: run `make book` first")
    imprint = find_imprint(site, ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    source = target.with_suffix(".html")
    source.write_text(assemble(site, pages_of(site), imprint), encoding="utf-8")
    finish(target, imprint, print_page(source, target))
    return len(PdfReader(target).pages)


def main() -> None:
    """Make the PDF of the built book."""
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    try:
        n = make(SITE, TARGET)
    except PrintError as error:
        raise SystemExit(f"no PDF: {error}") from error
    print(f"The book: {TARGET} ({n} pages, {TARGET.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
