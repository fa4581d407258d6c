"""Offer the whole book as a PDF on its pages, where `make pdf` has printed one before.

The PDF is made from the pages, so the first build cannot offer it; the next one finds it beside the
folder of the site, copies it there and links to it. A build that finds none has no link.
"""

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

BOOK = "text-to-vectors.pdf"
"""Name of the file, beside the folder of the site and in it."""


def button(url: str) -> dict[str, str]:
    """Describe the link as the theme wants it."""
    return {
        "type": "link",
        "url": url,
        "text": "Book as PDF",
        "tooltip": "Download the whole book as a PDF",
        "icon": "fas fa-file-pdf",
        "label": "download-book-button",
    }


def _printed(app: Sphinx) -> Path:
    return Path(app.outdir).parent / BOOK


def _add_button(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    if doctree is None or not _printed(app).exists():
        return
    buttons = context["header_buttons"]
    link = button(context["pathto"](BOOK, 1))
    if pagename == app.config.root_doc:
        buttons.insert(0, link)  # in sight
    for group in buttons:
        if group["label"] == "download-buttons":
            group["buttons"].append(link)


def _copy(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.name == "html" and _printed(app).exists():
        shutil.copyfile(_printed(app), Path(app.outdir) / BOOK)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    # The theme collects its own buttons at 501, publication.py adds some at 502.
    app.connect("html-page-context", _add_button, priority=503)
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
