"""Serve the built book as GitHub Pages would.

    python tools/serve.py        # or another port than 8000: python tools/serve.py 8001

Text goes out compressed, an unknown address is answered with the book's own page for that, and a
site that was built to be published under ``/repository/`` is found under that path; ``/`` leads
there.
"""

import gzip
import http.server
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parents[1] / "_build" / "html"
NOT_FOUND = "404.html"
TEXT = {".css", ".html", ".ipynb", ".js", ".json", ".md", ".svg", ".txt", ".xml"}
"""Endings of files that are sent compressed; fonts and pictures are compressed already."""


def prefix_of(site: Path) -> str:
    """Path under which a site expects to be served, with a slash at both ends.

    Its page for unknown addresses, which may be shown at any depth, has to know.
    """
    page = (site / NOT_FOUND).read_text(encoding="utf-8")
    (prefix,) = re.findall(r'data-content_root="(/[^"]*)"', page)
    return str(prefix)


class SiteServer(http.server.ThreadingHTTPServer):
    """A server of one site on this machine; port 0 is any that is free."""

    daemon_threads = True
    # On Windows it would let a second server take the port of the first.
    allow_reuse_address = sys.platform != "win32"

    def __init__(self, site: Path, port: int = 0) -> None:
        self.site = site.resolve()
        self.prefix = prefix_of(site)
        super().__init__(("127.0.0.1", port), SiteHandler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a browser that has closed while it was being answered."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def address(self) -> str:
        """Where the book is, without a slash at the end."""
        return f"http://127.0.0.1:{self.server_port}{self.prefix.rstrip('/')}"

    def find(self, url: str) -> Path | None:
        """Path of the file at an address; None if there is none."""
        try:
            path = unquote(urlsplit(url).path)
            found = (self.site / path.removeprefix(self.prefix)).resolve()
            if found.is_dir() and path.endswith("/"):
                found /= "index.html"
            inside = path.startswith(self.prefix) and found.is_relative_to(self.site)
            return found if inside and found.is_file() else None
        except (OSError, ValueError):  # `http://[`, `%00`, a name that is too long for the disk
            return None


class SiteHandler(http.server.SimpleHTTPRequestHandler):
    """Answer one request."""

    server: SiteServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send a file, or for HEAD what there is to say of it."""
        prefix = self.server.prefix
        if prefix != "/" and self.path.partition("?")[0] in ("/", prefix.rstrip("/")):
            self.send_response(HTTPStatus.FOUND)
            self.send_header("Location", prefix)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        found = self.server.find(self.path)
        path = found or self.server.site / NOT_FOUND
        compressed = path.suffix in TEXT and "gzip" in self.headers.get("Accept-Encoding", "")
        content = gzip.compress(path.read_bytes(), 6) if compressed else path.read_bytes()
        self.send_response(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND)
        kind = self.guess_type(path)
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if path.suffix in TEXT else kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Last-Modified", formatdate(path.stat().st_mtime, usegmt=True))
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Vary", "Accept-Encoding")
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815

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
    except (OSError, OverflowError) as error:
        problem = error.strerror if isinstance(error, OSError) else "the last one is 65535"
        raise SystemExit(f"Port {port}: {problem}. Choose another: make serve PORT=8001") from error
    with server:
        print(f"The book: {server.address}/", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
