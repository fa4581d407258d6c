"""What a site has beside its pages, and what its pages say of themselves, in a published book.

A book of four pages is built with the configuration, the templates and the extensions of the real
one, as its repository's workflow would build it.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
import serve
import yaml
from playwright.sync_api import Browser
from visits import Visit

from ttv import cards
from ttv.site_pages import absolute, sitemap

ROOT = Path(__file__).parents[2]
HERE = "https://some-one.github.io/Book/"
TOC = """\
format: jb-book
root: book/index
defaults: {numbered: 2}
parts:
  - caption: From text to tokens
    chapters:
      - file: book/words
  - caption: Reference
    numbered: false
    chapters:
      - file: book/glossary
      - file: book/deep/page
"""
PAGES = {"book/index": "Text to Vectors", "book/words": "A first tokenizer",
         "book/deep/page": "A page further down", "book/glossary": "Glossary"}  # fmt: skip
HEAD = "---\nmyst:\n  html_meta:\n    description: What {title} is about, in a sentence.\n---\n\n"
GLOSSARY = "```{glossary}\ntoken\n  The unit.\n```\n\n```{bibliography}\n```\n"
REDIRECTS = """\
book/gone.html: book/deep/page.html
book/gone.html#old: book/glossary.html#term-token
book/words.html#once: book/deep/page.html
book/words.html#here: book/words.html#a-first-tokenizer
"""
REFERENCES = "@book{A, author={A, B}, title={C}, publisher={D}, year={1902}}\n"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a book that is published at `HERE`."""
    folder = tmp_path_factory.mktemp("published")
    for part in ("book/_ext", "book/_templates", "book/assets", "companion/data"):
        shutil.copytree(ROOT / part, folder / part)
    for page, title in PAGES.items():
        path = folder / f"{page}.md"
        path.parent.mkdir(exist_ok=True)
        text = GLOSSARY if page == "book/glossary" else "A sentence.\n"
        path.write_text(f"{HEAD.format(title=title)}# {title}\n\n{text}", encoding="utf-8")
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    config = re.sub(r"include_patterns: .*", "include_patterns: ['book/**.md']", config)
    (folder / "_config.yml").write_text(config, encoding="utf-8")
    shutil.copy(ROOT / "requirements.txt", folder)
    (folder / "_toc.yml").write_text(TOC, encoding="utf-8")
    (folder / "book" / "redirects.yml").write_text(REDIRECTS, encoding="utf-8")
    (folder / "book" / "references.bib").write_text(REFERENCES, encoding="utf-8")
    program = str(Path(sys.executable).with_name("jupyter-book"))
    environ = os.environ | {"GITHUB_REPOSITORY": "Some-One/Book", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [program, "build", str(folder), "-W", "-n"],
        capture_output=True, text=True, check=False, env=environ,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "_build" / "html"


def meta(page: Path) -> dict[str, str]:
    """The meta tags of a page, by name."""
    html = page.read_text(encoding="utf-8")
    tags = re.findall(r"<meta ([^>]*)>", html)
    found = [dict(re.findall(r'([\w-]+)="([^"]*)"', tag)) for tag in tags]
    return {tag.get("name") or tag.get("property") or "": tag.get("content", "") for tag in found}


# --- a page for addresses that lead nowhere -----------------------------------------------------


@pytest.fixture(scope="module")
def server(published: Path) -> Iterator[serve.SiteServer]:
    with serve.serve(published) as server:
        yield server


# As 404.html this page is among those of test_page.py, which look at all of it.
@pytest.mark.parametrize("path", ["nowhere", "book/nowhere.html", "book/a/b/c/"])
def test_an_unknown_address_leads_to_the_book(
    browser: Browser, server: serve.SiteServer, path: str
) -> None:
    assert server.address.endswith("/Book")
    context = browser.new_context(color_scheme="light", reduced_motion="reduce")
    visit = Visit(context.new_page(), server.address)
    visit.go(path)
    page = visit.page
    assert page.locator("h1:visible").inner_text() == "Not in the vocabulary"
    # The address itself is the only thing that is not there.
    assert {text for text in visit.troubles if path not in text} <= {
        "error: Failed to load resource: the server responded with a status of 404 (Not Found)"
    }
    assert len(visit.troubles) == 2
    assert visit.outside == []
    assert page.evaluate("document.fonts.check('1rem \"Source Serif 4 Variable\"')")
    links = page.locator(".bd-article a[href], .bd-sidebar-primary a[href]")
    urls = set(links.evaluate_all("all => all.map(a => a.href)"))
    assert f"{server.address}/search.html" in urls
    assert not [url for url in urls if server.find(url.removeprefix(server.address[:-5])) is None]
    page.locator(".bd-article").get_by_role("link", name="first page").click()
    assert page.url == f"{server.address}/book/index.html"
    context.close()


def test_what_is_relative_becomes_absolute_and_nothing_else() -> None:
    assert absolute('<a href="a.html"> <img src="./b.png">', "/x/") == (
        '<a href="/x/a.html"> <img src="/x/b.png">'
    )
    assert absolute('<html data-content_root="./">', "/x/") == '<html data-content_root="/x/">'
    for kept in ('<a href="#top">', '<a href="https://a.b/">', '<a href="/c">', '<a title="d">'):
        assert absolute(kept, "/x/") == kept


# --- addresses that have moved ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("book/gone.html", "book/deep/page.html"),
        ("book/gone.html#never-there", "book/deep/page.html"),
        ("book/gone.html#old", "book/glossary.html#term-token"),
        ("book/words.html#once", "book/deep/page.html"),
        ("book/words.html#here", "book/words.html#a-first-tokenizer"),
        ("book/words.html#else", "book/words.html#else"),
    ],
)
def test_an_old_address_leads_to_the_new_one(
    browser: Browser, server: serve.SiteServer, old: str, new: str
) -> None:
    page = browser.new_page()
    page.goto(f"{server.address}/{old}")
    page.wait_for_url(f"{server.address}/{new}")
    page.locator(".bd-article h1:visible").wait_for()
    assert page.url == f"{server.address}/{new}"
    page.close()


