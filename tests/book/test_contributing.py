"""The guide in CONTRIBUTING.md gives a chapter that passes, if it is followed to the letter."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_cache import get_cache
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEPS = TEXT.split("## A page in half an hour")[1].split("### 6.")[0]
PATH = re.compile(r"`([\w./-]+\.(?:md|py|yml))`")


def test_the_picture_of_the_house_is_true() -> None:
    modules = {path.stem for path in (ROOT / "book" / "_ext" / "ttv").glob("[a-z]*.py")}
    folders = {path.parent.name for path in (ROOT / "book" / "assets").glob("*/*.js")}
    heads = {"module of `book/_ext/ttv`": modules, "folder of `book/assets`": folders}
    for head, there in heads.items():
        (table,) = re.findall(rf"\| {head} \|\n\|---\|---\|\n(.*?)\n\n", TEXT, re.DOTALL)
        assert set(re.findall(r"`([\w-]+)`", table)) == there
    reaches = re.findall(r"^\| `(\S+\.\w+)` \| [^|]*`(?:\w+\.)*(_\w+)", TEXT, re.MULTILINE)
    assert [path for path, what in reaches if what not in (ROOT / path).read_text("utf-8")] == []


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Write the blocks of the guide in a copy of the book: each in the file named last before."""
    left_out = shutil.ignore_patterns(".git", ".venv", "_build", "dist", "mutants", ".*_cache")
    folder = shutil.copytree(ROOT, tmp_path / "book", ignore=left_out)
    path = ""
    for token in MarkdownIt().parse(STEPS):
        path = (PATH.findall(token.content) or [path])[-1] if token.type == "inline" else path
        if token.info == "diff":
            command = ["git", "apply", "--unidiff-zero", "--recount", "-"]
            subprocess.run(command, cwd=folder, input=token.content, text=True, check=True)
        elif token.type == "fence":
            assert not (folder / path).exists()
            (folder / path).write_text(token.content, encoding="utf-8")
    return folder


def run(folder: Path, program: str, *arguments: str) -> None:
    """Run a program of this environment on a copy, with the companion of the copy."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    env |= {"PYTHONPATH": str(folder), "IPYTHONDIR": str(folder / "_build" / "ipython")}
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_the_files_of_the_guide_pass(copy: Path) -> None:
    new = [str(path.relative_to(copy)) for path in copy.rglob("*lengths.py")]
    run(copy, "ruff", "check", *new)
    run(copy, "ruff", "format", "--check", *new)
    run(copy, "mypy", "--cache-dir", str(ROOT / ".mypy_cache"), *new)  # what `make check` left
    run(copy, "codespell", "book/lengths.md", "book/quizzes/lengths.yml", *new)
    run(copy, "pytest", "-n", "0", "-k", "lengths", "tests/workbook")


@pytest.mark.slow
def test_whoever_follows_the_guide_gets_a_chapter_that_passes(copy: Path) -> None:
    cache = Path("_build", ".jupyter_cache")
    shutil.copytree(ROOT / cache, copy / cache)
    runs = len(get_cache(copy / cache).list_cache_records())
    run(copy, "jupyter-book", "build", ".", "-W", "-n", "--keep-going", "--quiet")
    assert len(get_cache(copy / cache).list_cache_records()) == runs + 1
    run(copy, "python", "tools/update_notebooks.py")
    run(copy, "pytest", "-n", "0", "-k", "lengths", "tests/book", "book/notebooks/lengths.ipynb")
