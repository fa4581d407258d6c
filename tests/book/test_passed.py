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

    def left_out(outcomes: str = "", **session: Any) -> bool:
        """Say whether a run leaves the notebook out; tell it how its cells end (p or f)."""
        plugin = passed.Passed(cache)
        found = plugin.pytest_ignore_collect(notebook)
        for outcome in outcomes:
            report: Any = SimpleNamespace(fspath=str(notebook), failed=outcome == "f")
            plugin.pytest_runtest_logreport(report)
        end = {"config": SimpleNamespace(), "shouldstop": False, "shouldfail": False}
        whole: Any = SimpleNamespace(**end | session)
        plugin.pytest_sessionfinish(whole)
        return bool(found)

    notebook.write_text("cells", encoding="utf-8")
    assert not left_out("ppp")
    assert left_out()
    states["book/words"] = "what its cells use has changed"
    assert not left_out()
    notebook.write_text("other cells", encoding="utf-8")
    assert not left_out("pfp")
    assert not left_out("p", shouldfail="stopping after 1 failure")
    assert not left_out("p", config=SimpleNamespace(workerinput={}))
    assert not left_out("p")
    assert left_out()
    assert not passed.Passed(cache).pytest_ignore_collect(tmp_path / "bytes.ipynb")


def test_it_is_for_whole_runs_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_used(named: str, keyword: str = "", ci: str = "") -> bool:
        monkeypatch.setenv("CI", ci)
        registered = list[object]()
        config: Any = SimpleNamespace(
            args=[named, "tests"], option=SimpleNamespace(keyword=keyword, markexpr="not slow"),
            cache=SimpleNamespace(get=lambda key, default: default),
            pluginmanager=SimpleNamespace(register=lambda plugin, name: registered.append(plugin)),
        )  # fmt: skip
        passed.pytest_configure(config)
        return bool(registered)

    assert is_used("book/notebooks")
    assert not is_used("book/notebooks/words.ipynb")
    assert not is_used("book/notebooks", keyword="words")
    assert not is_used("book/notebooks", ci="true")
