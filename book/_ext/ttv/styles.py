"""Make one style sheet of the theme's, with what the pages use: PurgeCSS finds it.

Each word of a script or of the book's own sheet counts as used. Without PurgeCSS, which comes from
npm with Pyodide, the pages keep the theme's sheets.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx

PURGECSS = Path(".venv", "pyodide", "node_modules", "purgecss", "bin", "purgecss.js")
SHEETS = ["basic", "styles/pydata*", "pygments", "styles/sphinx*", "copybutton", "mystnb*",
          "exercise"]  # fmt: skip
USED = "styles/used.css"
_LINKS = (
    r'(?:<link [^>]*?href="([^"]*_static/)(?:styles/|pyg|copybutton|mystnb|exercise)[^>]*>\s*)+'
)


def _finish(app: Sphinx, error: Exception | None) -> None:
    purgecss, static = app.srcdir / PURGECSS, app.outdir / "_static"
    if error or app.builder.name != "html" or not purgecss.is_file():
        return
    pages = list(app.outdir.glob("**/*.html"))
    words = [*pages, *static.glob("*.js"), *static.glob("*/*.js"), static / "book.css"]
    sheets = [path for name in SHEETS for path in sorted(static.glob(f"{name}.css"))]
    node, options = Path(sys.executable).with_name("node"), ["--font-face", "--keyframes"]
    found = subprocess.check_output(
        [node, purgecss, *options, "--css", *sheets, "--content", *words], encoding="utf-8"
    )
    style = "\n".join(sheet["css"] for sheet in json.loads(found))
    (static / USED).write_text(style, encoding="utf-8")
    name = f"{USED}?v={hashlib.sha256(style.encode()).hexdigest()[:8]}"
    for page in pages:
        html = page.read_text(encoding="utf-8")
        html = re.sub(_LINKS, rf'<link rel="stylesheet" href="\1{name}" />\n', html)
        page.write_text(html, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("build-finished", _finish, priority=900)  # when the theme has written its colours
