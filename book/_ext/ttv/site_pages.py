"""What a site has beside its chapters.

A page for addresses that lead nowhere and, where the book is published, a list of its pages for
search engines.
"""

import re
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from sphinx.application import Sphinx

NOT_FOUND = "404"
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


def sitemap(addresses: list[str]) -> str:
    """List pages in the format of sitemaps.org."""
    urls = "".join(f"<url><loc>{escape(address)}</loc></url>\n" for address in addresses)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    )


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.name != "html":
        return
    folder, config, site = Path(app.outdir), app.config, app.config.html_baseurl

    def write(name: str, content: str) -> None:
        (folder / name).write_text(content, encoding="utf-8", newline="\n")

    # Without an address the site is taken to have a host to itself.
    prefix = urlsplit(site).path or "/"
    not_found = (folder / f"{NOT_FOUND}.html").read_text(encoding="utf-8")
    write(f"{NOT_FOUND}.html", absolute(not_found, prefix))

    if site:
        pages = sorted(app.env.found_docs, key=lambda name: (name != config.root_doc, name))
        write("sitemap.xml", sitemap([site + app.builder.get_target_uri(name) for name in pages]))
        # Crawlers ask for robots.txt at the root of a host and nowhere else: under the path of a
        # project nobody would read it, and its owner hands the sitemap to the search engine.
        if prefix == "/":
            write("robots.txt", f"User-agent: *\nAllow: /\nSitemap: {site}sitemap.xml\n")


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("build-finished", _write)
