"""Write what the search looks through: all sections, exercises and entries, in the book's order.

They are scripts, because from the disk a browser reads nothing else. So are the entries of the
glossary, which pages show beside their terms.
"""

import html
import json
import re
from pathlib import Path

from sphinx.application import Sphinx

_ARTICLE = re.compile(r'<article class="bd-article">(.*?)</article>', re.DOTALL)
# What nobody reads, or reads twice: beside what is drawn, a formula has its MathML.
_UNREAD = re.compile(
    r'<(script|style|button|mjx-math|noscript)\b.*?</\1>|<a class="headerlink".*?</a>'
    r'|<p class="ttv-(?:times|run-how)".*?</p>|<summary(?: aria|>\s*<p).*?</summary>',
    re.DOTALL,
)
# A section, an exercise, an entry, or a row of a table that begins with a name of its own.
_PLACE = re.compile(
    r'(?:<(?:section|dt|div class="exercise)\b[^>]*?|<tr\b[^>]*><td><p><span) id="([^"]+)"[^>]*>'
)
_NAME = re.compile(r"(.*?)</(?:code|strong)></span>", re.DOTALL)
_TITLE = re.compile(r'\s*(?:<span id[^>]*></span>)?\s*<(?:h\d|p class="adm)[^>]*>(.*?)</(?:h\d|p)>')
_LINES = re.compile(r"<(?:/?(?:p|li|d[dt]|t[dhr]|h\d|pre|div|figure|summary)\b|br)")


def sections(page: str) -> list[tuple[str, str, str]]:
    """Return the sections of a page's HTML, its exercises, terms and names of the reference.

    Of each the id, the title, and the HTML without the sections in it.

    >>> sections('<article class="bd-article"><section id="a"><h1>A</h1><p>text</p></article>')
    [('a', 'A', '<p>text</p>')]
    """
    found = []
    article = _ARTICLE.search(page)
    parts = _PLACE.split(_UNREAD.sub("", article[1]) if article else "")[1:]
    for place, part in zip(parts[::2], parts[1::2], strict=True):
        if title := _TITLE.match(part) or (_NAME.match(part) if "</td>" in part else None):
            found.append((place, text(title[1]), part[title.end() :]))
        else:
            name, _, rest = part.partition("</dt>")
            found.append((place, text(name) if place.startswith("term-") else place, rest))
    return found


def text(markup: str) -> str:
    """Return the words of a piece of HTML, each line and cell apart from the next.

    >>> text("<p>a &lt; <b>b</b>c</p><p>d</p>")
    'a < bc d'
    """
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", _LINES.sub(r" \g<0>", markup))).split())


def finish(app: Sphinx, site: Path) -> None:
    found: list[tuple[str, ...]] = []
    terms: dict[str, tuple[str, str]] = {}
    shared: dict[str, str] = {}
    for page in app.env.collect_relations():
        source = (site / f"{page}.html").read_text(encoding="utf-8")
        for place, title, markup in sections(source):
            found.append((page, place, title, text(markup)))
            if place.startswith("term-"):
                shared[place] = title  # terms in a row have one entry, which follows the last
            if shared and (entry := re.search(r"<dd>(.*?)</dd>", markup, re.DOTALL)):
                plain = re.sub(r"</?(?:a|mjx)\b[^>]*>", "", entry[1].strip())
                terms |= {place: (title, plain) for place, title in shared.items()}
                shared = {}
    folder = site / "_static" / "search"
    folder.mkdir(exist_ok=True)
    for name, content in (("sections", found), ("terms", terms)):
        script = f"(globalThis.TextToVectors ??= {{}}).{name} = {json.dumps(content)};\n"
        (folder / f"{name}.js").write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", lambda app: setattr(app.builder, "search", False))  # Sphinx's
