"""The bundled data: nothing is damaged, and nothing is without a source."""

import hashlib
import re
from pathlib import Path

import companion

DATA = Path(companion.__file__).parent / "data"


def listed() -> dict[str, str]:
    text = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", text, re.MULTILINE))


def test_every_file_is_listed_with_its_sha256() -> None:
    found = {
        path.relative_to(DATA).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in DATA.rglob("*")
        if path.is_file() and path.name != "SOURCES.md"
    }
    assert found == listed()
    assert "vocab.bpe" in found
