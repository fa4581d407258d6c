"""A notebook that has passed runs again when it changes, or what its cells use.

A plugin of pytest. Where changes are judged (`CI`) and on a clean machine every notebook runs. To
name a notebook runs it, and a run of some of its cells, as with `-k`, counts for nothing.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from ttv.uses import states_of

ROOT = Path(__file__).parents[1]
PASSED = ROOT / "_build" / "passed.json"


class Passed:
    """Know which notebooks have passed, and leave them out."""

    def __init__(self, known: Path = PASSED) -> None:
        self.path = known
        self.known = json.loads(known.read_text("utf-8")) if known.exists() else {}
        self.ran: dict[str, bool] = {}
        self.states: dict[str, str] = {}

    def digest(self, notebook: Path) -> str:
        """Return what changes with a notebook and with what its cells use."""
        if not self.states:
            pages = [f"book/{path.stem}" for path in (ROOT / "book").glob("*.md")]
            self.states = states_of(ROOT, pages, sys.version)
        state = self.states.get(f"book/{notebook.stem}", "")
        return hashlib.sha256(notebook.read_bytes() + state.encode()).hexdigest()

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave a notebook out that has passed as it is."""
        name = collection_path.name
        if collection_path.suffix != ".ipynb" or name not in self.known:
            return None
        return self.known[name] == self.digest(collection_path) or None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note which notebooks run, and whether all of their cells pass."""
        name = Path(report.fspath).name
        if name.endswith(".ipynb"):
            self.ran[name] = self.ran.get(name, True) and not report.failed

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Keep what has passed; a worker of pytest-xdist leaves that to the one that asked it."""
        if hasattr(session.config, "workerinput") or session.shouldstop or session.shouldfail:
            return
        folder = ROOT / "book" / "notebooks"
        self.known |= {n: self.digest(folder / n) for n, ok in self.ran.items() if ok}
        for name in (name for name, ok in self.ran.items() if not ok):
            self.known.pop(name, None)
        if self.path.parent.is_dir():
            self.path.write_text(json.dumps(self.known), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Leave out what has passed, in a run of everything."""
    named = [arg for arg in config.args if ".ipynb" in arg]
    partial = config.option.keyword or config.option.markexpr != "not slow"
    if not (os.environ.get("CI") or named or partial):
        config.pluginmanager.register(Passed(), "notebooks-that-passed")
