"""The patterns that `gpt2-tokenizer` shows as those of `tiktoken` are those of `tiktoken`."""

import inspect

import pytest
from chapter_code import of_chapter
from tiktoken_ext import openai_public


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
    assert of_chapter("gpt2-tokenizer")[name] == published(encoding, monkeypatch)
