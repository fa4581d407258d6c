"""Let the cells of a page run in the page, in Pyodide, where it has been fetched (`make book`).

Which cells can is found out: those whose statements import nothing beyond the standard library and
the modules of the companion that need no more, and use no name of a statement that does. From a
cell that is left out the other statements still run: later cells may need what they define.

The page gets a mark on each such cell, and the site a file a page that says what must run before a
cell: the chapter's cells, but neither answers nor solutions of exercises. Python comes from the npm
package `pyodide`, compressed, and the companion as a wheel of this checkout.
"""

import ast
import functools
import gzip
import hashlib
import json
import posixpath
import re
import symtable
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from companion.exercises import Exercise, find

PYODIDE = Path(".venv", "pyodide", "node_modules", "pyodide")
"""Where make puts the npm package, from the root of the project."""
FOLDER = "run-here"
LARGE = "o200k.bpe"
"""A file of the package that is fetched when a cell needs it: the vocabulary of GPT-4o."""
PACKED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
NOT_IN_WEBASSEMBLY = {"curses", "multiprocessing", "socket", "sqlite3", "ssl", "subprocess",
                      "tkinter"}  # fmt: skip
"""Modules of the standard library that do not work in the browser."""

_TITLE = re.compile(r'</h1>\n(<p class="ttv-times">.*?</p>\n)?')
_CELL = re.compile(r'<div class="cell (?=[^"]*docutils)')


@dataclass(frozen=True)
class Cell:
    """A code cell of a page."""

    code: str
    is_stub: bool = False  # for the answer to an exercise
    solution: object = None  # what tells its solution from others; None outside solutions


@dataclass(frozen=True)
class Plan:
    """What can run in a page."""

    names: list[str | None]  # of each cell; None if it cannot run
    needs: list[frozenset[str]]  # the packages that a cell needs which cannot run
    pieces: list[str]  # code to run before others
    before: dict[str, list[int]]  # for each name the pieces that come before it


Names = dict[str, tuple[frozenset[str], str | None]]
"""What is known of a page's names: what they need that is not here, and their text, if any."""


def plan_of(cells: Sequence[Cell], package: Path) -> Plan:
    """Find out which cells of a page can run, and what must run before each."""
    plan = Plan([], [], [], {})
    names: Names = {}
    chapter: list[int] = []
    solutions: dict[object, list[int]] = {}
    for cell in cells:
        # What a solution defines is for itself alone, as is what a reader answers.
        scope = dict(names) if cell.is_stub or cell.solution else names
        free, needs = _split(cell.code, scope, package)
        name = None if needs else _name(cell, plan.before)
        plan.names.append(name)
        plan.needs.append(needs)
        here = [*chapter, *solutions.get(cell.solution, [])]
        if name:
            plan.before[name] = here
        if free and not cell.is_stub:
            followers = solutions.setdefault(cell.solution, []) if cell.solution else chapter
            followers.append(len(plan.pieces))
            plan.pieces.append(free)
    return plan


def _split(code: str, names: Names, package: Path) -> tuple[str, frozenset[str]]:
    """Return the code of the statements that can run, and what the others need."""
    try:
        statements = [part for node in ast.parse(code).body for part in _single(node)]
    except SyntaxError:  # a magic command
        return "", frozenset({"IPython"})
    free, all_needs = [], frozenset[str]()
    for statement in statements:
        needs = frozenset[str]().union(
            *(needs_of(module, package) for module in _modules(statement)),
            *(_later_needs(package).get(name, ()) for name in _called(statement, names)),
            *(names[name][0] for name in _used(statement) if name in names),
        )
        value = statement.value if isinstance(statement, ast.Assign) else None
        symbols = _table(statement).get_symbols()
        bound = [s.get_name() for s in symbols if s.is_assigned() or s.is_imported()]
        names |= dict.fromkeys(bound, (needs, _text(value, {})))
        if needs:
            all_needs |= needs
        else:
            free.append(statement)
    if not all_needs:
        return code, all_needs
    return "\n".join(map(ast.unparse, free)), all_needs


