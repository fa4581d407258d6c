"""Typeset the formulas of the pages when the book is built, with MathJax, here in Node."""

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math

SCRIPT = Path(__file__).parent / "mathjax" / "typeset.js"

_FORMULA = re.compile(
    r'(?P<start><(?P<tag>span|div) class="[^"]*\bmath\b[^"]*"[^>]*>\s*'
    r'(?:<span class="eqno">.*?</span>)?)'
    r"(?:\\\((?P<inline>[^<]*)\\\)|\\\[(?P<display>[^<]*)\\\]|(?P<bare>\\begin\{[^<]*))"
    r"\s*(?P<end></(?P=tag)>)(?P<marks>[,.;:!?)\]…’”]*)",
    re.DOTALL,
)


def formulas_of(html: str) -> list[tuple[str, bool]]:
    r"""Return the formulas of a page that are not yet typeset, and whether each is displayed.

    >>> formulas_of(r'<p><span class="math notranslate">\(a &lt; b\)</span></p>')
    [('a < b', False)]
    """
    found = _FORMULA.finditer(html)
    return [(unescape(m["inline"] or m["display"] or m["bare"]), not m["inline"]) for m in found]


def typeset(pages: dict[str, list[tuple[str, bool]]]) -> dict[str, dict[str, Any]]:
    command, text = [Path(sys.executable).with_name("node"), SCRIPT], json.dumps(pages)
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise ExtensionError(f"formula: {done.stderr.strip()}")
    return dict(json.loads(done.stdout))


def with_formulas(html: str, made: list[str], style: str) -> str:
    """Put typeset formulas, in order, and the style that they need into a page."""
    waiting = iter(made)

    def typeset_one(match: re.Match[str]) -> str:
        formula = f"{match['start']}{next(waiting)}{match['end']}{match['marks']}"
        # A browser may break a line after a formula; the marks that follow it stay on its line.
        is_followed = match["inline"] and match["marks"]
        return f'<span class="ttv-together">{formula}</span>' if is_followed else formula

    html = _FORMULA.sub(typeset_one, html)
    return html.replace("</head>", f'<style class="ttv-formulas">{style}</style>\n</head>', 1)


def finish(app: Sphinx, folder: Path) -> None:
    pages = {
        path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("book/**/*.html"))
    }
    found = {path.relative_to(folder).as_posix(): formulas_of(html) for path, html in pages.items()}
    for path, made in zip(pages, typeset(found).values(), strict=True):
        if made["formulas"]:
            html = with_formulas(pages[path], made["formulas"], made["style"])
            path.write_text(html, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("ttv", (html_visit_math, None), (html_visit_displaymath, None))
