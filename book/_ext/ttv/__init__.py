"""The extensions of this book for Sphinx: one package, which `_config.yml` names once.

`reader` is the only reader of chapters. Each module with a `setup` does what its first line names.
"""

import gc
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    # Python would look through all pages for what it can free, again and again. That takes much of
    # the time of a build of few changes, and frees little.
    gc.disable()
    app.connect("build-finished", lambda *_: gc.enable(), priority=999)
    for module in iter_modules(__path__, "ttv."):
        part = import_module(module.name)
        if hasattr(part, "setup"):
            part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
