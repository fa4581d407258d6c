"""The page of measured speed says what the files of results say, in tables, bars and sentences."""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag

from ttv import speed

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "results"
FILES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
PAGE = ROOT / "book" / "speed.md"
SOURCE = PAGE.read_text(encoding="utf-8")
UNITS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
TITLE_FIRST = "contender"
"""What stands first in the table of a task; an overview begins with another word."""

Rows = list[dict[str, Any]]


def seconds(row: dict[str, Any]) -> float:
    """The time of a row of a file, read without the help of the extension."""
    if "milliseconds" in row:
        return float(row["milliseconds"]) / 1000
    return float(row["seconds"]) * (1e-6 if row.get("unit") == "µs a batch" else 1)


def tasks() -> dict[str, Rows]:
    """All tasks of all files; no name occurs in two of them, but for the megabyte of English."""
    found: dict[str, Rows] = {}
    for name, data in FILES.items():
        for row in data["rows"]:
            found.setdefault(f"{name}: {row['task']}", []).append(row)
    return found


@pytest.fixture(scope="module")
def page(site: Path) -> BeautifulSoup:
    return BeautifulSoup((site / "book" / "speed.html").read_text("utf-8"), "html.parser")


def texts(row: Tag) -> list[str]:
    return [_plain(cell.get_text()) for cell in row.find_all(["th", "td"])]


def _plain(text: str) -> str:
    return text.strip().replace("\N{NO-BREAK SPACE}", " ").replace("’", "'")


def tables(page: BeautifulSoup) -> list[tuple[str, list[list[str]]]]:
    """The title over each table and its cells; the table of files has none."""
    found = []
    for table in page.select("table.ttv-speed"):
        title = table.find_previous("p", class_="ttv-task")
        rows = [texts(row) for row in table.find_all("tr")]
        found.append((_plain(title.get_text()) if title else "", rows))
    return found


def said(text: str) -> float:
    """The number that a cell says, in seconds if it is a time."""
    number, _, unit = text.partition(" ")
    value = float(number.replace(",", "").rstrip("%"))
    return value * UNITS.get(unit.split(" ")[0], 1.0)


def same(text: str, value: float | None) -> bool:
    """Whether a cell says a value with three digits, or nothing where there is none."""
    return text == "" if value is None else math.isclose(said(text), value, rel_tol=5e-3)


COLUMNS: dict[str, Callable[[dict[str, Any]], float | None]] = {
    "time": seconds,
    "ratio": lambda row: row["ratio"],
    "MB/s": lambda row: row["megabytes_per_second"],
    "memory": lambda row: row["memory"],
    "memory a token": lambda row: row["bytes_per_token"],
    "memory grew": lambda row: row["megabytes"],
}


def test_every_row_is_that_of_the_file(page: BeautifulSoup) -> None:
    for title, (header, *lines) in tables(page):
        if header[0] != TITLE_FIRST:
            continue
        names = [re.sub("; .*", "", line[0]) for line in lines]
        times = [line[1] for line in lines]
        (rows,) = [
            rows
            for task, rows in tasks().items()
            if task.endswith(f": {title}")
            and len(rows) == len(lines)
            and all(same(text, seconds(row)) for text, row in zip(times, rows, strict=True))
        ]
        assert names == [row["contender"] for row in rows]
        for line, row in zip(lines, rows, strict=True):
            assert row.get("note", "") in line[0]
            for column, text in zip(header[1:], line[1:], strict=True):
                if column == "speed of a copy":
                    share = row["bandwidth"]
                    assert text == ("" if share is None else f"{share:.0%}")
                else:
                    assert same(text, COLUMNS[column](row)), (title, column, text)


def test_an_overview_has_the_ratios_of_the_file(page: BeautifulSoup) -> None:
    for title, (header, *lines) in tables(page):
        if header[0] != "task":
            continue
        for task, *values in lines:
            rows = {row["contender"]: row for row in tasks()[f"input_layers: {title}: {task}"]}
            assert header[1:] == [name for name in rows if name[0] != "("]
            assert same(values[0], seconds(rows[header[1]]))
            for name, text in zip(header[2:], values[1:], strict=True):
                assert same(text, rows[name]["ratio"])


