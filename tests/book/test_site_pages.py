"""The feet of the pages, the page for addresses that lead nowhere, and the server that shows it."""

import re
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
import serve
from playwright.sync_api import BrowserContext
from visits import Visit


# As 404.html this page is among those of test_page.py, which look at all of it.
@pytest.mark.parametrize("path", ["nowhere", "book/a/b/c/"])
def test_an_unknown_address_leads_to_the_book(
    context: BrowserContext, address: str, path: str
) -> None:
    visit = Visit(context.new_page(), address)
    visit.go(path)
    page = visit.page
    assert page.locator("h1:visible").inner_text() == "Not in the vocabulary"
    assert len(visit.troubles) == 2  # one thing is not there, the address itself; it is said twice
    assert any(path in text for text in visit.troubles)
    assert visit.outside == []
    assert page.evaluate("document.fonts.check('1rem \"Source Serif 4 Variable\"')")
    links = page.locator(".bd-article a[href]").evaluate_all("all => all.map(a => a.href)")
    assert f"{address}/search.html" in links
    page.locator(".bd-article").get_by_role("link", name="first page").click()
    assert page.url == f"{address}/book/index.html"
    page.close()


def test_the_foot_of_each_page_leads_along_the_route_of_bert(site: Path) -> None:
    index = Path(__file__).parents[2].joinpath("book/index.md").read_text(encoding="utf-8")
    (route,) = re.findall(r"^Only BERT\?.*\{minutes\}`(.*?)`", index, re.MULTILINE)
    for page, following in pairwise(route.split()):
        html = (site / "book" / f"{page}.html").read_text(encoding="utf-8")
        assert f'class="right-next" href="{following}.html"' in html, page


def test_programs_find_each_page_as_markdown(site: Path) -> None:
    lines = (site / "llms.txt").read_text(encoding="utf-8").splitlines()
    links = [re.fullmatch(r"- \[(.+)\]\((.+)\.md\)(: .+)?", line) for line in lines[2:]]
    pages = {link[2]: link[3] for link in links if link}
    assert len(pages) == len(lines) - 2
    assert set(pages) == {f"book/{path.stem}" for path in (site / "book").glob("*.html")} | {
        f"book/api/{path.stem}" for path in (site / "book" / "api").glob("*.html")
    }
    for page in pages:
        source = Path(__file__).parents[2] / f"{page}.md"
        assert (site / f"{page}.md").read_bytes() == source.read_bytes()
    assert pages["book/bpe"]  # with what it is about


def test_a_port_that_cannot_be_used_is_said(site: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for port in (taken.getsockname()[1], 70_000):
            with pytest.raises(SystemExit, match=f"^Port {port}: .*Choose another"):
                serve.main(port)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[serve.SiteServer]:
    """A server of a small site that is published under ``/Book/``."""
    for name, text in {
        "404.html": '<html data-content_root="/Book/">', "index.html": "the root",
        "book/words.html": "words", "_static/font.woff2": "font",
    }.items():  # fmt: skip
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(text, encoding="utf-8")
    (tmp_path / "private.txt").touch()
    with serve.serve(tmp_path / "site") as server:
        yield server


def test_the_server_compresses_text_and_stays_in_its_folder(server: serve.SiteServer) -> None:
    asked = Request(f"{server.address}/book/words.html", headers={"Accept-Encoding": "gzip"})
    with urlopen(asked) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.read(2) == b"\x1f\x8b"
    with urlopen(f"{server.address}/_static/font.woff2") as answer:
        assert answer.headers["Content-Encoding"] is None
    assert server.find("/Book/book/words.html")
    assert server.find("/Book/") == server.site / "index.html"
    for path in ("/book/words.html", "/Book/../private.txt", "/Book/%2e%2e/private.txt"):
        assert server.find(path) is None
    for path in ("/Book/%00", f"/Book/{'a' * 5000}/", "http://[", "/Book//etc/passwd"):
        with socket.create_connection(("127.0.0.1", server.server_port)) as client:
            client.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
            assert client.recv(12) == b"HTTP/1.1 404", path
    for path in ("/", "/Book"):
        with urlopen(f"http://127.0.0.1:{server.server_port}{path}") as answer:
            assert answer.url == f"{server.address}/"
            assert answer.read() == b"the root"
