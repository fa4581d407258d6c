"""What a page of the book may cost a reader, and the table of what each does cost.

A test that measures tells `Tell` before it judges; tests/conftest.py prints the table at the end of
a run, whichever process the test ran in.
"""

from collections.abc import Callable, Iterable, Sequence

PROPERTY = "page figure"
LIMITS = {
    "kB": 500,
    "outside": 0,
    "console": 0,
    "axe": 0,
    "no alt": 0,
    "sideways": 0,
    "dead links": 0,
}
"""The columns of the table: kB of a first visit, compressed; requests that leave the book; errors
and warnings of the browser; violations that axe finds, over all widths and themes; images without
an alt text; pixels that a page 390 wide can be scrolled sideways; links that lead nowhere."""

Figure = tuple[str, str, float]
"""A page, a column, a number."""
Tell = Callable[[str, str, float], None]


def table(figures: Iterable[Sequence[object]]) -> list[str]:
    """Lines of the table: one a page, and the worst of each column with its limit.

    What was measured several times, in several themes, counts once: the worst.
    """
    pages: dict[str, dict[str, float]] = {}
    for page, column, number in figures:
        row = pages.setdefault(str(page), {})
        row[str(column)] = max(float(str(number)), row.get(str(column), 0))
    if not pages:
        return []
    width = max(map(len, pages), default=0)
    widths = {column: max(len(column), 9) for column in LIMITS}

    def line(name: str, cells: Iterable[str]) -> str:
        aligned = (f"{cell:>{widths[column]}}" for column, cell in zip(LIMITS, cells, strict=True))
        return f"{name:<{width}}  {'  '.join(aligned)}"

    def shown(number: float | None) -> str:
        return "-" if number is None else f"{number:.0f}"

    lines = [line("page", LIMITS)]
    lines += [line(page, (shown(pages[page].get(c)) for c in LIMITS)) for page in sorted(pages)]
    worst = {c: max((row[c] for row in pages.values() if c in row), default=None) for c in LIMITS}
    cells = (f"{shown(worst[c])}/{limit}" for c, limit in LIMITS.items())
    return [*lines, line("worst/limit", cells)]
