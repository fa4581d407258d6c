"""Finish the HTML of the pages: figures have a size and few colours, and prose in outputs wraps.

The buttons of a page lead to its notebook, to Colab and to the PDF.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

from ttv.notebooks import is_notebook, notebook_name

_NUMBER = re.compile(r'(<a class="reference internal" href="#[^>]*>)[\d.]+ ')
_PLAIN = re.compile(r'<span class="(?:gp|go|n|nb|nd|nn|o|p|vm|w)">([^<]*)</span>')
_SIZE = re.compile(r'(<img [^>]*?)style="width: (\d+)px; height: (\d+)px;"')


def _mark_prose(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    # Rows of numbers keep their columns: a single line has none, and no array's is longer than 80.
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
    # Readers of BERT alone get a link beside *Next*, where the front matter says `bert: PAGE`.
    if page := (context.get("meta") or {}).get("bert"):
        builder: Any = app.builder
        title = builder.render_partial(app.env.titles[f"book/{page}"])["title"]
        context["bert"] = {"link": context["pathto"](f"book/{page}"), "title": title}


def _button(name: str, text: str, url: str, icon: str, tooltip: str) -> dict[str, str]:
    return dict(type="link", label=name, url=url, text=text, tooltip=tooltip, icon=icon)


def _add_buttons(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    if doctree is None:
        return
    buttons, address = context["header_buttons"], context["pathto"]
    downloads = next(group["buttons"] for group in buttons if group["label"] == "download-buttons")
    if is_notebook(app.env, pagename):
        notebook, tooltip = notebook_name(pagename), "Download this chapter as a notebook"
        url = address(f"notebooks/{notebook}", 1)
        link = _button("download-notebook-button", ".ipynb", url, "fas fa-code", tooltip)
        downloads.insert(0, link)
        if url := app.config.publication.colab_url(notebook):
            tooltip = "Run this chapter in Google Colab"
            buttons.insert(0, _button("launch-colab", "Open in Colab", url, "fas fa-play", tooltip))
    if "pdf" in context:
        url, tooltip = address(context["pdf"], 1), "Download the whole book as a PDF"
        link = _button("download-book-button", "Book as PDF", url, "fas fa-file-pdf", tooltip)
        downloads.append(link)
        buttons[:0] = [link] * (pagename == app.config.root_doc)  # in sight


def finish(app: Sphinx, site: Path) -> None:
    """Store the figures with 256 colours, a third of the bytes; the notebooks keep them all."""
    # The 80 most frequent colours stay as they are, or a map of numbers would say another sign. The
    # size becomes even: a file has two pixels for each of the page, and no half ones.
    for path in sorted(site.glob("_images/*.png")):
        with Image.open(path) as image:
            if image.mode == "P":
                continue
            picture = image.convert("RGBA").crop((0, 0, image.width & ~1, image.height & ~1))
        pixels = np.asarray(picture).view(np.uint32)[..., 0]
        codes, index, counts = np.unique(pixels, return_inverse=True, return_counts=True)
        colors = codes.view(np.uint8).reshape(-1, 4)[:, :3].astype(int)
        boxes = picture.convert("RGB").quantize(176, Image.Quantize.FASTOCTREE)
        kept = [*colors[counts.argsort()[-80:]], *np.reshape(boxes.getpalette() or [], (-1, 3))]
        nearest = ((colors[:, None] - kept) ** 2).sum(axis=-1).argmin(axis=-1)
        few = Image.fromarray(nearest.astype(np.uint8)[index].reshape(pixels.shape))
        few.putpalette(np.array(kept, np.uint8).tobytes())
        few.save(path, optimize=True)


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", _mark_prose)
    app.connect("html-page-context", _finish)
    # The theme collects its own buttons at 501.
    app.connect("html-page-context", _add_buttons, priority=502)
