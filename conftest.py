"""A chapter runs as it did for the book, a single notebook too: see book/_ext/ttv/kernel.py."""

import os
from pathlib import Path

os.environ["IPYTHONDIR"] = str(Path(__file__).parent / "_build" / "ipython")
