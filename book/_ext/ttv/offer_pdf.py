"""Offer the whole book as a PDF on its pages, where `make pdf` has printed one before.

The PDF is made from the pages, so the first build cannot offer it; the next one finds it beside the
folder of the site, copies it there and links to it. A build that finds none has no link, and
neither has one that finds a PDF older than what it would be made from: that may say other things.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from ttv.publication import button

BOOK = "text-to-vectors.pdf"
"""Name of the file, beside the folder of the site and in it."""
SOURCES = ("_config.yml", "_toc.yml", "benchmarks/results/*", "book/**/*", "companion/**/*",
           "tools/pdf.*")  # fmt: skip
"""What a PDF is made from."""
DERIVED = {"notebooks", "__pycache__"}
"""Folders among them whose files are made from others."""


def sources(root: Path) -> Iterator[Path]:
    """List the files that a PDF is made from."""
    for pattern in SOURCES:
        for path in root.glob(pattern):
            if path.is_file() and not DERIVED.intersection(path.relative_to(root).parts):
                yield path


def is_current(printed: Path, root: Path) -> bool:
    """Whether there is a PDF, and nothing that it is made from has changed since.

    Times decide, as they do for `make`. A PDF is never part of a clone; where the files of the book
    were written after it, by git or by hand, it is not offered until it is printed again.
    """
    if not printed.exists():
        return False
    time = printed.stat().st_mtime
    return all(path.stat().st_mtime <= time for path in sources(root))


def _printed(app: Sphinx) -> Path:
    return Path(app.outdir).parent / BOOK


def _look(app: Sphinx, *_: Any) -> None:
    """Decide once for all pages."""
    if app.builder.name != "html":
        return
    if is_current(_printed(app), Path(app.srcdir)):
        # The theme collects its own buttons at 501, notebooks.py adds some at 502.
        app.connect("html-page-context", _add_button, priority=503)
        app.connect("build-finished", _copy)
    else:
        (Path(app.outdir) / BOOK).unlink(missing_ok=True)  # what an earlier build has offered


def _add_button(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    if doctree is None:
        return
    buttons = context["header_buttons"]
    tooltip = "Download the whole book as a PDF"
    address = context["pathto"](BOOK, 1)
    link = button("download-book-button", "Book as PDF", address, "fas fa-file-pdf", tooltip)
    if pagename == app.config.root_doc:
        buttons.insert(0, link)  # in sight
    for group in buttons:
        if group["label"] == "download-buttons":
            group["buttons"].append(link)


def _copy(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        shutil.copyfile(_printed(app), Path(app.outdir) / BOOK)


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("env-before-read-docs", _look)
