"""The extensions of this book for Sphinx: one package, which `_config.yml` names once.

`reader` is the only reader of chapters. Each module with a `setup` does what its first line names;
a `finish` works on the built site, one after the other in the order of their names.
"""

import gc
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    # Python would look through all pages for what it can free, again and again. That takes much of
    # the time of a build of few changes, and frees little.
    gc.disable()
    parts = [import_module(module.name) for module in iter_modules(__path__, "ttv.")]
    for part in parts:
        if hasattr(part, "setup"):
            part.setup(app)

    def finish(app: Sphinx, error: Exception | None) -> None:
        for part in parts:
            if hasattr(part, "finish") and error is None and app.builder.name == "html":
                part.finish(app, Path(app.outdir))
        gc.enable()

    app.connect("build-finished", finish, priority=900)  # when the theme has written its colours
    return {"parallel_read_safe": True, "parallel_write_safe": True}
