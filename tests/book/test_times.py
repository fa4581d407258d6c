"""How long a chapter takes: the rule, and the line under the title of each chapter."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup

from companion.exercises import chapters
from ttv import times
from ttv.exercises import in_order

ROOT = Path(__file__).parents[2]
CHAPTERS = tuple(in_order(ROOT))
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

```{literalinclude} ../examples/program.py
:language: python
```

## Going deeper

### One question more

```python
print(1)
```

## Further reading
"""


def test_what_is_counted() -> None:
    words = ["A title", "Two words, and an id in some code.", "A formula x one.", "Not so"]
    words += ["Inside of it.", "a head 1 two", "x", "Further reading"]
    counted = times.reading_of(SOURCE)
    assert counted.main == times.Content(len(" ".join(words).split()), lines=4, figures=1)
    assert counted.deeper == times.Content(words=5, lines=1)


def test_questions_are_counted() -> None:
    quiz = "- question: How many?\n  choices:\n  - {text: One, why: It is $1$., right: true}\n"
    assert times.reading_of("", quiz).main == times.Content(words=2 + 1 + 3)


@pytest.mark.parametrize(
    ("content", "minutes"),
    [
        (times.Content(), 0),
        (times.Content(words=1), 5),
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
    env: Any = SimpleNamespace(nb_metadata={"book/words": data})
    assert times.running_seconds(env, "words") == seconds


def test_what_is_not_known_is_left_out() -> None:
    assert plain(times.line(20, 0, None, 0)) == "20 minutes to read"
    assert plain(times.line(10, 5, None, 0)) == "10 minutes · 5 more in Going deeper"


def plain(text: str) -> str:
    return text.replace(times.HARD_SPACE, " ")


# --- the built book -------------------------------------------------------------------------------


def expected(name: str, running: int) -> str:
    book = ROOT / "book"
    quiz = book / "quizzes" / f"{name}.yml"
    source = (book / f"{name}.md").read_text(encoding="utf-8")
    questions = quiz.read_text(encoding="utf-8") if quiz.exists() else ""
    counted = times.reading_of(source, questions)
    exercises = sum(exercise.minutes for exercise in chapters().get(name, ()))
    return plain(times.line(counted.main.minutes, counted.deeper.minutes, running, exercises))


def line_of(page: Path) -> tuple[str, int]:
    """The line right under the title of a page, and the seconds that it names."""
    html = page.read_text(encoding="utf-8")
    (line,) = re.findall(r'</h1>\s*<p class="ttv-times">(.*?)</p>', html)
    for anchor in re.findall(r'href="#([^"]+)"', line):
        assert f'id="{anchor}"' in html
    text = plain(re.sub(r"<[^>]+>", "", line))
    seconds = re.search(r"(\d+) seconds to run", text)
    assert seconds
    return text, int(seconds[1])


def test_each_chapter_says_how_long_it_takes(site: Path) -> None:
    with_line = {
        path.stem for path in site.rglob("*.html") if 'class="ttv-times"' in path.read_text("utf-8")
    }
    notebooks = {path.stem for path in (site.parent / "notebooks").glob("*.ipynb")}
    assert with_line == notebooks - {"index"} >= set(CHAPTERS)
    for name in with_line:
        text, seconds = line_of(site / "book" / f"{name}.html")
        assert seconds > 0
        assert seconds % 5 == 0
        assert text == expected(name, seconds)


def test_notebooks_do_not_depend_on_the_machine(site: Path) -> None:
    notebooks = sorted(site.parent.glob("**/notebooks/*.ipynb"))
    assert {path.stem for path in notebooks} > set(CHAPTERS)
    for path in notebooks:
        assert "seconds to run" not in plain(path.read_text(encoding="utf-8"))


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
    for chapter, (_, main, deeper, exercises, running) in zip(CHAPTERS, rows[1:], strict=True):
        text, seconds = line_of(site / "book" / f"{chapter}.html")
        numbers = (int(n) if n != "–" else 0 for n in (main, deeper, running, exercises))
        assert plain(times.line(*numbers)) == text
        assert seconds == int(running)
