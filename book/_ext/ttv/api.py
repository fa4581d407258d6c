"""The reference of the companion: a page a module, linked with the chapters both ways.

* The directive `companion-api` sets a module from its docstrings, in the order of its source.
* Each object says in which chapters it is explained and used, as the cells of the chapters tell.
* The directive `companion-names` closes a chapter with links to what it has used.

In a docstring a name in single backticks becomes a link if the companion has it, and code if not.
"""

import ast
import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective, SphinxRole

import companion
from ttv.exercises import with_stubs
from ttv.reader import Block, blocks, pages_in_order, read

FOLDER = Path(__file__).parents[2] / "api"
MODULES = tuple(
    name
    for name in (f"companion.{path.stem}" for path in sorted(FOLDER.glob("*.md")))
    if find_spec(name)
)
"""The modules that have a page."""

SPECIAL_METHODS = {"__len__", "__getitem__", "__getitems__"}
"""What a dataset is asked by those who use it; other methods of this kind need no word."""

FIGURES = "```{companion-figures}\n```"
"""Where the page of `companion.plots` has a section for each chapter with figures."""

_SECTION = re.compile(r"-{3,}$")
_CHAPTERS = re.compile(r"\bchapters?\s+`[\w-]+`(?:(?:,|\s+and|,\s+and)\s+`[\w-]+`)*")
_NOTHING = re.compile(r"<object object( at 0x[0-9a-f]+)?>")


# ------------------------------------------------------------------------------ the package


@cache
def home(module: str, name: str) -> str:
    """Return the module that defines a name of a module.

    >>> home("companion.plots", "text_to_ids"), home("companion.plots", "WIDTH")
    ('companion.plots.words', 'companion.plots._drawing')
    """
    thing = getattr(import_module(module), name)
    if callable(thing):
        return str(thing.__module__)
    for node in ast.parse(inspect.getsource(import_module(module))).body:
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            return str(node.module)
    return module


def _source(module: str) -> ModuleAnalyzer:
    """Return what autodoc reads in the source of a module."""
    analyzer = ModuleAnalyzer.for_module(module)
    analyzer.analyze()
    return analyzer


@cache
def entries() -> dict[str, str]:
    """Return the name under which the reference describes each public name.

    A name that several modules have is described once, under the first of them that has a page.
    """
    if not MODULES:
        return {}  # so a book without a reference loads no torch
    public = [f"companion.{m.name}" for m in iter_modules(companion.__path__) if m.name[0] != "_"]
    homes = {
        f"{m}.{name}": (home(m, name), name) for m in public for name in import_module(m).__all__
    }
    described: dict[tuple[str, str], str] = {}
    for name, at in homes.items():
        if name.rpartition(".")[0] in MODULES:
            described.setdefault(at, name)
    return {name: described[at] for name, at in homes.items() if at in described}


@cache
def public_objects() -> dict[str, Any]:
    """Return every public object of the package by its name in the reference."""
    names = [name.rpartition(".") for name in dict.fromkeys(entries().values())]
    return {f"{m}.{name}": getattr(import_module(m), name) for m, _, name in names}


@cache
def documented(module: str) -> list[str]:
    """Return what the reference describes under a module, in the order of the source.

    What a package takes from its public modules comes under these, by the name of the package:
    under `companion.plots.words` comes `companion.plots.text_to_ids`.
    """
    found = []
    for name in public_objects():
        shown_by, _, short = name.rpartition(".")
        source = home(shown_by, short)
        below = source.startswith(f"{shown_by}.") and "._" not in source
        if module == (source if below else shown_by):
            found.append((source != module, _source(source).tagorder[short], name))
    return [name for *_, name in sorted(found)]


def methods(cls: type) -> list[str]:
    """Return the names of a class's own methods and properties that are documented."""
    return [
        name
        for name, member in vars(cls).items()
        if (not name.startswith("_") or name in SPECIAL_METHODS)
        and (inspect.isroutine(member) or isinstance(member, property))
    ]


