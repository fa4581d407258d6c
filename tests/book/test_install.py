"""The wheel holds the three packages, and runs a chapter where this clone is not."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import colab
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--no-build-isolation", "--wheel-dir", folder, ROOT], check=True)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_holds_the_packages_with_their_data_and_nothing_else(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    packages = (ROOT / name for name in ("companion", "inspector", "workbook"))
    files = (path for package in packages for path in package.rglob("*") if path.is_file())
    there = {path.relative_to(ROOT).as_posix() for path in files if path.suffix != ".pyc"}
    assert packed == there >= {"companion/py.typed", "companion/data/story.txt"}


@pytest.mark.skipif(sys.platform == "win32", reason="its programs are in another folder")
@pytest.mark.parametrize("name", ["words", pytest.param("libraries", marks=pytest.mark.slow)])
def test_nbval_alone_runs_a_notebook_with_the_installed_wheel(
    name: str, wheel: Path, tmp_path: Path
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    python = tmp_path / "env" / "bin" / "python"
    # The environment sees the packages that are here, but not this clone.
    (packages,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (packages / "here.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--no-index", "--ignore-installed", str(wheel)], check=True)
    code = "import companion; print(companion.__file__)"
    assert colab.call(python, "-I", "-c", code).startswith(str(packages))
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    environ["PYTEST_ADDOPTS"] = "-p no:xdist -p no:socket"  # as if they were not installed
    notebook = ROOT / "book" / "notebooks" / f"{name}.ipynb"
    assert colab.compare(python, [notebook], environ) == 0
