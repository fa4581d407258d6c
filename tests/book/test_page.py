"""The built pages, in a real browser: Chromium, reading the book from a server on this machine.

Every page of the site is found and tested, so a new chapter needs no test of its own. What a page
says of itself in its HTML is tested without a browser.
"""

import functools
import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from accessibility import check_looks, violations
from playwright.sync_api import Browser, BrowserContext, Page
from serve import prefix_of
from visits import Visit, in_peace

SITE = Path(__file__).parents[2] / "_build" / "html"
PLAYGROUND = "book/playground.html"
ROOT_PAGE = "index.html"  # nothing but a way to the landing page
FILES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
PAGES = [name for name in FILES if not name.startswith(("_static/", ROOT_PAGE))]
NOT_FOUND = "404.html"
REFERENCE = {"book/api/index.html", "book/api/embeddings.html", "book/api/plots.html"}
"""Of the reference, which one extension makes: the others are opened in the long tests only."""
RARE = {page for page in PAGES if page.startswith("book/api/")} - REFERENCE


@pytest.fixture(scope="module", autouse=True)
def _built(site: Path) -> None:
    assert PAGES, f"no page in {site}: run `make book` first"


# --- the HTML ---------------------------------------------------------------------------------


class Document(HTMLParser):
    """What the tests ask of a page's HTML."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed((SITE / name).read_text(encoding="utf-8"))
        self.ids, self.links = self.values("id"), [*self.values("href"), *self.values("src")]
        metas = [values for tag, values in self.elements if tag == "meta"]
        self.meta = {m.get("name", m.get("property", "")): m.get("content", "") for m in metas}
        self.relations = {v["rel"]: v["href"] for tag, v in self.elements if tag == "link"}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def values(self, name: str) -> list[str]:
        """Return all values of an attribute."""
        return [values[name] for _, values in self.elements if name in values]


document = functools.cache(Document)


def local(page: str, url: str, prefix: str) -> tuple[str, str] | None:
    """Name of the file a link of a page leads to, and the fragment; None if it leaves the book.

    The prefix is the path under which the book is served: a link out of it is dead.
    """
    parts = urlsplit(urljoin(f"http://book{prefix}{page}", url))
    if parts.scheme != "http" or parts.netloc != "book":
        return None
    assert parts.path.startswith(prefix), f"{url} is outside {prefix}"
    path = unquote(parts.path.removeprefix(prefix))
    return path + ("index.html" if path.endswith("/") or not path else ""), unquote(parts.fragment)


@pytest.mark.parametrize("page", [*PAGES, ROOT_PAGE])
def test_links_lead_somewhere(page: str) -> None:
    for url in document(page).links:
        name, fragment = local(page, url, prefix_of(SITE)) or (page, "")
        assert (SITE / name).is_file(), url
        # What has a "=" is no place but settings of the playground or of Open a tokenizer.
        if fragment and "=" not in fragment and name.endswith(".html"):
            assert fragment in document(name).ids, url


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_what_it_is_and_what_its_images_show(page: str) -> None:
    head = document(page)
    assert [key for key, count in Counter(head.ids).items() if count > 1] == []
    assert head.elements[0][1]["lang"] == "en"
    said = [document(other).meta["description"] for other in PAGES]
    assert said.count(head.meta["description"]) == 1
    assert 20 < len(head.meta["description"]) <= 200
    assert ("noindex" in head.meta.get("robots", "")) == (page in {"search.html", NOT_FOUND})
    # A file's name, which MyST-NB writes where a cell says nothing, is one word.
    images = [values for tag, values in head.elements if tag == "img"]
    assert [image for image in images if len(image.get("alt", "").split()) < 3] == []
    # Where its address is known, a preview of it has a title, a description and a picture.
    if "canonical" not in head.relations:
        assert page == NOT_FOUND or prefix_of(SITE) == "/"
        return
    assert head.relations["canonical"] == head.meta["og:url"]
    assert head.meta["og:url"].endswith(f"{prefix_of(SITE)}{page}")
    assert head.meta["og:title"]
    site = head.meta["og:url"].removesuffix(page)
    assert (SITE / head.meta["og:image"].removeprefix(site)).is_file()


def test_formulas_are_typeset_in_the_html_with_mathml_for_screen_readers() -> None:
    formulas = {}
    for page in PAGES:
        html = (SITE / page).read_text(encoding="utf-8")
        formulas[page] = len(re.findall(r'<(?:span|div) class="[^"]*\bmath\b', html))
        assert html.count("<mjx-container") == formulas[page], page
        assert html.count("<mjx-assistive-mml") == formulas[page], page
    assert formulas["book/sinusoids.html"] > 50 > formulas["book/index.html"]


# --- the browser ------------------------------------------------------------------------------


LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (390, "dark")]
"""In which looks pages are seen, in turn, so each kind in both; each page in the long tests."""


@pytest.fixture(
    scope="module",
    params=[pytest.param(p, marks=pytest.mark.slow if p in RARE else ()) for p in PAGES],
)
def visit(request: pytest.FixtureRequest, context: BrowserContext, address: str) -> Iterator[Visit]:
    """Each page of the book, as it stands after loading, in one of the looks."""
    visit = Visit(context.new_page(), address)
    width, theme = LOOKS[PAGES.index(request.param) % len(LOOKS)]
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.page.emulate_media(color_scheme=theme)
    visit.go(request.param)
    yield visit
    visit.page.close()


@pytest.fixture
def alone(context: BrowserContext, address: str) -> Iterator[Visit]:
    """A page of its own, in which nothing goes wrong."""
    with in_peace(Visit(context.new_page(), address)) as visit:
        yield visit


# Text of the article outside code, typeset math and scripts.
PROSE = """() => {
  const article = document.querySelector("article, .bd-search-container").cloneNode(true);
  for (const part of article.querySelectorAll("pre, code, mjx-container, script")) part.remove();
  return article.textContent;
}"""


def test_a_page_is_whole_and_light_and_nothing_went_wrong(visit: Visit) -> None:
    assert (visit.outside, visit.troubles) == ([], [])
    paths = {urlsplit(url).path.removeprefix(prefix_of(SITE)) for url in visit.requests}
    assert 100_000 < sum(map(compressed_size, paths)) <= 500_000
    assert visit.page.locator("h1:visible").count() == 1
    assert visit.page.locator("mjx-merror").count() == 0
    assert not re.search(r"\\[(\[]|\$\$|\$[^\s$][^$\n]*\$", visit.page.evaluate(PROSE))


@functools.cache
def compressed_size(path: str) -> int:
    """Size of a file as a server sends it."""
    data = (SITE / unquote(path)).read_bytes()
    return len(data) if path.endswith((".woff", ".woff2", ".png")) else len(gzip.compress(data, 6))


@pytest.mark.parametrize("look", [violations, pytest.param(check_looks, marks=pytest.mark.slow)])
def test_page_is_accessible(visit: Visit, look: Callable[[Page], list[str] | None]) -> None:
    unfold(visit.page)
    visit.page.evaluate(THIN)
    assert not look(visit.page)


def unfold(page: Page) -> None:
    """Open the solutions and the hidden cells: what is folded away counts too."""
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")


# To measure the contrast of each token of the code takes most of the time: one of a kind is left.
THIN = """() => {
  const seen = new Set();
  for (const span of document.querySelectorAll(".highlight pre span[class]:not(.ttv-run-code)")) {
    const kind = `${span.className} in ${span.closest("div[class*=cell_]")?.className}`;
    if (seen.has(kind)) span.replaceWith(...span.childNodes);
    seen.add(kind);
  }
}"""

# Wider than there is room for, by more than what is rounded away.
WIDE = """all => all.filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1)
  .map(e => e.id || e.textContent)"""

# Code that begins no lower than a bar with buttons ends; letters are lower than their line.
COVERED = """bars => bars.map(bar => [bar, bar.parentElement.querySelector("pre")]).filter(
  ([bar, code]) => {
    const text = document.createRange();
    text.selectNodeContents(code);
    return bar.getBoundingClientRect().bottom > text.getBoundingClientRect().top + 4;
  }).map(([, code]) => code.textContent)"""

# The width of each figure on the page, and how many pixels it has for each of the page's.
FIGURES = """async images => {
  for (const image of images) await (image.loading = "eager", image.decode());
  const shown = images.filter(image => image.clientWidth);
  return shown.map(image => [image.clientWidth, image.naturalWidth / image.clientWidth]);
}"""


def test_a_page_fits_every_window_and_its_figures_are_whole_and_sharp(visit: Visit) -> None:
    unfold(visit.page)
    article = visit.page.locator(".bd-article")
    letters = 2 * 12 * 105 / 72  # the smallest, in pixels
    for width in (1920, 1280, 1200, 768, 390, 360):
        visit.page.set_viewport_size({"width": width, "height": 900})
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        figures = article.locator("figure img").evaluate_all(FIGURES)
        assert [sharp for _, sharp in figures if sharp < 2] == []
        assert [shown for shown, sharp in figures if letters / sharp < 11] == []
        assert article.locator("figure").evaluate_all(WIDE) == []
        if width >= 1280:
            assert article.locator(".cell_input pre, table, :has(> table)").evaluate_all(WIDE) == []
        assert article.locator(".ttv-run-bar").evaluate_all(COVERED) == []


# --- what a reader does -----------------------------------------------------------------------


def test_a_choice_explains_itself_with_the_keyboard(alone: Visit) -> None:
    alone.go("book/words.html")
    question = alone.page.get_by_role("group", name="Question 1")
    for choice in question.locator("details").all():
        why, is_right = choice.locator("p").last, choice.evaluate("e => e.matches('.ttv-right')")
        assert not why.is_visible()
        choice.locator("summary").press("Enter")
        assert why.inner_text().startswith("Right." if is_right else "No.")
    assert question.locator("details.ttv-right").count() == 1


def test_without_scripts_and_from_the_disk_the_book_can_be_read(
    browser: Browser, site: Path
) -> None:
    uri, run = (site / "book" / "words.html").as_uri(), ".ttv-run-button"
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(uri)
        for solution in page.locator(".solution").all():
            assert solution.locator("section").first.is_visible()
        assert page.locator(f"{run}, .ttv-run-how:visible").count() == 0
        assert "Without scripts the cells do not run" in page.locator("noscript p").inner_text()
    with browser.new_context() as context, in_peace(Visit(context.new_page(), "file://")) as visit:
        visit.page.goto(uri)
        visit.rest()
        assert visit.page.evaluate("document.fonts.check('1rem \"Source Serif 4 Variable\"')")
        assert visit.page.locator(run).count() == 0
        assert "make serve" in visit.page.locator(".ttv-run-how").inner_text()


# The controls that Tab reaches without a ring that is three pixels wide.
UNRINGED = """() => {
  const reached = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  for (const menu of document.querySelectorAll(".dropdown-menu")) menu.classList.add("show");
  return [...document.querySelectorAll(reached)].filter(e => {
    if (e.tabIndex < 0 || e.disabled || e.matches("main, .skip-link *")) return false;
    if (!e.checkVisibility({ visibilityProperty: true })) return false;
    e.focus({ preventScroll: true });
    const { outlineStyle, outlineWidth } = getComputedStyle(e);
    return `${outlineStyle} ${outlineWidth}` !== "solid 3px";
  }).map(e => e.outerHTML.slice(0, 200));
}"""


@pytest.mark.parametrize("page", ["book/words.html", PLAYGROUND])
def test_every_kind_of_control_shows_that_it_has_the_focus(alone: Visit, page: str) -> None:
    alone.go(page)
    unfold(alone.page)
    alone.page.keyboard.press("Tab")  # from now on the focus is the keyboard's, and has a ring
    assert alone.page.evaluate(UNRINGED) == []
