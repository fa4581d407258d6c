"""The book in WebKit, the engine of Safari."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import serve
import webkit
from webkit import WebKit

from companion.bpe import gpt2
from companion.story import SENTENCE
from companion.wordpiece import bert_uncased

CELL = """document.querySelector('[data-run="words.case"]')"""
PRESS = f"[...{CELL}.querySelectorAll('button')].find(b => b.textContent === a[0]).click()"
OUTPUT = f"{CELL}.querySelector('.ttv-run-output pre')?.textContent.includes(a[0])"
WATCH = """<head><script>
  window.troubles = [];
  for (const kind of ["error", "unhandledrejection"])
    addEventListener(kind, e => troubles.push(e.message ?? `${e.reason ?? e.target.src}`), true);
</script>"""


@pytest.fixture(scope="module")
def watched(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site, where each page notes its errors from the beginning: WebDriver tells of none."""
    copy = shutil.copytree(site, tmp_path_factory.mktemp("watched") / "site")
    for page in copy.rglob("*.html"):
        page.write_text(page.read_text("utf-8").replace("<head>", WATCH, 1), "utf-8")
    with serve.serve(copy) as server:
        yield server.address


@pytest.fixture(scope="module")
def window() -> Iterator[WebKit]:
    if not (webkit.DRIVER and webkit.BROWSER and webkit.SCREEN):
        pytest.skip(webkit.MISSING)
    with webkit.started() as window:
        yield window


# Of the reference one page: one extension makes them all.
@pytest.mark.slow
@pytest.mark.parametrize("pages", ["book/*.html", "book/api/plots.html"])
def test_every_page_opens_without_an_error(
    window: WebKit, watched: str, site: Path, pages: str
) -> None:
    for path in site.glob(pages):
        window.go(f"{watched}/{path.relative_to(site).as_posix()}")
        window.wait("document.fonts.status === 'loaded'")
        assert window.run("troubles") == [], path


def test_a_cell_runs_and_stop_ends_its_worker(window: WebKit, watched: str) -> None:
    window.go(f"{watched}/book/words.html")
    write = f"({CELL}.querySelector('textarea').value = a[0])"
    window.run(write, "print(6 * 7)\nwhile True: pass")
    window.run(PRESS, "Run")
    window.wait(OUTPUT, "42", seconds=300)
    assert window.workers() == 1
    window.run(PRESS, "Stop")
    webkit.until(lambda: not window.workers(), 60, "Stop ends the worker")
    assert window.run("troubles") == []


def test_the_playground_shows_the_ids_of_gpt2(window: WebKit, watched: str) -> None:
    window.go(f"{watched}/book/playground.html")
    ids = "[...document.querySelectorAll('[data-panel=tokens] .ttv-id')].map(e => +e.textContent)"
    window.wait(f"{ids}.length")
    assert window.run(ids) == gpt2().encode(SENTENCE)
    assert window.run("troubles") == []


def test_quiz_theme_and_search(window: WebKit, watched: str) -> None:
    window.go(f"{watched}/book/words.html")
    window.run("document.querySelector('.ttv-right > summary').click()")
    assert window.run("document.querySelector('.ttv-right > p').checkVisibility()")
    theme = "document.documentElement.dataset.theme"
    before = window.run(theme)
    window.run("document.querySelector('.theme-switch-button').click()")
    assert window.run(theme) != before
    window.go(f"{watched}/search.html?q=BPE")
    found = window.wait("document.querySelector('#search-results li > a')?.href")
    assert found.partition("?")[0] == f"{watched}/book/bpe.html"


# It starts Python as the cells do.
@pytest.mark.slow
def test_a_tokenizer_is_opened(window: WebKit, watched: str) -> None:
    window.go(f"{watched}/book/open-tokenizer.html")
    button = "[...document.querySelectorAll('.ttv-panel button')].find(e => e.textContent === a[0])"
    window.wait(button, "BERT")
    window.run(f"{button}.click()", "BERT")
    window.wait("document.querySelector('.ttv-finding')", seconds=300)
    ids = "[...document.querySelectorAll('.ttv-stages .ttv-id')].map(e => +e.textContent)"
    text = window.run("document.getElementById('ttv-open-text').value")
    assert window.run(ids) == bert_uncased().encode(text)
    assert window.run("troubles") == []
