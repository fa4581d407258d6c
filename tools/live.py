"""Serve the book while you write: each saved file is built, and the browser shows the new page.

    python tools/live.py [PORT]

sphinx-autobuild reloads the browser; `jupyter-book` builds, as `make book` does, only what has
changed. A build with an error leaves the page as it was.

Each build is a process of its own, so that it sees changed extensions and modules. Where processes
can be forked, it comes from one that has loaded the libraries already. After a build, the process
of the next one begins at once, and waits for the text of a page: all else takes as long as that.
After an update of the libraries, start this program again.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import soupsieve
import uvicorn
import watchfiles
from sphinx_autobuild.middleware import JavascriptInjectorMiddleware
from sphinx_autobuild.server import RebuildServer
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
WATCHED = ["_config.yml", "_toc.yml", "benchmarks/results", "book", "companion"]
IGNORED = watchfiles.DefaultFilter(ignore_paths=[ROOT / "book" / "notebooks"])
BUILD = ["build", str(ROOT), "-W", "-n", "--keep-going", "--quiet"]
HOST = "localhost"
LIBRARIES = [
    "jupyter_book.cli.main", "jupyter_book.sphinx", "matplotlib.pyplot", "myst_nb.sphinx_ext",
    "PIL.PngImagePlugin", "sphinx.builders.html", "sphinx_autobuild.server", "sphinx_book_theme",
    "sphinxcontrib.bibtex", "uvicorn",
]  # fmt: skip
"""What takes long to load, and nothing of the book: a build must see that as it is now."""


def run_build(word: Connection) -> None:
    """Build the book as `jupyter-book` does when the word comes; end with its exit code."""
    from jupyter_book.cli.main import main  # type: ignore[import-untyped]
    from sphinx.application import Sphinx

    build = Sphinx.build

    def build_when_told(app: Any, *arguments: Any) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        soupsieve.compile("p")  # what the theme uses, and what takes long the first time
        try:
            word.recv()
        except EOFError:  # `make live` has ended
            os._exit(0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        build(app, *arguments)

    Sphinx.build = build_when_told  # type: ignore[assignment, method-assign]
    os.chdir(ROOT)
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (what is wrong comes on stderr)
    main(BUILD)


class Builder:
    """Builds what has changed, and prepares the next build."""

    def __init__(self) -> None:
        self.prepare()

    def prepare(self) -> None:
        """Start a process that is ready to build; one that waits already ends."""
        hears, self.word = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.Process(target=run_build, args=(hears,))
        self.process.start()
        hears.close()

    def build(self, changed_paths: Sequence[Path] = ()) -> None:
        """Build what has changed."""
        for path in changed_paths:
            print(f"Changed: {path}", flush=True)
        if not all(map(is_page, changed_paths)) or not self.process.is_alive():
            self.prepare()
        with suppress(OSError):  # it has failed already
            self.word.send(None)
        self.process.join()
        print("Built." if self.process.exitcode == 0 else "Not built: see above.", flush=True)
        if self.process.exitcode == 0:
            self.prepare()


def is_page(path: Path) -> bool:
    """Whether a file is a page that has been built: a build may be prepared before it changes."""
    page = SITE / path.relative_to(ROOT).with_suffix(".html")
    return path.suffix == ".md" and path.exists() and page.exists()


class Rebuilder(RebuildServer):  # type: ignore[misc]
    """Builds without a copy of this process for each change, which could fork no builds."""

    async def watch(self) -> None:
        """Build after each change, and have the browsers reload."""
        async for changed in watchfiles.awatch(*self.paths, watch_filter=self.ignore):
            paths = sorted(Path(path) for _, path in changed)
            await asyncio.to_thread(self.change_callback, paths)
            self.flag.set()


def application(port: int, builder: Builder) -> Starlette:
    """Make the application that serves the site and tells browsers when to reload."""
    watcher = Rebuilder([ROOT / path for path in WATCHED], IGNORED, builder.build)
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
    builder = Builder()
    builder.build()
    SITE.mkdir(parents=True, exist_ok=True)  # an error may have come before any page
    print(f"The book: http://{HOST}:{port}/", flush=True)
    uvicorn.run(application(port, builder), host=HOST, port=port, log_level="warning")
    builder.word.close()
