"""The live figures, in a real browser: what they compute, and that every reader can use them."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from accessibility import violations
from playwright.sync_api import Browser, BrowserContext, Locator, Page
from visits import Visit, show

from companion.bpe import train_bpe

ROOT = Path(__file__).parents[2]
LIVE = {
    name: path.stem
    for path in sorted((ROOT / "book").glob("*.md"))
    for name in re.findall(r"^`{3,}\{live\} (\S+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}
"""The page of each figure."""


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(
        viewport={"width": 1280, "height": 900}, color_scheme="light", reduced_motion="reduce"
    ) as context:
        yield context


@pytest.fixture(scope="module", params=LIVE)
def visit(request: pytest.FixtureRequest, context: BrowserContext, address: str) -> Iterator[Visit]:
    """Each page with a live figure, scrolled to it."""
    visit = Visit(context.new_page(), address, name=request.param)
    come_to(visit.page, f"{address}/book/{LIVE[request.param]}.html", request.param)
    yield visit
    visit.page.close()


def come_to(page: Page, url: str, name: str) -> Locator:
    page.goto(url)
    box = page.locator(f".ttv-live[data-live={name}]")
    box.scroll_into_view_if_needed()
    page.wait_for_selector(f".ttv-live.is-live[data-live={name}]")
    return box


def opened(context: BrowserContext, address: str, name: str) -> tuple[Page, Locator]:
    page = context.new_page()
    return page, come_to(page, f"{address}/book/{LIVE[name]}.html", name)


def said(box: Locator) -> str:
    return box.locator(".ttv-live-said").inner_text()


# --- every figure -----------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_anyone_can_read_it(visit: Visit, width: int, theme: str) -> None:
    show(visit.page, width, theme)
    assert (visit.outside, visit.troubles) == ([], [])
    assert visit.page.locator(".ttv-live-body").is_visible()
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(visit.page, ".ttv-live") == []
    visit.troubles.clear()  # axe asks for a style sheet of the theme's by a wrong path


def test_it_takes_the_place_that_the_page_has_kept(visit: Visit) -> None:
    show(visit.page, 1280, "light")
    box = visit.page.locator(".ttv-live").first
    kept = box.evaluate("box => parseFloat(getComputedStyle(box).minHeight)")
    height = box.locator(".ttv-live-body").evaluate("body => body.offsetHeight")
    assert 0.85 * kept < height <= kept


def test_start_again_works_by_keyboard(visit: Visit) -> None:
    box = visit.page.locator(".ttv-live").first
    before = box.locator(".ttv-live-stage").inner_text()
    first = box.locator("button:not([aria-disabled=true]), input").first
    first.focus()
    visit.page.keyboard.press("End" if first.get_attribute("type") == "range" else "Enter")
    if first.get_attribute("type") == "text":
        first.fill("ab")
    assert box.locator(".ttv-live-stage").inner_text() != before
    visit.page.wait_for_function("document.querySelector('.ttv-live-told').textContent")
    box.get_by_role("button", name="Start again").press("Enter")
    assert box.locator(".ttv-live-stage").inner_text() == before


@pytest.mark.parametrize("how", ["no scripts", "print"])
@pytest.mark.parametrize("name", LIVE)
def test_the_still_figure_stays(browser: Browser, address: str, name: str, how: str) -> None:
    with browser.new_context(java_script_enabled=how == "print") as context:
        page = context.new_page()
        page.goto(f"{address}/book/{LIVE[name]}.html")
        if how == "print":
            come_to(page, page.url, name)
            page.emulate_media(media="print")
        box = page.locator(f".ttv-live[data-live={name}]")
        assert not box.locator(".ttv-live-body").is_visible()
        still = box.locator(".ttv-still > *")
        assert still.count() == 0 or still.first.is_visible()


def test_other_chapters_load_none_of_it(site: Path) -> None:
    for page in sorted((site / "book").glob("*.html")):
        html = page.read_text(encoding="utf-8")
        assert ("live/base.js" in html) == (page.stem in LIVE.values()), page.stem


# --- what they compute ------------------------------------------------------------------------


def test_bpe_learns_what_the_companion_learns(context: BrowserContext, address: str) -> None:
    page, box = opened(context, address, "bpe")
    rng = random.Random(3)
    texts = ["aaabdaaabac", "aaaa", *("".join(rng.choices("abc", k=40)) for _ in range(50))]
    script = """texts => texts.map(text => {
      const {steps, tokens} = TextToVectors.live.figures.bpe.learn(new TextEncoder().encode(text));
      return steps.slice(0, -1).map(({pairs: [{left, right}]}) => [tokens[left], tokens[right]]);
    })"""
    for text, pairs in zip(texts, page.evaluate(script, texts), strict=True):
        merges = train_bpe(text, 256 + len(pairs), pattern=r"\S+").merges
        assert [tuple(map(bytes, pair)) for pair in pairs] == merges, text
    box.get_by_label("first place").check()
    for _ in range(2):
        box.locator(".is-main").click()
    assert box.locator(".ttv-merges li:visible").all_inner_texts() == [
        "Z 256 = a + a",
        "Y 257 = aa + a",
    ]
    page.close()


def test_token_embeddings_has_the_table_that_its_chapter_prints(
    context: BrowserContext, address: str
) -> None:
    page, box = opened(context, address, "token-embeddings")
    states: dict[str, Any] = json.loads(box.get_attribute("data-states") or "")
    printed = page.locator(".cell:has-text('torch.manual_seed(123)') .output").first.inner_text()
    numbers = [float(x) for x in re.findall(r"-?\d\.\d{4}", printed)]
    assert numbers == [
        x for row in [*states["table"], *(states["table"][i] for i in states["ids"])] for x in row
    ]
    box.get_by_label("Look up id 0").click()
    assert said(box) == "The result has rows 2, 3, 5, 0, in this order."
    page.close()
