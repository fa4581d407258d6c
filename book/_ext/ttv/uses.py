"""What the cells of a page depend on, found without importing any of it.

That is each file of our packages that they import or name, that these import or name, and so on:
modules by their import, figures and data by their name, checkers by the names of exercises. Where
it cannot be known, it is all: for a page without cells, and of data that no module names. Of other
packages it is the versions that are installed, of those that are imported and of what they require.
"""

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
    known, uses, digests, states = names_of(root), dict[Path, Files](), dict[Path, str](), {}
    imports = dict[Path, set[str]]()
    for path in Files().union(*known.values()):
        name, content = path.relative_to(root), path.read_bytes()
        is_code = path.suffix == ".py"
        package = ".".join(name.parent.parts)
        code = content.decode() if is_code else ""
        uses[path], imports[path] = used_by(code, known, package), modules_of(code)
        digests[path] = f"{name.as_posix()} {hashlib.sha256(content).hexdigest()}"
    for_all = {path for path in uses if path.suffix != ".py"}.difference(*uses.values())
    for page in pages:
        cells, live = code_of(root / f"{page}.md")
        todo = for_all | used_by(f"{cells}\n{live}", known) if cells else Files(uses)
        found = Files()
        for part in ("plots", "exercises"):
            todo |= known.get(f"workbook.{part}.{Path(page).name.replace('-', '_')}", Files())
        while todo:
            found.add(path := todo.pop())
            todo |= uses[path] - found
        modules = {"ipykernel"}.union(modules_of(cells), *(imports[path] for path in found))
        versions = set[str]().union(*map(versions_of, modules))
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
    todo = {cell.metadata["live"].replace("-", "_") for cell in cells if "live" in cell.metadata}
    live = dict[str, str]()
    while todo:
        node = functions[todo.pop()]
        live[node.name] = ast.unparse(node)
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        todo |= used & functions.keys() - live.keys()
    return "\n".join(cell.source for cell in cells), "\n".join(live[name] for name in sorted(live))


def names_of(root: Path) -> dict[str, Files]:
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


def used_by(code: str, known: dict[str, Files], package: str = "companion") -> Files:
    """Return the files that some code imports or names itself."""
    return Files().union(*(known.get(name, ()) for name in _names(ast.parse(code), package)))


def _names(tree: ast.Module, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
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


def modules_of(code: str) -> set[str]:
    """Return the top modules that some code imports, or may import later by a name in a string."""
    tree = ast.walk(ast.parse(re.sub(r"(?m)^[%!].*", "", code)))
    return {name.partition(".")[0] for node in tree for name in _imported(node)}


def _imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(name), level=0) | ast.Constant(value=str(name)):
            return [name]
    return []


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
