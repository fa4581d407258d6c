"""A notebook that has passed runs again when it changes, or what its cells use.

A plugin of pytest. Where changes are judged (`CI`) and on a clean machine every notebook runs. To
name a notebook runs it, and a run of some of its cells, as with `-k`, counts for nothing.
"""

import functools
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ttv.uses import states_of

ROOT = Path(__file__).parents[1]
KEY = "text-to-vectors/notebooks"


@functools.cache
def states() -> dict[str, str]:
    """Return for each page what changes with what its cells use."""
    pages = [f"book/{path.stem}" for path in (ROOT / "book").glob("*.md")]
    return states_of(ROOT, pages, sys.version)


def digest(notebook: Path) -> str:
    """Return what changes with a notebook and with what its cells use."""
    state = states().get(f"book/{notebook.stem}", "")
    return hashlib.sha256(notebook.read_bytes() + state.encode()).hexdigest()


class Passed:
    """Know which notebooks have passed, and leave them out."""

    def __init__(self, cache: Any) -> None:
        self.cache, self.known = cache, dict[str, str](cache.get(KEY, {}))
        self.ran: dict[Path, bool] = {}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave a notebook out that has passed as it is."""
        known = self.known.get(collection_path.name)
        return True if known and known == digest(collection_path) else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note which notebooks run, and whether all of their cells pass."""
        if (path := Path(report.fspath)).suffix == ".ipynb":
            self.ran[path] = self.ran.get(path, True) and not report.failed

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Keep what has passed; a worker of pytest-xdist leaves that to the one that asked it."""
        if hasattr(session.config, "workerinput") or session.shouldstop or session.shouldfail:
            return
        self.known |= {
            path.name: digest(ROOT / path) if ok else "" for path, ok in self.ran.items()
        }
        self.cache.set(KEY, self.known)


def pytest_configure(config: pytest.Config) -> None:
    """Leave out what has passed, in a run of everything."""
    named = [arg for arg in config.args if ".ipynb" in arg]
    partial = config.option.keyword or config.option.markexpr != "not slow"
    if not (os.environ.get("CI") or named or partial) and hasattr(config, "cache"):
        config.pluginmanager.register(Passed(config.cache), "notebooks-that-passed")
