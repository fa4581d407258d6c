"""Chapters are run again when the package has changed, and a failed build is not forgotten."""

import subprocess
import sys
from pathlib import Path

import pytest
from copies import copy_of_the_book

from ttv.kernel import state_of


def test_results_are_kept_until_the_package_changes(tmp_path: Path) -> None:
    states = []
    for folder in (tmp_path / "a", tmp_path / "b"):  # a copy elsewhere is the same package
        module = folder / "companion" / "data" / "words.txt"
        module.parent.mkdir(parents=True)
        module.write_text("one", encoding="utf-8")
        states.append(state_of(folder))
    (module.parent / "words.pyc").touch()
    assert states == [state_of(folder)] * 2
    module.write_text("two", encoding="utf-8")
    assert state_of(folder) not in states


@pytest.mark.slow
@pytest.mark.outside_mutation
def test_a_build_that_failed_fails_until_the_fault_is_gone(tmp_path: Path) -> None:
    book = copy_of_the_book(tmp_path / "book")
    command = ["make", "-o", ".venv/.installed", "-o", ".venv/pyodide/.installed", "book"]
    command += [f"BIN={Path(sys.executable).parent}"]
    page = book / "book" / "notation.md"
    good = page.read_text(encoding="utf-8")
    page.write_text(good + "\nSee {doc}`no-such-page`.\n", encoding="utf-8")
    for _ in range(2):
        done = subprocess.run(command, cwd=book, capture_output=True, text=True, check=False)
        assert done.returncode
        assert "no-such-page" in done.stderr
    page.write_text(good, encoding="utf-8")
    subprocess.run(command, cwd=book, check=True)
