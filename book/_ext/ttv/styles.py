"""One style sheet for all pages: the theme's, without what no page or script uses, and ours."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx

PURGECSS = ".venv/pyodide/node_modules/purgecss/bin/purgecss.js"  # from npm, with Pyodide
WORDS = "--font-face --keyframes --content **/*.html _static/*.js _static/*/*.js _static/book.css"
NAMES = "basic", "styles/pydata*", "pygments", "styles/sphinx*", "copybutton", "mystnb*", "exercise"
SHEETS, USED = [f"_static/{name}.css" for name in NAMES], "_static/styles/used.css"
OWN = "_static/fonts/fonts.css", "_static/book.css"  # on every page
THEIRS = "styles/|pygments|copybutton|mystnb|exercise"
LINKS = rf'(?:<link [^>]*?href="([^"]*)_static/(?:{THEIRS}|fonts/|book)[^>]*>\s*)+'


def finish(app: Sphinx, site: Path) -> None:
    node, purgecss = Path(sys.executable).with_name("node"), app.srcdir / PURGECSS
    if not purgecss.is_file():
        return  # the pages keep the theme's sheets
    command = [str(node), str(purgecss), *WORDS.split(), "--css", *SHEETS]
    found = json.loads(subprocess.check_output(command, cwd=site))
    own = [(site / path).read_text("utf-8").replace('url("s', 'url("../fonts/s') for path in OWN]
    style = "\n".join([*(sheet["css"] for sheet in found), *own]).encode()
    (site / USED).write_bytes(style)
    version = hashlib.sha256(style).hexdigest()[:8]
    for page in site.glob("**/*.html"):
        before, *after = re.split(LINKS, page.read_text("utf-8"))
        if after:  # the way to the root, what follows, and so on
            link = f'<link rel="stylesheet" href="{after[0]}{USED}?v={version}" />\n'
            page.write_text("".join([before, link, *after[1::2]]), "utf-8")
