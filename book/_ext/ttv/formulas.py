"""Typeset the formulas of the pages when the book is built.

MathJax runs here, in Node, and not in the browser: a page with formulas loads no script for them,
moves nothing when it is shown already, and has its formulas without scripts too. In each formula
MathJax leaves MathML for screen readers. Its fonts are in book/assets/mathjax; book/assets/fonts
has the style sheet that names them.
"""

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.builders import Builder
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


def start_node() -> "subprocess.Popen[str]":
    command = [str(Path(sys.executable).with_name("node")), str(SCRIPT)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8")


def typeset(
    pages: dict[str, list[tuple[str, bool]]], node: "subprocess.Popen[str] | None" = None
) -> dict[str, dict[str, Any]]:
    """Return the HTML of the formulas of each page, and the style that they need."""
    node = node or start_node()
    output, errors = node.communicate(json.dumps(pages))
    if node.returncode:
        raise ExtensionError(f"formula: {errors.strip()}")
    result: dict[str, dict[str, Any]] = json.loads(output)
    return result


def with_formulas(html: str, made: list[str], style: str) -> str:
    """Put typeset formulas, in order, and the style that they need into a page.

    A browser may break a line after a formula; the marks that follow it stay on its line.
    """
    waiting = iter(made)

    def typeset_one(match: re.Match[str]) -> str:
        formula = f"{match['start']}{next(waiting)}{match['end']}{match['marks']}"
        is_followed = match["inline"] and match["marks"]
        return f'<span class="ttv-together">{formula}</span>' if is_followed else formula

    html = _FORMULA.sub(typeset_one, html)
    return html.replace("</head>", f'<style class="ttv-formulas">{style}</style>\n</head>', 1)


def _start(app: Sphinx, builder: Builder) -> None:
    if builder.name == "html":  # Node loads MathJax while the pages are written
        app.ttv_node = start_node()  # type: ignore[attr-defined]


def _finish(app: Sphinx, error: Exception | None) -> None:
    if error is not None or not hasattr(app, "ttv_node"):  # no page was written
        return
    folder = Path(app.outdir)
    waiting = {}
    for path in sorted(folder.glob("book/**/*.html")):
        html = path.read_text(encoding="utf-8")
        if formulas := formulas_of(html):
            waiting[path.relative_to(folder).as_posix()] = formulas
    for page, made in typeset(waiting, app.ttv_node).items():
        html = (folder / page).read_text(encoding="utf-8")
        html = with_formulas(html, made["formulas"], made["style"])
        (folder / page).write_text(html, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("ttv", (html_visit_math, None), (html_visit_displaymath, None))
    app.connect("write-started", _start)
    app.connect("build-finished", _finish)
