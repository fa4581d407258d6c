"""Run every chapter as a reader of the published book does who presses *Open in Colab*.

    make colab                                        # or: python tools/colab.py --help
    make colab COLAB_PYTHON=/opt/python3.13/bin/python

The book is built as it would be published from the commit that is checked out. Then each notebook
runs from its first cell, which installs the companion, in an environment of its own: first with the
versions that Colab has (tools/colab.toml), then with the newest. No package that was there may
change its version, and each output must equal the committed notebook's. Only what is committed is
run. Only packages come from a network: git takes the repository on GitHub from this clone.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat, zip_longest
from pathlib import Path
from typing import Any

import nbformat
import tomllib
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "_build" / "colab"
COLAB: dict[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
"""The versions that Colab has, and the date they were read."""
PYTHON = f"python{COLAB['python']}"

PACKAGES = [
    "huggingface-hub",
    "ipykernel",
    "ipython",
    "matplotlib",
    "numpy",
    "pip",
    "regex",
    "safetensors",
    "tiktoken",
    "torch",
]
"""What Colab brings along and this book needs. None of the book's own tools is among them."""

CHOICES = {
    "colab": f"what Colab had on {COLAB['date']}",
    "newest": "the newest versions of what Colab brings along",
}
"""The versions to run on."""


@dataclass
class Run:
    """One notebook, executed in an environment like Colab's."""

    executed: nbformat.NotebookNode
    before: dict[str, str]
    after: dict[str, str]
    seconds: float
    stopped: str = ""
    """Why it did not run to its end, if it did not."""

    def faults(self, committed: nbformat.NotebookNode) -> list[str]:
        """Say what went otherwise than it should, a line or more each; nothing if all went well."""
        found = [self.stopped] if self.stopped else []
        for name, version in self.before.items():
            if self.after.get(name) != version:
                found.append(f"{name} was {version} and is {self.after.get(name, 'gone')} now")
        if "text-to-vectors" not in set(self.after) - set(self.before):
            found.append(f"text-to-vectors was not installed: {_outputs(self.executed.cells[0])}")
        return found + differences(committed, self.executed)


