"""Say in each entry of the reference which chapters use it, and make names of chapters links.

Autodoc sets the reference from the docstrings.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from sphinx.application import Sphinx

import companion
import workbook
from ttv.reader import blocks, pages_in_order

_CHAPTERS = re.compile(r"\bchapters?\s+`[\w-]+`(?:(?:,|\s+and|,\s+and)\s+`[\w-]+`)*")


@cache
def entries(folder: Path) -> dict[str, str]:
    """Return where the reference describes each public name: in the first module with a page."""
    pages = {path.stem for path in (folder / "book" / "api").glob("*.md")}
    both = companion, workbook
    modules = [f"{p.__name__}.{m.name}" for p in both for m in iter_modules(p.__path__)]
    described, found = dict[tuple[str, int], str](), dict[str, str]()
    # False comes before True: modules with a page are first.
    modules += ["workbook", "inspector"]
    modules.sort(key=lambda module: module.split(".")[-1] not in pages)
    for module in map(import_module, modules):
        is_described = module.__name__.rpartition(".")[2] in pages
        for name in getattr(module, "__all__", ()):
            same, full = (name, id(getattr(module, name))), f"{module.__name__}.{name}"
            if is_described or same in described:
                found[full] = described.setdefault(same, full)
    return found


def is_used(name: str, code: str) -> bool:
    """Tell whether code imports a public name, or reaches it through its module."""
    module, _, last = name.rpartition(".")
    imported = rf"^ *from {module} import (\([^)]*|.*)\b{last}\b"
    return bool(re.search(rf"{imported}|\b{module.split('.')[-1]}\.{last}\b", code, re.MULTILINE))


@cache
def usage(folder: Path) -> dict[str, set[str]]:
    """Return which entries the cells of each page use."""
    found = {}
    for page in pages_in_order(folder):
        there = blocks((folder / f"{page}.md").read_text(encoding="utf-8"), page)
        cells = [block.body for block in there if block.name == "code-cell"]
        # A page that runs nothing may show Python all the same.
        cells = cells or [b.body for b in there if (b.name, b.argument) == ("", "python")]
        public = entries(folder).items()
        found[page] = {entry for name, entry in public if is_used(name, "\n".join(cells))}
    return found


def listed(items: Sequence[str], word: str = "and") -> str:
    """Join items: a, b and c."""
    return f" {word} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def _link_chapters(app: Sphinx, _: str, name: str, obj: Any, opts: Any, lines: list[str]) -> None:
    # Add to a docstring in which chapters its object is used.
    found = usage(Path(app.srcdir))
    pages = {page.removeprefix("book/"): page for page in found}

    def link(chapter: re.Match[str]) -> str:
        return f":doc:`/{pages[chapter[1]]}`" if chapter[1] in pages else chapter[0]

    text = _CHAPTERS.sub(lambda named: re.sub(r"`([\w-]+)`", link, named[0]), "\n".join(lines))
    lines[:] = text.split("\n")
    users = [f":doc:`/{page}`" for page, names in found.items() if name in names]
    if users:
        how = "Drawn" if name.startswith("workbook.plots.") else "Used"
        lines += ["", ".. rst-class:: ttv-usage", "", f"   {how} in {listed(users)}.", ""]


def _is_undescribed(_: Sphinx, what: str, name: str, obj: Any, skip: bool, opts: Any) -> bool:
    # Leave out the fields of named tuples: the text of their class says what they are.
    return skip or (getattr(obj, "__doc__", None) or "").startswith("Alias for field number")


def setup(app: Sphinx) -> None:
    app.connect("autodoc-skip-member", _is_undescribed)
    # After napoleon, which turns the sections of a docstring into fields.
    app.connect("autodoc-process-docstring", _link_chapters, priority=600)