def test_every_file_and_every_task_is_on_the_page(page: BeautifulSoup) -> None:
    assert set(re.findall(r"^```\{speed\} (\w+)$", SOURCE, re.MULTILINE)) == set(FILES)
    assert len(FILES) >= 6
    shown = set()
    for title, (header, *lines) in tables(page):
        shown |= {title} if header[0] == TITLE_FIRST else {f"{title}: {line[0]}" for line in lines}
    assert {row["task"] for data in FILES.values() for row in data["rows"]} <= shown


def test_the_page_tells_machine_and_versions(page: BeautifulSoup) -> None:
    (table,) = [table for _, table in tables(page) if table[0][0] == "results"]
    assert [line[0] for line in table[1:]] == sorted(FILES)
    for name, python, machine, versions in table[1:]:
        data = FILES[name]
        assert (python, machine) == (data["python"], data["machine"])
        assert versions == ", ".join(f"{k} {v}" for k, v in data["versions"].items())


def _place(style: str, name: str) -> float:
    match = re.search(rf"{name}:([\d.]+)%", style)
    assert match, style
    return float(match[1])


def test_bars_are_as_long_as_the_ratios_say(page: BeautifulSoup) -> None:
    shown = [table for _, table in tables(page) if table[0][0] == TITLE_FIRST]
    for figure, (_, *lines) in zip(page.select(".ttv-bars"), shown, strict=True):
        ratios = [said(line[2]) for line in lines]
        scale = speed.scale_for(ratios)
        assert ("logarithmic" in str(figure["aria-label"])) == scale.logarithmic
        ticks = figure.select(".ttv-axis span")
        assert [tick.get_text() for tick in ticks] == [*map(speed.tick_text, scale.ticks)]
        places = [_place(str(tick["style"]), "left") for tick in ticks]
        assert places == pytest.approx([*map(scale, scale.ticks)], abs=0.01)
        bars = figure.select(".ttv-speed-bar")
        for bar, ratio, line in zip(bars, ratios, lines, strict=True):
            style = str(bar["style"])
            start, width = _place(style, "left"), _place(style, "width")
            ends = sorted((scale(1 if scale.logarithmic else 0), scale(ratio)))
            assert [start, start + width] == pytest.approx(ends, abs=0.4)  # they were rounded
            name, _, note = line[0].partition("; ")
            assert ("ttv-open" in bar["class"]) == (bool(note) or name.startswith("("))
            assert f"{name}: {line[2]}" in _plain(str(figure["aria-label"]))


@pytest.mark.parametrize(
    ("ratios", "logarithmic", "ticks"),
    [
        ([1, 1.44, 1.35], False, (0, 0.5, 1, 1.5)),
        ([1, 0.1], False, (0, 0.5, 1)),
        ([1, 0.09], True, (0.01, 0.1, 1)),
        ([1, 169], True, (1, 10, 100, 1000)),
        ([1, 0.22, 24], True, (0.1, 1, 10, 100)),
        ([0.2, 9_000], True, (0.01, 1, 100, 10_000)),
        ([1, 59e6], True, (1, 1e3, 1e6, 1e9)),
    ],
)
def test_a_scale_that_fits(ratios: list[float], logarithmic: bool, ticks: tuple[float]) -> None:
    scale = speed.scale_for(ratios)
    assert scale.logarithmic == logarithmic
    assert scale.ticks == pytest.approx(ticks)
    middle = math.sqrt(ticks[0] * ticks[-1]) if logarithmic else ticks[-1] / 2
    assert [*map(scale, (ticks[0], middle, ticks[-1]))] == pytest.approx([0, 50, 100])
    assert all(0 <= scale(ratio) <= 100 for ratio in ratios)


# --- sentences ------------------------------------------------------------------------------------


def prose() -> str:
    """The page without its head, directives, code and roles."""
    text = SOURCE.split("---\n", 2)[2]
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"\{\w+\}`[^`]*`|`[^`]*`", " ", text)


def test_no_measured_number_is_typed() -> None:
    allowed = r"GPT-2|base64|a ratio of 2 |begin at 1,|400 MB"
    for phrase in allowed.split("|"):
        assert phrase in SOURCE
    assert re.findall(r".*\d.*", re.sub(allowed, " ", prose())) == []
    assert len(re.findall(r"\{(?:ratio|measured|about)\}`", SOURCE)) > 20


