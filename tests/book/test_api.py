"""The reference of the companion: complete, right, and linked with the chapters both ways.

What the extension reads from the chapters with a parser is compared with what a plain search finds
in their notebooks, and what it writes is read from the built pages.
"""

import html
import importlib
import pkgutil
import re
from collections import Counter
from functools import cache
from pathlib import Path

import nbformat
import pytest
import yaml

import companion
from ttv import api

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
NOTEBOOKS = sorted((BOOK / "notebooks").glob("*.ipynb"))
NAMES = list(api.public_objects())
CHAPTERS = sorted(
    path.stem
    for path in BOOK.glob("*.md")
    if "\n## Further reading\n" in path.read_text(encoding="utf-8")
)


# --- the pages ------------------------------------------------------------------------------------


@cache
def page_of(name: str) -> str:
    """The HTML of a page of the book."""
    path = ROOT / "_build" / "html" / "book" / f"{name}.html"
    assert path.exists(), "the book is not built: run `make book` first"
    return path.read_text(encoding="utf-8")


def api_pages() -> list[str]:
    return [f"api/{module.removeprefix('companion.')}" for module in api.MODULES]


@cache
def entries() -> dict[str, tuple[str, str]]:
    """The entry of each object: its page, and its HTML down to the next entry."""
    found = {}
    for page in api_pages():
        parts = re.split(r'<dt class="sig sig-object py" id="([\w.]+)">', page_of(page))
        for name, entry in zip(parts[1::2], parts[2::2], strict=True):
            assert name not in found, f"{name} is described twice"
            found[name] = page, entry
    return found


def test_the_overview_has_every_page() -> None:
    overview = page_of("api/index")
    for page in api_pages():
        assert f'href="{page.removeprefix("api/")}.html"' in overview


def test_every_public_name_of_the_package_is_described() -> None:
    public = [m.name for m in pkgutil.iter_modules(companion.__path__) if m.name[0] != "_"]
    modules = [importlib.import_module(f"companion.{name}") for name in public]
    names = {f"{module.__name__}.{name}" for module in modules for name in module.__all__}
    assert set(api.entries()) == names
    for name, entry in api.entries().items():
        module, _, short = name.rpartition(".")
        thing = getattr(importlib.import_module(module), short)
        assert api.public_objects()[entry] is thing


def test_a_name_of_two_modules_is_described_under_the_one_that_defines_it() -> None:
    entries = api.entries()
    assert entries["companion.errors.UnknownIdError"] == "companion.words.UnknownIdError"


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_one_entry(name: str) -> None:
    page, entry = entries()[name]
    assert page == f"api/{name.split('.')[1]}"
    assert "<p>" in entry.split("<dt ")[0], f"{name} has no text"
    if not name.startswith("companion.plots.") or not name.rpartition(".")[2].isupper():
        assert callable(api.public_objects()[name]) == ("&gt;&gt;&gt; " in entry)


def test_no_entry_is_private_or_left_over() -> None:
    methods = {
        f"{name}.{method}"
        for name, thing in api.public_objects().items()
        if isinstance(thing, type)
        for method in api.methods(thing)
    }
    assert set(entries()) == {*NAMES, *methods}
    assert {name for name in methods if "._" in name} == {
        f"companion.windows.SlidingWindows.{name}" for name in api.SPECIAL_METHODS
    }


@pytest.mark.parametrize("page", api_pages())
def test_docstrings_come_out_well(page: str) -> None:
    """No markup of reStructuredText is left, no type of typing, no address of an object."""
    article = page_of(page).split("<article")[1].split("</article>")[0]
    text = html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"(?s)<pre>.*?</pre>", "", article)))
    assert not re.search(r"``|`_\b|:\w+:`|^-{3,}$|object at 0x|\btyping\b|NoneType", text, re.M)
    assert 'class="system-message"' not in article
    headings = re.findall(r"^(Parameters|Returns|Raises|Examples|Notes)$", text, re.M)
    assert not headings or "Examples" in headings


def test_entries_stand_in_the_order_of_the_source() -> None:
    order = [name for name in entries() if name.startswith("companion.words.")]
    names = [name.removeprefix("companion.words.") for name in order]
    assert names[:5] == [
        "tokenize", "build_vocab", "WordTokenizer", "WordTokenizer.encode", "WordTokenizer.decode",
    ]  # fmt: skip


