"""Let the cells of a page run in the page, in Pyodide, where it has been fetched (`make book`).

The page gets a mark on each cell that can, and the site a file a page that says what must run
before it. Python comes from the npm package `pyodide`, and the companion as a wheel.
"""

import gzip
import hashlib
import inspect
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from hatchling.builders.wheel import WheelBuilder
from sphinx.application import Sphinx
from sphinx_exercise.nodes import solution_node

from ttv.api import listed
from ttv.notebooks import is_code_cell
from workbook.exercises import chapters

PYODIDE = Path(".venv", "pyodide", "node_modules", "pyodide")  # make puts the npm package there
FOLDER = "run-here"
LARGE = {  # fetched when Python first opens it: what it is, and what cells that need it name
    "o200k.bpe": ("the vocabulary of GPT-4o", "o200k"),
    "minilm.safetensors": ("the trained rows", "companion.pretrained"),
}
PACKED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")

_TITLE = re.compile(r'</h1>\n(<p class="ttv-times">.*?</p>\n)?')
_CELL = re.compile(r'<div class="cell (?=[^"]*docutils)')


class Cell(NamedTuple):
    code: str
    is_stub: bool = False  # for the answer to an exercise, or so slow that no other cell waits
    solution: str = ""  # the name of its solution, if it belongs to one
    may_fail: bool = False

    @property
    def is_apart(self) -> bool:
        """Whether it is an answer that the page does not go on with."""
        return self.is_stub and not re.search(r'^\w+ = check\("', self.code, re.MULTILINE)


class Plan(NamedTuple):
    names: list[str | None]  # of each cell; None if it cannot run
    pieces: list[str]  # code to run before others
    before: dict[str, list[int]]  # for each name the pieces that come before it


def tried(cells: Sequence[Cell], folder: Path, kept: Path, state: str = "") -> list[Any]:
    """Return for each cell the code that runs without packages, and what the rest needs.

    The cells run in `folder`, unless `kept` has the results of the same cells and state.
    """
    # What a solution defines is for itself alone, as is what a reader answers.
    scopes = [f"answer {i}" if cell.is_apart else cell.solution for i, cell in enumerate(cells)]
    asked = json.dumps([(c.code, s, c.may_fail) for c, s in zip(cells, scopes, strict=True)])
    path = kept / f"{hashlib.sha256((state + asked).encode()).hexdigest()[:16]}.json"
    if not path.exists():
        program = [sys.executable, "-P", str(Path(__file__).with_name("alone.py"))]
        found = subprocess.check_output(program, input=asked.encode(), cwd=folder)
        kept.mkdir(parents=True, exist_ok=True)
        path.write_bytes(found)
    return list(json.loads(path.read_bytes()))


def plan_of(cells: Sequence[Cell], found: list[Any]) -> Plan:
    plan, pieces = Plan([], [], {}), dict[str, list[int]]()  # of the chapter and of solutions
    for cell, (free, needs) in zip(cells, found, strict=True):
        name = None if needs else _name(cell, plan.before)
        plan.names.append(name)
        if name:
            scopes = dict.fromkeys(["", cell.solution])
            plan.before[name] = [piece for scope in scopes for piece in pieces.get(scope, [])]
        if free and not cell.is_apart:
            pieces.setdefault(cell.solution, []).append(len(plan.pieces))
            plan.pieces.append(free)
    return plan


def _name(cell: Cell, taken: dict[str, list[int]]) -> str:
    # Name a cell: an answer by its exercise, so that it survives a new wording of its stub.
    match = re.search(r'check\("([\w.-]+)"', cell.code)
    digest = hashlib.sha256(cell.code.encode()).hexdigest()[:6]
    name = match[1] if match and cell.is_stub else digest
    while name in taken:
        name += "+"
    return name


