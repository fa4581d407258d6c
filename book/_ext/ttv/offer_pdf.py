"""Offer the book as a PDF where `make pdf` has printed it and no page of it is newer."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from ttv.publication import button


def _look(app: Sphinx, _: Any) -> None:
    printed = Path(app.outdir).parent / "text-to-vectors.pdf"
    newest = max(page.stat().st_mtime for page in Path(app.srcdir).glob("book/*.md"))
    if printed.exists() and printed.stat().st_mtime >= newest:
        app.config.html_extra_path, app.config.html_context["pdf"] = [str(printed)], printed.name


def _add_button(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    if doctree is not None and "pdf" in context:
        address, tooltip = context["pathto"](context["pdf"], 1), "Download the whole book as a PDF"
        link = button("download-book-button", "Book as PDF", address, "fas fa-file-pdf", tooltip)
        buttons = context["header_buttons"]
        next(b for b in buttons if b["label"] == "download-buttons")["buttons"].append(link)
        buttons[:0] = [link] * (pagename == app.config.root_doc)  # in sight


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("config-inited", _look)
    app.connect("html-page-context", _add_button, priority=503)  # after the other buttons
