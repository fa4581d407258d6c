"""Build only what has changed, and the same as a build from nothing.

Sphinx reads a page again when its source or a file that it depends on has changed. Beyond that

* every page is read again if the extensions, the order of the book, the environment or the public
  names of the package have changed (`ttv_read`);
* the reference and the pages with times are read again if a chapter has another title, takes
  another time, or uses other names (`ttv_names`);
* every page is written again if something has changed that pages show of each other: a title, a
  number, a label, a citation, a style sheet, an address (`ttv_written`);
* a page with a warning is read again in the next build, which so warns again until the fault is
  gone. A build that was broken off, or had a warning that names no page, is followed by one that
  reads every page.

At the end, files of an earlier build that no page needs any more are removed.
"""

import ast
import json
import logging
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import jinja2
from docutils import nodes
from jinja2 import FileSystemBytecodeCache
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util.index_entries import split_index_msg
from sphinx.util.logging import NAMESPACE, get_node_location

from ttv import api, offer_pdf
from ttv.execution import data_files, digest_of
from ttv.notebooks import is_notebook, notebook_name
from ttv.reader import pages_in_order
from ttv.redirects import FILE as REDIRECTS
from ttv.redirects import read_redirects
from ttv.times import reading, running_seconds

STATE = "unfinished.json"
"""In the folder of doctrees: the pages to read again, null for all; missing after a clean build."""

_LOCATION = re.compile(r"(?P<path>.+?\.md)\b")


def _files(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts]


def _configure(app: Sphinx, config: Config) -> None:
    root = Path(app.srcdir)
    files = [*_files(Path(__file__).parent), root / "_toc.yml", root / "requirements.txt"]
    config.ttv_read = digest_of(files, sys.version, *_names(root))


def _names(root: Path) -> list[str]:
    """Return the names that each public module defines or imports, without loading any."""
    return [f"{path.stem} {node.name if hasattr(node, 'name') else ast.unparse(node)}"
            for pattern in ("[!_]*.py", "plots/*.py")
            for path in sorted(root.glob(f"companion/{pattern}"))
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.stmt) and not isinstance(node, ast.Expr)]  # fmt: skip


# --- what was left to do --------------------------------------------------------------------------


class _Pages(logging.Handler):
    """Collect the pages that warnings name."""

    def __init__(self, app: Sphinx) -> None:
        super().__init__(logging.WARNING)
        self.app = app
        self.pages: set[str | None] = set()

    def emit(self, record: logging.LogRecord) -> None:
        location = getattr(record, "location", None)
        if isinstance(location, nodes.Node):
            location = get_node_location(location)
        if isinstance(location, tuple):
            self.pages.add(location[0])
            return
        match = _LOCATION.match(str(location or ""))
        self.pages.add(self.app.env.path2doc(match["path"]) if match else None)


def _state(app: Sphinx) -> Path:
    return Path(app.doctreedir) / STATE


def _start(app: Sphinx) -> None:
    if app.builder.name == "html":  # compiled again only when their text has changed
        compiled = Path(app.doctreedir, "templates", jinja2.__version__)
        compiled.mkdir(parents=True, exist_ok=True)
        app.builder.templates.environment.bytecode_cache = FileSystemBytecodeCache(str(compiled))
    app.ttv_warned = _Pages(app)  # type: ignore[attr-defined]
    logging.getLogger(NAMESPACE).addHandler(app.ttv_warned)  # type: ignore[attr-defined]


def _finish(app: Sphinx, error: Exception | None) -> None:
    warned: _Pages = app.ttv_warned  # type: ignore[attr-defined]
    logging.getLogger(NAMESPACE).removeHandler(warned)
    if error is not None:
        return
    if None in warned.pages:
        return
    if warned.pages:
        _state(app).write_text(json.dumps(sorted(filter(None, warned.pages))))
    else:
        _state(app).unlink()
    if app.builder.name == "html":
        _remove_old_files(app)


# --- what to read and to write again --------------------------------------------------------------


def _outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> Iterable[str]:
    if not hasattr(env, "ttv_public"):  # what it holds changes only with `ttv_read`
        env.ttv_public = api.entries()  # type: ignore[attr-defined]
    public: dict[str, str] = env.ttv_public  # type: ignore[attr-defined]
    names: dict[str, Any] = getattr(env, "ttv_names", {})
    fresh = {page: names.get(page) for page in pages_in_order(Path(env.srcdir))}
    for page in added | changed | {page for page, about in fresh.items() if about is None}:
        source = Path(env.doc2path(page)).read_text(encoding="utf-8")
        title = api.title_of(source, page)
        used = api.names_of_page(source, page, public)
        counted = reading(env, page.removeprefix("book/"))
        fresh[page] = (title, used, counted.main.minutes, counted.deeper.minutes)
    env.ttv_names = fresh  # type: ignore[attr-defined]
    again = json.loads(_state(app).read_text()) if _state(app).exists() else []
    _state(app).write_text("null")
    if again is None:
        return env.found_docs
    return {*again, *(filter(_shows_others, env.found_docs) if fresh != names else ())}


def _shows_others(page: str) -> bool:
    """Whether a page shows names that others use, or their times."""
    return page.startswith("book/api/") or page in {"book/index", "book/teachers"}


