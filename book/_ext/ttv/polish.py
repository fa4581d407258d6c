"""Finish the HTML of the pages: figures have a size and few colours, and prose in outputs wraps.

Where `bert: PAGE` is in the front matter, readers of BERT alone get a link beside *Next*.
Rows of numbers keep their columns: a single line has none, and no array's is longer than 80.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

_IMAGE = re.compile(r'<img [^>]*?src="[^"]*_images/([^"]+)"')


def _mark_prose(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for output in doctree.findall(nodes.literal_block):
        kinds, lines = output["classes"], [*map(len, output.astext().strip().split("\n"))]
        is_prose = len(lines) == 1 or ("traceback" not in kinds and max(lines) > 80)
        if "output" in kinds and is_prose:
            kinds.append("ttv-wrap")


def _finish(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    files = {name: Path(app.srcdir, path) for path, name in app.builder.images.items()}

    def with_size(image: re.Match[str]) -> str:
        # docutils can set the size only as a style, which would fix it; so it gives the shape.
        with Image.open(files[image[1]]) as picture:
            return f'{image[0]} width="{picture.width}" height="{picture.height}" loading="lazy"'

    body = _IMAGE.sub(with_size, context.get("body", ""))
    n_in_view = int(pagename == app.config.root_doc)  # its first figure is in view at once
    context["body"] = body.replace('loading="lazy"', 'fetchpriority="high"', n_in_view)


def _add_next_for_bert(
    app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any
) -> None:
    page = (context.get("meta") or {}).get("bert")
    if page and isinstance(app.builder, StandaloneHTMLBuilder):
        docname = f"book/{page}"
        title = app.builder.render_partial(app.env.titles[docname])["title"]
        link = app.builder.get_relative_uri(pagename, docname)
        context["bert"] = {"link": link, "title": title}


def _reduce_colours(app: Sphinx, error: Exception | None) -> None:
    """Store the figures with 256 colours, a third of the bytes; the notebooks keep them all."""
    for path in () if error else sorted(Path(app.outdir, "_images").glob("*.png")):
        with Image.open(path) as image:
            if image.mode != "P":
                image.convert("RGB").quantize(256).save(path, optimize=True)


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", _mark_prose)
    app.connect("html-page-context", _finish)
    app.connect("html-page-context", _add_next_for_bert)
    app.connect("build-finished", _reduce_colours)
