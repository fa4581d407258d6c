"""Run the notebooks as in Colab: `python tools/colab.py [words bytes …]`, or all.

An environment gets the packages that Colab brings along (tools/colab.toml), in Colab's versions and
then in the newest, and the companion of the last commit as the first cell of a published notebook
installs it: that may change no version. nbval then compares each output with the committed one.
COLAB_PYTHON names another Python than that on the PATH.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "book" / "notebooks"
COLAB = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
VERSIONS: dict[str, str] = COLAB["packages"]


def call(*command: str | Path) -> str:
    """Run a program and return what it prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def compare(python: Path, notebooks: Sequence[Path], environ: Mapping[str, str]) -> int:
    """Run notebooks in an environment; return what nbval says, 0 if all is well."""
    env = {key: value for key, value in environ.items() if key != "PYTHONPATH"}
    command = [str(python), "-m", "pytest", "--nbval", "-q", *map(str, notebooks)]
    return subprocess.run(command, env=env, cwd=ROOT, check=False).returncode


def run(python: Path, packages: Sequence[str], notebooks: Sequence[Path]) -> int:
    """Install packages and the companion, which may replace none of them, and run notebooks."""
    commit = call("git", "-C", ROOT, "rev-parse", "HEAD").strip()
    with TemporaryDirectory() as folder:
        call(python, "-m", "venv", folder)
        inside = Path(folder, "Scripts/python.exe" if os.name == "nt" else "bin/python")
        pip = (inside, "-m", "pip", "--disable-pip-version-check")
        call(*pip, "install", "--quiet", "--upgrade", *packages)
        there = Path(folder, "there.txt")
        there.write_text(call(*pip, "freeze", "--all"), encoding="utf-8")
        companion = f"text-to-vectors @ git+{ROOT.as_uri()}@{commit}"
        call(*pip, "install", "--quiet", "--constraint", there, companion, "nbval")
        return compare(inside, notebooks, os.environ)


def main(names: Sequence[str]) -> None:
    """Run notebooks on Colab's versions and on the newest."""
    wanted = os.environ.get("COLAB_PYTHON") or f"python{COLAB['python']}"
    python = shutil.which(wanted)
    if python is None:
        raise SystemExit(f"there is no {wanted}; name one: make colab COLAB_PYTHON=/path/to/python")
    notebooks = [NOTEBOOKS / f"{name}.ipynb" for name in names] or sorted(NOTEBOOKS.glob("*.ipynb"))
    pinned = [f"{name}=={version}" if version else name for name, version in VERSIONS.items()]
    versions = {f"Colab {COLAB['date']}": pinned, "the newest": [*VERSIONS]}
    failed = [what for what in versions if run(Path(python), versions[what], notebooks)]
    raise SystemExit(f"notebooks failed on {' and '.join(failed)}" if failed else None)


if __name__ == "__main__":
    main(sys.argv[1:])
