"""WebKit, the engine of Safari, through WebDriver: the few commands that the tests need."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

DRIVER, SCREEN = map(shutil.which, ("WebKitWebDriver", "Xvfb"))
BROWSER = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), None)
MISSING = "no WebKit: install webkit2gtk-driver and xvfb"


class WebKit:
    """A window of the browser."""

    def __init__(self, driver: str, processes: int) -> None:
        self._url, self._processes = driver, processes
        options = {"binary": str(BROWSER), "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        session = self._ask("POST", "/session", {"capabilities": wanted})["sessionId"]
        self._url += f"/session/{session}"

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self._url + path, data, method=method), timeout=120) as answer:
            return json.load(answer)["value"]

    def go(self, url: str) -> None:
        """Open a page and wait until it is loaded."""
        self._ask("POST", "/url", {"url": url})

    def run(self, script: str, *arguments: object) -> Any:
        """Return the value of a JavaScript expression, in which `a` is the list of arguments."""
        body = {"script": f"const a = arguments; return {script}", "args": arguments}
        return self._ask("POST", "/execute/sync", body)

    def wait(self, script: str, *arguments: object, seconds: float = 120) -> Any:
        """Return the value of an expression as soon as it is true."""
        end = time.monotonic() + seconds
        while not (value := self.run(script, *arguments)):
            assert time.monotonic() < end, f"not within {seconds} s: {script}"
            time.sleep(0.1)
        return value

    def workers(self) -> int:
        """Return how many web workers run: each is a thread of that name."""
        found = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                if int(path.read_text().rpartition(")")[2].split()[3]) == self._processes:
                    threads = path.parent.glob("task/*/comm")
                    found += sum(thread.read_text() == "WebCore: Worker\n" for thread in threads)
            except OSError:  # it has just ended
                continue
        return found

    def wait_for_no_worker(self) -> None:
        """Wait until the last web worker has ended."""
        end = time.monotonic() + 60
        while self.workers():
            assert time.monotonic() < end, "the worker goes on after Stop"
            time.sleep(0.1)


@contextmanager
def started() -> Iterator[WebKit]:
    """Start the browser on a screen that nobody sees."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", "1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert screen.stdout
    env = os.environ | {"DISPLAY": f":{screen.stdout.readline().strip()}"}
    command = [str(DRIVER), f"--port={port}"]
    driver = subprocess.Popen(command, env=env, start_new_session=True)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield WebKit(f"http://127.0.0.1:{port}", driver.pid)
    finally:
        os.killpg(driver.pid, signal.SIGTERM)
        driver.wait()
        screen.terminate()
        screen.wait()
