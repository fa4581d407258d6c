"""What the tests share.

No test may reach the network: pytest-socket lets none but this machine through.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import chromium
import hypothesis
import pytest
import serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext


pytest.register_assert_rewrite("answers")

SITE = Path(__file__).parents[1] / "_build" / "html"
# Where a change is judged, a test that was not run must not look like one that passed.
stop = pytest.fail if os.environ.get("CI") else pytest.skip

# Who reaches the world through a proxy reaches this machine without it.
os.environ.update(dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost,::1"))
# The workers of pytest share the processors; threads of torch would wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# The text cache and the time limit of hypothesis depend on the machine; the tests must not.
hypothesis.settings.register_profile("book", deadline=None, print_blob=True)
hypothesis.settings.load_profile("book")


@pytest.fixture(scope="session")
def site() -> Path:
    """Folder of the built book."""
    if not (SITE / "book" / "index.html").exists():
        pytest.fail("the book is not built: run `make book` first")
    return SITE


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the book is served."""
    with serve.serve(site) as server:
        yield server.address


# A worker gets the tests of a file together; the longest file first, so that the others fit beside.
LONG = ("test_page.py", "test_run_here.py", "test_playground.py", "test_webkit.py", "test_live.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes long to the front."""
    items.sort(key=lambda item: [*LONG, item.path.name].index(item.path.name))


# The list under the address bar is a page of its own, which no test sees; opening it takes as long
# as opening a small page of the book.
ARGUMENTS = [*chromium.ARGUMENTS, "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup"]


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Chromium: the one that playwright has installed, else the system's own."""
    from playwright.sync_api import sync_playwright  # here: most tests need no browser

    with sync_playwright() as playwright:
        executable = chromium.find_chromium(playwright)
        if executable is None:
            stop(chromium.MISSING)
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def context(browser: "Browser") -> "Iterator[BrowserContext]":
    """What the tests of a file open their pages in."""
    from visits import QUIET

    with browser.new_context(**QUIET, permissions=["clipboard-read", "clipboard-write"]) as context:
        yield context


@pytest.fixture(scope="session")
def python_in_the_page(site: Path) -> Path:
    """Folder of Pyodide's files, without which no cell runs in a page."""
    folder = site / "_static" / "run-here" / "files"
    if not folder.exists():
        stop("the book was built without Pyodide")
    return folder


@pytest.fixture(scope="session")
def test_texts() -> Path:
    """Folder of texts that are for tests only, named by COMPANION_TEST_TEXTS."""
    if folder := os.environ.get("COMPANION_TEST_TEXTS"):
        return Path(folder)
    pytest.skip("COMPANION_TEST_TEXTS names no folder with peter_rabbit.txt and tokenizers")


@pytest.fixture(scope="session")
def published_files(test_texts: Path) -> Path:
    """Folder of published tokenizers."""
    return test_texts / "tokenizers"
