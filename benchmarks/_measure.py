"""What the benchmarks share: a text that every machine has, timing in turns, memory, tables.

A run is a function without arguments. A contender is a function of the text that prepares all and
returns a run; it stands at the top of its module, because memory is measured in another process.
"""

import ast
import json
import math
import multiprocessing
import os
import platform
import random
import statistics
import sysconfig
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
Run = Callable[[], Any]
Contender = Callable[[str], Run]


@dataclass
class Row:
    """One contender in one task."""

    task: str
    contender: str
    seconds: float  # the median
    ratio: float  # to the first contender of the task: 2.0 is twice as slow
    more: dict[str, float] = field(default_factory=dict)  # further columns of the table


def english(n_characters: int) -> str:
    """Return English that every machine has: the docstrings of Python's own library."""
    text = ""
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        # What pip put there differs from machine to machine, and tests are no English.
        if {"site-packages", "test", "tests", "idle_test"}.isdisjoint(path.parts):
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            kinds = ast.Module | ast.ClassDef | ast.FunctionDef
            docstrings = (ast.get_docstring(node) for node in nodes if isinstance(node, kinds))
            text += "".join(f"{docstring}\n\n" for docstring in docstrings if docstring)
        if len(text) >= n_characters:
            return text[:n_characters]
    raise SystemExit(f"the docstrings of this Python have only {len(text)} characters")


