"""Run the chapters side by side, and each only when its cells or what they import have changed.

jupyter-cache knows a notebook by its cells and its kernel. While Sphinx reads a chapter, the name
of its kernel gets a number that changes with the modules of the companion that the chapter imports,
directly or through others, with the package's data, and with the environment. So a change in a
module runs only the chapters that use it. The number appears in no product.
"""

import ast
import hashlib
import os
import re
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader, is_myst_markdown_notebook
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from ttv.api import code_cells, used_names
from ttv.kernel import LIBRARIES, ORIGINAL, SETTINGS

ROOT = Path(__file__).parents[3]
_KERNEL = re.compile(r"^  display_name: .*", re.MULTILINE)


@cache
def imports(path: Path, root: Path) -> frozenset[Path]:
    """Return the modules of the companion that a file imports, anywhere in it."""
    return files_of(imported_names(path.read_text(encoding="utf-8")), root)


def imported_names(code: str) -> set[str]:
    """Return the full names that code imports, with the modules they come from.

    Examples
    --------
    >>> sorted(imported_names("from companion.bpe import gpt2"))
    ['companion.bpe', 'companion.bpe.gpt2']
    """
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def files_of(names: Iterable[str], root: Path) -> frozenset[Path]:
    """Return the files of those names that are modules or packages; parents are imported too."""
    found = set()
    for name in names:
        path = root.joinpath(*name.split("."))
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                found |= {file, *(p / "__init__.py" for p in file.parents if p.is_relative_to(
                    root / "companion"))}  # fmt: skip
    return frozenset(found)


def modules_of(source: str, page: str, root: Path) -> list[Path]:
    """Return the modules that a chapter, with its stubs, needs, directly or through others."""
    cells = code_cells(source, page)
    figures = {f: f"companion.plots.{p.stem}" for p in (root / "companion/plots").glob("[!_]*.py")
               for f in _figures(p)}  # fmt: skip
    used = used_names(cells, {f"companion.plots.{name}": figures[name] for name in figures})
    # `check` finds a chapter's exercises by the chapter's name.
    checked = re.findall(r"""\bcheck\(\s*["']([\w-]+)\.""", "\n".join(cells))
    exercises = [f"companion.exercises.{name.replace('-', '_')}" for name in checked]
    names = imported_names("\n".join(cells))
    waiting = set(files_of({*names, *used, *exercises}, root))
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= imports(path, root) - found
    return sorted(found)


@cache
def _figures(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


@cache
def digest(path: Path) -> str:
    """Return what tells a file from any other content of it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_of(paths: Iterable[Path], *more: str) -> str:
    """Return what tells the content of files from any other."""
    # By their place in the book: a copy of the book elsewhere is the same book.
    named = {path.relative_to(ROOT).as_posix(): digest(path) for path in paths}
    text = "\n".join([*(f"{name} {named[name]}" for name in sorted(named)), *more])
    return hashlib.sha256(text.encode()).hexdigest()


def data_files(root: Path) -> list[Path]:
    """Return the data files of the companion; which module reads which is not followed."""
    return [path for path in (root / "companion" / "data").rglob("*") if path.is_file()]


def _add_number(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the number into the name of the kernel: no line is added, so messages stay right."""
    if not is_myst_markdown_notebook(source[0]):
        return
    root = Path(app.srcdir)
    modules = modules_of(source[0], docname, root)
    files = [*modules, *data_files(root), root / "requirements.txt"]
    for path in files:
        app.env.dependencies[docname].add(str(path))
    number = digest_of(files, sys.version, SETTINGS, ORIGINAL, *LIBRARIES)
    source[0], n_found = _KERNEL.subn(rf"\g<0> {number}", source[0], count=1)
    if not n_found:
        raise ExtensionError(f"{docname}: a chapter needs kernelspec: display_name in its head")


def _run(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Run the chapters that are not in the cache, as many at a time as there are processors.

    One that fails is left to myst-nb, which runs it again and reports the cell.
    """
    config = env.mystnb_config  # type: ignore[attr-defined]
    if config.execution_mode != "cache":
        return
    store = get_cache(config.execution_cache_path)
    waiting = {}
    for docname in docnames:
        path = env.doc2path(docname)
        source = [Path(path).read_text(encoding="utf-8")]
        if not is_myst_markdown_notebook(source[0]):
            continue
        app.events.emit("source-read", docname, source)
        reader = create_nb_reader(path, env.myst_config, config, source[0])  # type: ignore[attr-defined]
        assert reader is not None
        notebook = reader.read(source[0])
        try:
            store.match_cache_notebook(notebook)
        except KeyError:
            waiting[path] = notebook
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {
            path: pool.submit(single_nb_execution, notebook, os.path.dirname(path),
                              config.execution_timeout, config.execution_allow_errors)
            for path, notebook in waiting.items()
        }  # fmt: skip
        for path, run in runs.items():
            result = run.result()
            if result.err is None:
                data = {"execution_seconds": result.time}
                bundle = CacheBundleIn(result.nb, path, data=data)
                store.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    for function in (imports, _figures, digest):
        function.cache_clear()  # files may have changed since the last build of this process
    app.connect("source-read", _add_number, priority=900)  # after the stubs
    app.connect("env-before-read-docs", _run)
