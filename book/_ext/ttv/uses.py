"""What the cells of a page depend on, found without importing any of it."""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version
from importlib.util import resolve_name
from itertools import accumulate
from pathlib import Path

from myst_nb.core.read import read_myst_markdown_notebook
from packaging.requirements import Requirement

PACKAGES = "companion", "inspector", "workbook"
STATES = Path(__file__).with_name("live_states.py")
Files = set[Path]


def states_of(root: Path, pages: Iterable[str], shared: str = "") -> dict[str, str]:
    """Return for each page a name that changes with what it depends on, its cells apart."""
    # That is each file of our packages that they import or name, that these import or name, and so
    # on: modules by their import, figures and data by their name, checkers by the names of
    # exercises. Where it cannot be known, it is all: for a page without cells, and of data that no
    # module names. Of other packages it is the versions of those imported and of what they require.
    known, named = files_by_name(root), dict[Path, set[str]]()
    uses, digests, states = dict[Path, Files](), dict[Path, str](), dict[str, str]()
    for path in Files().union(*known.values()):
        name, content = path.relative_to(root), path.read_bytes()
        code = content.decode() if path.suffix == ".py" else ""
        named[path] = {*names_in(code, ".".join(name.parent.parts))}
        uses[path] = Files().union(*(known.get(each, ()) for each in named[path]))
        digests[path] = f"{name.as_posix()} {hashlib.sha256(content).hexdigest()}"
    for_all = {path for path in uses if path.suffix != ".py"}.difference(*uses.values())
    for page in pages:
        cells, live = code_of(root / f"{page}.md")
        chapter = Path(page).name.replace("-", "_")
        own = {f"workbook.{part}.{chapter}" for part in ("plots", "exercises")}
        names = {"ipykernel", *own, *names_in(f"{cells}\n{live}")}
        todo = for_all.union(*(known.get(each, ()) for each in names)) if cells else Files(uses)
        found = Files()
        while todo:
            found.add(path := todo.pop())
            todo |= uses[path] - found
        versions = set[str]().union(*map(versions_of, names.union(*(named[p] for p in found))))
        text = "\n".join([shared, live, *sorted(digests[p] for p in found), *sorted(versions)])
        states[page] = hashlib.sha256(text.encode()).hexdigest()[:12]
    return states


def code_of(path: Path) -> tuple[str, str]:
    """Return the code of the cells of a page, and that of its live figures."""
    source = path.read_text(encoding="utf-8")
    if "{code-cell}" not in source:
        return "", ""
    cells = [c for c in read_myst_markdown_notebook(source).cells if c.cell_type == "code"]
    tree = ast.parse(STATES.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    live = [c.metadata["live"].replace("-", "_") for c in cells if "live" in c.metadata]
    for name in live:  # which grows
        used = {part.id for part in ast.walk(functions[name]) if isinstance(part, ast.Name)}
        live += used & functions.keys() - {*live}
    code = (ast.unparse(functions[name]) for name in sorted({*live}))
    return "\n".join(cell.source for cell in cells), "\n".join(code)


def files_by_name(root: Path) -> dict[str, Files]:
    """Return the files of the packages by the names that code has for them."""
    known = dict[str, Files]()
    for path in (path for package in PACKAGES for path in root.glob(f"{package}/**/*")):
        if path.is_dir() or path.suffix == ".pyc":
            continue
        name = path.relative_to(root)
        top = name.parts[1]
        names = [name.parts[2] if name.parts[2:] else top]  # of data: the file's or its folder's
        if path.suffix == ".py":
            names = [".".join(name.with_suffix("").parts).removesuffix(".__init__")]
            if top == "exercises":
                names += [f"{path.stem.replace('_', '-')}."]
            elif top == "plots":
                figures = re.findall(r"^def (\w+)", path.read_text("utf-8"), re.MULTILINE)
                names += [f".{figure}" for figure in figures]
        for each in names:
            known.setdefault(each, Files()).add(path)
    return known


def names_in(code: str, package: str = "") -> Iterator[str]:
    """Yield what some code imports and names: modules, attributes, chapters of exercises, texts."""
    for node in ast.walk(ast.parse(code)):
        modules = list[str]()
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=module, names=names, level=level):
                module = resolve_name("." * level + (module or ""), package)
                modules = [f"{module}.{alias.name}" for alias in names]
                yield from (f".{alias.name}" for alias in names)
            case ast.Attribute(attr=name):
                yield f".{name}"
            case ast.Constant(value=str(text)):
                yield text[: text.find(".") + 1]  # the chapter of an exercise
                yield text
                modules = [text]  # imported later
        for module in modules:
            yield from accumulate(module.split("."), "{}.{}".format)


_packages = cache(packages_distributions)  # it looks through all that is installed


@cache
def versions_of(module: str) -> frozenset[str]:
    """Return the versions of the packages that hold a module, and of all that these require."""
    todo, found = {*_packages().get(module, ())}, dict[str, str]()
    while todo:
        try:
            name = todo.pop()
            found[name] = f"{name}=={version(name)}"
        except PackageNotFoundError:
            continue
        needed = map(Requirement, requires(name) or ())
        todo |= {n.name for n in needed if not n.marker or n.marker.evaluate({"extra": ""})}
        todo -= found.keys()
    return frozenset(found.values())
