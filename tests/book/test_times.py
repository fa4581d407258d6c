"""How long a chapter takes: the rule, and what the pages say."""

import re
from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document

from ttv.quiz import quiz_question
from ttv.times import hours, minutes, minutes_of_page, rounded, times
from workbook.exercises import chapters


def paragraph(n_words: int) -> nodes.paragraph:
    return nodes.paragraph("", "word " * n_words)


def cell(code: str, *classes: str, prints: str = "") -> nodes.container:
    source = nodes.container("", nodes.literal_block("", code), nb_element="cell_code_source")
    output = nodes.container("", nodes.literal_block("", prints), nb_element="cell_code_output")
    return nodes.container("", source, output, nb_element="cell_code", classes=classes)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (nodes.section("", nodes.title("", "A title"), paragraph(198)), 60),
        (nodes.literal_block("", "a = 1\n\nb = 2\nc = 3"), 24),
        (nodes.math_block("", r"\frac{a}{b}"), 8),
        (nodes.figure("", nodes.image(), nodes.caption("", "word " * 50)), 45),
        (nodes.admonition("", paragraph(100)), 30),
        (nodes.admonition("", paragraph(100), classes=["predict"]), 60),
        (nodes.admonition("", paragraph(100), classes=["dropdown"]), 0),
        (cell("a = 1\n\nprint(a)", prints="1\n\n2"), 20),
        (cell("a = 1", "tag_hide-input", prints="1"), 2),
        (cell("a = 1", "tag_hide-cell", prints="1"), 0),
        (cell("a = ...", "tag_stub"), 0),
        (nodes.container("", *(quiz_question(number=n) for n in (1, 2, 3))), 120),
    ],
)
def test_what_a_reader_sees_takes_time(part: nodes.Element, expected: float) -> None:
    assert 60 * minutes(nodes.section("", part)) == pytest.approx(expected)


@pytest.mark.parametrize(("name", "a_line"), [("words", 8), ("one-file", 2)])
def test_lines_that_the_reader_has_seen_take_less(name: str, a_line: int) -> None:
    page = new_document(name)
    page += nodes.section("", nodes.title("", ""), cell("def split(text):\n    later(text)"))
    page += nodes.section("", nodes.title("", "Going deeper"), paragraph(98))
    assert [60 * part for part in minutes_of_page(page, name)] == pytest.approx([a_line + 8, 30])


def test_no_time_is_rounded_by_more_than_a_twelfth() -> None:
    assert [rounded(m) for m in (0, 0.1, 10.8, 17.5, 29.4, 31, 33)] == [0, 1, 11, 18, 29, 30, 35]
    assert all(abs(rounded(m / 10) - m / 10) <= m / 120 for m in range(60, 2000))


def test_each_chapter_says_how_long_it_takes_and_routes_add_up(site: Path) -> None:
    def main_line(*pages: str) -> str:
        return hours(sum(times(str(site.parent / ".doctrees"), page)[0] for page in pages))

    for notebook in (site.parent / "notebooks").glob("[!i]*.ipynb"):
        page = (site / "book" / f"{notebook.stem}.html").read_text(encoding="utf-8")
        (said,) = re.findall(r'</h1>\s*<p class="ttv-times">(.*?)</p>', page)
        assert said == f"{main_line(notebook.stem)} to read"
    source = Path(__file__).parents[2].joinpath("book/index.md").read_text(encoding="utf-8")
    index = (site / "book" / "index.html").read_text(encoding="utf-8")
    routes = re.findall(r"\{minutes\}`([^`]+)`", source)
    assert routes
    assert [route for route in routes if main_line(*route.split()) not in index] == []


ROUTE = "start words bytes bpe gpt2-tokenizer windows token-embeddings positions gpt2-input"


def test_the_first_part_takes_two_evenings(site: Path) -> None:
    pages = [*ROUTE.split(), "training", "one-file"]
    found = [times(str(site.parent / ".doctrees"), page) for page in pages]
    assert sum(main for main, *_ in found) <= 180
    assert sum(first for _, _, first, _ in found) <= 80


@pytest.mark.parametrize("page", ["start", *chapters()])
def test_a_chapter_takes_no_more_than_25_minutes(site: Path, page: str) -> None:
    assert times(str(site.parent / ".doctrees"), page)[0] <= 25
