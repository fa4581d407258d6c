"""What the chapter `token-embeddings` says of published tables agrees with their programs."""

import ast
import re
from pathlib import Path

import pytest
from transformers import BloomConfig, OPTConfig, T5Config

CHAPTER = (Path(__file__).parents[2] / "book" / "token-embeddings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "config"), [("T5", T5Config), ("BLOOM", BloomConfig)])
def test_rows_of_published_tables(name: str, config: type[T5Config] | type[BloomConfig]) -> None:
    found = re.findall(rf'"{name}": (\([\d_]+, [\d_]+\)),', CHAPTER)
    assert len(found) == 1
    n_tokens, n_rows = ast.literal_eval(found[0])
    assert n_rows == config().vocab_size
    assert n_tokens < n_rows


def test_rows_of_opt() -> None:
    assert f"has {OPTConfig().vocab_size:,} rows" in CHAPTER
