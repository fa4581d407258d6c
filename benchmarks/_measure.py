"""What the benchmarks share: a text that every machine has, side-by-side timing, memory, a table.

A contender is a function of the text that prepares everything and returns what is measured, a
function without arguments. It must stand at the top of its module, so that another process can
import it: memory is measured in a process of its own.
"""

import ast
import hashlib
import json
import multiprocessing
import os
import platform
import statistics
import sys
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
Contender = Callable[[str], Callable[[], Any]]


@dataclass
class Row:
    """One contender in one task."""

    task: str
    contender: str
    seconds: float  # the median
    runs: int
    ratio: float  # to the first contender of the task: 2.0 is twice as slow
    megabytes_per_second: float | None
    memory: float | None  # megabytes above what preparing took, at the peak of one run
    note: str = ""


def english(n_characters: int) -> str:
    """Return English that every machine has: the docstrings of Python's own library."""
    found: list[str] = []
    missing = n_characters
    for docstring in _docstrings():
        found.append(docstring)
        missing -= len(docstring) + 2
        if missing <= 0:
            return "\n\n".join(found)[:n_characters]
    raise SystemExit(f"the docstrings of this Python are {missing} characters too short")


def _docstrings() -> Iterator[str]:
    library = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(library.rglob("*.py")):
        # Whatever pip put there differs from machine to machine, and tests are no English.
        if {"site-packages", "test", "tests", "idle_test"} & set(path.parts):
            continue
        try:
            with warnings.catch_warnings(action="ignore"):
                tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                docstring = ast.get_docstring(node)
                if docstring:
                    yield docstring


def compare(
    task: str,
    text: str,
    contenders: dict[str, Contender],
    *,
    rounds: int,
    bytes_processed: int | None = None,
    same: Callable[[Any], Any] | None = None,
) -> list[Row]:
    """Time contenders in turns, so that a busy moment of the machine hits all of them.

    `same` reduces a result to what all contenders must agree on.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    expected = None
    prepared = {name: contender(text) for name, contender in contenders.items()}
    for round_ in range(rounds + 1):
        for name, run in prepared.items():
            start = time.perf_counter()
            result = run()
            if round_ > 0:  # the first round warms up
                times[name].append(time.perf_counter() - start)
            if same is not None:
                agreed = same(result)
                if expected is not None and agreed != expected:
                    raise SystemExit(f"{task}: {name} gives another result")
                expected = agreed
    medians = {name: statistics.median(of_name) for name, of_name in times.items()}
    first = next(iter(medians.values()))
    rows = []
    for name, seconds in medians.items():
        speed = None if bytes_processed is None else bytes_processed / seconds / 1e6
        memory = peak_memory(contenders[name], text)
        rows.append(Row(task, name, seconds, rounds, seconds / first, speed, memory))
    return rows


def peak_memory(contender: Contender, text: str) -> float | None:
    """Return how many megabytes a run needs at its peak, or None where Linux does not tell."""
    if not Path("/proc/self/clear_refs").exists():
        return None
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_peak_memory_here, (contender, text))


def _peak_memory_here(contender: Contender, text: str) -> float:
    run = contender(text)
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    before = _status("VmRSS")
    result = run()
    peak = _status("VmHWM")
    del result
    return (peak - before) / 1000


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise KeyError(field)


def report(name: str, text: str, rows: Sequence[Row], packages: Sequence[str]) -> None:
    """Print a table and write it as JSON, with all that is needed to judge it."""
    versions = {package: version(package) for package in packages}
    about_text = {
        "origin": f"docstrings of the library of Python {platform.python_version()}",
        "bytes": len(text.encode()),
        "words": len(text.split()),
        "distinct_words": len(set(text.split())),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }
    data = {
        "benchmark": name,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": versions,
        "text": about_text,
        "rows": [asdict(row) for row in rows],
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    shown = ", ".join(f"{package} {number}" for package, number in versions.items())
    print(f"{name}: Python {data['python']}, {data['machine']}; {shown}")
    print(f"text: {about_text['bytes']:,} bytes, {about_text['words']:,} words")
    _print_table(rows)
    print(f"written to {path}", file=sys.stderr)


def _print_table(rows: Sequence[Row]) -> None:
    task = None
    for row in rows:
        if row.task != task:
            task = row.task
            print(f"\n{task}")
            print(f"  {'':40} {'median':>10} {'ratio':>8} {'MB/s':>7} {'memory':>9}")
        speed = "" if row.megabytes_per_second is None else f"{row.megabytes_per_second:.2f}"
        memory = "" if row.memory is None else f"{row.memory:.1f} MB"
        print(
            f"  {row.contender:40} {row.seconds:8.4f} s {row.ratio:8.2f} {speed:>7} {memory:>9}"
            + (f"  {row.note}" if row.note else "")
        )
