"""WebKit, the engine of Safari, through WebDriver: the few commands that the tests need."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

DRIVER, SCREEN = map(shutil.which, ("WebKitWebDriver", "xvfb-run"))
BROWSER = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), None)
MISSING = "no WebKit: install webkit2gtk-driver and xvfb"


def until(found: Callable[[], Any], seconds: float, what: str) -> Any:
    """Return what is found as soon as it is true."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.1)
    return value


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
        return until(lambda: self.run(script, *arguments), seconds, script)

    def workers(self) -> int:
        """Return how many web workers run: each is a thread of that name."""
        ps = ["ps", "-L", "-o", "comm=", "--sid", str(self._processes)]
        threads = subprocess.run(ps, stdout=subprocess.PIPE, text=True, check=True).stdout
        return threads.splitlines().count("WebCore: Worker")


@contextmanager
def started() -> Iterator[WebKit]:
    """Start the browser on a screen that nobody sees."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = free.getsockname()

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(place) == 0

    command = [str(SCREEN), "-a", str(DRIVER), f"--port={place[1]}"]
    driver = subprocess.Popen(command, start_new_session=True)
    try:
        until(answers, 60, "WebDriver answers")
        yield WebKit(f"http://127.0.0.1:{place[1]}", driver.pid)
    finally:
        os.killpg(driver.pid, signal.SIGTERM)
        driver.wait()
