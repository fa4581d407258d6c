"""Let the page for addresses that lead nowhere find the site from any depth.

A server shows this page under the address that was asked for, so its links must begin at the root
of the host.
"""

import re
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.application import Sphinx

NAME = "404.html"
_RELATIVE = re.compile(
    r'(?P<attribute> (?:href|src|action|data-content_root)=")(?![a-z][a-z+.-]*:|/|#)(?:\./)?'
)


def absolute(html: str, prefix: str) -> str:
    """Let the links of a page at the root of a site begin at the root of its host.

    The prefix is the path of the site, with a slash at both ends.

    >>> absolute('<a href="book/words.html#top"> <a href="#top">', "/repository/")
    '<a href="/repository/book/words.html#top"> <a href="#top">'
    """
    return _RELATIVE.sub(rf"\g<attribute>{prefix}", html)


def _finish(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.name == "html":
        page = Path(app.outdir, NAME)
        # Without an address the site is taken to have a host to itself.
        prefix = urlsplit(app.config.html_baseurl).path or "/"
        page.write_text(absolute(page.read_text("utf-8"), prefix), encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("build-finished", _finish)