def test_a_name_without_a_page_is_an_error_only_in_the_companion() -> None:
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    ignored = config["sphinx"]["config"]["nitpick_ignore_regex"]
    assert ignored
    for kind, name in ignored:
        assert re.fullmatch(kind, "py:exc")
        assert re.fullmatch(name, "ValueError")
        for theirs in ("companion.nowhere", "UnknownIdError", "SlidingWindows", "UnknownError"):
            assert not re.fullmatch(name, theirs)
    assert api.resolve("companion.nowhere", "companion.bpe", None) == "companion.nowhere"


# --- links both ways ------------------------------------------------------------------------------

IMPORT = re.compile(r"^ *from (companion\.\w+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
MODULE = re.compile(r"^ *from companion import (\w+)$", re.MULTILINE)


@cache
def searched(page: str) -> frozenset[str]:
    """The public names in the code of a page's notebook, found by their spelling alone."""
    path = ROOT / "_build" / "notebooks" / f"{page}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    found = {
        f"{module}.{name.split(' as ')[0].strip()}"
        for module, several, one in IMPORT.findall(code)
        for name in (several or one).split(",")
    }
    for module in MODULE.findall(code):
        found |= {f"companion.{module}.{n}" for n in re.findall(rf"\b{module}\.(\w+)", code)}
    return frozenset(found & set(NAMES))


def links_to_entries(text: str) -> list[str]:
    """The names whose entries a piece of a chapter's HTML links to; each link leads somewhere."""
    found = re.findall(r'href="(api/\w+)\.html#(companion\.[\w.]+)"', text)
    for page, name in found:
        assert entries()[name][0] == page
    return [name for _, name in found]


def section(chapter: str) -> str:
    found = re.findall(r'(?s)<section id="in-the-companion">.*?</section>', page_of(chapter))
    assert len(found) == 1
    return str(found[0])


def test_there_are_chapters() -> None:
    assert {"words", "windows", "training"} <= set(CHAPTERS)
    assert sum(len(searched(chapter)) for chapter in CHAPTERS) > 100


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_links_to_all_it_uses(chapter: str) -> None:
    links = links_to_entries(section(chapter))
    assert Counter(links) == Counter(searched(chapter))
    following = page_of(chapter).split(section(chapter))[1]
    assert following.lstrip().startswith('<section id="further-reading">')


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_links_to_the_pages_that_use_it(name: str) -> None:
    usage = re.findall(r'(?s)<p class="ttv-usage">(.*?)</p>', entries()[name][1].split("<dt ")[0])
    expected = {path.stem for path in NOTEBOOKS if name in searched(path.stem)}
    linked = re.findall(r'href="\.\./([\w-]+)\.html"', "".join(usage))
    assert set(linked) - {"teachers"} == expected
    assert len(set(linked)) == len(linked)
    assert bool(usage) == bool(linked)


@pytest.mark.parametrize(
    ("name", "chapter"),
    [
        ("words.tokenize", "words"),
        ("bpe.train_bpe", "bpe"),
        ("bpe.gpt2", "gpt2-tokenizer"),
        ("wordpiece.bert_uncased", "wordpiece"),
        ("windows.SlidingWindows", "windows"),
        ("embeddings.one_hot_lookup", "token-embeddings"),
        ("embeddings.GPT2Embeddings", "gpt2-input"),
        ("embeddings.BertEmbeddings", "bert-input"),
        ("positions.sinusoidal", "sinusoids"),
        ("positions.rotate", "relative-positions"),
    ],
)
def test_the_chapter_that_explains_comes_first(name: str, chapter: str) -> None:
    _, entry = entries()[f"companion.{name}"]
    linked = re.search(r'"ttv-usage">Explained in <a [^>]*?href="([^"]+)"', entry)
    assert linked
    assert linked[1] == f"../{chapter}.html"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_links_of_a_notebook_lead_to_files_of_the_repository(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    urls = re.findall(r"\]\((?!\w+:)([^)\s]+)\)", text)
    assert urls
    assert [url for url in urls if not (BOOK / "notebooks" / url).resolve().is_file()] == []


# --- the parser -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from companion.bpe import gpt2 as tokenizer", ["bpe.gpt2"]),
        ("def f():\n    from companion.bpe import gpt2", ["bpe.gpt2"]),
        ("from companion import plots as p\nx = [p.id_ranges]", ["plots.id_ranges"]),
        ("from companion import plots", []),  # nothing of it is used
        ("plots.id_ranges(1)", []),  # some other plots
        ("from companion.bpe import _learn, GPT2", []),
        ("from elsewhere.bpe import gpt2", []),
        ("text = 'from companion.bpe import gpt2'  # from companion.bpe import gpt2", []),
        ("bpe = object()\nbpe.gpt2", []),
    ],
)
def test_what_code_uses(code: str, found: list[str]) -> None:
    assert api.used_names([code], api.entries()) == [f"companion.{name}" for name in found]


