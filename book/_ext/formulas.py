"""Keep the comma that follows a formula on the line of the formula.

A browser may break a line after a formula, which it sets as a box. Done here, and not by a script
of the page, it holds in the PDF too and for readers without JavaScript.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_FORMULA = re.compile(r'<span class="math notranslate nohighlight">[^<]*</span>[,.;:!?)\]…’”]+')


def keep_marks(html: str) -> str:
    r"""Put each formula in a text and the marks behind it into an element that does not break.

    Examples
    --------
    >>> print(keep_marks('of <span class="math notranslate nohighlight">d</span>, say'))
    of <span class="ttv-together"><span class="math notranslate nohighlight">d</span>,</span> say
    """
    return _FORMULA.sub(r'<span class="ttv-together">\g<0></span>', html)


def _keep_marks(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    if "body" in context:
        context["body"] = keep_marks(context["body"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", _keep_marks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
