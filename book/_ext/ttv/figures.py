"""Make the figures of a page light: small files, of known size, that load when they are wanted."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.images import get_image_size

_IMAGE = re.compile(r'<img (?P<before>[^>]*?)src="(?P<folder>[^"]*_images/)(?P<name>[^"]+)"')


def _add_sizes(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    # docutils can only set the size as a style, which would fix it; as attributes it gives the
    # shape, so that the text does not jump when a figure arrives.
    paths = {name: path for path, name in app.builder.images.items()}
    n_seen = 0

    def with_size(match: re.Match[str]) -> str:
        nonlocal n_seen
        size = get_image_size(str(Path(app.srcdir) / paths[match["name"]]))
        attributes = f' width="{size[0]}" height="{size[1]}"' if size else ""
        n_seen += 1
        if n_seen > 1:  # the first may be in view at once
            attributes += ' loading="lazy"'
        elif pagename == app.config.root_doc:  # and on the landing page it is
            attributes += ' fetchpriority="high"'
        return f"{match.group()}{attributes}"

    if "body" in context:
        context["body"] = _IMAGE.sub(with_size, context["body"])


def _reduce_colours(app: Sphinx, error: Exception | None) -> None:
    """Store the figures of the pages with 256 colours, which is a third of the bytes.

    They are drawn in a few flat colours and their shades. The notebooks keep them as they are.
    """
    if error is not None or app.builder.name != "html":
        return
    for path in sorted((Path(app.outdir) / "_images").glob("*.png")):
        with Image.open(path) as image:
            if image.mode != "P":
                image.convert("RGB").quantize(256).save(path, optimize=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", _add_sizes)
    app.connect("build-finished", _reduce_colours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
