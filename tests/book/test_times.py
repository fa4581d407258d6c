"""How long a chapter takes: the rule, and the line under the title of each chapter."""

import doctest
import functools
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import times
from bs4 import BeautifulSoup

from companion.exercises import chapters

ROOT = Path(__file__).parents[2]
CHAPTERS = tuple(chapters())
LINE = re.compile(r"(\d+) minutes to read · (\d+) seconds to run · (\d+) minutes of exercises")

SOURCE = """\
---
jupytext: {text_representation: {format_name: myst}}
---

(target)=
# A title

Two words, and {term}`an id <token id>` in `some code`.
A formula $a + b$ -- one.

:::{admonition} Not so
:class: misconception

Inside of it.
:::

| a | head |
|---|---|
| 1 | two |

$$
x = 1
$$

```{code-cell} ipython3
:tags: [hide-input]

x = 1

# a comment
```

```{code-cell} ipython3
---
mystnb:
  image:
    alt: Words that nobody sees.
  figure:
    caption: Nor these.
    name: fig-a
---
ax = plots.draw()
```

```sh
make book
```

```{quiz} words
```

```{exercise} Not counted
:label: a-b

Many words that are not counted.
```

```{solution-start} a-b
:class: dropdown
```

Not counted either.

```{code-cell} ipython3
y = 2
```

```{solution-end}
```

## Last words
"""


def test_what_is_counted() -> None:
    words = ["A title", "Two words, and an id in some code.", "A formula x one.", "Not so"]
    words += ["Inside of it.", "a head 1 two", "x", "Last words"]
    counted = times.content_of(SOURCE)
    assert counted == times.Content(len(" ".join(words).split()), lines=4, figures=1)


def test_questions_are_counted() -> None:
    quiz = "- question: How many?\n  choices:\n  - {text: One, why: It is $1$., right: true}\n"
    assert times.content_of("", quiz) == times.Content(words=2 + 1 + 3)


@pytest.mark.parametrize(
    ("content", "minutes"),
    [
        (times.Content(), 5),
        (times.Content(words=1499), 5),
        (times.Content(words=1500), 10),
        (times.Content(words=4000), 20),
        (times.Content(words=4000, lines=150), 30),
        (times.Content(words=4000, lines=150, figures=9), 35),
    ],
)
def test_minutes_are_rounded_to_five(content: times.Content, minutes: int) -> None:
    assert content.minutes == minutes


@pytest.mark.parametrize(
    ("data", "seconds"),
    [
        ({"exec_data": {"runtime": 0.2}}, 5),
        ({"exec_data": {"runtime": 5.0}}, 5),
        ({"exec_data": {"runtime": 5.1}}, 10),
        ({"exec_data": {"runtime": None}}, None),
        ({}, None),
    ],
)
def test_seconds_are_rounded_up(data: dict[str, object], seconds: int | None) -> None:
    env = SimpleNamespace(nb_metadata={"book/words": data})
    assert times.running_seconds(env, "words") == seconds


def test_what_is_not_known_is_left_out() -> None:
    assert times.line(20, None, 0) == "20 minutes to read".replace(" ", times.HARD_SPACE)


def test_the_examples_of_the_extension_hold() -> None:
    done = doctest.testmod(times)
    assert done.attempted > 1
    assert not done.failed


# --- the built book -------------------------------------------------------------------------------


@functools.cache
def minutes(chapter: str) -> tuple[int, int]:
    """Minutes to read a chapter and to do its exercises."""
    source = (ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8")
    quiz = (ROOT / "book" / "quizzes" / f"{chapter}.yml").read_text(encoding="utf-8")
    exercises = sum(exercise.minutes for exercise in chapters()[chapter])
    return times.content_of(source, quiz).minutes, exercises


@functools.cache
def line_of(page: Path) -> tuple[str, str, str]:
    """The three numbers of the line that stands right under the title of a page."""
    html = page.read_text(encoding="utf-8").replace(times.HARD_SPACE, " ")
    assert html.count('class="ttv-times"') == 1
    text = re.search(r'</h1>\s*<p class="ttv-times">([^<]*)</p>', html)
    assert text
    numbers = LINE.fullmatch(text[1])
    assert numbers
    return numbers[1], numbers[2], numbers[3]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_chapter_says_how_long_it_takes(chapter: str, site: Path) -> None:
    reading, running, exercises = map(int, line_of(site / "book" / f"{chapter}.html"))
    assert (reading, exercises) == minutes(chapter)
    assert running > 0
    assert running % 5 == 0


def test_no_other_page_does(site: Path) -> None:
    with_line = {
        path.stem for path in site.rglob("*.html") if 'class="ttv-times"' in path.read_text("utf-8")
    }
    assert with_line == set(CHAPTERS)


def test_notebooks_do_not_depend_on_the_machine(site: Path) -> None:
    notebooks = sorted(site.parent.glob("**/notebooks/*.ipynb"))
    assert {path.stem for path in notebooks} > set(CHAPTERS)
    for path in notebooks:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert not LINE.search("".join("".join(cell["source"]) for cell in cells))
        assert "seconds to run" not in "".join("".join(cell["source"]) for cell in cells)


def test_the_page_for_teachers_has_them_all(site: Path) -> None:
    html = (site / "book" / "teachers.html").read_text(encoding="utf-8")
    (table,) = [
        table
        for table in BeautifulSoup(html, "html.parser").select("table")
        if "to run" in table.select("th")[-1].get_text()
    ]
    rows = [[cell.get_text(strip=True) for cell in row.select("td")] for row in table.select("tr")]
    links = [link["href"] for link in table.select("a")]
    assert links == [f"{chapter}.html" for chapter in CHAPTERS]
    for chapter, (_, reading, exercises, running) in zip(CHAPTERS, rows[1:], strict=True):
        said = line_of(site / "book" / f"{chapter}.html")
        assert (reading, running, exercises) == said
