"""The wheel, in an environment like Colab's, runs the notebook that the Colab button opens."""

import copy
import json
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell
from packaging.requirements import Requirement
from publication import install_cell

ROOT = Path(__file__).parents[1]
# What Colab brings along and this book needs. None of the book's own tools is among them.
COLAB = ["ipykernel", "matplotlib", "numpy", "regex", "safetensors", "tiktoken", "torch"]


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
    """Make an environment of the packages in `COLAB`, linked from this one; return its Python."""
    venv.create(folder, with_pip=True, symlinks=sys.platform != "win32")
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    here = Path(sysconfig.get_path("purelib"))
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    there = Path(subprocess.check_output([python, "-c", code], text=True).strip())
    for name in needed(COLAB):
        for file in distribution(name).files or []:
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (there / top).exists():
                (there / top).symlink_to(here / top)
    return python


def versions(python: Path) -> dict[str, str]:
    command = [python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"]
    listed = json.loads(subprocess.check_output(command, text=True))
    return {package["name"]: package["version"] for package in listed}


class OnePython(KernelSpecManager):  # type: ignore[misc]
    """Offer no kernel but that of the environment under test."""

    python = ""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        argv = [self.python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name="Python 3", language="python")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_notebook_runs_in_colab_and_changes_no_version_there(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = like_colab(tmp_path / "colab")
    before = versions(python)
    assert {"torch", "numpy", "matplotlib"} <= set(before)
    assert not {"text-to-vectors", "jupyter-book", "myst-nb", "pytest"} & set(before)

    committed = nbformat.read(ROOT / "book" / "notebooks" / "words.ipynb", as_version=4)
    notebook = copy.deepcopy(committed)
    notebook.cells.insert(0, new_code_cell(install_cell(f"text-to-vectors @ {wheel.as_uri()}")))

    monkeypatch.setenv("PIP_NO_INDEX", "1")  # whatever is missing now would be missing in Colab
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(OnePython, "python", str(python))
    manager = KernelManager(kernel_spec_manager=OnePython(), kernel_name="python3")
    NotebookClient(
        notebook, km=manager, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()

    ours = [cell for cell in committed.cells if cell.cell_type == "code"]
    theirs = [cell for cell in notebook.cells if cell.cell_type == "code"][1:]
    for one, other in zip(ours, theirs, strict=True):
        assert _comparable(one) == _comparable(other), one.source
    after = versions(python)
    assert after.pop("text-to-vectors")
    assert after == before


def _comparable(cell: nbformat.NotebookNode) -> list[object]:
    return [
        output.get("text") or output.get("ename") or output.get("data", {}).get("text/plain")
        for output in cell.outputs
    ]
