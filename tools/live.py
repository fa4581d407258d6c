"""Serve the book while you write: each saved file is built, and the browser shows the new page.

    python tools/live.py [PORT]

sphinx-autobuild watches the files and reloads the browser; `jupyter-book` builds, as `make book`
does, only what has changed. A build with an error leaves the page as it was.

Each build is a process of its own, so that it sees changed extensions and modules. Where processes
can be forked, it comes from one that has loaded the libraries already: to load them takes longer
than the rest of a build of one page. After an update of the libraries, start this program again.
"""

import asyncio
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import uvicorn
import watchfiles
from sphinx_autobuild.filter import IgnoreFilter
from sphinx_autobuild.middleware import JavascriptInjectorMiddleware
from sphinx_autobuild.server import RebuildServer
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"
WATCHED = ["_config.yml", "_toc.yml", "benchmarks/results", "book", "companion"]
IGNORED = ["book/notebooks"]
BUILD = ["build", str(ROOT), "-W", "-n", "--keep-going", "--quiet"]
HOST = "localhost"
LIBRARIES = [
    "jupyter_book.cli.main", "jupyter_book.sphinx", "matplotlib.pyplot", "myst_nb.sphinx_ext",
    "PIL.PngImagePlugin", "sphinx.builders.html", "sphinx_autobuild.server", "sphinx_book_theme",
    "sphinxcontrib.bibtex", "uvicorn",
]  # fmt: skip
"""What takes long to load, and nothing of the book: a build must see that as it is now."""


def run_build() -> None:
    """Build the book as `jupyter-book` does, and end the process with its exit code."""
    from jupyter_book.cli.main import main  # type: ignore[import-untyped]

    os.chdir(ROOT)
    main(BUILD)


def build(changed_paths: Sequence[Path] = ()) -> None:
    """Build what has changed."""
    for path in changed_paths:
        print(f"Changed: {path}", flush=True)
    process = multiprocessing.Process(target=run_build)
    process.start()
    process.join()
    print("Built." if process.exitcode == 0 else "Not built: see above.", flush=True)


class Rebuilder(RebuildServer):  # type: ignore[misc]
    """Builds without a copy of this process for each change, which could fork no builds."""

    async def watch(self) -> None:
        """Build after each change, and have the browsers reload."""
        changes = watchfiles.awatch(*self.paths, watch_filter=lambda _, path: not self.ignore(path))
        async for changed in changes:
            await asyncio.to_thread(build, sorted(Path(path) for _, path in changed))
            self.flag.set()


def application(port: int) -> Starlette:
    """Make the application that serves the site and tells browsers when to reload."""
    ignored = IgnoreFilter([str(ROOT / path) for path in IGNORED], [r"__pycache__", r"\.pyc$"])
    watcher = Rebuilder([ROOT / path for path in WATCHED], ignored, change_callback=build)
    return Starlette(
        routes=[
            WebSocketRoute("/websocket-reload", watcher, name="reload"),
            Mount("/", app=StaticFiles(directory=SITE, html=True), name="static"),
        ],
        middleware=[Middleware(JavascriptInjectorMiddleware, ws_url=f"{HOST}:{port}")],
        lifespan=watcher.lifespan,
    )


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
    multiprocessing.set_start_method("spawn" if sys.platform == "win32" else "forkserver")
    multiprocessing.set_forkserver_preload(LIBRARIES)
    build()
    SITE.mkdir(parents=True, exist_ok=True)  # an error may have come before any page
    print(f"The book: http://{HOST}:{port}/", flush=True)
    uvicorn.run(application(port), host=HOST, port=port, log_level="warning")
