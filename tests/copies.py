"""Copies of the whole book, for tests that change and build it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = Path("_build", ".jupyter_cache")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "_build", "dist", "mutants", ".*_cache")


def copy_of_the_book(folder: Path) -> Path:
    """Copy the sources and the cache of executed chapters."""
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
    shutil.copytree(ROOT / CACHE, folder / CACHE)
    return folder


def run(folder: Path, program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a program of this environment on a copy, with the companion of the copy."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    env |= {"PYTHONPATH": str(folder), "IPYTHONDIR": str(folder / "_build" / "ipython")}
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
