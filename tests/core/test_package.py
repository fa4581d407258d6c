"""The package as a whole: its names, its data, and what its modules share."""

import difflib
import hashlib
import re
import shutil
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import companion
from companion import files
from companion.bpe import gpt2, o200k
from companion.pretrained import minilm
from companion.runs import RunMemory
from companion.story import SENTENCE, load_story
from companion.unicode import _classes
from companion.wordpiece import bert_uncased

PACKAGE = Path(companion.__file__).parent
FONTS = PACKAGE.parent / "workbook" / "plots" / "fonts"
FOUND = {module.name for module in iter_modules([str(PACKAGE)])}
SHARED = {"checks", "files", "runs", "unicode"}  # for the other packages, not for callers


def test_every_public_name_has_a_docstring_with_an_example() -> None:
    modules = [import_module(f"companion.{name}") for name in FOUND - SHARED if name[0] != "_"]
    for thing in (getattr(module, name) for module in modules for name in module.__all__):
        if callable(thing) and not (isinstance(thing, type) and issubclass(thing, Exception)):
            assert ">>> " in (thing.__doc__ or ""), f"{thing} has no example"


@pytest.mark.parametrize("folder", [PACKAGE / "data", FONTS], ids=["data", "fonts"])
def test_every_bundled_file_is_described_with_its_hash(folder: Path) -> None:
    sources = (folder / "SOURCES.md").read_text(encoding="utf-8")
    described = re.findall(r"(?m)^\| `([^`]+)` \|(?:.*\|)? `([0-9a-f]{64})` \|$", sources)
    bundled = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "SOURCES.md"
    }
    assert dict(described) == bundled


def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(PACKAGE / "data", tmp_path / "data")
    monkeypatch.setattr(files, "files", lambda _: tmp_path)
    for name, load in {
        "vocab.bpe": gpt2.__wrapped__,
        "o200k.bpe": o200k.__wrapped__,
        "bert-base-uncased-vocab.txt": bert_uncased.__wrapped__,
        "unicode-classes.txt": _classes.__wrapped__,
        "story.txt": load_story,
        "minilm.safetensors": minilm,
    }.items():
        path = tmp_path / "data" / name
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        with pytest.raises(ValueError, match=f"^the bundled {name} has the SHA-256 .* install"):
            load()


def test_the_story_is_our_own(test_texts: Path) -> None:
    """No run of more than six words stands in Potter's tale as well."""
    ours = load_story().split()
    hers = (test_texts / "peter_rabbit.txt").read_text(encoding="utf-8").split()
    match = difflib.SequenceMatcher(None, ours, hers, autojunk=False).find_longest_match()
    assert match.size <= 6, ours[match.a : match.a + match.size]
    assert ours[:9] != SENTENCE.split()


def test_the_memory_of_runs_changes_no_answer_and_does_not_grow_beyond_its_limit() -> None:
    memory = RunMemory(lambda run: [len(run)])
    memory.MAX_RUNS = 3
    runs = ["a", "b", "aa", "", "a", "x" * 10_000, "b", "aaa", "a"]
    assert memory.ids_of(runs) == [len(run) for run in runs]
    assert sorted(memory._known) == ["a", "aaa"]