def of(name: str, task: str) -> dict[str, float]:
    """The times of a task, by contender."""
    (found,) = {row["task"] for row in FILES[name]["rows"] if row["task"].startswith(task)}
    return {r["contender"]: seconds(r) for r in FILES[name]["rows"] if r["task"] == found}


def memory(name: str, contender: str) -> float:
    return float(next(r["memory"] for r in FILES[name]["rows"] if r["contender"] == contender))


def all_input(kind: str) -> list[dict[str, float]]:
    names = {row["task"] for row in FILES["input_layers"]["rows"] if kind in row["task"]}
    return [of("input_layers", task) for task in names]


TIK, TOK, COLD = "tiktoken (compiled)", "tokenizers (compiled)", "companion, cold"
RECOUNT, SLICES = "full recount (most tutorials)", "list of slices"
ONE_THREAD = "1 x 512 x 768, 1 thread"

# What the page says in words, and what must be so for it.
CLAIMS: dict[str, Callable[[], bool]] = {
    "It wins where a text repeats its words, and it loses where every word is new.": lambda: (
        of("bpe_encoding", "1 MB of English")["companion"] < of("bpe_encoding", "1 MB of E")[TIK]
        and of("bpe_encoding", "1 MB of words")[COLD] > 2 * of("bpe_encoding", "1 MB of words")[TIK]
    ),
    "so it falls further behind as the text and the vocabulary grow": lambda: (
        _recount("0.1 MB") * 2 < _recount("1 MB, 1,000") and
        _recount("1 MB, 1,000") * 2 < _recount("1 MB, 5,000")
    ),
    "The algorithm matters more than the programming language.": lambda: (
        of("bpe_training", "1 MB, 5,000")[TOK] < of("bpe_training", "1 MB, 5,000")[RECOUNT] / 100
    ),
    "This is the best case for the companion.": lambda: (
        of("bpe_encoding", "1 MB of English")[COLD] > of("bpe_encoding", "1 MB of English")[TIK]
    ),
    "a single long string is its worst case": lambda: (
        memory("bpe_encoding", TOK) > 10 * memory("bpe_encoding", TIK)
    ),
    "Here the companion loses.": lambda: all(
        of("bpe_encoding", task)[COLD] > of("bpe_encoding", task)[other]
        for task in ("1 MB of words", "one word") for other in (TIK, TOK)
    ),
    "The result is similar, for the same reason": lambda: (
        of("wordpiece_encoding", "1 MB")["companion"] * 2 < of("wordpiece_encoding", "1 MB")[COLD]
    ),
    "even a plain loop over characters is faster than the compiled libraries": lambda: all(
        of("wordpiece_encoding", "1 MB")["character by character (first BERT)"]
        < of("wordpiece_encoding", "1 MB")[other] for other in ("transformers (compiled)", TOK)
    ),
    "Training is slower than the compiled program": lambda: (
        of("unigram", "learn")["companion"] > 2 * of("unigram", "learn")["sentencepiece (compiled)"]
    ),
    "The compiled tokenizers are imported faster": lambda: all(
        of("startup", "import")[other] < of("startup", "import")["companion.bpe"]
        for other in ("tiktoken", "tokenizers")
    ),
    "Both are negligible compared with `torch`": lambda: (
        of("startup", "import")["torch"] > 10 * of("startup", "import")["companion.bpe"]
    ),
    "so the time is the same for any length": lambda: (
        of("windows", "build windows: 10,")["companion, from an array"]
        < 3 * of("windows", "build windows: 1,")["companion, from an array"]
    ),
    "is more than most machines can hold": lambda: next(
        r["bytes_per_token"] for r in FILES["windows"]["rows"]
        if r["task"].startswith("build windows: 10,000,000") and SLICES in r["contender"]
    ) * 10e6 > 32e9,
    "but not the memory": lambda: all(
        r["megabytes"] < 50 for r in FILES["windows"]["rows"] if r["megabytes"] is not None
    ),
    "With gradients there is no difference": lambda: all(
        0.9 < times["transformers"] / times["companion"] < 1.1
        for times in all_input("forward and backward")
    ),
    "this loop takes the same time for all": lambda: all(
        0.9 < times[f"{other}, torch.compile"] / times["companion, torch.compile"] < 1.1
        for times in all_input("forward:") for other in ("naive sum", "transformers")
    ),
    "Compiled, the companion is faster in some tasks and slower in others": lambda: (
        {True, False} == {
            times["companion, torch.compile"] < times["companion"]
            for times in all_input("forward:")
        }
    ),
    "this costs a part of the gain": lambda: (
        _gain("BERT, two texts") < _gain("BERT, one text")
    ),
    "Nothing was measured on a GPU": lambda: not any("cuda" in name for name in FILES),
}  # fmt: skip


