"""The extensions of this book for Sphinx: one package, which `_config.yml` names once.

`reader` is the only reader of chapters. Each other module with a `setup` does one thing that its
first line names, and they are independent of each other but for what they import.
"""

from importlib import import_module
from typing import Any

from sphinx.application import Sphinx

PARTS = (
    "api", "cards", "citations", "execution", "exercises", "formulas", "incremental", "kernel",
    "notebooks", "offer_pdf", "playground", "polish", "publication", "quiz", "redirects",
    "run_here", "site_pages", "speed", "styles", "times",
)  # fmt: skip
"""The modules that register something with Sphinx."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register all parts with Sphinx."""
    for part in PARTS:
        import_module(f"ttv.{part}").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
