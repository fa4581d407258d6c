"""What the tests share.

No test may reach the network: pytest-socket lets none but this machine through.
"""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"

# Chapters run as they did for the book: in a kernel without settings of the user's, and offline.
os.environ["IPYTHONDIR"] = str(ROOT / "_build" / "ipython")
# The text cache and the time limit of hypothesis depend on the machine; the tests must not.
hypothesis.settings.register_profile("book", deadline=None, print_blob=True)
# A mutation run repeats the tests thousands of times, and each time the same.
hypothesis.settings.register_profile(
    "mutants", deadline=None, max_examples=10, derandomize=True, database=None
)
hypothesis.settings.load_profile(os.environ.get("COMPANION_HYPOTHESIS_PROFILE", "book"))


@pytest.fixture(scope="session")
def site() -> Path:
    """Folder of the built book."""
    if not (SITE / "book" / "index.html").exists():
        pytest.fail("the book is not built: run `make book` first")
    return SITE


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the book is served."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    handler = functools.partial(Handler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Chromium: the system's own, else the one that playwright has installed."""
    from playwright.sync_api import sync_playwright  # here: most tests need no browser

    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        executable = found or playwright.chromium.executable_path
        if not Path(executable).exists():
            # Where a change is judged, a test that was not run must not look like one that passed.
            stop = pytest.fail if os.environ.get("CI") else pytest.skip
            stop("no Chromium: install it, or run `playwright install chromium`")
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def test_texts() -> Path:
    """Folder of texts that are for tests only, named by COMPANION_TEST_TEXTS."""
    folder = os.environ.get("COMPANION_TEST_TEXTS")
    if not folder:
        pytest.skip("COMPANION_TEST_TEXTS names no folder with peter_rabbit.txt")
    return Path(folder)


@pytest.fixture
def nbval() -> Callable[[Path, Path], "subprocess.CompletedProcess[str]"]:
    """Run a copied notebook as `make test` runs the chapters, with the companion of a folder."""

    def run(notebook: Path, package: Path) -> "subprocess.CompletedProcess[str]":
        # A configuration of its own, so that pytest looks for none above.
        (notebook.parent / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-p", "no:xdist", "--nbval", "--nbval-current-env", notebook.name]
        env = os.environ | {"PYTHONPATH": str(package)}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=notebook.parent, env=env
        )

    return run
