"""What the chapter `token-embeddings` says of published tables agrees with their programs."""

import ast
import re
from pathlib import Path

import pytest

CHAPTER = (Path(__file__).parents[2] / "book" / "token-embeddings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "config"), [("T5", "T5Config"), ("BLOOM", "BloomConfig"), ("OPT", "OPTConfig")]
)
def test_rows_of_published_tables(name: str, config: str) -> None:
    import transformers  # here: it takes seconds

    found = re.findall(rf'"{name}": (\([\d_]+, [\d_]+\)),', CHAPTER)
    assert len(found) == 1
    n_tokens, n_rows = ast.literal_eval(found[0])
    assert n_rows == getattr(transformers, config)().vocab_size
    assert n_tokens < n_rows
