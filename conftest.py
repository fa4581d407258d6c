"""What tests, doctests and notebooks share."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest_plugins = ["passed"]
# Chapters run as they did for the book, a single notebook too.
os.environ["IPYTHONDIR"] = str(Path(__file__).parent / "_build" / "ipython")


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
