"""Keep the comma that follows a formula on its line; load MathJax where there are formulas only.

A browser may break a line after a formula, which it sets as a box. Done here, and not by a script
of the page, it holds in the PDF too and for readers without JavaScript.

Sphinx loads MathJax, a quarter of a megabyte, on a page also if only the pages below it in the
table of contents have formulas, as below the landing page all do.
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


def has_formulas(html: str) -> bool:
    """Whether a page holds something for MathJax: a formula of its text, or of an output.

    Examples
    --------
    >>> has_formulas('<div class="math notranslate nohighlight">'), has_formulas("<p>no</p>")
    (True, False)
    """
    return bool(re.search(r'class="[^"]*\b(?:math|mathjax_process|tex2jax_process)\b', html))


def _drop_mathjax(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    if has_formulas(context.get("body", "")):
        return
    path = app.config.mathjax_path
    context["script_files"][:] = [
        script
        for script in context["script_files"]
        if not str(getattr(script, "filename", script)).endswith(path)
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", _keep_marks)
    app.connect("html-page-context", _drop_mathjax, priority=900)  # Sphinx adds it at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
