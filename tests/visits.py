"""A page of the book in a browser, and what happens while it is open."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from playwright.sync_api import ConsoleMessage, Page, Request

PARTED = """() => [...document.querySelectorAll(".bd-article span.math")].flatMap(formula => {
  const text = formula.nextSibling;
  if (text?.nodeType !== Node.TEXT_NODE || !/^[,.;:!?)]/.test(text.data)) return [];
  const mark = document.createRange();
  mark.setStart(text, 0);
  mark.setEnd(text, 1);
  const isBelow = mark.getBoundingClientRect().top > formula.getBoundingClientRect().bottom;
  return isBelow ? [formula.parentElement.textContent] : [];
})"""
"""What follows a formula on another line, though it is a mark that belongs to it."""


AnyVisit = TypeVar("AnyVisit", bound="Visit")
QUIET: Any = {
    "viewport": {"width": 1280, "height": 900},
    "color_scheme": "light",
    "reduced_motion": "reduce",
}
"""What a reader's browser tells, where a test does not say otherwise."""


@dataclass
class Visit:
    """A page in the browser, and all that happened while it was open."""

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    pending: set[Request] = field(default_factory=set)
    name: str = ""

    def __post_init__(self) -> None:
        """Listen to the page; a busy machine may take its time."""
        self.page.set_default_timeout(180_000)
        self.page.on("request", self._on_request)
        self.page.on("requestfinished", lambda request: self.pending.discard(request))
        self.page.on("requestfailed", self._on_failure)
        self.page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        self.page.on("console", self._on_message)

    def _on_failure(self, request: Request) -> None:
        self.pending.discard(request)
        # What is still on its way, such as a picture below, is given up when the page is left.
        if request.failure != "net::ERR_ABORTED":
            self.troubles.append(f"failed: {request.url} ({request.failure})")

    def _on_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):  # an answer of 400 or above is one
            self.troubles.append(f"{message.type}: {message.text}")

    def _on_request(self, request: Request) -> None:
        if request.method != "GET":
            self.troubles.append(f"sent: {request.url}")
        if not request.url.startswith(("data:", "blob:")):
            self.requests.append(request.url)
            self.pending.add(request)

    @property
    def outside(self) -> list[str]:
        """Requests that left the book."""
        return [url for url in self.requests if not url.startswith(f"{self.address}/")]

    def go(self, page: str) -> None:
        """Open a page and wait until it rests."""
        self.name = page
        self.page.goto(f"{self.address}/{page}")
        self.rest()

    def reload(self) -> None:
        self.page.reload()
        self.rest()

    def rest(self) -> None:
        """Wait until nothing is asked for any more: what is left half loaded counts as failed."""
        self.page.evaluate("() => document.fonts.ready")
        for _ in range(1200):
            n_before = len(self.requests)
            self.page.wait_for_timeout(100)  # scripts may ask for more
            if not self.pending and n_before == len(self.requests):
                return
        waiting = [request.url for request in self.pending]
        raise TimeoutError(f"{self.page.url} still waits for {waiting}")


@contextmanager
def in_peace(visit: AnyVisit) -> Iterator[AnyVisit]:
    """Leave a page at the end; nothing was wrong, and nothing was asked for outside the book."""
    yield visit
    assert visit.troubles == []
    assert visit.outside == []
    visit.page.close()


def assert_no_worker(page: Page) -> None:
    """Nothing of Python is left, as soon as the browser has told."""
    for _ in range(1200):
        if not page.workers:
            break
        page.wait_for_timeout(50)
    assert page.workers == []


def show(page: Page, width: int, theme: str) -> None:
    """Change the window and the reader's preference, and wait until the page has followed."""
    resized = page.viewport_size != {"width": width, "height": 900}
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
    if resized:  # the theme waits 300 ms before it decides what can be scrolled
        page.evaluate("new Promise(go => requestAnimationFrame(() => setTimeout(go, 350)))")