# ------------------------------------------------------------------------------ the chapters


def code_cells(source: str, page: str) -> list[str]:
    r"""Return the code cells of a page; of a page that has none, its blocks of Python.

    >>> code_cells("```{code-cell} ipython3\n:tags: [stub]\n\nx = ...\n```", "book/words")
    ['x = ...']
    """
    found = blocks(source, page)
    cells = [block.body for block in found if block.name == "code-cell"]
    return cells or [b.body for b in found if (b.name, b.argument) == ("", "python")]


def used_names(cells: Iterable[str], public: Mapping[str, str]) -> list[str]:
    """Return the public names that code uses, as the reference calls them, in order of first use.

    A name is used where it is imported, or reached through a module: `from companion import plots`
    and `plots.id_ranges`. A chapter imports in no other way.
    """
    modules: dict[str, str] = {}  # what a name of the code stands for
    found: list[str] = []
    for cell in cells:
        uses = [
            n for n in ast.walk(ast.parse(cell)) if isinstance(n, ast.ImportFrom | ast.Attribute)
        ]
        for node in sorted(uses, key=lambda node: (node.lineno, node.col_offset)):
            if isinstance(node, ast.ImportFrom):
                imported = {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
                modules |= imported
                found += imported.values()
            else:
                head, _, rest = ast.unparse(node).partition(".")
                found.append(f"{modules.get(head)}.{rest}")
    return list(dict.fromkeys(public[name] for name in found if name in public))


def names_of_page(source: str, page: str, public: Mapping[str, str]) -> list[str]:
    """Return the public names that a page uses."""
    try:
        return used_names(code_cells(with_stubs(source, page), page), public)
    except SyntaxError as error:
        raise ExtensionError(f"{page}: a cell is no Python: {error}") from error


@cache
def usage(folder: Path) -> dict[str, list[str]]:
    """Return the names that each page of a book uses, if any; pages in the order of the book."""
    sources = {
        page: (folder / f"{page}.md").read_text(encoding="utf-8") for page in pages_in_order(folder)
    }
    names = {page: names_of_page(source, page, entries()) for page, source in sources.items()}
    return {page: used for page, used in names.items() if used}


def chapters_named(docstring: str) -> list[str]:
    """Return the chapters that a docstring names.

    >>> chapters_named("Batches (chapters `windows` and `bert-input`) of `ids`.")
    ['windows', 'bert-input']
    """
    return re.findall(r"`([\w-]+)`", " ".join(_CHAPTERS.findall(docstring)))


def explained_in(name: str, pages: Sequence[str]) -> str | None:
    """Return the page that explains an object, out of the pages that use it, or None.

    The docstring of the object's module tells which: the chapter in the same entry of a list as the
    object, else the first of the pages that the docstring names at all.
    """
    module, _, short = name.rpartition(".")
    docstring = import_module(module).__doc__ or ""
    own = [entry for entry in re.split(r"^\* ", docstring, flags=re.M)[1:] if f"`{short}`" in entry]
    for text in (*own, docstring):
        for page in pages:
            if page.rpartition("/")[2] in chapters_named(text):
                return page
    return None


# ------------------------------------------------------------------------------ from code to text


def usage_line(name: str, found: Mapping[str, Sequence[str]], root: str) -> str:
    """Write in which chapters an object is explained and used; empty if in none."""
    pages = [page for page, names in found.items() if name in names]
    if not pages:
        return ""
    drawn = name.startswith("companion.plots.")
    first = None if drawn else explained_in(name, pages)
    links = [_link(page, root) for page in pages if page != first]
    if first is None:
        return f"{'Drawn' if drawn else 'Used'} in {_list(links)}."
    also = f"; also used in {_list(links)}" if links else ""
    return f"Explained in {_link(first, root)}{also}."


def _link(page: str, root: str) -> str:
    # The title of the landing page is that of the book.
    return f":doc:`the introduction </{page}>`" if page == root else f":doc:`/{page}`"


def _list(items: Sequence[str]) -> str:
    """Join items: a, b and c."""
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last


def with_usage(lines: Sequence[str], usage: str) -> list[str]:
    """Put a line of usage into a numpydoc docstring: after its text, before its first section."""
    end = next((i - 1 for i, line in enumerate(lines) if i and _SECTION.match(line)), len(lines))
    return [*lines[:end], "", ".. rst-class:: ttv-usage", "", f"   {usage}", "", *lines[end:]]


def with_chapter_links(text: str, pages: Iterable[str]) -> str:
    """Make a link of each chapter that a docstring names."""
    by_name = {page.rpartition("/")[2]: page for page in pages}

    def link(match: re.Match[str]) -> str:
        return re.sub(
            r"`([\w-]+)`",
            lambda name: f":doc:`/{by_name[name[1]]}`" if name[1] in by_name else name[0],
            match[0],
        )

    return _CHAPTERS.sub(link, text)


def _constant_doc(name: str) -> list[str]:
    """Return the docstring under a constant, in whichever module it is defined."""
    module, _, short = name.rpartition(".")
    return list(_source(home(module, short)).attr_docs.get(("", short), []))


def _write_docstring(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Add to a docstring what the chapters tell of its object (autodoc calls this)."""
    found = usage(Path(app.srcdir))
    if what == "data":
        lines[:] = _constant_doc(name)
    if name in public_objects():
        line = usage_line(name, found, app.config.root_doc)
        lines[:] = with_usage(lines, line) if line else lines
    text = "\n".join(map(with_literals, lines))
    lines[:] = with_chapter_links(text, found).split("\n")


def _write_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: Any
) -> tuple[str, Any]:
    """Leave out of a signature what nobody would write (autodoc calls this)."""
    if getattr(obj, "_is_protocol", False):
        return "", None  # there are no objects of it
    # A dataclass has no source that would tell the name of this default.
    written = _NOTHING.sub("NOTHING", signature or "")
    return with_values(written, vars(inspect.getmodule(obj) or object)), returns


def with_values(signature: str, values: Mapping[str, Any]) -> str:
    """Write the values of private constants into a signature.

    >>> with_values("(text, most=_MOST)", {"_MOST": 100})
    '(text, most=100)'
    """
    return re.sub(r"(?<==)_\w+", lambda name: repr(values[name[0]]), signature)


def with_literals(line: str) -> str:
    """Set the strings in the type of a parameter as code, so that their quotes stay straight.

    >>> with_literals('side : "right" or "left", optional')
    'side : ``"right"`` or ``"left"``, optional'
    """
    name, colon, kind = line.partition(" : ")
    if not colon or not re.fullmatch(r"\w+", name):
        return line
    return name + colon + re.sub(r'"[^"]*"', r"``\g<0>``", kind)


# ------------------------------------------------------------------------------ directives, role


class CompanionApi(SphinxDirective):
    """Set the reference of a module."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return what autodoc makes of the module and of its public objects."""
        (module,) = self.arguments
        for path in Path(companion.__path__[0]).rglob("*.py"):
            self.env.note_dependency(str(path))
        lines = [f".. automodule:: {module}", ""] if module in MODULES else []
        for name in documented(module):
            lines += reference(name, public_objects()[name])
        found = self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))
        # MyST parses reStructuredText as a document of its own. Nodes that refer to it would be
        # saved with all that Sphinx knows of the book.
        for node in found:
            for part in node.findall():
                part.document = self.state.document
        return found