def _recount(task: str) -> float:
    times = of("bpe_training", task)
    return times[RECOUNT] / times["companion"]


def _gain(model: str) -> float:
    times = of("input_layers", f"Input of {model}, forward: {ONE_THREAD}")
    return times["transformers"] / times["companion"]


@pytest.mark.parametrize("sentence", CLAIMS)
def test_what_the_page_says_in_words_holds(sentence: str) -> None:
    assert sentence in SOURCE, "the page says something else now: change the list of claims too"
    assert CLAIMS[sentence](), "the results no longer bear this out: change the page"


def test_every_benchmark_can_be_repeated_from_the_page() -> None:
    programs = {p.name for p in (ROOT / "benchmarks").glob("*.py") if p.name[0] != "_"}
    assert set(re.findall(r"python benchmarks/(\w+\.py)", SOURCE)) == programs
    assert {name.removesuffix(".py") for name in programs} == set(FILES)


# --- what a page may not ask for ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "text", "number"),
    [
        (speed.ratio, ["t", "slow"], "2.0"),
        (speed.ratio, ["t", "slow", "slow"], "1.0"),
        (speed.ratio, ["t", "fast", "slow"], "0.50"),
        (speed.measured, ["t", "slow"], "30 ms"),
        (speed.measured, ["t", "slow", "memory"], "1.50 MB"),
        (speed.about, ["text.words"], "12,345"),
        (speed.about, ["machine"], "a machine"),
    ],
)
def test_a_number(role: Callable[..., str], text: list[str], number: str) -> None:
    assert role(EXAMPLE, *text).replace("\N{NO-BREAK SPACE}", " ") == number


EXAMPLE = {
    "machine": "a machine",
    "text": {"words": 12_345},
    "rows": [
        {"task": "task one", "contender": "fast", "seconds": 0.015, "ratio": 1.0, "memory": 1},
        {"task": "task one", "contender": "slow", "seconds": 0.03, "ratio": 2.0, "memory": 1.5},
        {"task": "task one", "contender": "slower", "seconds": 0.3, "ratio": 20.0, "note": "n"},
        {"task": "another", "contender": "fast", "seconds": 3.0, "ratio": 1.0},
    ],
}


def test_a_page_that_asks_for_what_is_not_there_does_not_build(tmp_path: Path) -> None:
    results = tmp_path / "benchmarks" / "results"
    results.mkdir(parents=True)
    (results / "x.json").write_text(json.dumps(EXAMPLE), encoding="utf-8")
    (tmp_path / "conf.py").write_text('extensions = ["myst_nb", "ttv.speed"]\n', encoding="utf-8")
    (tmp_path / "index.md").write_text(
        "# Page\n\n```{speed} x\ntask\n```\n\nIt takes {ratio}`x task slow`.\n\n"
        "```{speed} y\n```\n\n```{speed} x\nno such\n```\n\n{ratio}`x`\n\n{ratio}`x two fast`\n\n"
        "{ratio}`x task s`\n\n{measured}`x task fast speed`\n\n{about}`x text.lines`\n",
        encoding="utf-8",
    )
    env = os.environ | {"PYTHONPATH": f"{ROOT / 'book' / '_ext'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    command += [str(tmp_path), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 1
    for message in (
        "no file of results 'y'; there are 'x'",
        "no task 'no such'; there are 'task one', 'another'",
        "missing 2 required positional arguments: 'task' and 'slower'",
        "no task 'two'; there are 'task one', 'another'",
        "more than one contender 's'; there are 'slow', 'slower'",
        "no column 'speed'; there are 'time', 'memory'",
        "no field 'lines'; there are 'words'",
    ):
        assert message in done.stderr
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert re.search(r'It takes <span class="ttv-number">2\.0</span>', page)
    assert page.count("ttv-bars") == 1
