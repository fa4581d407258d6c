"""Chapters are run again when the package has changed, and a failed build is not forgotten."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from copies import copy_of_the_book

from ttv.kernel import state_of

CELL = "```{code-cell} ipython3\n%s\n```\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two chapters, of which the second uses a figure of the first, and a page of all exercises."""
    files = {
        "companion/data/words.txt": "one",
        "companion/plots/_drawing.py": "",
        "companion/plots/words.py": "def path() -> None: ...",
        "companion/plots/gpt2_input.py": "def tables() -> None: ...",
        "companion/exercises/words.py": "EXERCISES = []",
        "companion/exercises/gpt2_input.py": "EXERCISES = []",
        "book/words.md": CELL % "1",
        "book/gpt2-input.md": CELL % "plots.path()",
        "book/teachers.md": "```{exercise-list}\n```",
    }
    for name, text in files.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "project"


def states(root: Path) -> dict[str | None, str]:
    pages = (None, "book/words", "book/gpt2-input", "book/teachers")
    return {page: state_of(root, page) for page in pages}


@pytest.mark.parametrize(
    ("changed", "runs_again"),
    [
        ("data/words.txt", [None]),  # every page
        ("plots/_drawing.py", [None]),
        ("plots/words.py", ["book/words", "book/gpt2-input", "book/teachers"]),
        ("plots/gpt2_input.py", ["book/gpt2-input", "book/teachers"]),
        ("plots/new.py", ["book/teachers"]),
        ("exercises/words.py", ["book/words", "book/teachers"]),
    ],
)
def test_a_page_runs_again_when_what_it_uses_changes(
    root: Path, changed: str, runs_again: list[str | None]
) -> None:
    before = states(root)
    with (root / "companion" / changed).open("a", encoding="utf-8") as file:
        file.write("\n# changed")
    assert [page for page, state in states(root).items() if state != before[page]] == runs_again
    copy = shutil.copytree(root, root.with_name("copy"))
    (copy / "companion" / "data" / "words.pyc").touch()
    assert states(copy) == states(root)  # it is the same package


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
