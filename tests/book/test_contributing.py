"""The guide in CONTRIBUTING.md gives a chapter that passes, if it is followed to the letter."""

import re
import subprocess
from pathlib import Path

import copies
import pytest
from copies import copy_of_the_book

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEPS = GUIDE.split("## A page in half an hour")[1].split("### 6.")[0]
BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<kind>\w+)\n(?P<text>.*?)^(?P=fence)$", re.DOTALL | re.MULTILINE
)
PATH = re.compile(r"`([\w./-]+\.(?:md|py|yml))`")


def new_files() -> dict[str, str]:
    """Each file that the guide gives whole, under the path that was named last before it."""
    found = {}
    for block in BLOCK.finditer(STEPS):
        if block["kind"] != "diff":
            named = PATH.findall(BLOCK.sub("", STEPS[: block.start()]))
            found[named[-1]] = block["text"]
    return found


def changes() -> list[str]:
    return [block["text"] for block in BLOCK.finditer(STEPS) if block["kind"] == "diff"]


def test_the_guide_gives_every_kind_of_file() -> None:
    assert set(new_files()) == {
        "book/lengths.md",
        "companion/plots/lengths.py",
        "tests/plots/test_lengths.py",
        "companion/exercises/lengths.py",
        "tests/exercises/test_lengths.py",
        "book/quizzes/lengths.yml",
    }
    assert not [path for path in new_files() if (ROOT / path).exists()]
    for change in changes():
        path = change.split("\n")[0].removeprefix("--- a/")
        kept = [line[1:] for line in change.split("\n")[3:] if line.startswith(" ")]
        assert "\n".join(kept[:2]) in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.outside_mutation
def test_whoever_follows_the_guide_gets_a_chapter_that_passes(tmp_path: Path) -> None:
    copy = copy_of_the_book(tmp_path / "book")
    for name, text in new_files().items():
        (copy / name).write_text(text, encoding="utf-8")
    for change in changes():
        command = ["git", "apply", "--unidiff-zero", "--recount", "-"]
        subprocess.run(command, cwd=copy, input=change, text=True, check=True)

    def run(program: str, *arguments: str) -> None:
        done = copies.run(copy, program, *arguments)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    run("jupyter-book", "build", ".", "-W", "-n", "--keep-going", "--quiet")
    run("python", "tools/update_notebooks.py")
    run("ruff", "check")
    run("ruff", "format", "--check")
    run("pytest", "-n", "0", "tests/plots/test_lengths.py",
        "tests/plots/test_plots.py", "tests/exercises/test_exercises.py",
        "tests/exercises/test_lengths.py",
        "tests/book/test_book.py", "tests/book/test_api.py", "tests/book/test_times.py",
        "companion/plots/lengths.py",
        "book/notebooks/lengths.ipynb")  # fmt: skip
    page = (copy / "_build" / "html" / "book" / "lengths.html").read_text(encoding="utf-8")
    assert "How long is a token?" in page
