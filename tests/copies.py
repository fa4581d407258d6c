"""Copies of the whole book, for tests that change and build it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = Path("_build", ".jupyter_cache")


def copy_of_the_book(folder: Path) -> Path:
    """Copy what git would commit, and the cache of executed chapters."""
    tracked = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    )
    for name in filter(None, tracked.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / CACHE, folder / CACHE)
    return folder


def run(folder: Path, program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a program of this environment on a copy, with the companion of the copy."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    env |= {"PYTHONPATH": str(folder), "IPYTHONDIR": str(folder / "_build" / "ipython")}
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def build(folder: Path) -> "subprocess.CompletedProcess[str]":
    """Build a copy as `make book` does."""
    return run(folder, "jupyter-book", "build", ".", "-W", "-n", "--keep-going", "--quiet")
