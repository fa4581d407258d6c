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
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from ttv.reader import CheckedRole

FOLDER = Path("benchmarks", "results")
HARD_SPACE = "\N{NO-BREAK SPACE}"

COLUMNS = {
    "speed": ("MB/s", "megabytes_per_second", ""),
    "memory": ("memory", "memory", "MB"),
    "token": ("memory a token", "bytes_per_token", "bytes"),
    "growth": ("memory grew", "megabytes", "MB"),
    "copy": ("speed of a copy", "bandwidth", "%"),
}
"""What a task may have beyond time and ratio: name in a role, header, field in the file, unit."""

T = TypeVar("T")
Row = dict[str, Any]
"""One contender in one task, as it is in the file, with `seconds` and `per`.

`per` is what the seconds are for, such as "a batch"; it is empty for a whole run. The ratio is to
the first contender of the task; 2 is twice as slow. A note says how the time was found, if it is
not that of a full run.
"""


def tasks_of(data: dict[str, Any]) -> dict[str, dict[str, Row]]:
    """Return the rows of each task of a file by their contenders."""
    tasks: dict[str, dict[str, Row]] = {}
    for fields in data["rows"]:
        row = {"note": "", **fields, **_time(fields)}
        tasks.setdefault(row["task"], {})[row["contender"]] = row
    return tasks


def _time(fields: dict[str, Any]) -> dict[str, Any]:
    """Read a time, in whichever unit its benchmark writes it."""
    if "milliseconds" in fields:
        return {"seconds": fields["milliseconds"] / 1e3, "per": ""}
    unit, _, per = fields.get("unit", "s").partition(" ")
    return {"seconds": fields["seconds"] / {"s": 1, "µs": 1e6}[unit], "per": per}


def is_bound(row: Row) -> bool:
    """Whether this is no contender but a bound, which a benchmark names in parentheses."""
    return bool(row["contender"].startswith("("))


def find(kind: str, name: str, among: dict[str, T]) -> T:
    """Return what has a name, or a name that begins like this and is the only one."""
    if name in among:
        return among[name]
    found = [key for key in among if key.startswith(name)]
    if len(found) != 1:
        problem = "more than one" if found else "no"
        raise ValueError(f"{problem} {kind} {name!r}; {_known(found or among)}")
    return among[found[0]]


def _known(names: Iterable[str]) -> str:
    return "there are " + ", ".join(map(repr, names))


def files_of(env: BuildEnvironment) -> dict[str, Path]:
    """Return the files of results by their names."""
    return {path.stem: path for path in sorted((Path(env.srcdir) / FOLDER).glob("*.json"))}


def read_results(env: BuildEnvironment, name: str) -> dict[str, Any]:
    """Read a file of results for the page that is being read."""
    path = find("file of results", name, files_of(env))
    env.note_dependency(str(path))
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


# --- numbers --------------------------------------------------------------------------------------


def digits(x: float, n: int = 3) -> str:
    """Write a number with n significant digits.

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

    >>> row = {"seconds": 0.0002915, "per": "a batch"}
    >>> time_text(row), time_text(row, 2)
    ('292\xa0µs\xa0a\xa0batch', '290\xa0µs\xa0a\xa0batch')
    """
    units = ((1e-3, 1e-6, "µs"), (1, 1e-3, "ms"), (100, 1, "s"), (math.inf, 60, "min"))
    size, unit = next((size, unit) for limit, size, unit in units if row["seconds"] < limit)
    text = f"{digits(row['seconds'] / size, n)} {unit} {row['per']}".strip()
    return text.replace(" ", HARD_SPACE)


def more_text(row: Row, column: str) -> str:
    """Write what a row has in one of the further columns; empty if it has nothing."""
    _, field, unit = COLUMNS[column]
    value = row.get(field)
    if value is None:
        return ""
    return f"{value:.0%}" if unit == "%" else f"{digits(value)}{HARD_SPACE}{unit}".strip()


# --- tables ---------------------------------------------------------------------------------------


def cells(rows: Sequence[Row]) -> list[list[str]]:
    """Return the table of a task as text, its header first."""
    more = [name for name in COLUMNS if any(more_text(row, name) for row in rows)]
    table = [["contender", "time", "ratio", *(COLUMNS[name][0] for name in more)]]
    for row in rows:
        name = "; ".join(filter(None, (row["contender"], row["note"])))
        further = (more_text(row, column) for column in more)
        table.append([name, time_text(row), digits(row["ratio"]), *further])
    return table


def overview_cells(start: str, tasks: Sequence[Sequence[Row]]) -> list[list[str]]:
    """Return a row for each task: the first contender's time, the others' ratios, no bounds."""
    contenders = [row for rows in tasks for row in rows if not is_bound(row)]
    names = list(dict.fromkeys(row["contender"] for row in contenders))
    table = [["task", *names]]
    for rows in tasks:
        ratios = {row["contender"]: digits(row["ratio"]) for row in rows}
        task = rows[0]["task"].removeprefix(start).lstrip(" ,:")
        table.append([task, time_text(rows[0]), *(ratios.get(name, "") for name in names[1:])])
    return table


def table_node(
    directive: SphinxDirective, table: Sequence[Sequence[str]], rule: str = "---:"
) -> nodes.Element:
    """Make a table of its cells; the first column is text, the rule sets the others."""
    lines = [table[0], ["---", *[rule] * (len(table[0]) - 1)], *table[1:]]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    (node,) = directive.parse_text_to_nodes(text)
    assert isinstance(node, nodes.table)
    node["classes"] = ["ttv-speed"]
    return node