def shared(app: Sphinx, env: BuildEnvironment) -> str:
    """Return what tells everything that pages show of each other from any other state of it."""
    root = Path(app.srcdir)
    files = [*_files(root / "book" / "assets"), *_files(root / "book" / "_templates"),
             *data_files(root), *root.glob("book/*.bib"), root / REDIRECTS]  # fmt: skip
    facts = [
        {page: title.astext() for page, title in env.titles.items()},
        env.toc_secnumbers, env.toc_fignumbers, env.toctree_includes,
        {page: running_seconds(env, page.removeprefix("book/")) for page in env.found_docs
         if is_notebook(env, page)},
        *(env.domaindata["std"].get(key) for key in ("labels", "anonlabels", "objects", "terms")),
        env.domaindata["py"]["objects"], env.domaindata["math"]["objects"],
        sorted({t.key for r in env.domaindata["cite"]["citation_refs"] for t in r.targets}),
        {image: name for image, (_, name) in env.images.items()},
        repr(app.config.publication), app.config.html_baseurl,
        offer_pdf.is_current(Path(app.outdir).parent / offer_pdf.BOOK, root),
        app.ttv_run_here,  # type: ignore[attr-defined]
    ]  # fmt: skip
    text = "\n".join(_ordered(fact) for fact in facts)
    return digest_of([path for path in files if path.is_file()], text)


def _ordered(value: Any) -> str:
    if isinstance(value, dict):
        return str(sorted((str(key), _ordered(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_ordered, value))}]"
    return str(value)


def _rewrite(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    if app.builder.name != "html":
        return []
    state = shared(app, env)
    before = getattr(env, "ttv_written", None)
    env.ttv_written = state  # type: ignore[attr-defined]
    # Extensions copy these at the end. Where one is there already, Sphinx puts a checksum into its
    # address, which a build from nothing cannot.
    for pattern in ("exercise.css", "mystnb.*.css"):
        for path in Path(app.outdir, "_static").glob(pattern):
            path.unlink()
    if state == before:  # a few pages are written sooner than processes for them start
        _spare_landing_page(app, env)
        return []
    # Written side by side; where processes cannot be forked safely, one after the other.
    if sys.platform == "linux":
        app.parallel = 3  # Sphinx counts the process that hands out the pages
    return env.found_docs


def _spare_landing_page(app: Sphinx, env: BuildEnvironment) -> None:
    """Leave the landing page, which Sphinx would write in every build, if it stays the same."""
    root, builder = app.config.root_doc, cast(StandaloneHTMLBuilder, app.builder)
    prepare = builder.prepare_writing
    if root in builder.get_outdated_docs():
        return
    if Path(builder.get_outfilename(root)).stat().st_mtime * 1e6 < env.all_docs[root]:
        return  # it has been read since

    def prepare_writing(docnames: set[str]) -> None:
        docnames.discard(root)
        prepare(docnames)

    builder.prepare_writing = prepare_writing  # type: ignore[method-assign]


def _complete_search(app: Sphinx) -> Iterable[Any]:
    """Give the search the index entries of the pages that are not written now.

    Sphinx stores its environment before it collects them, and so forgets them.
    """
    collected = app.env._search_index_index_entries
    for page in sorted(app.env.found_docs):
        found = set()
        for kind, value, target, main, _ in app.env.domaindata["index"]["entries"].get(page, []):
            found |= {(part, target or "", main) for part in split_index_msg(kind, value)}
        collected.pop(page, None)
        collected[page] = sorted(found)
    # It would also keep the words that no page has any more.
    indexer = app.builder.indexer  # type: ignore[attr-defined]
    for words in (indexer._mapping, indexer._title_mapping):
        for word in [word for word, pages in words.items() if not pages]:
            del words[word]
    return []


def _remove_old_files(app: Sphinx) -> None:
    folder, pages = Path(app.outdir), app.env.found_docs
    notebooks = {notebook_name(page) for page in pages if is_notebook(app.env, page)}
    for place in (folder / "notebooks", folder.parent / "notebooks"):
        _keep(place, notebooks)
    stubs = read_redirects(Path(app.srcdir) / REDIRECTS).keys()
    there = {f"{page}.html" for page in pages} | stubs
    html = list((folder / "book").rglob("*.html"))
    for path in html:
        if path.relative_to(folder).as_posix() not in there:
            path.unlink()
    for path in (folder / "_sources").rglob("*.md"):
        if path.relative_to(folder / "_sources").with_suffix("").as_posix() not in pages:
            path.unlink()
    text = "".join(path.read_text(encoding="utf-8") for path in html if path.exists())
    shown = set(re.findall(r'_images/([^"?#]+)', text))
    _keep(folder / "_images", shown)


def _keep(folder: Path, names: set[str]) -> None:
    for path in folder.glob("*"):
        if path.name not in names:
            path.unlink()


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_config_value("ttv_read", "", "env", types=[str])
    app.connect("config-inited", _configure)
    app.connect("builder-inited", _start)
    app.connect("env-get-outdated", _outdated, priority=900)
    app.connect("env-get-updated", _rewrite, priority=900)  # when all is numbered
    app.connect("html-collect-pages", _complete_search)
    app.connect("build-finished", _finish, priority=900)  # when all has been written