def write_python(root: Path, wheel: Path, folder: Path) -> tuple[dict[str, Any], str]:
    """Write what the worker loads, if it is new; return what there is, and a version."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = {name: root / PYODIDE / name for name in (*PACKED, "python_stdlib.zip")}
    sources |= {name: root / "companion" / "data" / name for name in LARGE}
    sources |= {"packages.whl": wheel, "runner.py": root / "book" / "assets" / FOLDER / "runner.py"}
    listing = folder / "files.json"
    old = json.loads(listing.read_text(encoding="ascii"))["files"] if listing.exists() else {}
    files, sizes = {}, {}
    for name, source in sources.items():
        content, is_packed = source.read_bytes(), name in PACKED
        path = folder / (f"{name}.gz" if is_packed else name)
        files[name] = f"{path.name}?v={hashlib.sha256(content).hexdigest()[:12]}"
        if files[name] != old.get(name) or not path.exists():
            path.write_bytes(gzip.compress(content, 9, mtime=0) if is_packed else content)
        sizes[name] = path.stat().st_size
    large = {
        name: {"file": files.pop(name), "about": about, "size": f"{sizes.pop(name) / 1e6:.1f} MB"}
        for name, (about, _) in LARGE.items()
    }
    lock = json.loads((root / PYODIDE / "pyodide-lock.json").read_text("utf-8")) | {"packages": {}}
    found = {"files": files, "lock": lock, "size": sum(sizes.values()), "large": large}
    text = json.dumps(found)
    listing.write_text(text, encoding="ascii")
    return found, hashlib.sha256(text.encode()).hexdigest()[:8]


def _write(app: Sphinx) -> None:
    app.ttv_run_here = None  # type: ignore[attr-defined]
    root = Path(app.srcdir)
    if app.builder.name != "html":
        return
    static, assets = Path(app.outdir) / "_static" / FOLDER, root / "book" / "assets" / FOLDER
    static.mkdir(parents=True, exist_ok=True)
    if not (root / PYODIDE / "package.json").exists():
        print("Without Pyodide (make book fetches it with npm) pages get no button Run here.")
        (static / "version.txt").write_text("", encoding="utf-8")
        return
    builder = WheelBuilder(str(root))  # the same checkout gives the same bytes
    builder.target_config["exclude"] = [f"companion/data/{name}" for name in LARGE]
    with tempfile.TemporaryDirectory() as folder:
        (wheel,) = builder.build(directory=folder, versions=["standard"])
        found, version = write_python(root, Path(wheel), static / "files")
    names = ("runs.js", "worker.js", "python.js", "../open/worker.js", "../open/opener.py")
    scripts = b"".join((assets / name).read_bytes() for name in names)
    version += hashlib.sha256(scripts).hexdigest()[:4]
    (static / "version.txt").write_text(version, encoding="utf-8")
    app.ttv_run_here = found  # type: ignore[attr-defined]


def _cells(doctree: nodes.document) -> list[Cell]:
    solutions = {
        id(cell): solution["label"]
        for solution in doctree.findall(solution_node) for cell in solution.findall(is_code_cell)
    }  # fmt: skip
    made = []
    for cell in list[Any](doctree.findall(is_code_cell)):
        tags, parts = {*cell["classes"]}, cell.findall(nodes.container)
        # What is folded comes after its outputs.
        code = next(n for n in parts if n.get("nb_element") == "cell_code_source").astext()
        is_stub, may_fail = bool(tags & {"tag_stub", "tag_apart"}), "tag_raises-exception" in tags
        made.append(Cell(code, is_stub, solutions.get(id(cell), ""), may_fail))
    return made


def marked(body: str, plan: Plan, how: str) -> str:
    """Put the names of the cells that can run into a page's HTML, and `how` under its title."""
    first, *others = _CELL.split(body)
    runs = [f' data-run="{name}"' if name else "" for name in plan.names]
    cells = (f'<div{run} class="cell {rest}' for run, rest in zip(runs, others, strict=True))
    return _TITLE.sub(lambda title: title.group() + how, "".join([first, *cells]), count=1)


def _turns(page: str, plan: Plan) -> dict[str, dict[str, Any]]:
    # Return our versions of what readers write, of those that a page goes on with.
    turns = dict[str, dict[str, Any]]()
    for exercise in (each for group in chapters().values() for each in group if each.ours):
        ours, path = inspect.getsource(exercise.ours).rstrip(), inspect.getfile(exercise.ours)
        if any(ours in piece or f'= check("{exercise.name}", ' in piece for piece in plan.pieces):
            turns[exercise.name] = {
                "definition": exercise.ours.__name__,
                "ours": ours,
                "checker": hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8],
                "isHere": exercise.name.startswith(f"{page}."),
            }
    return turns


def _add(app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    python: dict[str, Any] | None = app.ttv_run_here  # type: ignore[attr-defined]
    is_landing = pagename == app.config.root_doc
    if python is None or doctree is None or is_landing or not (cells := _cells(doctree)):
        return
    path, folder = Path(app.srcdir, pagename), Path(app.outdir, "_static", FOLDER)
    kept = Path(app.config.nb_execution_cache_path, "alone", path.name)
    state = app.env.ttv_states[pagename]  # type: ignore[attr-defined]
    found = tried(cells, path.parent, kept, state)
    plan, needs = plan_of(cells, found), {package for _, packages in found for package in packages}
    content = json.dumps({"pieces": plan.pieces, "before": plan.before})
    version = hashlib.sha256(content.encode()).hexdigest()[:8]
    name = f"plans/{pagename.replace('/', '-')}.json"
    shown = {
        "page": pagename,
        "plan": f"{name}?v={version}" if plan.before else None,
        "needs": listed(sorted(needs), "or"),
        "turns": json.dumps(_turns(path.name, plan)),
        "large": [python["large"][name] for name in LARGE if LARGE[name][1] in content],
        "url": app.config.publication.colab_url(f"{path.name}.ipynb"),
        "size": f"{python['size'] / 1e6:.1f} MB",
    }
    how = app.builder.templates.render("run-here.html", shown)
    context["body"] = marked(context["body"], plan, how)
    app.add_css_file(f"{FOLDER}/page.css")
    if plan.before:
        folder.joinpath("plans").mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
        app.add_js_file(f"{FOLDER}/page.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", _write)
    app.connect("html-page-context", _add)
