"""The theme's style sheets as one, without what no page uses (`ttv.styles`)."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser
from visits import QUIET

from ttv.styles import OWN, SHEETS, USED

# The first elements of each kind that look otherwise when all sheets take the place of the one.
DIFFERENT = """async (sheets) => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const kinds = new Map();
  for (const element of document.querySelectorAll("body, body *")) {
    const kind = `${element.tagName}.${element.className}`;
    if (!kinds.has(kind)) kinds.set(kind, element);
  }
  const style = (element) => [null, "::before", "::after"].map((part) => {
    const computed = getComputedStyle(element, part);
    return [...computed].map((name) => computed.getPropertyValue(name));
  }).join();
  const all = () => [...kinds.values()].map(style);
  const one = document.querySelector('link[href*="styles/used.css"]');
  const before = all();
  await Promise.all(sheets.map((href) => new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), {rel: "stylesheet", href});
    [link.onload, link.onerror] = [resolve, reject];
    one.before(link);
  })));
  one.remove();
  const after = all();
  return [...kinds.keys()].filter((_, i) => before[i] !== after[i]);
}"""


@pytest.mark.parametrize("page", ["bpe", "playground", "api/bpe"])
def test_pages_look_as_with_all_the_sheets(
    browser: Browser, site: Path, address: str, page: str
) -> None:
    if not (site / USED).is_file():
        pytest.skip("PurgeCSS is not installed")
    sheets = [path for name in (*SHEETS, *OWN) for path in site.glob(name)]
    assert len(sheets) == len(SHEETS) + len(OWN)
    assert (site / USED).stat().st_size < sum(path.stat().st_size for path in sheets) / 2
    with browser.new_context(**QUIET) as context:
        tab = context.new_page()
        # The playground counts other tokenizers' tokens when it has been drawn.
        tab.goto(f"{address}/book/{page}.html", wait_until="networkidle")
        assert tab.locator('link[rel="stylesheet"]').count() <= 4
        hrefs = [f"{address}/{path.relative_to(site).as_posix()}" for path in sheets]
        assert tab.evaluate(DIFFERENT, hrefs) == []
