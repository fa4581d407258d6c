"""The generator of notebooks, on a small book that uses all the syntax a chapter may use."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from docutils import nodes
from docutils.utils import new_document
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from nbformat.v4 import new_code_cell, new_notebook
from sphinx.addnodes import hlist
from sphinx.errors import ExtensionError

from ttv.notebooks import NotebookWriter
from ttv.plain_markdown import PlainMarkdown, UnwritableError
from ttv.reader import EXTENSIONS

ROOT = Path(__file__).parents[2]

CONF = f"""\
extensions = ["myst_nb", "sphinx_exercise", "ttv.exercises", "sphinx_book_theme",
              "ttv.kernel", "ttv.notebooks", "ttv.publication", "ttv.run_here"]
myst_enable_extensions = {EXTENSIONS}
html_theme, root_doc, numfig, nb_execution_mode = "sphinx_book_theme", "book/index", True, "cache"
"""
INDEX = """\
# Home

```{toctree}
:numbered:
page
other
glossary
```
"""
HEAD = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

"""
NEIGHBOURS = {
    "index.md": INDEX,
    "other.md": f"{HEAD}(there)=\n# Another page\n\n```{{code-cell}}\n1\n```\n",
    "glossary.md": "# Glossary\n\n```{glossary}\ntoken\n  The unit.\n```\n",
}


def sources(path: Path, kind: str = "markdown") -> list[str]:
    """Read the cells of one kind from a notebook."""
    return [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == kind]


PAGE = r"""# The page

Plain *emphasis*, **strong**, `code`, `` a `tick` ``, 2\*3 \<b\> $x_i < \$1$ and a_b _c_.
A [link](https://example.org/a_b), a {term}`token`, {doc}`other`.
See {ref}`there`, {numref}`fig-one`.

:::{note}
Mind this.

- one
- two
:::

$$
E = mc^2
$$ (energy)

By {eq}`energy`.

1. first

   more of it
2. second

| a | b |
|---|--:|
| `x\|y` | 2 |

```{code-cell} ipython3
---
mystnb:
  image:
    alt: A line.
  figure:
    caption: A *fine* line.
    name: fig-one
---
import matplotlib.pyplot as plt
ax = plt.figure(figsize=(1, 1)).add_subplot()
```

## Section

```{figure} ../picture.png
:name: fig-two
:alt: A picture

The caption.
```

```{exercise} Count
:label: ex-count
How many?
```

```{solution-start} ex-count
:class: dropdown
```
Count them.

```{code-cell} ipython3
1
```

```{code-cell} ipython3
2
```

So none.

```{solution-end}
```

```{exercise} Double
:label: ex-double
Write it.
```

```{solution-start} ex-double
:class: dropdown ours
```

```{code-cell} ipython3
def double(x):
    return 2 * x
```

```{solution-end}
```

```{code-cell} ipython3
double(2)
```
"""

CANONICAL = [
    r"""# 1. The page

Plain *emphasis*, **strong**, `code`, `` a `tick` ``, 2\*3 \<b> $x_i < \$1$ and a_b *c*.
A [link](https://example.org/a_b), a [token](../glossary.md), [Another page](other.ipynb).
See [Another page](other.ipynb), Fig. 1.1.

> **Note**
>
> Mind this.
>
> - one
> - two

$$
E = mc^2 \tag{1.1}
$$

By (1.1).

1. first

   more of it

2. second

| a | b |
| --- | ---: |
| `x\|y` | 2 |""",
    """**Fig. 1.1** A *fine* line.

## 1.1. Section

![A picture](../../picture.png)

**Fig. 1.2** The caption.

> **Exercise 1.1 (Count)**
>
> How many?""",
    """<details>
<summary>Solution to Exercise 1.1 (Count)</summary>

Count them.

</details>""",
    """<details>
<summary>Solution, continued</summary>

So none.

</details>""",
    """> **Exercise 1.2 (Double)**
>
> Write it.""",
    """<details>
<summary>Our version</summary>

The next cell has it.

</details>""",
]  # fmt: skip


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page and its neighbours as a fork of that name would."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "book").mkdir()
    for name, text in (NEIGHBOURS | {"page.md": HEAD + PAGE}).items():
        (folder / "book" / name).write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "data" / "picture.png", folder)
    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "book" / "_ext")])}
    env |= {"GITHUB_REPOSITORY": "Owner/book", "GITHUB_SHA": "c0ffee", "BOOK_DOMAIN": ""}
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(folder), str(folder / "_build/html")]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_page_becomes_plain_markdown(book: Path) -> None:
    assert sources(book / "_build" / "notebooks" / "page.ipynb") == CANONICAL