def test_names_come_in_the_order_of_first_use_and_imports_hold_in_later_cells() -> None:
    cells = [
        "from companion import plots, words\nplots.id_ranges(words.tokenize(''))",
        "from companion.bpe import gpt2\nwords.tokenize('')",
        "if True:\n    from companion import bpe",
        "words.build_vocab(bpe.train_bpe)",
    ]
    found = ["plots.id_ranges", "words.tokenize", "bpe.gpt2", "words.build_vocab", "bpe.train_bpe"]
    assert api.used_names(cells, api.entries()) == [f"companion.{name}" for name in found]


def test_cells_of_a_page() -> None:
    page = (
        "---\ntitle: x\n---\n\n```python\nno()\n```\n\n```{code-cell} ipython3\n"
        "---\nmystnb:\n  image:\n    alt: --- a picture\n---\none()\n```\n\n"
        "````{exercise} Title\n```{code-cell}\nno()\n```\n````\n\n"
        "```{code-cell} ipython3\n:tags: [raises-exception]\n:other: x\n\ntwo()\n```\n"
    )
    assert [cell.strip() for cell in api.code_cells(page, "words")] == ["one()", "two()"]
    assert api.code_cells("```python\nthree()\n```\n\n```bat\nno\n```\n", "words") == ["three()\n"]
    assert api.code_cells("`code`", "words") == []


def test_the_checker_of_an_exercise_counts_as_used() -> None:
    cell = "```{code-cell} ipython3\nn = 1\ncheck('words.case', n)\n```\n"
    page = (
        "```{exercise} Title\n:label: words-case\n```\n\n```{solution-start} words-case\n```\n\n"
        f"{cell}\n```{{solution-end}}\n```\n"
    )
    assert api.names_of_page(page, "words", api.entries()) == ["companion.exercises.check"]
    assert api.names_of_page(cell, "words", api.entries()) == []


def test_a_cell_that_is_no_python_is_named() -> None:
    with pytest.raises(Exception, match="book/words: a cell is no Python"):
        api.names_of_page("```{code-cell}\nx = = 1\n```\n", "book/words", {})


# --- what is written ------------------------------------------------------------------------------


def test_chapters_in_docstrings_become_links() -> None:
    pages = ["book/bpe", "book/gpt2-input"]
    text = "As of `bpe` (chapters `bpe`,\n`gpt2-input` and `nowhere`)."
    assert api.with_chapter_links(text, pages) == (
        "As of `bpe` (chapters :doc:`/book/bpe`,\n:doc:`/book/gpt2-input` and `nowhere`)."
    )


@pytest.mark.parametrize(
    ("text", "module", "cls", "target"),
    [
        ("window_count", "companion.windows", None, "companion.windows.window_count"),
        ("build_vocab", "companion.plots", None, "companion.words.build_vocab"),
        ("encode", "companion.bpe", "BPETokenizer", "companion.bpe.BPETokenizer.encode"),
        ("encode", "companion.bpe", None, None),  # of which of them?
        ("tokenize", "companion.words", None, "companion.words.tokenize"),
        ("BPETokenizer.load", "companion.plots", None, "companion.bpe.BPETokenizer.load"),
        ("BPETokenizer.nothing", "companion.plots", None, None),
        ("stride", "companion.windows", "SlidingWindows", None),
        ("torch.nn.Embedding", "companion.embeddings", None, None),
        ("companion.windows", None, None, "companion.windows"),
    ],
)
def test_what_a_name_in_a_docstring_means(
    text: str, module: str | None, cls: str | None, target: str | None
) -> None:
    assert api.resolve(text, module, cls) == target
