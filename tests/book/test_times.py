"""How long a chapter takes: the rule, and what the pages say."""

import re
from pathlib import Path

import pytest
from docutils import nodes

from ttv.times import hours, minutes, rounded


def paragraph(n_words: int) -> nodes.paragraph:
    return nodes.paragraph("", "word " * n_words)


def cell(*classes: str) -> nodes.container:
    return nodes.container("", nodes.literal_block("", "a = 1\n\nb = 2\nc = 3"), classes=classes)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (nodes.section("", nodes.title("", "A title"), paragraph(198)), 1),
        (cell(), 24 / 60),
        (nodes.math_block("", r"\frac{a}{b}"), 8 / 60),
        (nodes.figure("", nodes.image(), nodes.caption("", "word " * 50)), 0.75),
        (nodes.admonition("", paragraph(100)), 0.5),
        (nodes.admonition("", paragraph(100), classes=["dropdown"]), 0),
        (cell("tag_hide-input"), 0),
        (nodes.container("", cell(), nb_element="cell_code_output"), 0),
    ],
)
def test_what_a_reader_sees_takes_time(part: nodes.Element, expected: float) -> None:
    assert minutes(nodes.section("", part)) == pytest.approx(expected)


def test_no_time_is_rounded_by_more_than_a_seventh() -> None:
    assert [rounded(m) for m in (0, 0.1, 10.8, 17.4, 17.5, 22.4, 26)] == [0, 1, 11, 17, 20, 20, 25]
    assert all(abs(rounded(m / 10) - m / 10) <= m / 70 for m in range(30, 1000))


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_each_chapter_says_how_long_it_takes_and_routes_add_up(site: Path) -> None:
    found = {}
    for notebook in (site.parent / "notebooks").glob("[!i]*.ipynb"):
        page = (site / "book" / f"{notebook.stem}.html").read_text(encoding="utf-8")
        (said,) = re.findall(r'</h1>\s*<p class="ttv-times">(.*?)</p>', page)
        times = re.fullmatch(r"(\d+) min to read( · .*)? · \d*[05] s to run", plain(said))
        assert times, said
        found[notebook.stem] = int(times[1])
        assert "s to run" not in plain(notebook.read_text(encoding="utf-8"))
    source = Path(__file__).parents[2].joinpath("book/index.md").read_text(encoding="utf-8")
    index = (site / "book" / "index.html").read_text(encoding="utf-8")
    routes = re.findall(r"\{minutes\}`([^`]+)`", source)
    assert routes
    for route in routes:
        assert hours(rounded(sum(found[page] for page in route.split()))) in index
