"""What a build of the changes makes is what a build from nothing makes."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from copies import CACHE, build, copy_of_the_book
from sphinx.application import Sphinx

from ttv import playground
from ttv.execution import digest_of, imported_names, modules_of

ROOT = Path(__file__).parents[2]

# What depends on the moment or on the folder.
NOT_COMPARED = {".buildinfo"}


def cells(*lines: str) -> str:
    body = "\n".join(lines)
    return f"# Title\n\n```{{code-cell}} ipython3\n{body}\n```\n"


def needed(*lines: str) -> set[str]:
    files = modules_of(cells(*lines), "book/words", ROOT)
    return {path.relative_to(ROOT).as_posix() for path in files}


def test_a_chapter_needs_what_its_imports_import() -> None:
    found = needed("from companion.bpe import gpt2")
    assert {"companion/bpe.py", "companion/_subword.py", "companion/errors.py"} <= found
    assert "companion/windows.py" not in found


def test_a_figure_is_found_in_its_module_and_an_exercise_by_its_name() -> None:
    found = needed("from companion import plots", "plots.id_ranges(1)")
    modules = {path for path in found if path.startswith("companion/plots/")}
    assert len(modules - {"companion/plots/__init__.py", "companion/plots/_drawing.py"}) == 1
    found = needed("from companion.exercises import check", 'check("bert-input.sum", 1)')
    assert "companion/exercises/bert_input.py" in found
    assert "companion/exercises/words.py" not in found


def test_imports_inside_functions_count() -> None:
    code = "def f():\n    from companion.story import load_story\n    import companion.words"
    assert imported_names(code) == {
        "companion.story", "companion.story.load_story", "companion.words",
    }  # fmt: skip


def test_the_playground_is_read_again_when_what_it_holds_may_have_changed() -> None:
    env = SimpleNamespace(dependencies={playground.PAGE: set()})
    app = cast(Sphinx, SimpleNamespace(srcdir=ROOT, env=env))
    playground.note_package(app, playground.PAGE, [])
    found = {Path(path).relative_to(ROOT).as_posix() for path in env.dependencies[playground.PAGE]}
    assert {"companion/unigram.py", "companion/words.py", "companion/data/vocab.bpe"} <= found
    assert {path.partition(".")[2] for path in found}.isdisjoint({"pyc", ""})


def test_the_numbers_do_not_depend_on_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = set()
    for name in ("a", "b"):
        path = tmp_path / name / "module.py"
        path.parent.mkdir()
        path.write_text("x = 1\n", encoding="utf-8")
        monkeypatch.setattr("ttv.execution.ROOT", path.parent)
        numbers.add(digest_of([path]))
    assert len(numbers) == 1


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, path
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def contents(site: Path) -> dict[str, bytes]:
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if name not in NOT_COMPARED}


def clean_build(book: Path, folder: Path) -> Path:
    """Copy a book without what was built, but with its executed chapters, and build it."""
    ignored = shutil.ignore_patterns("_build", ".git", "__pycache__")
    shutil.copytree(book, folder, ignore=ignored)
    shutil.copytree(book / CACHE, folder / CACHE)
    done = build(folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.mark.slow
@pytest.mark.outside_mutation
def test_an_incremental_site_is_that_of_a_clean_build(tmp_path: Path) -> None:
    book = copy_of_the_book(tmp_path / "book")
    assert build(book).returncode == 0
    edits = [
        ("book/words.md", "\n# ", "\n# Changed: ", "words"),
        ("book/words.md", "{cite:t}`Potter1902`", "Zebra", "bibliography"),
        ("book/words.md", "Zebra", "She", "words"),
        ("book/quizzes/words.yml", 'why: "', 'why: "Changed. ', "words"),
        ("book/_ext/ttv/quiz.py", '"Right."', '"That is right."', "words"),
        ("companion/story.py", '"""', '"""Changed. ', "api/story"),
        ("companion/plots/words.py", "ax.set(", "ax.set(facecolor='red', ", "words"),
    ]
    for name, old, new, shown in edits:
        page = book / "_build" / "html" / "book" / f"{shown}.html"
        before = page.read_bytes()
        edit(book / name, old, new)
        done = build(book)
        assert done.returncode == 0, f"{name}: {done.stderr[-3000:]}"
        assert page.read_bytes() != before, name  # a figure has its content in its name
    clean = clean_build(book, tmp_path / "clean")
    for part in ("html", "notebooks"):
        found, expected = contents(book / "_build" / part), contents(clean / "_build" / part)
        assert sorted(found) == sorted(expected)
        assert not [name for name in found if found[name] != expected[name]]


@pytest.mark.slow
@pytest.mark.outside_mutation
def test_a_build_that_failed_fails_until_the_fault_is_gone(tmp_path: Path) -> None:
    book = copy_of_the_book(tmp_path / "book")
    page = book / "book" / "notation.md"
    good = page.read_text(encoding="utf-8")
    page.write_text(good + "\nSee {doc}`no-such-page`.\n", encoding="utf-8")
    for _ in range(2):
        done = build(book)
        assert done.returncode == 1
        assert "no-such-page" in done.stderr
    page.write_text(good, encoding="utf-8")
    assert build(book).returncode == 0
