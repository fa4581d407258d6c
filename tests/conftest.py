"""What the tests share.

No test may reach the network: pytest-socket lets none but this machine through.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"

# Chapters run as they did for the book: in a kernel without settings of the user's, and offline.
os.environ["IPYTHONDIR"] = str(ROOT / "_build" / "ipython")
# The text cache and the time limit of hypothesis depend on the machine; the tests must not.
hypothesis.settings.register_profile("book", deadline=None, print_blob=True)
hypothesis.settings.load_profile("book")


@pytest.fixture(scope="session")
def site() -> Path:
    """Folder of the built book."""
    if not (SITE / "book" / "index.html").exists():
        pytest.fail("the book is not built: run `make book` first")
    return SITE


@pytest.fixture(scope="session")
def test_texts() -> Path:
    """Folder of texts that are for tests only, named by COMPANION_TEST_TEXTS."""
    folder = os.environ.get("COMPANION_TEST_TEXTS")
    if not folder:
        pytest.skip("COMPANION_TEST_TEXTS names no folder with peter_rabbit.txt")
    return Path(folder)


@pytest.fixture
def nbval() -> Callable[[Path, Path], "subprocess.CompletedProcess[str]"]:
    """Run a copied notebook as `make test` runs the chapters, with the companion of a folder."""

    def run(notebook: Path, package: Path) -> "subprocess.CompletedProcess[str]":
        # A configuration of its own, so that pytest looks for none above.
        (notebook.parent / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-p", "no:xdist", "--nbval", "--nbval-current-env", notebook.name]
        env = os.environ | {"PYTHONPATH": str(package)}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=notebook.parent, env=env
        )

    return run
