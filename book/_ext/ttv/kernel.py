"""Run the chapters the same on every machine, and again when the package has changed.

A cell with a label, `:live: NAME`, is followed by one that nobody sees: it says what the live
figure of that name needs (`live_states`).
"""

import json
import os
import sys
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
from sphinx.errors import ExtensionError

from ttv.exercises import with_stubs
from ttv.uses import STATES, states_of

# The kernel reads its settings from a folder of our own: errors print as one line, without the
# paths of this machine, no startup file has a say, and a chapter that asks for the network fails.
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

KEPT = 20  # runs of each chapter, some 6 MB
# An expression, which leaves no names behind.
ASK = """print(__import__("json").dumps(
    __import__("runpy").run_path({file!r})["STATES"][{label!r}](globals())))"""


def source_of(env: Any, page: str, source: str) -> str:
    """Return the source of a page as it is run: with its stubs, and with its state in its head."""
    # MyST-NB knows nothing of what cells import, but its cache knows a run by its cells and by
    # what the head says of the kernel. So the head gets a name that changes with all else.
    head = f'\nkernelspec:\n  state: "{env.ttv_states[page]}"\n'
    return with_stubs(source, page).replace("\nkernelspec:\n", head, 1)


def _configure(app: Sphinx, config: Config) -> None:
    build = Path(app.outdir).parent
    config.nb_execution_cache_path = str(build / ".jupyter_cache")
    settings = build / "ipython" / "profile_default" / "ipython_kernel_config.py"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(SETTINGS, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(build / "ipython")


def _changed(app: Sphinx, env: Any, *_: set[str]) -> list[str]:
    root, old = Path(app.srcdir), getattr(env, "ttv_states", {})
    env.ttv_states = states_of(root, env.found_docs, sys.version + SETTINGS)
    changed = [page for page, state in env.ttv_states.items() if old.get(page) != state]
    # A build copies style sheets and scripts, but Sphinx builds only where a page has changed.
    assets = [(str(path), path.stat().st_mtime) for path in root.glob("book/assets/**/*.*")]
    old_assets, env.ttv_assets = getattr(env, "ttv_assets", None), sorted(assets)
    return changed or [app.config.root_doc] * (env.ttv_assets != old_assets)


def run_changed(app: Sphinx, env: Any, names: list[str]) -> None:
    """Fill the cache, from which MyST-NB takes all it needs."""
    # What has changed runs here, a chapter a processor; earlier states stay in the cache, so that
    # undoing runs none.
    cache, chapters = get_cache(app.config.nb_execution_cache_path), dict[str, NotebookNode]()
    live = env.ttv_live = getattr(env, "ttv_live", {})
    for name in names:
        source = Path(env.doc2path(name)).read_text(encoding="utf-8")
        notebook = read_myst_markdown_notebook(source_of(env, name, source))
        if not any(cell.cell_type == "code" for cell in notebook.cells):
            continue
        if "state" not in notebook.metadata.get("kernelspec", {}):
            raise ExtensionError(f"{name}.md: a page with cells needs a kernelspec in its head")
        try:
            live[name] = cache.match_cache_notebook(notebook).data["live"]
        except KeyError:
            chapters[name] = notebook

    def run(name: str) -> dict[str, Any]:
        cells, states = chapters[name].cells, {}
        labels = [(i, c.metadata["live"]) for i, c in enumerate(cells) if "live" in c.metadata]
        for i, label in reversed(labels):
            cells.insert(i + 1, new_code_cell(ASK.format(file=str(STATES), label=label)))
        options = {"timeout": app.config.nb_execution_timeout, "record_timing": False}
        nbclient.execute(chapters[name], str(Path(env.doc2path(name)).parent), **options)
        for i, label in labels:
            states[label] = json.loads(cells.pop(i + 1).outputs[0].text)
        return states

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        runs = {name: pool.submit(run, name) for name in chapters}
    for name in [name for name, done in runs.items() if not done.exception()]:
        live[name] = runs[name].result()
        bundle = CacheBundleIn(chapters[name], name, data={"live": live[name]})
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        records = [record for record in cache.list_cache_records() if record.uri == name]
        for record in sorted(records, key=lambda record: record.accessed)[:-KEPT]:
            cache.remove_cache(record.pk)
    if faults := [f"{name}.md: {e}" for name, done in runs.items() if (e := done.exception())]:
        raise ExtensionError("\n".join(faults))


def _prepare(app: Sphinx, page: str, text: list[str]) -> None:
    text[0] = source_of(app.env, page, text[0])


def setup(app: Sphinx) -> None:
    app.connect("config-inited", _configure)
    app.connect("env-get-outdated", _changed)
    app.connect("env-before-read-docs", run_changed)
    app.connect("source-read", _prepare)
