"""Finish the HTML of the pages: figures, formulas, code and outputs.

* Figures are small files of known size, which load when they are wanted.
* The comma that follows a formula stays on its line: a browser may break a line after a formula,
  which it sets as a box.
* In code only what has a colour gets an element of its own: names, brackets and spaces would be
  half of a chapter's elements, which a phone has to lay out.
* Outputs that wrap are told from those that scroll: rows of numbers keep their columns and scroll
  sideways; a single line has no columns, and a line longer than any array's is prose.

Done here, and not by a script of the page, it holds in the PDF too and for readers without
JavaScript, and nothing moves when the page is shown already.
"""

import re
from html import unescape
from pathlib import Path
from typing import Any

from PIL import Image
from pygments.token import STANDARD_TYPES
from sphinx.application import Sphinx
from sphinx.util.images import get_image_size

LONGEST = 80
"""Characters that a row of an array may have."""

_IMAGE = re.compile(r'<img (?P<before>[^>]*?)src="(?P<folder>[^"]*_images/)(?P<name>[^"]+)"')
_FORMULA = re.compile(r'<span class="math notranslate nohighlight">[^<]*</span>[,.;:!?)\]…’”]+')
_OUTPUT = re.compile(
    r'<div class="(?P<kind>output (?:stream|text_plain|traceback)\b[^"]*)">'
    r'(?P<text><div class="highlight"><pre>(?P<pre>.*?)</pre>)',
    re.DOTALL,
)


def with_sizes(html: str, sources: dict[str, Path], landing: bool = False) -> str:
    """Give each figure its width and height, and let it wait until it is nearly in view.

    docutils can set the size only as a style, which would fix it; as attributes it gives the shape,
    so that the text does not jump when a figure arrives. `sources` has the file of each image by
    its name in the site. On the landing page the first figure is in view at once.
    """
    is_in_view = landing

    def with_size(match: re.Match[str]) -> str:
        nonlocal is_in_view
        size = get_image_size(str(sources[match["name"]]))
        attributes = f' width="{size[0]}" height="{size[1]}"' if size else ""
        attributes += ' fetchpriority="high"' if is_in_view else ' loading="lazy"'
        is_in_view = False
        return f"{match.group()}{attributes}"

    return _IMAGE.sub(with_size, html)


def keep_marks(html: str) -> str:
    r"""Put each formula in a text and the marks behind it into an element that does not break.

    >>> print(keep_marks('of <span class="math notranslate nohighlight">d</span>, say'))
    of <span class="ttv-together"><span class="math notranslate nohighlight">d</span>,</span> say
    """
    return _FORMULA.sub(r'<span class="ttv-together">\g<0></span>', html)


def mark_prose(html: str) -> str:
    """Mark the outputs that are to be wrapped.

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


def _finish(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        paths = {name: Path(app.srcdir, path) for path, name in app.builder.images.items()}
        html = with_sizes(context["body"], paths, landing=pagename == app.config.root_doc)
        context["body"] = mark_prose(keep_marks(html))


def _reduce_colours(app: Sphinx, error: Exception | None) -> None:
    """Store the figures of the pages with 256 colours, which is a third of the bytes.

    They are drawn in a few flat colours and their shades. The notebooks keep them as they are.
    """
    if error is not None or app.builder.name != "html":
        return
    for path in sorted((Path(app.outdir) / "_images").glob("*.png")):
        with Image.open(path) as image:
            if image.mode != "P":
                image.convert("RGB").quantize(256).save(path, optimize=True)


def _keep_colours(app: Sphinx) -> None:
    """Give no class to kinds of code that book.css does not colour, but to prompts: not copied."""
    css = Path(app.srcdir, "book", "assets", "book.css").read_text(encoding="utf-8")
    coloured = re.findall(r"\w+", "".join(re.findall(r"\.highlight pre span:is\((.*?)\)", css)))
    for kind, name in STANDARD_TYPES.items():
        if name not in (*coloured, "gp"):
            STANDARD_TYPES[kind] = ""


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", _keep_colours)
    app.connect("html-page-context", _finish)
    app.connect("build-finished", _reduce_colours)
