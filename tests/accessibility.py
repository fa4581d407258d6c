"""What axe finds in a page."""

from collections.abc import Sequence
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

COLORS = ["color-contrast", "link-in-text-block"]
"""The rules that ask for colours; all others see only what stands where."""

# Contrast is costly, and most of a site looks alike. Three elements for each look of text will do:
# its colour, size and weight, and all that is painted behind it. The longest, since axe passes over
# what is a single letter.
LOOKS = """(root, known) => {
  const style = (element) => getComputedStyle(element);
  const grounds = new Map();
  const ground = (element) => {
    if (element === null) return "";
    if (!grounds.has(element)) {
      const s = style(element);
      const paint = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter, s.mixBlendMode,
                     s.position === "static" ? "" : element.className + s.position].join("|");
      const behind = ground(element.parentElement);
      const plain = paint === "rgba(0, 0, 0, 0)|none|1|none|normal|";
      grounds.set(element, plain ? behind : `${behind} ${paint}`);
    }
    return grounds.get(element);
  };
  const found = new Map();
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue.trim();
  for (const element of root.querySelectorAll("body *")) {
    const isField = element.matches("input, select, textarea");
    const texts = [...element.childNodes].filter(isText);
    if ((!isField && !texts.length) || !element.checkVisibility()) continue;
    const s = style(element);
    const look = [ground(element), s.color, s.fontSize, s.fontWeight, s.textShadow, isField].join();
    if (!found.has(look)) found.set(look, []);
    found.get(look).push([texts.map((text) => text.nodeValue.trim()).join("").length, element]);
  }
  for (const look of known) found.delete(look);
  const longest = (all) => all.sort(([a], [b]) => b - a).slice(0, 3);
  const chosen = [...found.values()].flatMap((all) => longest(all).map(([, element]) => element));
  return [chosen, [...found.keys()]];
}"""

# Half of the elements of a chapter are the words of its code, and nothing but their colours can be
# wrong with them: where the looks are chosen, axe sees the code without all other words' elements.
RUN = """([options, looks, within, known]) => {
  const root = document.querySelector(within);
  const [chosen, seen] = looks ? eval(looks)(root, known) : [[], []];
  for (const element of chosen) element.toggleAttribute("data-look", true);
  const [texts, links] = looks
    ? ["[data-look]", "a[href]:is([data-look], :has([data-look]))"]
    : ["*", "a[href]"];
  axe.configure({ rules: [
    { id: "color-contrast", selector: texts },
    { id: "link-in-text-block", selector: links },
  ] });
  const tell = ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" "))}`;
  const codes = [];
  for (const code of looks ? root.querySelectorAll(".highlight pre") : []) {
    const plain = code.cloneNode(true);
    for (const word of plain.querySelectorAll("span:not([data-look])")) {
      word.replaceWith(...word.childNodes);
    }
    code.replaceWith(plain);
    codes.push([code, plain]);
  }
  return axe.run(root, options).then(({ violations }) => {
    for (const [code, plain] of codes) plain.replaceWith(code);
    for (const element of chosen) element.removeAttribute("data-look");
    return [violations.map(tell), seen];
  });
}"""


def violations(
    page: Page,
    within: str = ":root",
    *,
    colors_only: bool = False,
    known: set[str] | None = None,
) -> list[str]:
    """Violations of axe's rules, or of those for colours alone, each with the elements it names.

    The looks of text that are known from other pages are not judged again; those of this page are
    known then.
    """
    known = set() if known is None else known
    options = {"runOnly": COLORS} if colors_only else {}
    found, looks = _run(page, options, LOOKS, within, sorted(known))
    known.update(looks)
    return found


def all_contrasts(page: Page) -> list[str]:
    """Violations of contrast, of every element: slow."""
    return _run(page, {"runOnly": ["color-contrast"]})[0]


def _run(
    page: Page,
    options: dict[str, Any],
    looks: str | None = None,
    within: str = ":root",
    known: Sequence[str] = (),
) -> tuple[list[str], list[str]]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {**options, "resultTypes": ["violations"]}
    found, seen = page.evaluate(RUN, [options, looks, within, known])
    return found, seen
