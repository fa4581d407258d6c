"""Join the style sheets of all pages into one, with only those rules of the theme that pages use.

The theme and the extensions bring nine sheets, mostly for what this book does not have, and the
book has its own. A browser shows nothing until it has all of them, and on a phone each takes long.
For the same reason the options of Sphinx's scripts are in the page, and no file. What is for paper
or one page alone stays apart.
"""

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sphinx.application import Sphinx

NAME = "theme.css"
OWN = ("run-here/page.css", "fonts/fonts.css", "book.css")
"""The book's sheets, in order; they follow those of the theme."""
APART = ("print.css", "playground/")
OPTIONS = "documentation_options.js"

_LINK = re.compile(r'<link (?=[^>]*rel="stylesheet")[^>]*href="(?P<root>[^"]*)_static/'
                   r'(?P<path>[^"?]+)[^"]*"[^>]*>\s*')  # fmt: skip
_OPTIONS = re.compile(rf'<script src="[^"]*_static/{OPTIONS}[^"]*"></script>')
_STRING = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
_TOKEN = re.compile(rf"{_STRING}|[{{}};]|[^\"'{{}};]+", re.DOTALL)
_NAME = re.compile(r"[.#](-?[A-Za-z_][\w-]*)(?!\\)")
# For these rules, which change nothing here, browsers style whole cells again when a script puts a
# button into them: on a phone that takes long.
_COSTLY = re.compile(r":has\(|^\s*legend\+\*")
_IMPORT = re.compile(r'@import (?:url\()?["\']?([^"\');]+)["\']?\)?;')
_URL = re.compile(r"url\((?![\"']?(?:data|#))[\"']?([^\"')]+)[\"']?\)")


def used_rules(css: str, words: set[str]) -> str:
    """Leave out the rules with a class or an id that no page can have, and those that cost much.

    The sheet has no comments and no nested rules, but for those of ``@media`` and the like; `words`
    are all words of the pages and of their scripts.

    >>> used_rules(".a, .b > p { top: 0 } @media print { .b { top: 1px } }", {"a"})
    '.a{ top: 0 }'
    """
    return "".join(_rules(iter(_TOKEN.findall(css)), words))


def _rules(tokens: Iterator[str], words: set[str]) -> Iterator[str]:
    head = ""
    for token in tokens:
        if token == "}":
            return
        if token == ";":  # such as @charset
            head = ""
        elif token != "{":
            head += token
        else:
            head = head.strip()
            if head.startswith(("@media", "@supports", "@layer")):
                body = "".join(_rules(tokens, words))
            else:
                body = _block(tokens)
                head = head if head.startswith("@") else _used_selectors(head, words)
            if head and body.strip():
                yield f"{head}{{{body}}}"
            head = ""


def _block(tokens: Iterator[str]) -> str:
    """Return all up to the end of the block that has begun."""
    depth, found = 1, []
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if not depth:
            break
        found.append(token)
    return re.sub(r"\s+", " ", "".join(found))


def _used_selectors(head: str, words: set[str]) -> str:
    selectors, depth = [""], 0
    for part in re.split(r"([,()\[\]])", head):
        depth += (part in {"(", "["}) - (part in {")", "]"})
        if part == "," and not depth:
            selectors.append("")
        else:
            selectors[-1] += part
    return ",".join(s.strip() for s in selectors if _is_used(s, words))


def _is_used(selector: str, words: set[str]) -> bool:
    if _COSTLY.search(selector):
        return False
    # In brackets are choices, negations and values of attributes, which need not be there.
    while (bare := re.sub(rf"\((?:{_STRING}|[^()])*\)|\[[^\]]*\]", "", selector)) != selector:
        selector = bare
    return words.issuperset(_NAME.findall(selector))


def joined(static: Path, paths: Iterable[str]) -> str:
    """Return the sheets in order, without comments, with what they import and lead to."""
    return "\n".join(_sheet(static, path) for path in paths)


def _sheet(static: Path, path: str) -> str:
    def resolved(match: re.Match[str]) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1]))

    css = re.sub(r"/\*.*?\*/", "", (static / path).read_text(encoding="utf-8"), flags=re.DOTALL)
    imported = joined(static, map(resolved, _IMPORT.finditer(css)))
    return imported + _URL.sub(lambda match: f"url({resolved(match)})", _IMPORT.sub("", css))


def _theirs(html: str) -> list[str]:
    """Return the sheets of a page that are not ours, unless they have been joined already."""
    paths = [match["path"] for match in _LINK.finditer(html)]
    return [path for path in paths if not path.startswith((NAME, *OWN, *APART))]


def with_one(html: str, version: str) -> str:
    """Put the joined sheet into a page, for those that it replaces or for an older version."""
    is_there = False

    def link(match: re.Match[str]) -> str:
        nonlocal is_there
        if match["path"].startswith(APART):
            return match.group()
        if is_there:
            return ""
        is_there = True
        return f'<link rel="stylesheet" href="{match["root"]}_static/{NAME}?v={version}" />\n'

    return _LINK.sub(link, html)


def _finish(app: Sphinx, error: Exception | None) -> None:
    folder = Path(app.outdir)
    static = folder / "_static"
    if error is not None or app.builder.name != "html":
        return
    pages = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.html")
             if static not in path.parents}  # fmt: skip
    sheets = max(map(_theirs, pages.values()), key=len)
    if not sheets:  # no page was written
        return
    scripts = [path for path in static.rglob("*.js") if path.name != "fontawesome.js"]
    texts = [*pages.values(), *(path.read_text(encoding="utf-8") for path in scripts)]
    parts = {part for text in texts for part in text.split()}  # most are in many pages
    words = set(re.findall(r"[\w-]+", " ".join(parts)))
    own = [path for path in OWN if (static / path).exists()]
    css = used_rules(joined(static, sheets), words) + joined(static, own)
    options = f"<script>{(static / OPTIONS).read_text(encoding='utf-8').strip()}</script>"
    (static / NAME).write_text(css, encoding="utf-8")
    version = hashlib.sha256(css.encode()).hexdigest()[:8]
    for path, html in pages.items():
        new = _OPTIONS.sub(lambda _: options, with_one(html, version))
        if new != html:
            path.write_text(new, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("build-finished", _finish, priority=800)  # when all sheets are there
