"""Finish the HTML of the pages: figures have a size and few colours, and prose in outputs wraps.

Where `bert: PAGE` is in the front matter, readers of BERT alone get a link beside *Next*.
Rows of numbers keep their columns: a single line has none, and no array's is longer than 80.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

_NUMBER = re.compile(r'(<a class="reference internal" href="#[^>]*>)[\d.]+ ')
_PLAIN = re.compile(r'<span class="(?:gp|go|n|nb|nd|nn|o|p|vm|w)">([^<]*)</span>')
_SIZE = re.compile(r'(<img [^>]*?)style="width: (\d+)px; height: (\d+)px;"')


def _mark_prose(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for output in doctree.findall(nodes.literal_block):
        kinds, lines = output["classes"], [*map(len, output.astext().strip().split("\n"))]
        is_prose = len(lines) == 1 or ("traceback" not in kinds and max(lines) > 80)
        if "output" in kinds and is_prose:
            kinds.append("ttv-wrap")


def _finish(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    # docutils sets the size of a figure as a style, which would fix it; so it gives the shape.
    body = _SIZE.sub(r'\1width="\2" height="\3" loading="lazy"', context.get("body", ""))
    n_in_view = int(pagename == app.config.root_doc)  # its first figure is in view at once
    context["body"] = body.replace('loading="lazy"', 'fetchpriority="high"', n_in_view)
    # What the book gives no colour needs no element: there are as many of these as of all others.
    context["body"] = _PLAIN.sub(r"\1", context["body"])
    context["toc"] = _NUMBER.sub(r"\1", context.get("toc", ""))  # in the list of sections


def _add_next_for_bert(
    app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any
) -> None:
    page = (context.get("meta") or {}).get("bert")
    if page and isinstance(app.builder, StandaloneHTMLBuilder):
        docname = f"book/{page}"
        title = app.builder.render_partial(app.env.titles[docname])["title"]
        link = app.builder.get_relative_uri(pagename, docname)
        context["bert"] = {"link": link, "title": title}


def finish(app: Sphinx, site: Path) -> None:
    """Store the figures with 256 colours, a third of the bytes; the notebooks keep them all.

    The colours are sorted into boxes. A box becomes its most frequent colour, not the mean.
    """
    for path in sorted(site.glob("_images/*.png")):
        with Image.open(path) as image:
            if image.mode != "P":
                few = image.convert("RGB").quantize(256, Image.Quantize.FASTOCTREE)
                pixels = np.dstack([np.asarray(few), np.asarray(image.convert("RGB"))])
                pairs, counts = np.unique(pixels.view(np.uint32), return_counts=True)
                by_count = pairs[counts.argsort(kind="stable")].view(np.uint8).reshape(-1, 4)
                palette = np.zeros((256, 3), np.uint8)
                palette[by_count[:, 0]] = by_count[:, 1:]  # of a box's colours the last one stays
                few.putpalette(palette.tobytes())
                few.save(path, optimize=True)


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", _mark_prose)
    app.connect("html-page-context", _finish)
    app.connect("html-page-context", _add_next_for_bert)
