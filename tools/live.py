"""Serve the book while you write: each saved file is built, and the browser shows the new page.

    python tools/live.py [PORT]

sphinx-autobuild watches the files and reloads the browser; `jupyter-book` builds, as `make book`
does, only what has changed. A build with an error leaves the page as it was.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import uvicorn
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
BUILD = [str(Path(sys.executable).with_name("jupyter-book")), "build", str(ROOT),
         "-W", "-n", "--keep-going", "--quiet"]  # fmt: skip
HOST = "localhost"


def build(changed_paths: Sequence[Path] = ()) -> None:
    """Build what has changed."""
    for path in changed_paths:
        print(f"Changed: {path}", flush=True)
    done = subprocess.run(BUILD, check=False, cwd=ROOT)
    print("Built." if done.returncode == 0 else "Not built: see above.", flush=True)


def application(port: int) -> Starlette:
    """Make the application that serves the site and tells browsers when to reload."""
    ignored = IgnoreFilter([str(ROOT / path) for path in IGNORED], [r"__pycache__", r"\.pyc$"])
    watcher = RebuildServer([ROOT / path for path in WATCHED], ignored, change_callback=build)
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
    build()
    SITE.mkdir(parents=True, exist_ok=True)  # an error may have come before any page
    print(f"The book: http://{HOST}:{port}/", flush=True)
    uvicorn.run(application(port), host=HOST, port=port, log_level="warning")
