"""Write what the search looks through: all sections, exercises and entries, in the book's order.

The results are scripts, because from the disk a browser reads nothing else. So are the entries of
the glossary, which pages show beside their terms. Programs get `llms.txt`, the contents of the
book, and each page as Markdown beside it.
"""

import html
import json
import re
from pathlib import Path

import yaml
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

from ttv.versions import with_versions

_ARTICLE = re.compile(r'<article class="bd-article">(.*?)</article>', re.DOTALL)
# What nobody reads, or reads twice: beside what is drawn, a formula has its MathML.
_UNREAD = re.compile(
    r'<(script|style|button|mjx-math|noscript)\b.*?</\1>|<a class="headerlink".*?</a>'
    r'|<p class="ttv-(?:times|run-how)".*?</p>|<summary(?: aria|>\s*<p).*?</summary>',
    re.DOTALL,
)
# A section, an exercise, a term or a name of Python; an entry, whose id is the first in its title.
_PLACE = re.compile(
    r'<(?:section|dt|div class="exercise)\b[^>]*? id="([^"]+)"[^>]*>'
    r'|<dt>(?=(?:(?!</dt>).)*?<span id="([^"]+)")',
    re.DOTALL,
)
# Some have more names than their title: the messages and symptoms of an entry of the page `wrong`,
# what a term of the glossary is also called, and what `names.yml` lists.
_MESSAGE = re.compile(r'<span id="m-[^"]+"[^>]*>(.*?</code>)</span>', re.DOTALL)
_ALSO = re.compile(r"Also called (.*?)\.(?=\s|<)", re.DOTALL)
_TITLE = re.compile(r'\s*(?:<span id[^>]*></span>)?\s*<(?:h\d|p class="adm)[^>]*>(.*?)</(?:h\d|p)>')
_LINES = re.compile(r"<(?:/?(?:p|li|d[dt]|t[dhr]|h\d|pre|div|figure|summary)\b|br)")


def sections(page: str) -> list[tuple[str, str, str, list[str], list[str]]]:
    """Return the sections of a page's HTML, its exercises, terms, entries and names of Python.

    Of each the id, the title, the HTML without the sections in it, other names, and messages.

    >>> sections('<article class="bd-article"><section id="a"><h1>A</h1><p>text</p></article>')
    [('a', 'A', '<p>text</p>', [], [])]
    """
    found = []
    article = _ARTICLE.search(page)
    parts = _PLACE.split(_UNREAD.sub("", article[1]) if article else "")[1:]
    for own, first, part in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        place, names, messages = own or first, list[str](), list[str]()
        if title := _TITLE.match(part):
            found.append((place, text(title[1]), part[title.end() :], names, messages))
            continue
        title_html, _, rest = part.partition("</dt>")
        messages = [text(each) for each in _MESSAGE.findall(title_html)]
        names = text(title_html).split(" · ") if first else []
        for also in _ALSO.findall(rest):
            names += map(text, re.findall(r"<(?:em|code)\b.*?</(?:em|code)>", also))
        names = [name for name in names if name not in messages]
        found.append((place, place if "." in place else text(title_html), rest, names, messages))
    return found


def text(markup: str) -> str:
    """Return the words of a piece of HTML, each line and cell apart from the next."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", _LINES.sub(r" \g<0>", markup))).split())


def finish(app: Sphinx, site: Path) -> None:
    found = []
    others = yaml.safe_load(Path(__file__).with_name("names.yml").read_text(encoding="utf-8"))
    terms: dict[str, tuple[str, str]] = {}
    shared: dict[str, str] = {}
    for page in app.env.collect_relations():
        source = (site / f"{page}.html").read_text(encoding="utf-8")
        for n, (place, title, markup, names, messages) in enumerate(sections(source)):
            names += others.pop(f"{page}#{place}" if n else page, [])
            found.append((page, place, title, text(markup), names, messages))
            if place.startswith("term-"):
                shared[place] = title  # terms in a row have one entry, which follows the last
            if shared and (entry := re.search(r"<dd>(.*?)</dd>", markup, re.DOTALL)):
                plain = re.sub(r"</?(?:a|mjx)\b[^>]*>", "", entry[1].strip())
                terms |= {place: (title, plain) for place, title in shared.items()}
                shared = {}
    for place in others:
        getLogger(__name__).warning("names.yml: the book has no place %s", place)
    write_for_programs(app, site)
    folder = site / "_static" / "search"
    folder.mkdir(exist_ok=True)
    for name, content in (("sections", found), ("terms", terms)):
        script = f"(globalThis.TextToVectors ??= {{}}).{name} = {json.dumps(content)};\n"
        (folder / f"{name}.js").write_text(script, encoding="utf-8")


def write_for_programs(app: Sphinx, site: Path) -> None:
    lines = [f"# {app.config.project}", ""]
    for page in app.env.collect_relations():
        source = Path(app.env.doc2path(page))
        if source.suffix == ".md":
            text = with_versions(source.read_text(encoding="utf-8"))
            (site / f"{page}.md").write_text(text, encoding="utf-8", newline="\n")
            found = re.search(r"(?m)^    description: (.*)$", text)
            about = f": {found[1].strip(chr(34))}" if found else ""
            lines.append(f"- [{app.env.titles[page].astext()}]({page}.md){about}")
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", lambda app: setattr(app.builder, "search", False))  # Sphinx's
