"""Run the chapters the same on every machine, and again when the package has changed.

The kernel reads its settings from a folder of our own: errors print as one line, without the paths
of this machine, no startup file has a say, and a chapter that asks for the network fails.

MyST-NB knows nothing of what cells import. So its results are kept in a folder with a name that
changes with the environment and what all chapters share of the package, and each with the state of
the figures and exercises that its page uses. What has changed runs here, a chapter a processor.

A cell with a label, `:live: NAME`, is followed by one that nobody sees: it says what the live
figure of that name needs (`live_states`).
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbclient
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from sphinx.application import Sphinx
from sphinx.config import Config

from ttv.exercises import with_stubs

SETTINGS = '''\
"""Settings of the kernel that runs the chapters; written by book/_ext/ttv/kernel.py."""
import socket

from ipykernel.iostream import OutStream

# What a cell prints arrives in one piece when it ends, however long it takes.
OutStream.flush_interval = 3600

c.InteractiveShell.xmode = "Minimal"
c.InteractiveShell.colors = "nocolor"
c.HistoryManager.enabled = False
c.Application.log_level = "ERROR"
c.InlineBackend.figure_formats = {"retina"}  # two pixels for each one of the page

connect = socket.socket.connect


def connect_here(self, address):
    host = address[0] if isinstance(address, tuple) else "localhost"  # a path: no network at all
    if host not in {"localhost", "127.0.0.1", "::1"}:
        raise OSError(f"a chapter must run without a network, but asks for {address}")
    return connect(self, address)


socket.socket.connect = connect_here
'''


STATES = Path(__file__).with_name("live_states.py")
ASK = """print(__import__("json").dumps(
    __import__("runpy").run_path({file!r})["STATES"][{label!r}](globals())))"""
"""An expression, which leaves no names behind."""


def state_of(root: Path, page: str | None = None) -> str:
    """Return a name that changes with what all chapters share of the package.

    For a page such as ``book/words`` with the rest: the figures and exercises of its chapter, and
    those of others that it uses. A page without code may list all.
    """
    package = root / "companion"
    own = {path for part in ("plots", "exercises") for path in package.glob(f"{part}/[!_]*.py")}
    if page is None:
        digest = hashlib.sha256((sys.version + SETTINGS + STATES.read_text("utf-8")).encode())
        files = {root / "requirements.txt", *package.rglob("*")} - own
    else:
        digest, source = hashlib.sha256(), (root / f"{page}.md").read_text(encoding="utf-8")
        is_free = "{code-cell}" not in source
        files = {path for path in own if is_free or _uses(source, path, page.split("/")[-1])}
    for path in sorted(files):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(f"{path.relative_to(root).as_posix()} ".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _uses(source: str, path: Path, chapter: str) -> bool:
    name = path.stem.replace("_", "-")
    figures = re.findall(r"^def (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    asked = {*re.findall(r"\bplots\.(\w+)", source), *re.findall(r'\bcheck\("([\w-]+)\.', source)}
    return name == chapter or not asked.isdisjoint({name, *figures})


def _configure(app: Sphinx, config: Config) -> None:
    build, state = Path(app.outdir).parent, state_of(Path(app.srcdir))
    for old in (build / ".jupyter_cache").glob("*"):
        if old.name != state:
            shutil.rmtree(old, ignore_errors=True)
    # A new value has Sphinx read all pages again, so that all chapters run.
    config.nb_execution_cache_path = str(build / ".jupyter_cache" / state)

    profile = build / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(SETTINGS, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(build / "ipython")


def _changed(app: Sphinx, env: Any, *_: set[str]) -> list[str]:
    root, old = Path(app.srcdir), getattr(env, "ttv_states", {})
    env.ttv_states = {page: state_of(root, page) for page in env.found_docs}
    return [page for page, state in env.ttv_states.items() if old.get(page) != state]


def _run_changed(app: Sphinx, env: Any, names: list[str]) -> None:
    """Fill the cache. MyST-NB runs what fails here again, and reports it."""
    cache, chapters = get_cache(app.config.nb_execution_cache_path), dict[str, NotebookNode]()
    live = env.ttv_live = getattr(env, "ttv_live", {})
    for name in names:
        source = Path(env.doc2path(name)).read_text(encoding="utf-8")
        notebook = read_myst_markdown_notebook(with_stubs(source, name))
        if not any(cell.cell_type == "code" for cell in notebook.cells):
            continue
        with contextlib.suppress(KeyError):
            record = cache.match_cache_notebook(notebook)
            if record.data.get("state") == env.ttv_states[name]:
                live[name] = record.data["live"]
                continue
            cache.remove_cache(record.pk)
        chapters[name] = notebook

    def run(name: str) -> dict[str, Any]:
        start, cells, states = time.perf_counter(), chapters[name].cells, {}
        labels = [(i, c.metadata["live"]) for i, c in enumerate(cells) if "live" in c.metadata]
        for i, label in reversed(labels):
            cells.insert(i + 1, new_code_cell(ASK.format(file=str(STATES), label=label)))
        options = {"timeout": app.config.nb_execution_timeout, "record_timing": False}
        nbclient.execute(chapters[name], str(Path(env.doc2path(name)).parent), **options)
        for i, label in labels:
            states[label] = json.loads(cells.pop(i + 1).outputs[0].text)
        seconds = time.perf_counter() - start  # the page says them
        return {"execution_seconds": seconds, "state": env.ttv_states[name], "live": states}

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        runs = {name: pool.submit(run, name) for name in chapters}
    for name, done in runs.items():
        if not done.exception():
            bundle = CacheBundleIn(chapters[name], env.doc2path(name), data=done.result())
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            live[name] = done.result()["live"]


def setup(app: Sphinx) -> None:
    app.connect("config-inited", _configure)
    app.connect("env-get-outdated", _changed)
    app.connect("env-before-read-docs", _run_changed)
