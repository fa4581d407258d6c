"""What axe finds in a page."""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RUN = """within => axe.run(within, {resultTypes: ["violations"]}).then(({violations}) =>
  violations.map(({id, nodes}) => `${id}: ${nodes.map(node => node.target.join(" "))}`))"""


def violations(page: Page, within: str = ":root") -> list[str]:
    """Violations of axe's rules in a part of a page, each with the elements it names."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(RUN, within)
    return found
