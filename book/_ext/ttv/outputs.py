"""Tell outputs that wrap from those that scroll.

Rows of numbers keep their columns and scroll sideways. A single line has no columns, and a line
longer than any array's is prose: they wrap. A script would say so when the page is shown already,
and all below would move.
"""

import re
from html import unescape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 80
"""Characters that a row of an array may have."""

_OUTPUT = re.compile(
    r'<div class="(?P<kind>output (?:stream|text_plain|traceback)\b[^"]*)">'
    r'(?P<text><div class="highlight"><pre>(?P<pre>.*?)</pre>)',
    re.DOTALL,
)


def mark_prose(html: str) -> str:
    """Mark the outputs that are to be wrapped.

    Examples
    --------
    >>> mark_prose('<div class="output stream"><div class="highlight"><pre>one line</pre></div>')
    '<div class="output stream ttv-wrap"><div class="highlight"><pre>one line</pre></div>'
    """

    def marked(match: re.Match[str]) -> str:
        lines = unescape(re.sub("<[^>]*>", "", match["pre"])).strip().split("\n")
        is_print = "traceback" not in match["kind"]
        wraps = len(lines) == 1 or (is_print and max(map(len, lines)) > LONGEST)
        kind = f"{match['kind']} ttv-wrap" if wraps else match["kind"]
        return f'<div class="{kind}">{match["text"]}'

    return _OUTPUT.sub(marked, html)


def _mark_prose(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    if "body" in context:
        context["body"] = mark_prose(context["body"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", _mark_prose)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