# --- bars -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """The place of a ratio on the axis, from 0 to 100."""

    logarithmic: bool
    ticks: tuple[float, ...]

    def __call__(self, ratio: float) -> float:
        """Return the place of a ratio."""
        low, high = self.ticks[0], self.ticks[-1]
        if self.logarithmic:
            low, high, ratio = math.log10(low), math.log10(high), math.log10(ratio)
        return 100 * (ratio - low) / (high - low)


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

    >>> [tick_text(x) for x in (0.01, 1.0, 1.5, 10_000.0, 1e8, 1e9)]
    ['0.01', '1', '1.5', '10,000', '100 million', '1 billion']
    """
    if x >= 1e9:
        return f"{x / 1e9:,.0f} billion"
    return f"{x / 1e6:,.0f} million" if x >= 1e6 else f"{x:,.10g}"


def figure_html(rows: Sequence[Row]) -> str:
    """Draw bars of the ratios of a task, with a text that says the same."""
    scale = scale_for([row["ratio"] for row in rows])
    said = "; ".join(f"{row['contender']}: {digits(row['ratio'])}" for row in rows)
    kind = "logarithmic" if scale.logarithmic else "linear"
    alt = f"Bars of time in relation to {rows[0]['contender']}, on a {kind} scale. {said}."
    axis = "".join(
        f'<span style="left:{scale(tick):.2f}%">{tick_text(tick)}</span>' for tick in scale.ticks
    )
    bars = "\n".join(_bar_html(row, scale) for row in rows)
    lines = len(scale.ticks) - 1  # the background of each track
    return (
        f'<div class="ttv-bars" role="img" style="--ttv-lines:{lines}" aria-label="{escape(alt)}">'
        f'\n{bars}\n<span class="ttv-axis">{axis}</span></div>'
    )


def _bar_html(row: Row, scale: Scale) -> str:
    contender, ratio = escape(row["contender"]), row["ratio"]
    # A logarithm has no zero: then bars begin at the first contender.
    low, high = sorted((scale(1 if scale.logarithmic else 0), scale(ratio)))
    # Open: no full run of a contender.
    kind = "ttv-speed-bar ttv-open" if is_bound(row) or row["note"] else "ttv-speed-bar"
    return (
        f'<span class="ttv-name">{contender}</span>'
        f'<span class="ttv-track"><span class="{kind}" style="left:{low:.2f}%;'
        f'width:{high - low:.2f}%"></span><span class="ttv-one" style="left:{scale(1):.2f}%">'
        f'</span></span><span class="ttv-value">{digits(ratio)}</span>'
    )


# --- directives and roles -------------------------------------------------------------------------


class Speed(SphinxDirective):
    """Set the tasks of a file of results."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {"overview": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return a figure and a table for each task, or a table for each line."""
        try:
            all_tasks = tasks_of(read_results(self.env, self.arguments[0]))
        except ValueError as error:
            raise self.error(str(error)) from error
        found: list[nodes.Node] = []
        for start in [line.strip() for line in self.content if line.strip()] or [""]:
            tasks = [[*rows.values()] for name, rows in all_tasks.items() if name.startswith(start)]
            if not tasks:
                raise self.error(f"no task {start!r}; {_known(all_tasks)}")
            if "overview" in self.options:
                table = table_node(self, overview_cells(start, tasks))
                found += [_title(start.rstrip(" :,")), table]
                continue
            for rows in tasks:
                figure = nodes.raw("", figure_html(rows), format="html")
                found += [_title(rows[0]["task"]), figure, table_node(self, cells(rows))]
        return found


def _title(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong("", text), classes=["ttv-task"])


class SpeedSources(SphinxDirective):
    """List the files of results."""

    def run(self) -> list[nodes.Node]:
        """Return a table with a row for each file."""
        table = [["results", "Python", "machine", "versions"]]
        for name in files_of(self.env):
            data = read_results(self.env, name)
            versions = ", ".join(f"{name} {number}" for name, number in data["versions"].items())
            table.append([name, data["python"], data["machine"], versions])
        return [table_node(self, table, rule="---")]


class SpeedRole(CheckedRole):
    """A number from the results."""

    def __init__(self, number: Callable[..., str]) -> None:
        super().__init__()
        self.number = number

    def node(self) -> nodes.Node:
        """Read the file and write the number."""
        name, *parts = shlex.split(self.text)
        text = self.number(read_results(self.env, name), *parts)
        return nodes.inline("", text, classes=["ttv-number"])


def ratio(data: dict[str, Any], task: str, slower: str, faster: str = "") -> str:
    """Write how many times as long one contender takes as another."""
    rows = find("task", task, tasks_of(data))
    first = find("contender", faster, rows) if faster else next(iter(rows.values()))
    return digits(find("contender", slower, rows)["seconds"] / first["seconds"], 2)


def measured(data: dict[str, Any], task: str, contender: str, what: str = "time") -> str:
    """Write the time of a contender, or what it has in another column."""
    row = find("contender", contender, find("task", task, tasks_of(data)))
    texts = {"time": time_text(row, 2)} | {name: more_text(row, name) for name in COLUMNS}
    return find("column", what, {name: text for name, text in texts.items() if text})


def about(data: dict[str, Any], path: str) -> str:
    """Write what a file says of its conditions, such as `text.words`."""
    value: Any = data
    for part in path.split("."):
        value = find("field", part, value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def setup(app: Sphinx) -> None:
    """Register the extension with Sphinx."""
    app.add_directive("speed", Speed)
    app.add_directive("speed-sources", SpeedSources)
    for number in (ratio, measured, about):
        app.add_role(number.__name__, SpeedRole(number))
