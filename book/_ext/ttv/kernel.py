"""Run the chapters the same on every machine, and again when the package has changed.

The kernel reads its settings from a folder of our own rather than from the user's: errors print as
one line, without the frames and paths of this machine, no startup file has a say, and a chapter
that asks for the network fails.

MyST-NB runs a chapter again when its cells change, and knows nothing of what they import. So its
results are kept in a folder with a name that changes with the package and the environment. It runs
chapters one after the other; what has changed runs here before, a chapter on each processor.
"""

import hashlib
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbclient
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

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

connect = socket.socket.connect


def connect_here(self, address):
    """Let a connection through if it stays on this machine."""
    host = address[0] if isinstance(address, tuple) else "localhost"  # a path: no network at all
    if host not in {"localhost", "127.0.0.1", "::1"}:
        raise OSError(f"a chapter must run without a network, but asks for {address}")
    return connect(self, address)


socket.socket.connect = connect_here
'''


def state_of(root: Path) -> str:
    """Return a name that changes with the package, its data and the environment."""
    digest = hashlib.sha256((sys.version + SETTINGS).encode())
    files = [path for path in (root / "companion").rglob("*") if path.is_file()]
    for path in [root / "requirements.txt", *sorted(files)]:
        if path.suffix != ".pyc" and path.exists():
            digest.update(f"{path.relative_to(root).as_posix()} ".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


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


def _run_changed(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    """Fill the cache. MyST-NB runs what fails here again, and reports it."""
    cache = get_cache(app.config.nb_execution_cache_path)
    chapters: dict[Path, NotebookNode] = {}
    for name in names:
        path = Path(env.doc2path(name))
        notebook = read_myst_markdown_notebook(with_stubs(path.read_text(encoding="utf-8"), name))
        if any(cell.cell_type == "code" for cell in notebook.cells):
            try:
                cache.match_cache_notebook(notebook)
            except KeyError:
                chapters[path] = notebook

    def run(path: Path) -> float:
        start = time.perf_counter()
        options = {"timeout": app.config.nb_execution_timeout, "record_timing": False}
        nbclient.execute(chapters[path], str(path.parent), **options)
        return time.perf_counter() - start

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        runs = {path: pool.submit(run, path) for path in chapters}
    for path, done in runs.items():
        if not done.exception():
            data = {"execution_seconds": done.result()}  # the page says them
            bundle = CacheBundleIn(chapters[path], str(path), data=data)
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.connect("config-inited", _configure)
    app.connect("env-before-read-docs", _run_changed)
