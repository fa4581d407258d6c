"""Tables, bars and numbers of measured speed, from `benchmarks/results` when the book is built.

The directive `speed` sets a table and a figure for each task of a file of results, or for those
that its lines name; a line stands for every task that begins with it:

    ```{speed} bpe_encoding
    1 MB of English, warm
    ```

With the option `overview` there is one table for each line, with a row for each task. The directive
`speed-sources` lists the files with their machine and versions. In the text, roles write a number:

    {ratio}`bpe_encoding "1 MB of English, warm" "companion, cold" "tiktoken (compiled)"`
    {measured}`bpe_encoding "1 MB of English, warm" companion memory`
    {about}`bpe_encoding text.words`

The first is the time of the first contender divided by that of the second, or by that of the task's
first where there is no second. A name may be shortened as long as it stays unique.
"""

import functools
import json
import math
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

FOLDER = Path("benchmarks", "results")

HARD_SPACE = "\N{NO-BREAK SPACE}"
"""Between a number and its unit."""

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One contender in one task."""

    task: str
    contender: str
    seconds: float
    per: str
    """What the seconds are for, such as ``a batch``; empty for a whole run."""
    ratio: float
    """To the first contender of the task; 2 is twice as slow."""
    note: str
    fields: dict[str, Any]
    """The row as it stands in the file."""

    @property
    def bound(self) -> bool:
        """Whether this is no contender but a bound, which a benchmark names in parentheses."""
        return self.contender.startswith("(")


def read_row(fields: dict[str, Any]) -> Row:
    """Read a row, in whichever unit its benchmark writes times."""
    unit = fields.get("unit", "s")
    if "milliseconds" in fields:
        seconds, per = fields["milliseconds"] / 1e3, ""
    elif unit == "s":
        seconds, per = fields["seconds"], ""
    elif unit.startswith("µs "):
        seconds, per = fields["seconds"] / 1e6, unit.removeprefix("µs ")
    else:
        raise ValueError(f"a time in {unit!r}: known are seconds, milliseconds and µs")
    note = fields.get("note", "")
    return Row(fields["task"], fields["contender"], seconds, per, fields["ratio"], note, fields)


@dataclass(frozen=True)
class Results:
    """A file of results."""

    name: str
    data: dict[str, Any]

    @functools.cached_property
    def tasks(self) -> dict[str, list[Row]]:
        """The rows of each task, in the order of the file."""
        tasks: dict[str, list[Row]] = {}
        for fields in self.data["rows"]:
            tasks.setdefault(fields["task"], []).append(read_row(fields))
        return tasks

    def beginning(self, start: str) -> list[list[Row]]:
        """Return the tasks of a name, or those that begin with it."""
        if start in self.tasks:
            return [self.tasks[start]]
        found = [rows for task, rows in self.tasks.items() if task.startswith(start)]
        if not found:
            raise ValueError(f"{self.name}.json has no task {start!r}; {_known(self.tasks)}")
        return found

    def row(self, task: str, contender: str) -> Row:
        """Return one contender of one task."""
        rows = find(f"{self.name}.json", "task", task, self.tasks)
        named = {row.contender: row for row in rows}
        return find(f"{rows[0].task!r} in {self.name}.json", "contender", contender, named)


def _known(names: Iterable[str]) -> str:
    return "there are " + ", ".join(map(repr, names))


def find(where: str, kind: str, name: str, among: dict[str, T]) -> T:
    """Return what has a name, or a name that begins like this and is the only one."""
    if name in among:
        return among[name]
    found = [key for key in among if key.startswith(name)]
    if len(found) != 1:
        problem = "more than one" if found else "no"
        raise ValueError(f"{where} has {problem} {kind} {name!r}; {_known(found or among)}")
    return among[found[0]]


def read_results(folder: Path, name: str) -> Results:
    """Read a file of results by its name without the ending."""
    files = {path.stem: path for path in sorted(folder.glob("*.json"))}
    if name not in files:
        raise ValueError(f"{folder} has no results {name!r}; {_known(files)}")
    return Results(name, json.loads(files[name].read_text(encoding="utf-8")))


# --- numbers --------------------------------------------------------------------------------------


def digits(x: float, n: int = 3) -> str:
    """Write a number with n significant digits.

    Examples
    --------
    >>> [digits(x) for x in (0.07518, 1.0, 35.07, 1273.9)]
    ['0.0752', '1.00', '35.1', '1,270']
    >>> digits(9.96, 2)
    '10'
    """
    if x == 0:
        return "0"
    places = n - 1 - math.floor(math.log10(abs(float(f"{x:.{n - 1}e}"))))
    return f"{round(x, places):,.{max(places, 0)}f}"


def time_text(row: Row, n: int = 3) -> str:
    r"""Write a time in a unit that suits it.

    Examples
    --------
    >>> row = read_row({"task": "t", "contender": "c", "milliseconds": 0.2915, "ratio": 1.0})
    >>> time_text(row), time_text(row, 2)
    ('292\xa0µs', '290\xa0µs')
    """
    units = ((1e-3, 1e-6, "µs"), (1, 1e-3, "ms"), (100, 1, "s"), (math.inf, 60, "min"))
    size, unit = next((size, unit) for limit, size, unit in units if row.seconds < limit)
    text = f"{digits(row.seconds / size, n)} {unit} {row.per}".strip()
    return text.replace(" ", HARD_SPACE)


COLUMNS: dict[str, Callable[[Row], str]] = {
    "MB/s": lambda row: _number(row, "megabytes_per_second"),
    "memory": lambda row: _number(row, "memory", "MB"),
    "memory a token": lambda row: _number(row, "bytes_per_token", "bytes"),
    "memory grew": lambda row: _number(row, "megabytes", "MB"),
    "speed of a copy": lambda row: (
        f"{row.fields['bandwidth']:.0%}" if row.fields.get("bandwidth") is not None else ""
    ),
}
"""What a table shows beyond time and ratio, where the task has it."""

MEASURES = {
    "memory": "memory",
    "growth": "memory grew",
    "speed": "MB/s",
    "token": "memory a token",
}
"""What the role `measured` can say beyond the time, and the column that has it."""


def _number(row: Row, field: str, unit: str = "") -> str:
    value = row.fields.get(field)
    return "" if value is None else f"{digits(value)}{HARD_SPACE}{unit}".strip()


# --- tables ---------------------------------------------------------------------------------------


def cells(rows: Sequence[Row]) -> list[list[str]]:
    """Return the table of a task as text, its header first."""
    extra = [name for name, text in COLUMNS.items() if any(map(text, rows))]
    table = [["contender", "time", "ratio", *extra]]
    for row in rows:
        name = f"{row.contender}; {row.note}" if row.note else row.contender
        more = [COLUMNS[column](row) for column in extra]
        table.append([name, time_text(row), digits(row.ratio), *more])
    return table


def overview_cells(start: str, tasks: Sequence[Sequence[Row]]) -> list[list[str]]:
    """Return a row for each task: the first contender's time, the others' ratios, no bounds."""
    contenders = [row for rows in tasks for row in rows if not row.bound]
    names = list(dict.fromkeys(row.contender for row in contenders))
    table = [["task", *names]]
    for rows in tasks:
        ratios = {row.contender: digits(row.ratio) for row in rows}
        task = rows[0].task.removeprefix(start).lstrip(" ,:")
        others = [ratios.get(name, "") for name in names[1:]]
        table.append([task, time_text(rows[0]), *others])
    return table


def table_node(table: Sequence[Sequence[str]]) -> nodes.table:
    """Make a table of its cells; the first column is text, the others are numbers."""
    group = nodes.tgroup(cols=len(table[0]))
    group += [nodes.colspec(colwidth=1) for _ in table[0]]
    group += nodes.thead("", _table_row(table[0]))
    group += nodes.tbody("", *map(_table_row, table[1:]))
    return nodes.table("", group, classes=["ttv-speed"])


def _table_row(texts: Sequence[str]) -> nodes.row:
    row = nodes.row()
    for i, text in enumerate(texts):
        classes = ["text-right"] if i else []
        row += nodes.entry("", nodes.paragraph("", text), classes=classes)
    return row


# --- bars -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """Where a ratio stands on the axis, from 0 to 100."""

    logarithmic: bool
    ticks: tuple[float, ...]

    def __call__(self, ratio: float) -> float:
        """Return the place of a ratio."""
        low, high = self.ticks[0], self.ticks[-1]
        if self.logarithmic:
            low, high, ratio = math.log10(low), math.log10(high), math.log10(ratio)
        return 100 * (ratio - low) / (high - low)

    @property
    def start(self) -> float:
        """Where bars begin: at the first contender, since a logarithm has no zero, or at zero."""
        return self(1 if self.logarithmic else 0)


def scale_for(ratios: Sequence[float]) -> Scale:
    """Choose an axis: logarithmic where the ratios span more than one power of ten."""
    low, high = min(1, *ratios), max(1, *ratios)
    if high / low <= 10:
        step = next(step for step in (0.5, 1, 2, 5) if high / step <= 5)
        return Scale(False, tuple(step * i for i in range(math.ceil(high / step) + 1)))
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    step = math.ceil((last - first) / 3)
    first -= -first % step  # so that 1 is among the ticks
    return Scale(True, tuple(10.0**i for i in range(first, last + step, step)))


def tick_text(x: float) -> str:
    """Write the number at a tick.

    Examples
    --------
    >>> [tick_text(x) for x in (0.01, 1.0, 1.5, 10_000.0, 1e8, 1e9)]
    ['0.01', '1', '1.5', '10,000', '100 million', '1 billion']
    """
    if x >= 1e9:
        return f"{x / 1e9:,.0f} billion"
    return f"{x / 1e6:,.0f} million" if x >= 1e6 else f"{x:,.10g}"


def figure_html(rows: Sequence[Row]) -> str:
    """Draw bars of the ratios of a task, with a text that says the same."""
    scale = scale_for([row.ratio for row in rows])
    said = "; ".join(f"{row.contender}: {digits(row.ratio)}" for row in rows)
    kind = "logarithmic" if scale.logarithmic else "linear"
    alt = f"Bars of time in relation to {rows[0].contender}, on a {kind} scale. {said}."
    parts = [f'<div class="ttv-bars" role="img" aria-label="{escape(alt)}">']
    parts += [_bar_html(row, scale) for row in rows]
    axis = "".join(
        f'<span style="left:{scale(tick):.2f}%">{tick_text(tick)}</span>' for tick in scale.ticks
    )
    # The lines of the scale are the background of each track.
    lines = f"--ttv-lines:{len(scale.ticks) - 1}"
    parts.append(f'<span class="ttv-axis">{axis}</span></div>')
    return "\n".join(parts).replace('role="img"', f'role="img" style="{lines}"', 1)


def _bar_html(row: Row, scale: Scale) -> str:
    low, high = sorted((scale.start, scale(row.ratio)))
    # Open: no full run of a contender.
    kind = "ttv-speed-bar ttv-open" if row.bound or row.note else "ttv-speed-bar"
    return (
        f'<span class="ttv-name">{escape(row.contender)}</span>'
        f'<span class="ttv-track"><span class="{kind}" style="left:{low:.2f}%;'
        f'width:{high - low:.2f}%"></span><span class="ttv-one" style="left:{scale(1):.2f}%">'
        f'</span></span><span class="ttv-value">{digits(row.ratio)}</span>'
    )


# --- directives and roles -------------------------------------------------------------------------


class Speed(SphinxDirective):
    """Set the tasks of a file of results."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {"overview": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return a figure and a table for each task, or a table for each line."""
        folder = Path(self.env.srcdir) / FOLDER
        try:
            results = read_results(folder, self.arguments[0])
            self.env.note_dependency(str(folder / f"{results.name}.json"))
            starts = [line.strip() for line in self.content if line.strip()] or [""]
            chosen = [(start, results.beginning(start)) for start in starts]
        except ValueError as error:
            raise self.error(str(error)) from error
        if "overview" in self.options:
            return [node for start, tasks in chosen for node in _overview(start, tasks)]
        return [node for _, tasks in chosen for rows in tasks for node in _task(rows)]


