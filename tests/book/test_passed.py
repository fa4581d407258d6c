"""A notebook is run again when it or what it uses has changed, or when it has failed."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import passed
import pytest


def test_a_notebook_is_left_out_once_it_has_passed_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook, kept, states = tmp_path / "words.ipynb", dict[str, Any](), {"book/words": "a"}
    cache = SimpleNamespace(get=lambda key, default: kept.get(key, default), set=kept.__setitem__)
    monkeypatch.setattr(passed, "states", lambda: states)

    def left_out(outcomes: str = "", *, stopped: bool = False) -> bool:
        """Say whether a run leaves the notebook out; tell it how its cells end (p or f)."""
        plugin: Any = passed.Passed(cache)
        found = plugin.pytest_ignore_collect(notebook)
        for outcome in outcomes:
            report = SimpleNamespace(fspath=str(notebook), failed=outcome == "f")
            plugin.pytest_runtest_logreport(report)
        plugin.pytest_sessionfinish(SimpleNamespace(config=0, shouldstop=False, shouldfail=stopped))
        return bool(found)

    notebook.write_text("cells", encoding="utf-8")
    assert [left_out("ppp"), left_out()] == [False, True]
    states["book/words"] = "what its cells use has changed"
    assert not left_out()
    notebook.write_text("other cells", encoding="utf-8")
    assert not left_out("pfp")
    assert [left_out("p", stopped=True), left_out("p"), left_out()] == [False, False, True]
