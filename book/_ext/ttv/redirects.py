"""Lead readers who follow an old address to the new one.

`book/redirects.yml` lists the addresses. A page that has moved leaves a stub at its old place,
which works without scripts as well. A section that has moved is found by a line of script in the
page where it was: what follows `#` in an address never reaches a server.
"""

import json
import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

FILE = "book/redirects.yml"

# `replace`, so that the old address does not catch a reader who goes back.
SCRIPT = """\
const moved = {moved};
const lead = (otherwise) => {{
  const target = moved[decodeURIComponent(location.hash.slice(1))] ?? otherwise;
  if (target !== undefined) location.replace(target);
}};
"""
IN_PAGE = 'addEventListener("hashchange", () => lead());\nlead();'


def read_redirects(path: Path) -> dict[str, dict[str, str]]:
    """Read where each old page leads, by the anchor that follows ``#``; "" is the page itself."""
    lines = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None
    found: dict[str, dict[str, str]] = {}
    for old, new in (lines or {}).items():
        page, _, anchor = old.partition("#")
        found.setdefault(page, {})[anchor] = new
    return found


def script(page: str, moved: Mapping[str, str]) -> str:
    r"""Write the script that leads to where the sections of a page have moved.

    >>> print(script("book/a.html", {"old": "book/b.html#new"}).split("\n")[0])
    const moved = {"old": "b.html#new"};
    """
    targets = {anchor: _relative(new, page) for anchor, new in moved.items() if anchor}
    return SCRIPT.format(moved=json.dumps(targets))


def stub(page: str, moved: Mapping[str, str], site: str, language: str) -> str:
    """Write the page that is left where a page has moved."""
    target = _relative(moved[""], page)
    canonical = f'<link rel="canonical" href="{site}{moved[""]}">' if site else ""
    return f"""<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>This page has moved</title>
{canonical}
<script>
{script(page, moved)}lead("{target}");
</script>
<noscript><meta http-equiv="refresh" content="0; url={target}"></noscript>
</head>
<body><main><h1>This page has moved</h1><p><a href="{target}">To its new place</a></p></main></body>
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
        app.add_js_file(None, body=f"{{\n{script(page, moved)}{IN_PAGE}\n}}")


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.name == "html":
        redirects = read_redirects(Path(app.srcdir) / FILE)
        pages = {app.builder.get_target_uri(name) for name in app.env.found_docs}
        site = app.config.html_baseurl
        write_stubs(Path(app.outdir), redirects, pages, site=site, language=app.config.language)


def write_stubs(
    folder: Path, redirects: dict[str, dict[str, str]], pages: set[str], *, site: str, language: str
) -> None:
    """Write a stub for each page that has moved.

    `pages` are the addresses of the book's pages in the folder; `site` is the address of the
    published book, if there is one. An old address that is still there, or a new one that is not,
    is an ExtensionError.
    """
    for page, moved in redirects.items():
        if page in pages:
            _check_gone(folder, page, moved)
        elif "" not in moved:
            raise ExtensionError(f"{FILE}: {page} is no page; say where it is now, without a #")
        else:
            (folder / page).parent.mkdir(parents=True, exist_ok=True)
            text = stub(page, moved, site, language)
            (folder / page).write_text(text, encoding="utf-8", newline="\n")
    for target in {new for moved in redirects.values() for new in moved.values()}:
        page, _, anchor = target.partition("#")
        if page not in pages or (anchor and not _has(folder / page, anchor)):
            raise ExtensionError(f"{FILE}: {target} is no address of the book")


def _check_gone(folder: Path, page: str, moved: Mapping[str, str]) -> None:
    for anchor in moved:
        if not anchor or _has(folder / page, anchor):
            old = f"{page}#{anchor}" if anchor else page
            raise ExtensionError(f"{FILE}: {old} is still there: drop the line")


def _has(page: Path, anchor: str) -> bool:
    return f'id="{anchor}"' in page.read_text(encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("html-page-context", _add_script)
    app.connect("build-finished", _write)
