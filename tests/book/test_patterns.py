"""The patterns that `gpt2-tokenizer` shows as those of `tiktoken` are those of `tiktoken`."""

import inspect
import re
from pathlib import Path

import pytest
from tiktoken_ext import openai_public

CHAPTER = Path(__file__).parents[2] / "book" / "gpt2-tokenizer.md"


def shown(name: str) -> str:
    """Return the pattern that the chapter defines under a name."""
    cells = re.findall(r"```\{code-cell\}.*?\n(.*?)```", CHAPTER.read_text("utf-8"), re.DOTALL)
    cell = next(cell for cell in cells if f"{name} = (" in cell)
    values: dict[str, str] = {}
    exec(cell, values)
    return values[name]


def published(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the pattern of an encoding of `tiktoken`, without its ranks, which are downloaded."""
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *args, **options: {})
    pattern = inspect.getattr_static(openai_public, name)()["pat_str"]
    assert isinstance(pattern, str)
    return pattern


@pytest.mark.parametrize(
    ("name", "encoding"), [("CL100K_PATTERN", "cl100k_base"), ("O200K_PATTERN", "o200k_base")]
)
def test_the_chapter_shows_the_published_pattern(
    name: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(name) == published(encoding, monkeypatch)