def run(
    notebook: nbformat.NotebookNode, packages: Path, python: Path, environ: Mapping[str, str]
) -> Run:
    """Run a notebook in a fresh environment on top of the packages in a folder."""
    executed = nbformat.from_dict(notebook)
    with tempfile.TemporaryDirectory(prefix="colab-") as name:
        folder = Path(name)
        inside = layered(folder / "env", packages, python)
        before = versions(inside)
        work = folder / "content"
        work.mkdir()
        manager = KernelManager(kernel_spec_manager=_Spec(inside), kernel_name="python3")
        client = NotebookClient(
            executed,
            km=manager,
            timeout=600,
            allow_errors=True,
            resources={"metadata": {"path": str(work)}},
        )
        env = {key: value for key, value in environ.items() if key != "PYTHONPATH"}
        env |= {"IPYTHONDIR": str(folder / "ipython"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        started, stopped = time.perf_counter(), ""
        try:
            # What the kernel itself says, of its sockets for one, is no output of a cell.
            client.execute(env=env, stderr=subprocess.DEVNULL)
        except (CellTimeoutError, DeadKernelError) as error:
            stopped = str(error)
        return Run(executed, before, versions(inside), time.perf_counter() - started, stopped)


class _Spec(KernelSpecManager):
    """Offer no kernel but that of one environment."""

    def __init__(self, python: Path) -> None:
        super().__init__()
        self._argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(argv=self._argv, display_name="Python 3", language="python")


def layered(folder: Path, packages: Path, python: Path) -> Path:
    """Make an environment that sees the packages of a folder, pip too; return its Python.

    pip treats them as installed. It cannot replace them, but whatever it puts in front of them
    counts from then on, and `versions` shows it.
    """
    _call(python, "-m", "venv", "--without-pip", folder)
    inside = interpreter(folder)
    (site_packages(inside) / "packages.pth").write_text(f"{packages}\n", encoding="utf-8")
    return inside


def interpreter(folder: Path) -> Path:
    """Give the Python of an environment."""
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def site_packages(python: Path) -> Path:
    """Give the folder into which a Python's pip installs."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(_call(python, "-c", code).strip())


def versions(python: Path) -> dict[str, str]:
    """List what is installed, and in which version: of two of a name, the one that is imported."""
    code = "import json; from importlib.metadata import distributions as all"
    code += "; print(json.dumps([[one.name, one.version] for one in all()]))"
    listed = json.loads(_call(python, "-I", "-c", code))
    return {canonicalize_name(name): version for name, version in reversed(listed)}


def differences(committed: nbformat.NotebookNode, executed: nbformat.NotebookNode) -> list[str]:
    """Compare the outputs of each cell; the executed notebook has one cell before the others."""
    ours = [cell for cell in committed.cells if cell.cell_type == "code"]
    theirs = [cell for cell in executed.cells if cell.cell_type == "code"][1:]
    found: list[str] = []
    for one, other in zip_longest(ours, theirs):
        if one is None or other is None or one.source != other.source:
            return [*found, "the published notebook has other cells than the committed one"]
        if _outputs(one) != _outputs(other):
            lines = "\n".join(_unlike(_outputs(one), _outputs(other)))
            found.append(f"cell {one.id}:\n{lines}")
    return found


def _outputs(cell: nbformat.NotebookNode) -> list[dict[str, Any]]:
    """Give what can be compared of a cell's outputs: everything but pictures and tracebacks."""
    found: list[dict[str, Any]] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            if found and found[-1].get("stream") == output.name:
                found[-1]["text"] += output.text
            else:
                found.append({"stream": output.name, "text": output.text})
        elif output.output_type == "error":
            found.append({"error": output.ename, "message": output.evalue})
        else:
            data = output.data.items()
            found.append({kind: value for kind, value in data if not kind.startswith("image/")})
    return found


def _unlike(committed: list[dict[str, Any]], executed: list[dict[str, Any]]) -> Iterator[str]:
    for pair in zip_longest(committed, executed):
        one, other = (output or {} for output in pair)
        for key in dict.fromkeys([*one, *other]):
            if one.get(key) != other.get(key):
                yield f"  committed {key}: {one.get(key)!r}\n  executed  {key}: {other.get(key)!r}"


def _call(
    *command: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=cwd, env=env)
    return done.stdout


def find_python(named: str | None) -> Path:
    """Find the Python to run the chapters with, and make sure that it runs."""
    found = shutil.which(named or PYTHON)
    # Its file may be there and yet not run: a shim of pyenv for a version that is not active.
    works = [found or "", "-c", "import ensurepip, venv"]
    if found and subprocess.run(works, capture_output=True, check=False).returncode == 0:
        return Path(found)
    raise SystemExit(
        f"{named or PYTHON} does not run here; name a Python as Colab's, with its venv module: "
        f"make colab COLAB_PYTHON=/path/to/{PYTHON}"
    )


def requirements(choice: str) -> list[str]:
    """What to ask pip for, to get Colab's versions ("colab") or the newest ones ("newest")."""
    pins = COLAB["packages"] if choice == "colab" else {}
    return [f"{name}=={pins[name]}" if name in pins else name for name in PACKAGES]


def install(python: Path, folder: Path, choice: str) -> Path:
    """Install what Colab brings along, in the chosen versions; return the folder of packages."""
    _call(python, "-m", "venv", folder)
    inside = interpreter(folder)
    _call(inside, "-m", "pip", "install", "--quiet", "--upgrade", *requirements(choice))
    there = versions(inside)
    print(", ".join(f"{name} {there[name]}" for name in PACKAGES), flush=True)
    return site_packages(inside)


def publish(repository: str, commit: str, folder: Path) -> Path:
    """Build the book of HEAD as it would be published; return the folder of its sources."""
    source = folder / "source"
    _call("git", "clone", "--quiet", ROOT, source)
    cache = ROOT / "_build" / ".jupyter_cache"
    if cache.is_dir():  # saves the execution; the outputs of this build are not looked at
        shutil.copytree(cache, folder / "_build" / ".jupyter_cache")
    env = os.environ | {"GITHUB_REPOSITORY": repository, "GITHUB_SHA": commit}
    env["PYTHONPATH"] = str(source)
    jupyter_book = Path(sys.executable).parent / "jupyter-book"
    options = ["-W", "-n", "--keep-going", "--all", "--quiet", "--path-output", str(folder)]
    _call(jupyter_book, "build", ".", *options, cwd=source, env=env)
    return source


def main() -> None:
    """Run all chapters and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--python", default=os.environ.get("COLAB_PYTHON") or None, metavar="PATH",
                        help=f"the Python to run the chapters with; else {PYTHON}")  # fmt: skip
    parser.add_argument("--versions", choices=CHOICES, help="run on these only; else on both")
    parser.add_argument("chapters", nargs="*", help="names of chapters, such as words; else all")
    chosen = parser.parse_args()
    python = find_python(chosen.python)
    repository = os.environ.get("GITHUB_REPOSITORY") or "owner/text-to-vectors"
    commit = _call("git", "rev-parse", "HEAD", cwd=ROOT).strip()
    if _call("git", "rev-parse", "--is-shallow-repository", cwd=ROOT).strip() == "true":
        # pip clones without blobs; from a shallow clone git then fetches without end.
        raise SystemExit("nothing installs from a shallow clone: git fetch --unshallow first")
    if _call("git", "status", "--porcelain", cwd=ROOT):
        print("What is not committed is not tested.", flush=True)

    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    print(f"Building the book of {commit[:7]} as {repository} would publish it", flush=True)
    source = publish(repository, commit, RESULTS)
    published = RESULTS / "_build" / "html" / "notebooks"
    there = sorted(path.stem for path in published.glob("*.ipynb"))
    names = chosen.chapters or there
    if not set(names) <= set(there):
        raise SystemExit(f"the notebooks are {', '.join(there)}")
    # To git this clone is the repository on GitHub.
    environ = os.environ | {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{ROOT.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": f"https://github.com/{repository}",
    }

    def one(name: str, packages: Path, results: Path) -> bool:
        notebook = nbformat.read(published / f"{name}.ipynb", as_version=4)
        assert commit in notebook.cells[0].source
        done = run(notebook, packages, python, environ)
        nbformat.write(done.executed, results / f"{name}.ipynb")
        committed = source / "book" / "notebooks" / f"{name}.ipynb"
        faults = done.faults(nbformat.read(committed, as_version=4))
        verdict = "\n".join(["FAILED", *faults]) if faults else "passed"
        print(f"{name} ({done.seconds:.0f} s): {verdict}", flush=True)
        return not faults

    def every(choice: str) -> bool:
        results = RESULTS / choice
        results.mkdir()
        with tempfile.TemporaryDirectory(prefix="colab-") as folder:
            print(f"Installing {CHOICES[choice]}", flush=True)
            packages = install(python, Path(folder), choice)
            with ThreadPoolExecutor(2) as pool:
                passed = list(pool.map(one, names, repeat(packages), repeat(results)))
        version = _call(python, "-V").strip()
        print(f"{sum(passed)} of {len(passed)} notebooks passed, with {version}", flush=True)
        return all(passed)

    # A list: the second choice runs even if the first has failed.
    if not all([every(choice) for choice in CHOICES if chosen.versions in (None, choice)]):
        raise SystemExit(f"The executed notebooks: {RESULTS}")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"This failed: {' '.join(map(str, error.cmd))}") from None
