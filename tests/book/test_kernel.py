"""A chapter runs again when what it uses has changed, and only then."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_cache import get_cache
from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode
from nbformat.v4 import new_output
from sphinx.errors import ExtensionError

from ttv.kernel import run_changed, source_of
from ttv.uses import states_of, versions_of

CELL = "```{code-cell} ipython3\n%s\n```\n"
PAGES = ["book/words", "book/gpt2-input", "book/bpe", "book/teachers"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three chapters, of which the second uses a figure of the first, and a page of exercises."""
    files = {
        "companion/words.py": "def f() -> None:\n    from companion import _files",
        "companion/_files.py": 'STORY = "story.txt"',
        "companion/embeddings.py": "from ._files import STORY",
        "companion/bpe/__init__.py": "from companion.bpe import merging",
        "companion/data/story.txt": "Once",
        "workbook/plots/__init__.py": "from workbook.plots import _drawing",
        "workbook/plots/_drawing.py": 'FONTS = "fonts"',
        "workbook/plots/words.py": "def path() -> None: ...",
        "workbook/plots/gpt2_input.py": "def tables() -> None: ...",
        "workbook/exercises/words.py": "EXERCISES = []",
        "workbook/exercises/gpt2_input.py": 'embeddings = Later("companion.embeddings")',
        "book/words.md": CELL % "from companion.words import f",
        "book/gpt2-input.md": CELL % "from workbook import plots\nplots.path()",
        "book/bpe.md": CELL % "import companion.bpe.merging" + CELL % 'check("words.case", 1)',
        "book/teachers.md": "```{exercise-list}\n```",
    }
    for name, text in (dict.fromkeys(CHANGES, "") | files).items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "project"


CHANGES = {
    "companion/__init__.py": "words gpt2-input bpe",
    "companion/words.py": "words",
    "companion/_files.py": "words gpt2-input",  # imported in a function, and relative
    "companion/data/story.txt": "words gpt2-input",
    "companion/embeddings.py": "gpt2-input",  # imported later, by its checker
    "companion/bpe/__init__.py": "bpe",
    "companion/bpe/merging.py": "bpe",
    "companion/data/notes.md": "words gpt2-input bpe",  # nobody names it
    "workbook/plots/fonts/sans.ttf": "gpt2-input",
    "workbook/plots/_drawing.py": "gpt2-input",
    "workbook/plots/words.py": "words gpt2-input",
    "workbook/plots/gpt2_input.py": "gpt2-input",
    "workbook/plots/new.py": "",
    "workbook/exercises/words.py": "words bpe",
}
"""Which pages run again when a file has changed; a page without cells may show anything."""


def again(before: dict[str, str], now: dict[str, str]) -> str:
    """Name the pages that run again, in their order."""
    return " ".join(page.removeprefix("book/") for page in PAGES if now[page] != before[page])


def test_a_page_runs_again_when_what_it_uses_changes(root: Path) -> None:
    found, now = {}, states_of(root, PAGES)
    for changed in CHANGES:
        before = now
        (root / changed).write_text((root / changed).read_text("utf-8") + "\n# changed", "utf-8")
        now = states_of(root, PAGES)
        found[changed] = again(before, now)
    assert found == {changed: f"{pages} teachers".lstrip() for changed, pages in CHANGES.items()}
    (root / "companion" / "words.pyc").touch()
    assert states_of(root, PAGES) == now


def test_a_page_runs_again_on_other_versions_of_what_it_imports(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {"jinja2", "torch"} <= {found.partition("==")[0] for found in versions_of("torch")}
    (root / "companion" / "embeddings.py").write_text("import torch", encoding="utf-8")
    before = states_of(root, PAGES)
    for module, pages in (("ruff", ""), ("torch", "gpt2-input teachers")):
        newer = {module: frozenset([f"{module}==9"])}
        monkeypatch.setattr("ttv.uses.versions_of", lambda m, new=newer: new.get(m, versions_of(m)))
        assert again(before, states_of(root, PAGES)) == pages


def test_a_page_gets_the_run_of_its_own_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = "---\nkernelspec:\n  name: python3\n---\n\n"
    page, ran, cache = tmp_path / "words.md", list[str](), get_cache(tmp_path / "cache")
    env = SimpleNamespace(doc2path=lambda _: page)
    app: Any = SimpleNamespace()
    app.config = SimpleNamespace(nb_execution_cache_path=cache.path, nb_execution_timeout=9)

    def execute(notebook: NotebookNode, *_: Any, **__: Any) -> None:
        ran.append(env.ttv_states["words"])
        if notebook.cells[-1].source == "1 / 0":
            raise ZeroDivisionError("division by zero")
        notebook.cells[-1].outputs = [new_output("stream", text=ran[-1])]

    def shown(state: str) -> str:
        env.ttv_states = {"words": state}
        run_changed(app, env, ["words"])
        source = source_of(env, "words", page.read_text(encoding="utf-8"))
        found = cache.merge_match_into_notebook(read_myst_markdown_notebook(source))[1]
        return str(found.cells[-1].outputs[0].text)

    monkeypatch.setattr("nbclient.execute", execute)
    page.write_text(head + CELL % "1", encoding="utf-8")
    assert [shown(state) for state in ("one", "two", "one")] == ["one", "two", "one"]
    assert ran == ["one", "two"]
    page.write_text(head + CELL % "1 / 0", encoding="utf-8")
    with pytest.raises(ExtensionError, match=r"^words\.md: division by zero$"):
        shown("one")
