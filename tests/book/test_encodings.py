"""Code that readers see names the encoding of each file: on Windows it is not UTF-8 by itself."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [
    path
    for pattern in ("book/*.md", "companion/**/*.py", "examples/*.py")
    for path in sorted(ROOT.glob(pattern))
]
CALL = re.compile(r"\b(?:open|read_text|write_text)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
NAMED = re.compile(r"utf-8|ascii|encoding=|[\"'][rwxa]b\+?[\"']|…")  # open(…) is prose


def unnamed(text: str) -> list[str]:
    """Calls that read or write text in whichever encoding the machine prefers."""
    return [call for call in CALL.findall(text) if not NAMED.search(call)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_file_is_read_in_the_encoding_of_the_machine(path: Path) -> None:
    assert unnamed(path.read_text(encoding="utf-8")) == []
