"""The reader of pages: what it finds, and that it names page and line of what it cannot read."""

import inspect

import pytest
from sphinx.errors import ExtensionError

from ttv.exercises import with_stubs
from ttv.reader import blocks
from workbook.exercises.windows import windows

PAGE = """\
```{exercise} Count
:label: words-count

How many?
```

```{solution-start} words-count
```

```{code-cell} ipython3
---
mystnb: {image: {alt: "A hash # in a text."}}
---
n = 1

check("words.count", n)
```

```{solution-end}
```
"""


def test_a_checked_solution_gets_a_stub_and_may_have_options() -> None:
    cell = "{code-cell} ipython3\n:tags: [stub]\n\nfrom workbook import check\n"
    stub = f'\n```{cell}\nn = ...\ncheck("words.count", n)\n```\n'
    assert with_stubs(PAGE, "book/words") == PAGE.replace("many?\n```\n", f"many?\n```\n{stub}")
    function = PAGE.replace("n = 1", "@cache\ndef n(x):\n    return x\n")
    stub = blocks(with_stubs(function, "book/words"), "page")[1].body
    assert stub.split("\n\n\n")[1:] == ["def n(x):\n    ...", 'check("words.count", n)']


TURN = """\
```{exercise} Cut the windows
:label: windows-windows
```

```{solution-start} windows-windows
:class: dropdown ours
```

```{solution-end}
```
"""


def test_a_turn_gets_a_stub_with_which_the_page_goes_on_and_our_version() -> None:
    source = with_stubs(TURN, "book/windows")
    assert "\n**Your turn** (about " in source
    _, stub, solution, listing, _ = blocks(source, "book/windows")
    head = f'def windows(ids, n, stride):\n    """{windows.__doc__}"""\n    ...\n\n\n'
    assert stub.body.endswith(f'\n{head}windows = check("windows.windows", windows)')
    assert (solution.name, listing.argument) == ("solution-start", "python")
    assert listing.body == inspect.getsource(windows)


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("# Title\n\n```{note}\nText\n", r"words.md:3: this fence, ```{note}, is not closed"),
        ("a\n\n```{code-cell}\n1\n\n```{code-cell}\n2\n```\n", r"words.md:3: .* before the next"),
        (PAGE.replace(", n)", ", n + 1)"), r"words.md:1: write check\('name', answer\)"),
        (TURN.replace("-windows", "-count"), r"words.md:5: windows-count has no version of ours"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(page: str, message: str) -> None:
    with pytest.raises(ExtensionError, match=f"^book/{message}"):
        with_stubs(page, "book/words")
