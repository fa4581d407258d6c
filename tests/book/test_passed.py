"""A notebook is run again when it or what it uses has changed, or when it has failed."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import passed
import pytest


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "book" / "notebooks" / "words.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text("cells", encoding="utf-8")
    monkeypatch.setattr(passed, "ROOT", tmp_path)
    return path


def run(notebook: Path, state: str = "a", outcomes: str = "", **session: Any) -> bool:
    """Say whether a run leaves the notebook out; tell it how its cells end (p or f)."""
    plugin = passed.Passed(notebook.with_name("passed.json"))
    plugin.states = {"book/words": state}
    left_out = plugin.pytest_ignore_collect(notebook)
    for outcome in outcomes:
        report: Any = SimpleNamespace(fspath=str(notebook), failed=outcome == "f")
        plugin.pytest_runtest_logreport(report)
    end = {"config": SimpleNamespace(), "shouldstop": False, "shouldfail": False} | session
    whole: Any = SimpleNamespace(**end)
    plugin.pytest_sessionfinish(whole)
    return bool(left_out)


def test_a_notebook_is_left_out_once_it_has_passed_as_it_is(notebook: Path) -> None:
    assert not run(notebook, outcomes="ppp")
    assert run(notebook)
    assert not run(notebook, state="what its cells use has changed")
    notebook.write_text("other cells", encoding="utf-8")
    assert not run(notebook, outcomes="pfp")
    assert not run(notebook, outcomes="p", shouldfail="stopping after 1 failure")
    assert not run(notebook, outcomes="p", config=SimpleNamespace(workerinput={}))
    assert not run(notebook, outcomes="p")
    assert run(notebook)


@pytest.mark.parametrize(
    ("args", "keyword", "environ", "is_used"),
    [
        (["book/notebooks", "tests"], "", "", True),
        (["book/notebooks/words.ipynb"], "", "", False),
        (["book/notebooks"], "words", "", False),
        (["book/notebooks"], "", "true", False),
    ],
)
def test_it_is_for_whole_runs_at_home(
    args: list[str], keyword: str, environ: str, is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", environ)
    registered = list[object]()
    manager = SimpleNamespace(register=lambda plugin, name: registered.append(plugin))
    option = SimpleNamespace(keyword=keyword, markexpr="not slow")
    config: Any = SimpleNamespace(args=args, option=option, pluginmanager=manager)
    passed.pytest_configure(config)
    assert bool(registered) == is_used
