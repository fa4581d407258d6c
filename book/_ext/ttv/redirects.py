"""Lead readers who follow an old address to the new one.

`book/redirects.yml` lists the addresses. A page that has moved leaves a stub at its old place,
which works without scripts as well. A section that has moved is found by a line of script in the
page where it was: what follows `#` in an address never reaches a server. The root of the site leads
to the landing page in the same way.
"""

import json
import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx
from sphinx.config import Config

FILE = "book/redirects.yml"

# `replace`, so that the old address does not catch a reader who goes back.
SCRIPT = """\
{{
const moved = {moved};
const lead = () => {{
  const target = moved[decodeURIComponent(location.hash.slice(1))] ?? moved[""];
  if (target !== undefined) location.replace(target);
}};
addEventListener("hashchange", lead);
lead();
}}"""


def read_redirects(path: Path) -> dict[str, dict[str, str]]:
    """Read where each old page leads, by the anchor that follows ``#``; "" is the page itself."""
    lines = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    found: dict[str, dict[str, str]] = {}
    for old, new in lines.items():
        page, _, anchor = old.partition("#")
        found.setdefault(page, {})[anchor] = new
    return found


def script(page: str, moved: Mapping[str, str]) -> str:
    r"""Write the script that leads to where a page, or the sections of a page, have moved.

    >>> print(script("book/a.html", {"old": "book/b.html#new"}).split("\n")[1])
    const moved = {"old": "b.html#new"};
    """
    targets = {anchor: _relative(new, page) for anchor, new in moved.items()}
    return SCRIPT.format(moved=json.dumps(targets))


def stub(page: str, moved: Mapping[str, str], config: Config, title: str, text: str) -> str:
    """Write the page that is left where a page has moved."""
    target = _relative(moved[""], page)
    site = config.html_baseurl
    canonical = f'<link rel="canonical" href="{site}{moved[""]}">\n' if site else ""
    return f"""<!DOCTYPE html>
<html lang="{config.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
{canonical}<link rel="icon" href="{_relative("_static/favicon.svg", page)}">
<script>
{script(page, moved)}
</script>
<noscript><meta http-equiv="refresh" content="0; url={target}"></noscript>
</head>
<body><main><h1>{title}</h1><p><a href="{target}">{text}</a></p></main></body>
</html>
"""


def _relative(target: str, page: str) -> str:
    path, hash_sign, anchor = target.partition("#")
    here = posixpath.dirname(page) or "."
    path = "" if path == page and anchor else posixpath.relpath(path, here)
    return path + hash_sign + anchor


def _add_script(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    page = f"{pagename}.html"
    moved = read_redirects(Path(app.srcdir) / FILE).get(page)
    if moved:
        # Sphinx takes back what is added while a page is written when that page is done.
        app.add_js_file(None, body=script(page, moved))


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.name != "html":
        return

    def write(page: str, moved: Mapping[str, str], title: str, text: str) -> None:
        path = Path(app.outdir, page)
        path.parent.mkdir(parents=True, exist_ok=True)
        html = stub(page, moved, app.config, title, text)
        path.write_text(html, encoding="utf-8", newline="\n")

    home = app.builder.get_target_uri(app.config.root_doc)
    write("index.html", {"": home}, app.config.project, "Open the book")
    for page, moved in read_redirects(Path(app.srcdir) / FILE).items():
        if "" in moved:
            write(page, moved, "This page has moved", "To its new place")


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", _add_script)
    app.connect("build-finished", _write)
