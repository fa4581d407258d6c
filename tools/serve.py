"""Serve the built book as GitHub Pages would.

    python tools/serve.py        # or another port than 8000: python tools/serve.py 8001

An unknown address is answered with the book's own page for that, and a site that was built to be
published under ``/repository/`` is found under that path too.
"""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SITE = Path(__file__).parents[1] / "_build" / "html"
NOT_FOUND = "404.html"


def prefix_of(site: Path) -> str:
    """Path under which a site expects to be served: its page for unknown addresses has to know."""
    page = (site / NOT_FOUND).read_text(encoding="utf-8")
    (prefix,) = re.findall(r'data-content_root="(/[^"]*)"', page)
    return str(prefix)


class SiteServer(ThreadingHTTPServer):
    """A server of one site on this machine; port 0 is any that is free."""

    # On Windows it would let a second server take the port of the first.
    allow_reuse_address = sys.platform != "win32"

    def __init__(self, site: Path, port: int = 0) -> None:
        self.site, self.prefix = site, prefix_of(site)
        super().__init__(("127.0.0.1", port), SiteHandler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a browser that has closed while it was being answered."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def address(self) -> str:
        """Where the book is, without a slash at the end."""
        return f"http://127.0.0.1:{self.server_port}{self.prefix.rstrip('/')}"


class SiteHandler(SimpleHTTPRequestHandler):
    """Answer one request."""

    server: SiteServer
    protocol_version = "HTTP/1.1"

    def __init__(self, request: Any, client_address: Any, server: SiteServer) -> None:
        page = (server.site / NOT_FOUND).read_text(encoding="utf-8")
        self.error_message_format = page.replace("%", "%%")
        super().__init__(request, client_address, server, directory=server.site)

    def translate_path(self, path: str) -> str:
        """Path of the file at an address."""
        return super().translate_path(f"/{path.removeprefix(self.server.prefix)}")

    def list_directory(self, path: object) -> None:
        """Answer as if a folder without a page were not there."""
        self.send_error(404)

    def guess_type(self, path: Any) -> str:
        """Name the encoding of text, which a browser does not know by itself."""
        kind = super().guess_type(path)
        return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind

    def end_headers(self) -> None:
        """Let a browser keep what it has for ten minutes, as on GitHub Pages."""
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def serve(site: Path) -> Iterator[SiteServer]:
    """Serve a site while the block runs."""
    with SiteServer(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def main(port: int = 8000) -> None:
    """Serve the built book until the reader stops it."""
    try:
        server = SiteServer(SITE, port)
    except FileNotFoundError as error:
        raise SystemExit("the book is not built: run `make book` first") from error
    except OSError as error:
        problem = f"Port {port}: {error.strerror}."
        raise SystemExit(f"{problem} Choose another: make serve PORT=8001") from error
    with server:
        print(f"The book: {server.address}/", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
