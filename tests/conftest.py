"""What the tests share.

No test may reach the network: pytest-socket lets none but this machine through.
"""

import os
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
