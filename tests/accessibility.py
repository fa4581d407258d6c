"""What axe finds in a page."""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page
from visits import show

RUN = """within => axe.run(within, {resultTypes: ["violations"]}).then(({violations}) =>
  violations.map(({id, nodes}) => `${id}: ${nodes.map(node => node.target.join(" "))}`))"""


def violations(page: Page, within: str = ":root") -> list[str]:
    """Violations of axe's rules in a part of a page, each with the elements it names."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return [str(each) for each in page.evaluate(RUN, within)]


def check_looks(page: Page, within: str = ":root") -> None:
    """Everybody can read a part of a page, dark on a phone and light on a desk."""
    for width, theme in ((390, "dark"), (1280, "light")):
        show(page, width, theme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # axe reads the style sheets again; from the disk it may not.
        assert page.url.startswith("file:") or violations(page, within) == []
