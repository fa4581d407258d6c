"""The theme's style sheets as one, without what no page uses (`ttv.styles`)."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from ttv.styles import SHEETS, USED

# The first elements of each kind that look otherwise when all sheets take the place of the one.
DIFFERENT = """async (sheets) => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const kinds = new Map();
  for (const element of document.querySelectorAll("body, body *")) {
    const kind = `${element.tagName}.${element.className}`;
    if (!kinds.has(kind)) kinds.set(kind, element);
  }
  const style = (element, part) => {
    const computed = getComputedStyle(element, part);
    return [...computed].map((name) => computed.getPropertyValue(name)).join();
  };
  const read = (part) => [...kinds.values()].map((element) => style(element, part));
  const all = () => [null, "::before", "::after"].map(read);
  const one = document.querySelector('link[href*="styles/used.css"]');
  const before = all();
  await Promise.all(sheets.map((href) => new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), {rel: "stylesheet", href});
    [link.onload, link.onerror] = [resolve, reject];
    one.before(link);
  })));
  one.remove();
  const after = all();
  const differs = (_, i) => before.some((styles, part) => styles[i] !== after[part][i]);
  return [...kinds.keys()].filter(differs);
}"""


@pytest.mark.parametrize(
    ("page", "theme"),
    [("words", "light"), ("bpe", "dark"), ("playground", "dark"), ("api/bpe", "light")],
)
def test_pages_look_as_with_all_the_sheets(
    browser: Browser, site: Path, address: str, page: str, theme: str
) -> None:
    if not (site / USED).is_file():
        pytest.skip("PurgeCSS is not installed")
    sheets = [path for name in SHEETS for path in site.glob(name)]
    assert len(sheets) == len(SHEETS)
    assert (site / USED).stat().st_size < sum(path.stat().st_size for path in sheets) / 2
    with browser.new_context(
        color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce"
    ) as context:
        tab = context.new_page()
        # The playground counts other tokenizers' tokens when it has been drawn.
        tab.goto(f"{address}/book/{page}.html", wait_until="networkidle")
        assert tab.locator('link[rel="stylesheet"]').count() <= 6
        hrefs = [f"{address}/{path.relative_to(site).as_posix()}" for path in sheets]
        assert tab.evaluate(DIFFERENT, hrefs) == []
