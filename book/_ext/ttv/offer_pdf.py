"""Offer the book as a PDF where `make pdf` has printed it and no source of it is newer."""

import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from ttv.publication import button

BOOK = "text-to-vectors.pdf"
SOURCES = ("_*.yml", "benchmarks/results/*", "book/*.*", "book/[!n]*/**/*.*", "companion/**/*.py",
           "tools/pdf.*")  # fmt: skip


def is_current(printed: Path, root: Path) -> bool:
    """Whether there is a PDF, and no source of it is newer."""
    sources = (path for pattern in SOURCES for path in root.glob(pattern) if path.suffix != ".pyc")
    newest = max((path.stat().st_mtime for path in sources), default=0)
    return printed.exists() and printed.stat().st_mtime >= newest


def _look(app: Sphinx, config: Config) -> None:
    # As a setting: with another value Sphinx writes all pages again.
    config.offers_pdf = is_current(Path(app.outdir).parent / BOOK, Path(app.srcdir))


def _add_button(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    if doctree is not None and app.config.offers_pdf:
        address, tooltip = context["pathto"](BOOK, 1), "Download the whole book as a PDF"
        link = button("download-book-button", "Book as PDF", address, "fas fa-file-pdf", tooltip)
        buttons = context["header_buttons"]
        next(b for b in buttons if b["label"] == "download-buttons")["buttons"].append(link)
        if pagename == app.config.root_doc:
            buttons.insert(0, link)  # in sight


def _copy(app: Sphinx, error: Exception | None) -> None:
    offered = Path(app.outdir) / BOOK
    offered.unlink(missing_ok=True)
    if error is None and app.config.offers_pdf:
        shutil.copyfile(Path(app.outdir).parent / BOOK, offered)


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_config_value("offers_pdf", False, "html", types=[bool])
    app.connect("config-inited", _look)
    app.connect("html-page-context", _add_button, priority=503)  # after the other buttons
    app.connect("build-finished", _copy)
