"""Finish the HTML of the pages: figures have a size and few colours, and prose in outputs wraps.

Rows of numbers keep their columns and scroll sideways. A single line has no columns, and a printed
line that is longer than any array's is prose.
"""

import re
from html import unescape
from pathlib import Path
from typing import Any

from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.images import get_image_size

LONGEST = 80  # characters that a row of an array may have
_IMAGE = re.compile(r'<img [^>]*?src="[^"]*_images/([^"]+)"')
_OUTPUT = re.compile(r'<div class="(output (?:stream|text_plain|traceback)\b[^"]*)">'
                     r'<div class="highlight"><pre>(.*?)</pre>', re.DOTALL)  # fmt: skip


def with_mark(output: re.Match[str]) -> str:
    """Mark an output that is to be wrapped."""
    lines = [len(line) for line in unescape(re.sub("<[^>]*>", "", output[2])).strip().split("\n")]
    wraps = len(lines) == 1 or ("traceback" not in output[1] and max(lines) > LONGEST)
    return output[0].replace('">', ' ttv-wrap">', 1) if wraps else output[0]


def _finish(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    files = {name: Path(app.srcdir, path) for path, name in app.builder.images.items()}

    def with_size(image: re.Match[str]) -> str:
        # docutils can set the size only as a style, which would fix it; so it gives the shape.
        size = get_image_size(str(files[image[1]]))
        shape = f' width="{size[0]}" height="{size[1]}"' if size else ""
        return f'{image[0]}{shape} loading="lazy"'

    body = _OUTPUT.sub(with_mark, _IMAGE.sub(with_size, context.get("body", "")))
    if pagename == app.config.root_doc:  # its first figure is in view at once
        body = body.replace('loading="lazy"', 'fetchpriority="high"', 1)
    context["body"] = body


def _reduce_colours(app: Sphinx, error: Exception | None) -> None:
    """Store the figures with 256 colours, a third of the bytes; the notebooks keep them all."""
    for path in () if error else sorted(Path(app.outdir, "_images").glob("*.png")):
        with Image.open(path) as image:
            if image.mode != "P":
                image.convert("RGB").quantize(256).save(path, optimize=True)


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", _finish)
    app.connect("build-finished", _reduce_colours)
