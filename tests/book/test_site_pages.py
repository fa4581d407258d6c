"""The feet of the pages, the page for addresses that lead nowhere, and the server that shows it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
import serve
from playwright.sync_api import BrowserContext
from visits import Visit

from ttv.reader import pages_in_order
from ttv.versions import PLACE, with_versions

ROOT = Path(__file__).parents[2]
SOURCES = {f"{page}.md": (ROOT / f"{page}.md").read_text("utf-8") for page in pages_in_order(ROOT)}


# As 404.html this page is among those of test_page.py, which look at all of it.
def test_an_unknown_address_leads_to_the_book(context: BrowserContext, address: str) -> None:
    visit = Visit(context.new_page(), address)
    visit.go("book/a/b/c/")
    page = visit.page
    assert page.locator("h1:visible").inner_text() == "Not in the vocabulary"
    assert len(visit.troubles) == 2  # one thing is not there, the address itself; it is said twice
    assert any("book/a/b/c/" in text for text in visit.troubles)
    assert visit.outside == []
    assert page.evaluate("document.fonts.check('1rem \"Source Serif 4 Variable\"')")
    links = page.locator(".bd-article a[href]").evaluate_all("all => all.map(a => a.href)")
    assert f"{address}/search.html" in links
    page.locator(".bd-article").get_by_role("link", name="first page").click()
    assert page.url == f"{address}/book/index.html"
    page.close()


def test_the_foot_of_each_page_leads_along_the_route_of_bert(site: Path) -> None:
    index = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    (route,) = re.findall(r"^Only BERT\?.*\{minutes\}`(.*?)`", index, re.MULTILINE)
    for page, following in pairwise(route.split()):
        html = (site / "book" / f"{page}.html").read_text(encoding="utf-8")
        assert f'class="right-next" href="{following}.html"' in html, page


def test_programs_find_each_page_as_markdown(site: Path) -> None:
    listed = (site / "llms.txt").read_text(encoding="utf-8")
    pages = re.findall(r"^- \[.+\]\((.+)\)(?:: .+)?$", listed, re.MULTILINE)
    assert {*pages} == {f"{page}.md" for page in pages_in_order(ROOT)}
    for page in pages:
        assert (site / page).read_text(encoding="utf-8") == with_versions(SOURCES[page])


@pytest.mark.parametrize("page", [page for page, text in SOURCES.items() if PLACE.search(text)])
def test_a_version_is_filled_in(page: str, site: Path) -> None:
    html = (site / page).with_suffix(".html").read_text(encoding="utf-8")
    assert not PLACE.search(html)  # it would be there in code, or in the page's description


@pytest.fixture
def server(tmp_path: Path) -> Iterator[serve.SiteServer]:
    """A server of a small site that is published under ``/Book/``."""
    for name, text in {
        "404.html": '<html data-content_root="/Book/">100 %s', "index.html": "the root",
        "book/words.html": "words",
    }.items():  # fmt: skip
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(text, encoding="utf-8")
    (tmp_path / "private.txt").touch()
    with serve.serve(tmp_path / "site") as server:
        yield server


def test_the_server_finds_pages_and_stays_in_its_folder(server: serve.SiteServer) -> None:
    for path in ("/", "/Book/"):
        with urlopen(f"http://127.0.0.1:{server.server_port}{path}") as answer:
            assert answer.read() == b"the root"
    with urlopen(f"{server.address}/book/words.html") as answer:
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    for path in ("no.html", "book/", "../private.txt", "%2e%2e/private.txt", "/etc/passwd"):
        with pytest.raises(HTTPError, match="404") as error:
            urlopen(f"{server.address}/{path}")
        assert error.value.read().endswith(b'"/Book/">100 %s')


def test_a_port_that_is_taken_is_said(server: serve.SiteServer) -> None:
    with pytest.raises(SystemExit, match=rf"^Port {server.server_port}: .*Choose another"):
        serve.main(server.server_port)
