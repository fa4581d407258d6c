"""`make live` builds what is saved, and the browser shows it."""

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]


def wait_for_server(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("localhost", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return


@pytest.mark.slow
@pytest.mark.outside_mutation
def test_an_open_page_shows_what_is_saved(tmp_path: Path, browser: Browser) -> None:
    """On a book of one page: how much a change of the real one builds is tested elsewhere."""
    for folder in ("benchmarks/results", "book", "companion", "tools"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "live.py", tmp_path / "tools")
    (tmp_path / "_config.yml").write_text("title: A book\nonly_build_toc_files: true\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/index\n")
    page = tmp_path / "book" / "index.md"
    page.write_text("# A page\n\nThe first text.\n")
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(tmp_path / "tools" / "live.py"), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as live:
        try:
            assert live.stdout is not None
            address = next(line.split()[-1] for line in live.stdout if "The book: " in line)
            wait_for_server(port)
            window = browser.new_page()
            window.goto(f"{address}book/index.html")
            window.get_by_text("The first text.").wait_for()
            page.write_text("# A page\n\nThe second text.\n")
            window.get_by_text("The second text.").wait_for(timeout=300_000)
            window.close()
        finally:
            live.terminate()
