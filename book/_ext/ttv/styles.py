"""Make one style sheet of the theme's, with what the pages use: PurgeCSS finds it.

Each word in a script or in the book's own sheet counts as used, so what scripts set keeps its
styles. Without PurgeCSS, which comes from npm with Pyodide, the pages keep the theme's sheets.
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
WORDS = ["*.js", "scripts/*.js", "live/*.js", "playground/*.js", "run-here/*.js", "open/*.js",
         "book.css"]  # fmt: skip
USED = "styles/used.css"

_LINKS = re.compile(
    r'<link href="([^"]*_static/)styles/theme\.css[^>]*>'
    r"(?:\s*<link [^>]*_static/(?:styles/|pygments|copybutton|mystnb|exercise)[^>]*>)*"
    r'|<link rel="stylesheet" href="([^"]*_static/)styles/used\.css[^>]*>'
)


def _finish(app: Sphinx, error: Exception | None) -> None:
    purgecss, static = app.srcdir / PURGECSS, app.outdir / "_static"
    if error or app.builder.name != "html" or not purgecss.is_file():
        return
    pages = sorted(app.outdir.glob("**/*.html"))
    sheets = [path for name in SHEETS for path in sorted(static.glob(f"{name}.css"))]
    words = [path for name in WORDS for path in sorted(static.glob(name))]
    command: list[str | Path] = [Path(sys.executable).with_name("node"), purgecss]
    command += ["--font-face", "--keyframes", "--css", *sheets, "--content", *pages, *words]
    found = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    style = "\n".join(sheet["css"] for sheet in json.loads(found))
    (static / USED).write_text(style, encoding="utf-8")
    name = f"{USED}?v={hashlib.sha256(style.encode()).hexdigest()[:8]}"
    for page in pages:
        html = page.read_text(encoding="utf-8")
        linked = _LINKS.sub(rf'<link rel="stylesheet" href="\1\2{name}" />', html)
        if linked != html:
            page.write_text(linked, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("build-finished", _finish, priority=900)  # when the theme has written its colours