def test_the_published_notebook_links_to_the_site_and_installs_the_companion_first(
    book: Path,
) -> None:
    path = book / "_build" / "html" / "notebooks" / "page.ipynb"
    first, second, *_ = sources(path)
    site = "https://owner.github.io/book"
    assert f"[token]({site}/book/glossary.html#term-token)" in first
    assert f"[Another page]({site}/book/other.html)" in first
    assert f"[Fig. 1.1]({site}/book/page.html#fig-one)" in first
    assert f"[(1.1)]({site}/book/page.html#equation-energy)" in first
    assert f"![A picture]({site}/_images/picture.png)" in second
    assert (book / "_build" / "html" / "_images" / "picture.png").exists()
    install, *code = sources(path, "code")
    assert install.endswith('"text-to-vectors @ git+https://github.com/Owner/book@c0ffee"')
    assert code == sources(book / "_build" / "notebooks" / "page.ipynb", "code")


def test_notebooks_for_classes_have_the_exercises_without_their_solutions(
    book: Path, tmp_path: Path
) -> None:
    published = book / "_build" / "html" / "notebooks"
    with zipfile.ZipFile(published / "without-solutions.zip") as archive:
        assert {file.date_time[0] for file in archive.infolist()} == {1980}  # when it was made
        archive.extractall(tmp_path)
    given, whole = (sources(folder / "page.ipynb") for folder in (tmp_path, published))
    assert any("Solution" in text for text in whole)
    assert given == [text for text in whole if "Solution" not in text]
    assert any("**Exercise" in text for text in given)


def test_the_buttons_lead_to_the_published_notebook(book: Path) -> None:
    page = (book / "_build" / "html" / "book" / "page.html").read_text(encoding="utf-8")
    colab = "https://colab.research.google.com/github/Owner/book/blob/gh-pages/notebooks/page.ipynb"
    assert f'href="{colab}"' in page
    assert 'href="../notebooks/page.ipynb"' in page
    assert 'href="https://github.com/Owner/book"' in page
    glossary = (book / "_build" / "html" / "book" / "glossary.html").read_text(encoding="utf-8")
    assert "colab" not in glossary.lower()
    assert ".ipynb" not in glossary


def test_a_cell_that_was_run_and_is_not_in_the_page_is_an_error() -> None:
    executed = new_notebook(cells=[new_code_cell("x = 1")])
    env: Any = None  # nothing is asked of it: the page has no links
    with pytest.raises(ExtensionError, match="page: 1 code cells were run but 0 stand in the page"):
        NotebookWriter(env, "page", executed).write(new_document("page"))


@pytest.mark.parametrize("kind", [nodes.raw, nodes.topic, nodes.container, hlist])
def test_what_has_no_plain_form_is_named_with_its_line(kind: type[nodes.Element]) -> None:
    page = nodes.container("", node := kind())
    page.source, page.line = "page.md", 7
    writer = PlainMarkdown(str, str, str)
    with pytest.raises(UnwritableError, match=f"page.md:7: {kind.__name__} has no plain Markdown"):
        writer.block(node)


WORD = st.text("019.)#>+-*_`<[]$ab\\|=~!&;(:", min_size=1, max_size=4)
LINES = st.lists(st.lists(WORD, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=3)


@given(LINES.map("\n".join))
@example("0.841 is about")
@example("1. one")
def test_a_plain_reader_sees_the_text_of_a_paragraph(text: str) -> None:
    markdown = PlainMarkdown(str, str, str).block(nodes.paragraph("", text))
    opening, inline, closing = MarkdownIt("commonmark").enable("table").parse(markdown)
    assert (opening.type, closing.type) == ("paragraph_open", "paragraph_close")
    parts = inline.children or []
    assert "".join("\n" if part.type == "softbreak" else part.content for part in parts) == text