def test_a_moved_page_is_found_without_scripts(browser: Browser, server: serve.SiteServer) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.address}/book/gone.html")
    page.wait_for_url(f"{server.address}/book/deep/page.html")
    context.close()


def test_every_redirect_leads_from_what_is_gone_to_what_is_there(site: Path) -> None:
    def is_there(address: str) -> bool:
        page, _, anchor = address.partition("#")
        html = (site / page).read_text(encoding="utf-8") if (site / page).exists() else ""
        return f'id="{anchor}"' in html if anchor else bool(html)

    redirects = yaml.safe_load((ROOT / "book" / "redirects.yml").read_text(encoding="utf-8"))
    assert [new for new in redirects.values() if not is_there(new)] == []
    for old in redirects:
        page, _, anchor = old.partition("#")
        if (ROOT / page).with_suffix(".md").exists():
            assert anchor, f"{page} has not moved"
            assert not is_there(old), f"{old} is still there: drop the line"
        else:
            assert page in redirects, f"say where {page} is now, without a #"


# --- for search engines ---------------------------------------------------------------------------


def test_the_sitemap_lists_every_page_and_nothing_else(published: Path) -> None:
    tree = ET.parse(published / "sitemap.xml")
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    assert tree.getroot().tag == f"{space}urlset"
    assert [e.text for e in tree.iter(f"{space}loc")] == [
        f"{HERE}{page}.html"
        for page in ("book/index", "book/deep/page", "book/glossary", "book/words")
    ]
    assert "<loc>https://a/?b&amp;c</loc>" in sitemap(["https://a/?b&c"])
    # Below the root of a host nobody reads it.
    assert not (published / "robots.txt").exists()


# --- what a page says of itself ----------------------------------------------------------------


@pytest.mark.parametrize("page", [*PAGES, "search", "genindex"])
def test_a_page_names_its_address_and_its_card(published: Path, page: str) -> None:
    tags = meta(published / f"{page}.html")
    html = (published / f"{page}.html").read_text(encoding="utf-8")
    assert re.findall(r'rel="canonical" href="([^"]+)"', html) == [f"{HERE}{page}.html"]
    assert tags["og:url"] == f"{HERE}{page}.html"
    assert tags["og:site_name"] == "Text to Vectors"
    card = page if page in PAGES else "book/index"
    file = f"_static/cards/{card.removeprefix('book/').replace('/', '-')}.png"
    assert tags["og:image"] == f"{HERE}{file}"
    assert tags["og:image:alt"].startswith(PAGES[card])
    assert tags["twitter:card"] == "summary_large_image"
    data = (published / file).read_bytes()
    size = struct.unpack(">II", data[16:24])
    assert size == (1200, 630) == (int(tags["og:image:width"]), int(tags["og:image:height"]))
    if page in PAGES:
        assert tags["description"] == f"What {PAGES[page]} is about, in a sentence."
    assert tags["og:description"] == tags["description"]
    assert ("noindex" in tags.get("robots", "")) == (page == "search")


def test_the_card_says_where_the_page_stands(published: Path) -> None:
    chapter = meta(published / "book" / "words.html")["og:image:alt"]
    assert chapter.startswith("A first tokenizer (Chapter 1 · From text to tokens): ")
    for page in ("glossary", "deep/page"):
        assert "(Reference)" in meta(published / "book" / f"{page}.html")["og:image:alt"]
    assert len({path.read_bytes() for path in (published / "_static" / "cards").iterdir()}) == 4


def test_the_same_card_is_drawn_with_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        cards.draw(cards.Card("A title", "Chapter 1 · A part", "#0b62a8", 3), tmp_path / name, "B")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_every_title_has_room_on_its_card() -> None:
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "book").rglob("*.md")]
    titles = [found[1] for text in texts if (found := re.search(r"^# (.+)$", text, re.MULTILINE))]
    assert len(titles) > 30
    assert [title for title in titles if len(textwrap.wrap(title, cards.WIDTH)) > 2] == []


# --- the server -----------------------------------------------------------------------------------


def test_the_server_compresses_text_and_stays_in_its_folder(server: serve.SiteServer) -> None:
    from urllib.request import Request, urlopen

    asked = Request(f"{server.address}/book/words.html", headers={"Accept-Encoding": "gzip"})
    with urlopen(asked) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.read(2) == b"\x1f\x8b"
    with urlopen(f"{server.address}/_static/favicon.svg") as answer:
        assert answer.headers["Content-Encoding"] is None
    assert server.find("/Book/book/words.html")
    assert server.find("/Book/") == server.site / "index.html"
    for path in ("/book/words.html", "/Book/../conf.py", "/Book/%2e%2e/%2e%2e/_toc.yml", "/Book"):
        assert server.find(path) is None


@pytest.mark.parametrize(("error", "said"), [(ConnectionResetError, False), (ValueError, True)])
def test_the_server_is_silent_when_a_browser_hangs_up_and_only_then(
    server: serve.SiteServer,
    capsys: pytest.CaptureFixture[str],
    error: type[Exception],
    said: bool,
) -> None:
    try:
        raise error("while it was answered")
    except error:
        server.handle_error(None, ("127.0.0.1", 1))
    assert ("while it was answered" in capsys.readouterr().err) == said