def _title(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong("", text), classes=["ttv-task"])


def _task(rows: Sequence[Row]) -> list[nodes.Node]:
    figure = nodes.raw("", figure_html(rows), format="html")
    return [_title(rows[0].task), figure, table_node(cells(rows))]


def _overview(start: str, tasks: Sequence[Sequence[Row]]) -> list[nodes.Node]:
    return [_title(start.rstrip(" :,") or "All tasks"), table_node(overview_cells(start, tasks))]


class SpeedSources(SphinxDirective):
    """List the files of results."""

    def run(self) -> list[nodes.Node]:
        """Return a table with a row for each file."""
        folder = Path(self.env.srcdir) / FOLDER
        table = [["results", "Python", "machine", "versions"]]
        for path in sorted(folder.glob("*.json")):
            self.env.note_dependency(str(path))
            data = read_results(folder, path.stem).data
            versions = ", ".join(f"{name} {number}" for name, number in data["versions"].items())
            table.append([path.stem, data["python"], data["machine"], versions])
        node = table_node(table)
        for entry in node.findall(nodes.entry):
            entry["classes"] = []
        return [node]


class SpeedRole(SphinxRole):
    """A number from the results."""

    def __init__(self, number: Callable[..., str], n_parts: tuple[int, ...], form: str) -> None:
        super().__init__()
        self.number, self.n_parts, self.form = number, n_parts, form

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Read the file and write the number."""
        folder = Path(self.env.srcdir) / FOLDER
        try:
            name, *parts = shlex.split(self.text)
            if len(parts) not in self.n_parts:
                raise ValueError(f"it must read: {self.form}")
            text = self.number(read_results(folder, name), *parts)
        except ValueError as error:
            message = self.inliner.reporter.error(
                f"{self.name}: {self.text!r}: {error}", line=self.lineno
            )
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        self.env.note_dependency(str(folder / f"{name}.json"))
        return [nodes.inline("", text, classes=["ttv-number"])], []


def ratio(results: Results, task: str, slower: str, faster: str | None = None) -> str:
    """Write how many times as long one contender takes as another."""
    time = results.row(task, slower).seconds
    first = find(f"{results.name}.json", "task", task, results.tasks)[0].contender
    return digits(time / results.row(task, faster or first).seconds, 2)


def measured(results: Results, task: str, contender: str, what: str = "time") -> str:
    """Write the time, the memory or the speed of a contender."""
    row = results.row(task, contender)
    if what == "time":
        return time_text(row, 2)
    text = COLUMNS[MEASURES[what]](row) if what in MEASURES else ""
    if not text:
        known = [k for k, column in MEASURES.items() if COLUMNS[column](row)]
        raise ValueError(
            f"{contender!r} in {row.task!r} has no {what!r}; {_known(['time', *known])}"
        )
    return text


def about(results: Results, path: str) -> str:
    """Write what a file says of its conditions, such as `text.words`."""
    value: Any = results.data
    for part in path.split("."):
        if not isinstance(value, dict) or part not in value:
            known = value if isinstance(value, dict) else ()
            raise ValueError(f"{results.name}.json has no {path!r}; {_known(known)}")
        value = value[part]
    return f"{value:,}" if isinstance(value, int) else str(value)


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_directive("speed", Speed)
    app.add_directive("speed-sources", SpeedSources)
    app.add_role("ratio", SpeedRole(ratio, (2, 3), 'FILE "task" "contender" ["other"]'))
    app.add_role("measured", SpeedRole(measured, (2, 3), 'FILE "task" "contender" [memory]'))
    app.add_role("about", SpeedRole(about, (1,), "FILE key"))
