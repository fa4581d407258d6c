"""The wheel, in an environment like Colab's, runs the notebook that the Colab button opens."""

import copy
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import colab
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from packaging.requirements import Requirement

from ttv.publication import install_cell

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_holds_the_package_with_its_data_and_nothing_else(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "companion"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert packed == set(tracked)
    assert {"companion/py.typed", "companion/data/story.txt"} <= packed
    metadata = zipfile.ZipFile(wheel).read(
        next(n for n in zipfile.ZipFile(wheel).namelist() if n.endswith("/METADATA"))
    )
    assert b"Requires-Dist: torch>=2.2\n" in metadata
    assert b"Requires-Python: >=3.10\n" in metadata


def needed(names: list[str]) -> set[str]:
    """Names of all installed distributions that these need."""
    found: set[str] = set()
    queue = list(names)
    while queue:
        name = re.sub(r"[-_.]+", "-", queue.pop()).lower()
        try:
            requires = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # an accelerator's library that a CPU build goes without
        if name not in found:
            found.add(name)
            parsed = map(Requirement, requires)
            queue += [
                r.name for r in parsed if r.marker is None or r.marker.evaluate({"extra": ""})
            ]
    return found


def like_colab(folder: Path) -> Path:
    """Link what Colab brings along, from this environment, into a folder, with pip; return it."""
    folder.mkdir()
    here = Path(sysconfig.get_path("purelib"))
    for name in needed([*colab.PACKAGES, "pip"]):
        for file in distribution(name).files or []:
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (folder / top).exists():
                (folder / top).symlink_to(here / top)
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_notebook_runs_in_colab_and_changes_no_version_there(wheel: Path, tmp_path: Path) -> None:
    committed = nbformat.read(ROOT / "book" / "notebooks" / "words.ipynb", as_version=4)
    notebook = copy.deepcopy(committed)
    notebook.cells.insert(0, new_code_cell(install_cell(f"text-to-vectors @ {wheel.as_uri()}")))
    # Whatever is missing now would be missing in Colab.
    done = colab.run(
        notebook, like_colab(tmp_path / "packages"), Path(sys.executable),
        os.environ | {"PIP_NO_INDEX": "1"},
    )  # fmt: skip
    assert {"torch", "numpy", "matplotlib"} <= set(done.before)
    assert not {"text-to-vectors", "jupyter-book", "myst-nb", "pytest"} & set(done.before)
    assert done.faults(committed) == []
    assert set(done.after) - set(done.before) == {"text-to-vectors"}


def test_what_goes_wrong_in_colab_is_found() -> None:
    def notebook(*cells: nbformat.NotebookNode) -> nbformat.NotebookNode:
        return new_notebook(cells=[new_code_cell("# install", id="install"), *cells])

    def cell(number: int, *outputs: nbformat.NotebookNode) -> nbformat.NotebookNode:
        return new_code_cell("print(f())", id=f"words-{number}", outputs=list(outputs))

    said = new_output("stream", text="a")
    more = new_output("stream", text="b")
    both = new_output("stream", text="ab")
    shown = new_output("display_data", {"text/plain": "<Figure>", "image/png": "QQ=="})
    redrawn = new_output("display_data", {"text/plain": "<Figure>", "image/png": "Qg=="})
    failed = new_output("error", ename="KeyError", evalue="'a'", traceback=["x"])
    committed = new_notebook(cells=[cell(1, said, more, shown), cell(2, failed)])

    again = new_output("error", ename="KeyError", evalue="'a'", traceback=["y"])
    same = notebook(cell(1, both, redrawn), cell(2, again))
    assert colab.differences(committed, same) == []
    for other in (cell(1, both), cell(1, said, shown), cell(1, both, shown, more)):
        (found,) = colab.differences(committed, notebook(other, cell(2, failed)))
        assert found.startswith("cell words-1:\n")
    (found,) = colab.differences(committed, notebook(cell(1, both, shown), cell(2)))
    assert "committed message: \"'a'\"" in found
    (found,) = colab.differences(committed, notebook(cell(1, both, shown)))
    assert "other cells" in found

    before = {"numpy": "2.0", "torch": "2.9"}
    after = {"numpy": "2.1", "text-to-vectors": "0.1.0"}
    changed = colab.Run(same, before, after, 1.0).faults(committed)
    assert changed == ["numpy was 2.0 and is 2.1 now", "torch was 2.9 and is gone now"]
    (missing,) = colab.Run(same, before, before, 1.0).faults(committed)
    assert "was not installed" in missing


def test_the_python_of_colab_must_be_one_that_runs(tmp_path: Path) -> None:
    assert colab.find_python(sys.executable) == Path(sys.executable)
    with pytest.raises(SystemExit, match="COLAB_PYTHON"):
        colab.find_python(str(tmp_path / "python3.12"))
