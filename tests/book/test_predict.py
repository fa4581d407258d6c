"""Boxes that ask for a prediction: nobody sees the answer before opening it, and everybody can."""

from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser

BOOK = Path(__file__).parents[2] / "book"
PAGES = [page for page in sorted(BOOK.glob("*.md")) if ":class: predict" in page.read_text("utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_box_has_its_answer_folded(site: Path, page: Path) -> None:
    html = (site / "book" / f"{page.stem}.html").read_text(encoding="utf-8")
    boxes: Any = BeautifulSoup(html, "html.parser").select(".admonition.predict")
    assert len(boxes) == page.read_text(encoding="utf-8").count("\n:class: predict\n")
    for box in boxes:
        cell = box.find_next_sibling(class_=["cell", "ttv-live"])
        assert cell.select(".cell_output") == []
        answer = cell.find_next_sibling()
        assert "ttv-answer" in answer["class"]
        assert answer.select("details:not([open]) .cell_output")


@pytest.mark.parametrize("scripts", [False, True])
def test_an_answer_opens_without_scripts_and_is_open_in_print(
    browser: Browser, address: str, scripts: bool
) -> None:
    with browser.new_context(java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"{address}/book/choosing.html")
        fold = page.locator(".ttv-answer", has=page.locator("#fig-choosing-languages"))
        figure, text = fold.locator("figure img"), fold.get_by_text("it has lost words")
        assert not figure.is_visible()
        assert not text.is_visible()
        page.emulate_media(media="print")
        assert text.is_visible()
        assert not fold.locator("summary").is_visible()
        page.emulate_media(media="screen")
        fold.locator("summary").press("Enter")
        assert text.is_visible()
        if scripts:  # so does a link to its figure
            page.goto("about:blank")
            page.goto(f"{address}/book/choosing.html#fig-choosing-languages")
            figure.wait_for()
