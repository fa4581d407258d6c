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


def changed(python: Path, requirement: str, *options: str) -> list[str]:
    """Install a package with pip, and return the lines of `pip freeze` that are no longer true."""
    pip = (python, "-m", "pip", "--disable-pip-version-check")
    before = set(call(*pip, "freeze").splitlines())
    call(*pip, "install", "--quiet", *options, requirement)
    return sorted(before - set(call(*pip, "freeze").splitlines()))


def compare(python: Path, notebooks: Sequence[Path], environ: Mapping[str, str]) -> int:
    """Run notebooks with the kernel of an environment; return what nbval says, 0 if all is well."""
    with TemporaryDirectory() as folder:
        call(python, "-m", "ipykernel", "install", "--prefix", folder, "--name", "colab")
        env = {key: value for key, value in environ.items() if key != "PYTHONPATH"}
        env["JUPYTER_PATH"] = str(Path(folder, "share", "jupyter"))
        options = ["-o", "addopts=", "-p", "no:cacheprovider", "--import-mode=importlib", "--nbval"]
        options += ["--nbval-kernel-name=colab", "-q", "-n", "2", "--dist", "loadfile"]
        command = [sys.executable, "-m", "pytest", *options, *map(str, notebooks)]
        return subprocess.run(command, env=env, cwd=ROOT, check=False).returncode


def failures(python: Path, packages: Sequence[str], notebooks: Sequence[Path]) -> list[str]:
    """Install packages and the companion, run notebooks, and say what went wrong."""
    commit = call("git", "-C", ROOT, "rev-parse", "HEAD").strip()
    with TemporaryDirectory() as folder:
        call(python, "-m", "venv", folder)
        inside = Path(folder, "Scripts/python.exe" if os.name == "nt" else "bin/python")
        call(inside, "-m", "pip", "install", "--quiet", "--upgrade", *packages)
        found = changed(inside, f"text-to-vectors @ git+{ROOT.as_uri()}@{commit}")
        found = [f"the companion replaced {line}" for line in found]
        return found + ["notebooks failed"] * bool(compare(inside, notebooks, os.environ))


def main(names: Sequence[str]) -> None:
    """Run notebooks on Colab's versions and on the newest."""
    wanted = os.environ.get("COLAB_PYTHON") or f"python{COLAB['python']}"
    python = shutil.which(wanted)
    if python is None:
        raise SystemExit(f"there is no {wanted}; name one: make colab COLAB_PYTHON=/path/to/python")
    notebooks = [NOTEBOOKS / f"{name}.ipynb" for name in names] or sorted(NOTEBOOKS.glob("*.ipynb"))
    pinned = [f"{name}=={version}" if version else name for name, version in VERSIONS.items()]
    found = []
    for what, packages in {f"Colab {COLAB['date']}": pinned, "the newest": [*VERSIONS]}.items():
        print(f"Installing {what}", flush=True)
        found += [f"{what}: {line}" for line in failures(Path(python), packages, notebooks)]
    raise SystemExit("\n".join(found) or None)


if __name__ == "__main__":
    main(sys.argv[1:])