def reference(name: str, obj: Any) -> list[str]:
    """Write the directive of autodoc for an object."""
    if isinstance(obj, type):
        kind = "exception" if issubclass(obj, BaseException) else "class"
        members = ", ".join(methods(obj))
        return [f".. auto{kind}:: {name}", *([f"   :members: {members}"] if members else []), ""]
    if callable(obj):
        return [f".. autofunction:: {name}", ""]
    # A value that fills the screen says nothing.
    return [f".. autodata:: {name}", *(["   :no-value:"] if len(repr(obj)) > 200 else []), ""]


class CompanionNames(SphinxDirective):
    """Name what a chapter has used of the companion, with links to the reference."""

    def run(self) -> list[nodes.Node]:
        """Return a paragraph."""
        return self.parse_text_to_nodes(
            summary(usage(Path(self.env.srcdir)).get(self.env.docname, []))
        )


def summary(names: Sequence[str]) -> str:
    """Write what a chapter has used, in one sentence or two.

    >>> summary(["companion.bpe.gpt2", "companion.plots.id_ranges"]).split(" <")[0]
    'This chapter has used {py:obj}`gpt2'
    """
    links = {name: f"{{py:obj}}`{name.rpartition('.')[2]} <{name}>`" for name in names}
    figures = [links.pop(name) for name in names if name.startswith("companion.plots.")]
    sentences = []
    if links:
        sentences.append(f"This chapter has used {_list([*links.values()])}.")
    if figures:
        subject = "Its figure is" if len(figures) == 1 else "Its figures are"
        sentences.append(f"{subject} drawn by {_list(figures)}.")
    sentences.append("{doc}`The reference </book/api/index>` says what each of them does.")
    return "\n".join(sentences)