def kinds_of_text(n_characters: int) -> dict[str, str]:
    """Return English, and three texts made at random: Chinese characters, JSON, addresses."""
    rng, text = random.Random(0), english(n_characters)
    words = [word.lower() for word in text.split() if word.isalpha()]
    characters = rng.sample([chr(c) for c in range(0x4E00, 0x9FA5)], 3000)
    weights = [1 / n for n in range(1, 3001)]  # the n-th comes n times as rarely as the first

    def sentence() -> str:
        signs = rng.choices(characters, weights, k=rng.randrange(4, 20))
        return "".join([*signs, rng.choice("，。")])

    def record() -> str:
        tags, digest = rng.sample(words, 3), rng.randbytes(8).hex()
        fields = {"id": rng.randrange(10**6), "tags": tags, "hash": digest, "price": rng.random()}
        return json.dumps(fields) + "\n"

    def address() -> str:
        (a, b, c, d), n = rng.sample(words, 4), rng.randrange(1000)
        return f"https://www.{a}{b}.com/{c}/{d}-{n}?ref={rng.randbytes(6).hex()}\n"

    made = {"Chinese characters": (sentence, 48), "JSON": (record, 128), "URLs": (address, 64)}
    return {"English": text} | {
        name: "".join(make() for _ in range(n_characters // size))
        for name, (make, size) in made.items()
    }


def medians(
    runs: Mapping[str, Run],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
    prepare: Callable[[str], Any] = str,
    warm: int = 0,
) -> dict[str, float]:
    """Time runs in turns, so that a busy moment of the machine affects all of them.

    Each round has another order: a run is slower after one that used much other memory. What
    `prepare` does with a run's name before it is not timed, and the first `warm` rounds are not.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    generator = random.Random(0)
    for _ in range(warm + rounds):
        for name in generator.sample([*runs], len(runs)):
            prepare(name)
            start = clock()
            runs[name]()
            times[name].append(clock() - start)
    return {name: statistics.median(of_name[warm:]) for name, of_name in times.items()}


def rows_of(task: str, seconds: Mapping[str, float]) -> list[Row]:
    """Relate each time to the first."""
    first = next(iter(seconds.values()))
    return [Row(task, name, of_name, of_name / first) for name, of_name in seconds.items()]


def compare(
    task: str,
    text: str,
    contenders: Mapping[str, Contender],
    *,
    rounds: int,
    once: Sequence[str] = (),
    agree: bool = True,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Row]:
    """Time contenders after a first round, in which all must give the same result.

    Those in `once` take minutes: their first round is the only one, and their memory is not
    measured.
    """
    prepared = {name: contender(text) for name, contender in contenders.items()}
    times, expected = dict.fromkeys(contenders, 0.0), None
    for name, run in prepared.items():
        start = time.perf_counter()
        result = run()
        times[name] = time.perf_counter() - start
        if agree and expected not in (None, result):
            raise SystemExit(f"{task}: {name} gives another result")
        expected = result
    often = {name: run for name, run in prepared.items() if name not in once}
    rows = rows_of(task, times | medians(often, rounds, clock))
    for row in rows:
        row.more["MB/s"] = len(text.encode()) / row.seconds / 1e6
        if row.contender in often:
            row.more |= peak_memory(contenders[row.contender], text)
    return rows


def peak_memory(contender: Contender, text: str) -> dict[str, float]:
    """Return the megabytes that a run needs at its peak as a column, if this is Linux."""
    if not Path("/proc/self/clear_refs").exists():
        return {}
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return {"memory (MB)": pool.apply(_peak_memory_here, (contender, text))}


def _peak_memory_here(contender: Contender, text: str) -> float:
    def megabytes(name: str) -> float:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.partition(f"{name}:")[2].split()[0]) / 1000

    run = contender(text)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak so far is forgotten
    before = megabytes("VmRSS")
    run()
    return megabytes("VmHWM") - before


def digits(x: float) -> str:
    """Write a number with three significant digits: 0.0752, 1.00, 35.1, 1,270."""
    places = 2 - math.floor(math.log10(abs(float(f"{x:.2e}")) or 1))
    return f"{round(x, places):,.{max(places, 0)}f}"


def time_text(seconds: float) -> str:
    """Write a time in a unit that suits it."""
    units = ((1e-3, 1e-6, "µs"), (1, 1e-3, "ms"), (100, 1, "s"), (math.inf, 60, "min"))
    size, unit = next((size, unit) for limit, size, unit in units if seconds < limit)
    return f"{digits(seconds / size)} {unit}"


def table(cells: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown: text, and columns of numbers."""
    lines = [cells[0], ["---", *["---:"] * (len(cells[0]) - 1)], *cells[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def task_tables(rows: Sequence[Row]) -> str:
    """Write a table for each task, under its name."""
    tables = []
    for task in dict.fromkeys(row.task for row in rows):
        of_task = [row for row in rows if row.task == task]
        more = list(dict.fromkeys(name for row in of_task for name in row.more))
        cells = [["", "time", "ratio", *more]]
        for row in of_task:
            further = [digits(row.more[name]) if name in row.more else "" for name in more]
            cells.append([row.contender, time_text(row.seconds), digits(row.ratio), *further])
        tables.append(f"**{task}**\n\n{table(cells)}")
    return "\n\n".join(tables)


def ratio_tables(rows: Sequence[Row]) -> str:
    """Write a table for each group of tasks, which are named "group: task".

    It has a column for each task: the time of the first contender, and the ratios of the others.
    """
    tables = []
    for group in dict.fromkeys(row.task.partition(": ")[0] for row in rows):
        of_group = [row for row in rows if row.task.startswith(f"{group}: ")]
        names = dict.fromkeys(row.task.removeprefix(f"{group}: ") for row in of_group)
        cells: dict[str, list[str]] = {"": ["", *names]}
        for row in of_group:
            first = row.contender == of_group[0].contender
            text = time_text(row.seconds) if first else digits(row.ratio)
            cells.setdefault(row.contender, [row.contender]).append(text)
        tables.append(f"**{group}**\n\n{table([*cells.values()])}")
    return "\n\n".join(tables)


def report(
    name: str,
    rows: Sequence[Row],
    packages: Sequence[str],
    *,
    text: str = "",
    tables: Callable[[Sequence[Row]], str] = task_tables,
) -> None:
    """Write the results as a page's tables, with all that is needed to judge them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    machine = f"{platform.system()} {platform.machine()}, {cores} cores"
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    about = f"Python {platform.python_version()}, {machine}; {versions}"
    if text:
        about += f"; text of {len(text.encode()):,} bytes, {len(text.split()):,} words"
    print(page := f"{tables(rows)}\n\n{about}.\n")
    (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
