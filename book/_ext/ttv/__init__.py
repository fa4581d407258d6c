"""The extensions of this book for Sphinx: one package, which `_config.yml` names once.

`reader` is the only reader of chapters. Each module with a `setup` does one thing that its first
line names, and they are independent of each other but for what they import.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register all parts with Sphinx."""
    for module in iter_modules(__path__, "ttv."):
        part = import_module(module.name)
        if hasattr(part, "setup"):
            part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