def resolve(text: str, module: str | None, cls: str | None) -> str | None:
    """Return the full name that a name in the docstring of a class or of a module means.

    It is None if the name is none of the companion's.
    """
    public = public_objects()
    if text.startswith("companion."):
        return text  # wherever it leads: Sphinx complains if that is nowhere
    if cls and text in methods(public.get(f"{module}.{cls}", object)):
        return f"{module}.{cls}.{text}"
    if f"{module}.{text}" in public:
        return f"{module}.{text}"
    head, _, rest = text.partition(".")
    owners = [name for name in public if name.rpartition(".")[2] == head]
    if len(owners) != 1 or (rest and rest not in methods(public[owners[0]])):
        return None
    return f"{owners[0]}.{rest}" if rest else owners[0]


class NameRole(SphinxRole):
    """What is in single backticks: a link where the companion has the name, else code."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link or the code."""
        context = self.env.ref_context
        target = resolve(self.text, context.get("py:module"), context.get("py:class"))
        literal = nodes.literal(self.rawtext, self.text)
        if target is None:
            return [literal], []
        reference = addnodes.pending_xref(
            self.rawtext, literal, refdomain="py", reftype="obj", reftarget=target,
            refexplicit=True, refwarn=True, refdoc=self.env.docname,
        )  # fmt: skip
        return [reference], []


def figures_of(folder: Path) -> str:
    """Write the sections of the page of `companion.plots`: one for each chapter that has figures.

    A chapter's figures are in the module of its name.
    """
    sections = []
    for page in pages_in_order(folder):
        module = f"companion.plots.{page.removeprefix('book/').replace('-', '_')}"
        if "/" not in module and find_spec(module):
            source = (folder / f"{page}.md").read_text(encoding="utf-8")
            sections.append(f"## {title_of(source, page)}\n\n```{{companion-api}} {module}\n```")
    return "\n\n".join(sections)


def title_of(source: str, page: str) -> str:
    r"""Return the title of a page, as it is written.

    >>> title_of("---\nx: 1\n---\n\n# How *long*?\n\n# More\n", "book/words")
    'How *long*?'
    """
    tokens = [part for part in read(source, page) if not isinstance(part, Block)]
    return next(after.content for token, after in pairwise(tokens) if token.type == "heading_open")


def _add_figures(app: Sphinx, docname: str, source: list[str]) -> None:
    if FIGURES in source[0]:
        source[0] = source[0].replace(FIGURES, figures_of(Path(app.srcdir)))


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.add_role("companion", NameRole())
    app.add_directive("companion-api", CompanionApi)
    app.add_directive("companion-names", CompanionNames)
    app.connect("source-read", _add_figures)
    # Before napoleon, which turns the sections of a docstring into fields.
    app.connect("autodoc-process-docstring", _write_docstring, priority=400)
    app.connect("autodoc-process-signature", _write_signature)