def _single(node: ast.stmt) -> Iterator[ast.stmt]:
    """Part an import of several names into imports of one."""
    if isinstance(node, ast.Import):
        yield from (ast.Import([alias]) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (ast.ImportFrom(node.module, [alias], node.level) for alias in node.names)
    else:
        yield node


def _modules(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that a piece of code imports, and those whose exercises it checks."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.Call(func=ast.Name(id="check"), args=[ast.Constant(value=str(name)), *_]):
                exercise = find(name)  # its chapter's module imports what it needs when it needs it
                yield (isinstance(exercise, Exercise) and exercise.needs) or "companion.exercises"


def _called(tree: ast.AST, names: Names) -> Iterator[str]:
    """Yield the names of the functions and methods that a piece of code calls."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                yield name


def _text(value: ast.expr | None, names: Names) -> str | None:
    if isinstance(value, ast.Name) and value.id in names:
        return names[value.id][1]
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _table(node: ast.AST) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(node), "cell", "exec")


def _read(table: symtable.SymbolTable, is_top: bool = True) -> set[str]:
    """Return the names of the page that a piece of code reads, those in its functions too."""
    read = (symbol for symbol in table.get_symbols() if symbol.is_referenced())
    found = {symbol.get_name() for symbol in read if is_top or symbol.is_global()}
    return found.union(*(_read(child, False) for child in table.get_children()))


def _used(statement: ast.stmt) -> set[str]:
    """Return the names that a statement reads, but for those that it gives a value itself."""
    own: set[str] = set()
    for node in ast.walk(statement):
        match node:
            case ast.For(target=target) | ast.withitem(optional_vars=ast.expr() as target):
                own |= _names_in(target)
            case ast.Assign(targets=[target], value=value):
                own |= _names_in(target) - _names_in(value, ast.Load)
    return _read(_table(statement)) - own


def _names_in(tree: ast.AST, context: type[ast.expr_context] = ast.Store) -> set[str]:
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, context)}


def _name(cell: Cell, taken: dict[str, list[int]]) -> str:
    """Name a cell: an answer by its exercise, so that it survives a new wording of its stub."""
    match = re.search(r'check\("([\w.-]+)"', cell.code) if cell.is_stub else None
    name = match[1] if match else hashlib.sha256(cell.code.encode()).hexdigest()[:6]
    while name in taken:
        name += "+"
    return name


@functools.cache
def needs_of(module: str, package: Path) -> frozenset[str]:
    """Return what an import needs beyond the standard library and the companion."""
    found, seen, waiting = set[str](), set[Path](), [module]
    while waiting:
        top, *inner = waiting.pop().split(".")
        if top != package.name:
            found |= {top} - (sys.stdlib_module_names - NOT_IN_WEBASSEMBLY)
            continue
        for n in range(len(inner) + 1):  # a package is imported before its modules
            path = package.joinpath(*inner[:n])
            for source in {path / "__init__.py", path.with_suffix(".py")} - seen:
                seen.add(source)
                if source.is_file():
                    waiting += _imports(ast.parse(source.read_text(encoding="utf-8")))
    return frozenset(found)


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield what a module imports when it is imported itself: not in functions, not for types."""
    for node in tree.body:
        is_for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) and not is_for_types:
            yield from _modules(node)


@functools.cache
def _later_needs(package: Path) -> dict[str, frozenset[str]]:
    """Return what functions of the companion import when they are called, by their names."""
    found: dict[str, frozenset[str]] = {}
    for path in sorted([*package.glob("*.py"), *package.glob("bpe/*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                needs = [needs_of(m, package) for part in node.body for m in _modules(part)]
                needed = frozenset[str]().union(*needs) - {"tqdm"}  # for progress=True alone
                if needed:
                    found[node.name] = found.get(node.name, frozenset()) | needed
    return found


def write_python(root: Path, wheel: Path, folder: Path) -> tuple[int, int, str]:
    """Write what the worker loads, if it is new; return its bytes, the large file's, a version."""
    pyodide, runner = root / PYODIDE, root / "book" / "assets" / FOLDER / "runner.py"
    large = root / "companion" / "data" / LARGE
    folder.mkdir(parents=True, exist_ok=True)
    sources = {name: pyodide / name for name in (*PACKED, "python_stdlib.zip")}
    sources |= {"companion.whl": wheel, "runner.py": runner, LARGE: large}
    listing = folder / "files.json"
    old = json.loads(listing.read_text(encoding="ascii"))["files"] if listing.exists() else {}
    files, sizes, digest = {}, {}, hashlib.sha256()
    for name, source in sources.items():
        content = source.read_bytes()
        version = hashlib.sha256(content).hexdigest()
        digest.update(version.encode())
        is_packed = name in (*PACKED, LARGE)
        path = folder / (f"{name}.gz" if is_packed else name)
        files[name] = f"{path.name}?v={version[:12]}"
        if files[name] != old.get(name) or not path.exists():
            path.write_bytes(gzip.compress(content, 9, mtime=0) if is_packed else content)
        sizes[name] = path.stat().st_size
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    more = sizes.pop(LARGE)
    size, lock["packages"] = sum(sizes.values()), {}
    listed = {"files": files, "lock": lock, "size": size, "large": {"name": LARGE, "size": more}}
    listing.write_text(json.dumps(listed), encoding="ascii")
    return size, more, digest.hexdigest()[:8]


def build_wheel(root: Path, folder: Path) -> Path:
    """Build the companion's wheel for pages; the same checkout gives the same bytes."""
    from hatchling.builders.wheel import WheelBuilder

    builder = WheelBuilder(str(root))
    # No page can use trained vectors, which need torch, and few cells the vocabulary of GPT-4o.
    left_out = ["minilm.safetensors", LARGE]
    builder.target_config["exclude"] = [f"companion/data/{name}" for name in left_out]
    (path,) = builder.build(directory=str(folder), versions=["standard"])
    return Path(path)


def _write(app: Sphinx) -> None:
    app.ttv_run_here = None  # type: ignore[attr-defined]
    root = Path(app.srcdir)
    if app.builder.name != "html":
        return
    if not (root / PYODIDE / "package.json").exists():
        print("Without Pyodide (make book fetches it with npm) pages get no button Run here.")
        return
    static, assets = Path(app.outdir) / "_static" / FOLDER, root / "book" / "assets" / FOLDER
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(root, Path(folder))
        size, more, version = write_python(root, wheel, static / "files")
    scripts = b"".join((assets / name).read_bytes() for name in ("runs.js", "worker.js"))
    version += hashlib.sha256(scripts).hexdigest()[:4]
    (static / "version.txt").write_text(version, encoding="utf-8")
    app.ttv_run_here = f"{size / 1e6:.1f} MB", f"{more / 1e6:.1f} MB"  # type: ignore[attr-defined]


def _cells(doctree: nodes.document) -> list[Cell]:
    found = []
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") != "cell_code":
            continue
        source = next(node.findall(nodes.literal_block)).astext()
        above: Any = node.parent
        while above is not None and "solution" not in above.get("classes", []):
            above = above.parent
        found.append(Cell(source, "tag_stub" in node["classes"], above and id(above)))
    return found


def marked(body: str, plan: Plan, how: str, colab: str) -> str:
    """Put the names of the cells that can run into a page's HTML, and `how` under its title."""
    if len(_CELL.findall(body)) != len(plan.names):
        raise ExtensionError(f"{len(plan.names)} cells, but {len(_CELL.findall(body))} in the HTML")
    cells = iter(zip(plan.names, plan.needs, strict=True))

    def mark(match: re.Match[str]) -> str:
        name, needs = next(cells)
        if name:
            return f'<div data-run="{escape(name)}" class="cell '
        tags = body[match.end() : body.index('"', match.end())]
        if "tag_stub" not in tags:
            return match[0]
        package = "torch" if "torch" in needs else min(needs)
        text = f"needs {escape(package)}, which does not run in the page: answer it in {colab}."
        return f'<p class="ttv-run-elsewhere">This exercise {text}</p>\n{match[0]}'

    body = _CELL.sub(mark, body)
    return _TITLE.sub(lambda title: title.group() + how, body, count=1) if plan.before else body


def _with_large(cells: Sequence[Cell], plan: Plan, package: Path) -> Iterator[str]:
    """Yield the names of the cells for which the large file is needed, by them or before them."""

    def needs(code: str) -> bool:
        checkers = (name for name in _modules(ast.parse(code)) if ".exercises." in name)
        paths = [package / "exercises" / f"{name.rpartition('.')[2]}.py" for name in checkers]
        texts = [path.read_text(encoding="utf-8") for path in paths if path.is_file()]
        return any(Path(LARGE).stem in text for text in (code, *texts))

    large = {i for i, piece in enumerate(plan.pieces) if needs(piece)}
    for cell, name in zip(cells, plan.names, strict=True):
        if name and (needs(cell.code) or large.intersection(plan.before[name])):
            yield escape(name)


def _add(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    sizes: tuple[str, str] | None = app.ttv_run_here  # type: ignore[attr-defined]
    if sizes is None or doctree is None or not (cells := _cells(doctree)):
        return
    package = Path(app.srcdir) / "companion"
    plan = plan_of(cells, package)
    url = app.config.publication.colab_url(posixpath.basename(pagename) + ".ipynb")
    colab = f'<a href="{escape(url)}">Colab</a>' if url else "Colab"
    content = json.dumps({"pieces": plan.pieces, "before": plan.before})
    version = hashlib.sha256(content.encode()).hexdigest()[:8]
    name = f"plans/{pagename.replace('/', '-')}.json"
    how = (
        f'<p class="ttv-run-how" data-page="{escape(pagename)}" data-plan="{name}?v={version}" '
        f'data-large="{" ".join(_with_large(cells, plan, package))}" data-more="{sizes[1]}">'
        "<em>Run here</em> runs a cell in the page. "
        f'<span class="ttv-run-size">The first run loads Python ({sizes[0]}). </span>'
        "What you type stays in this browser.</p>\n"
        '<noscript><p class="ttv-run-elsewhere">Without scripts the cells do not run in this page. '
        f"They do in {colab}.</p></noscript>\n"
    )
    context["body"] = marked(context["body"], plan, how, colab)
    app.add_css_file(f"{FOLDER}/page.css")
    if plan.before:
        path = Path(app.outdir) / "_static" / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        app.add_js_file(f"{FOLDER}/page.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("builder-inited", _write)
    app.connect("html-page-context", _add)
