"""Every public part of the companion is held by a chapter: when it breaks, the chapter fails.

Each test breaks one function, class or method in a copy of the package, so that it does nothing
and returns None, and runs chapters under nbval until one fails: those first that name it.
"""

import ast
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "companion"
NOTEBOOKS = sorted((ROOT / "book" / "notebooks").glob("*.ipynb"))
Nbval = Callable[..., "subprocess.CompletedProcess[str]"]
Part = ast.FunctionDef | ast.ClassDef

OPTIONS = ["-x", "--nbval-cell-timeout=60"]

# What no chapter holds, and why; other tests do.
WORKERS = "for worker processes, which a page does not start"
NETWORK = "needs a network, which no page may"
LISTS = "for the list of all exercises, which readers ask for and no page prints"
SHOWN = "the text that a notebook shows for an object; no page prints one"
SAME = "the same call as GPT-2's, which a chapter makes"
HINTS = "what a usual wrong answer is told; no page gives that away"
NOT_HELD = {
    "companion/bpe.py:BPETokenizer.__reduce__": WORKERS,
    "companion/bpe.py:BPETokenizer.__repr__": SHOWN,
    "companion/unigram.py:UnigramTokenizer.__repr__": SHOWN,
    "companion/wordpiece.py:WordPieceTokenizer.__repr__": SHOWN,
    "companion/embeddings.py:BertEmbeddings.from_hub": NETWORK,
    "companion/embeddings.py:BertEmbeddings.from_safetensors": SAME,
    "companion/embeddings.py:GPT2Embeddings.from_hub": NETWORK,
    "companion/exercises/_grading.py:Mistake": HINTS,
    "companion/exercises/_grading.py:shown": HINTS,
    "companion/exercises/_registry.py:chapters": LISTS,
    "companion/exercises/_registry.py:listing": LISTS,
    "companion/exercises/_registry.py:mark_passed": LISTS,
}


def exported() -> set[str]:
    """Collect the names that some module exports."""
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    lists = (re.search(r"^__all__ = (\[.*?\])", text, re.DOTALL | re.MULTILINE) for text in texts)
    return {name for found in lists if found for name in ast.literal_eval(found[1])}


def parts(path: Path, public: set[str]) -> Iterator[str]:
    """Name the public functions, classes and methods of a module, and all that grades exercises."""
    machinery = path.parent.name == "exercises"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, Part) or node.name.startswith("_"):
            continue
        if node.name not in public and not machinery:
            continue
        yield node.name
        if not isinstance(node, ast.ClassDef) or "Protocol" in map(ast.unparse, node.bases):
            continue  # the methods of a protocol have no code
        for method in node.body:
            # A class is broken by its __init__, so that is counted already.
            if isinstance(method, Part) and re.match(r"(?!__init__$)(__|[^_])", method.name):
                yield f"{node.name}.{method.name}"


PUBLIC = exported()
ALL = [
    f"{path.relative_to(ROOT).as_posix()}:{name}"
    for path in sorted(PACKAGE.rglob("*.py"))
    for name in parts(path, PUBLIC)
]


def broken(source: str, name: str) -> str:
    """Break one part of a module: its signature and decorators stay, its body does nothing."""
    tree = ast.parse(source)
    body = tree.body
    *outer, last = name.split(".")
    for scope in outer:
        (found,) = (n for n in body if isinstance(n, ast.ClassDef) and n.name == scope)
        body = found.body
    (part,) = (n for n in body if isinstance(n, Part) and n.name == last)
    if isinstance(part, ast.ClassDef):
        own = [n for n in part.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        if not own:  # a dataclass or a named tuple, which makes its own
            (empty,) = ast.parse("class C:\n    def __init__(self, *args, **kwargs): ...").body
            assert isinstance(empty, ast.ClassDef)
            part.bases, part.keywords, part.decorator_list = [], [], []
            part.body = empty.body
            return ast.unparse(tree)
        (part,) = own
    part.body = [ast.Return(ast.Constant(None))]
    return ast.unparse(tree)


@cache
def code(notebook: Path) -> str:
    """Read the code of a chapter."""
    cells = nbformat.read(notebook, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def candidates(module: str, name: str) -> list[Path]:
    """Order the chapters: those first whose code names the part, and the quick before others."""
    words = [rf"\bcompanion\.{Path(module).stem}\b", *(rf"\b{w}\b" for w in name.split("."))]

    def rank(path: Path) -> tuple[int, bool, int]:
        text = code(path)
        return -sum(bool(re.search(word, text)) for word in words), "torch" in text, len(text)

    return sorted(NOTEBOOKS, key=rank)


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    """Copy the package; a hundred copies would fill a disk, so it goes when the test ends."""
    yield shutil.copytree(PACKAGE, tmp_path / "companion")
    shutil.rmtree(tmp_path / "companion")


def test_a_part_is_broken_and_nothing_else() -> None:
    source = "class A(B):\n    @property\n    def f(self, x: int) -> int:\n        return x\n"
    source += "    def g(self): return 2\n\n@d\nclass P:\n    x: int\n\ndef f(): return 1\n"
    assert broken(source, "A.f") == ast.unparse(
        ast.parse(source.replace("return x", "return None"))
    )
    assert broken(source, "f") == ast.unparse(ast.parse(source.replace("return 1", "return None")))
    assert "class P:\n\n    def __init__(self, *args, **kwargs):" in broken(source, "P")
    assert "@d" not in broken(source, "P")


def test_what_is_not_held_exists() -> None:
    assert set(NOT_HELD) <= set(ALL)
    assert len(ALL) > 100


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_chapter_passes_on_an_unbroken_copy(
    nbval: Nbval, tmp_path: Path, package: Path, notebook: Path
) -> None:
    for path in package.rglob("*.py"):
        path.write_text(ast.unparse(ast.parse(path.read_text(encoding="utf-8"))), encoding="utf-8")
    done = nbval(Path(shutil.copy(notebook, tmp_path)), package.parent)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("part", [part for part in ALL if part not in NOT_HELD])
def test_a_chapter_fails_without(nbval: Nbval, tmp_path: Path, package: Path, part: str) -> None:
    module, _, name = part.partition(":")
    path = package.parent / module
    path.write_text(broken(path.read_text(encoding="utf-8"), name), encoding="utf-8")
    for notebook in candidates(module, name):
        done = nbval(Path(shutil.copy(notebook, tmp_path)), package.parent, *OPTIONS)
        assert done.returncode in (0, 1), done.stdout  # 2 and more: it did not run
        if done.returncode == 1:
            assert " failed" in done.stdout
            return
    pytest.fail(f"no chapter needs {part}: use it in one, or say in NOT_HELD why not")
