"""The feet of the pages, the page for addresses that lead nowhere, and the server that shows it."""

import re
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
    assert ["404" in trouble for trouble in visit.troubles] == [True]  # of the address itself
    assert visit.outside == []
    assert page.evaluate("document.fonts.check('1rem \"Source Serif 4 Variable\"')")
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


def test_versions_are_filled_in(site: Path) -> None:
    pages = [(site / page).with_suffix(".html") for page in SOURCES if PLACE.search(SOURCES[page])]
    assert pages
    # They would be left in code, or in a page's description.
    assert [page for page in pages if PLACE.search(page.read_text("utf-8"))] == []


def test_the_server_finds_pages_and_stays_in_its_folder(tmp_path: Path) -> None:
    """The site is published under ``/Book/``."""
    (tmp_path / "private.txt").touch()
    (tmp_path / "site" / "book").mkdir(parents=True)
    (tmp_path / "site" / "404.html").write_text('<html data-content_root="/Book/">100 %s', "utf-8")
    (tmp_path / "site" / "index.html").write_text("the root", "utf-8")
    with serve.serve(tmp_path / "site") as server:
        for path in ("/", "/Book/", "/Book/index.html"):
            with urlopen(f"http://127.0.0.1:{server.server_port}{path}") as answer:
                assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
                assert answer.read() == b"the root"
        for path in ("no.html", "book/", "../private.txt", "%2e%2e/private.txt", "/etc/passwd"):
            with pytest.raises(HTTPError, match="404") as error:
                urlopen(f"{server.address}/{path}")
            assert error.value.read().endswith(b'"/Book/">100 %s')
