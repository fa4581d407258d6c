"""Copy the notebooks of the last build to `book/notebooks`, and a picture for the README."""

import base64
import shutil
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
FRESH, COMMITTED = ROOT / "_build" / "notebooks", ROOT / "book" / "notebooks"
PICTURE = "path-of-a-sentence.png"


def first_picture(notebook: Path) -> bytes:
    """Give the first figure of a notebook as PNG."""
    cells = nbformat.read(notebook, as_version=4).cells
    found = (output.get("data", {}) for cell in cells for output in cell.get("outputs", []))
    return base64.b64decode(next(data["image/png"] for data in found if "image/png" in data))


if __name__ == "__main__":
    if not FRESH.is_dir():
        raise SystemExit(f"{FRESH} does not exist; build the book first: make book")
    shutil.rmtree(COMMITTED, ignore_errors=True)
    shutil.copytree(FRESH, COMMITTED)
    (COMMITTED / PICTURE).write_bytes(first_picture(COMMITTED / "index.ipynb"))
