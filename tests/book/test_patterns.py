"""The patterns that `gpt2-tokenizer` shows as those of `tiktoken` are those of `tiktoken`."""

import pytest
from chapter_code import of_chapter
from tiktoken_ext import openai_public


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
def test_the_chapter_shows_the_published_pattern(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: {})  # no download
    published = openai_public.ENCODING_CONSTRUCTORS[f"{name}_base"]()
    assert of_chapter("gpt2-tokenizer")[f"{name.upper()}_PATTERN"] == published["pat_str"]
