"""What the page of questions says about libraries, with those that are installed."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from tokenizers import Tokenizer, models, pre_tokenizers

TEXT = "in 2019 four little rabbits met"
QUESTIONS = Path(__file__).parents[2].joinpath("book", "questions.md").read_text(encoding="utf-8")


def test_word_ids_of_a_part_count_in_the_whole_text() -> None:
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(TEXT.split())}))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer: Any = hf.PreTrainedTokenizerFast(tokenizer_object=made)
    parts = tokenizer(TEXT, truncation=True, max_length=4, stride=2, return_overflowing_tokens=True)
    assert [parts.word_ids(n) for n in range(2)] == [[0, 1, 2, 3], [2, 3, 4, 5]]
    assert f"model_max_length {tokenizer.model_max_length}?" in QUESTIONS


def test_t5_joins_white_space_and_drops_the_first_space_of_each_part() -> None:
    tokenizer = hf.T5Tokenizer().backend_tokenizer
    words = [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str("if a:\n    b")]
    assert words == ["▁if", "▁a:", "▁b"]
    assert tokenizer.decoder.decode(words) == "if a: b"
    assert [tokenizer.decoder.decode([word]) for word in words] == ["if", "a:", "b"]


def test_new_rows_are_near_the_mean_and_an_older_optimizer_does_not_fit() -> None:
    sizes = {"vocab_size": 50, "n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 16}
    config = hf.GPT2Config(**sizes, bos_token_id=0, eos_token_id=0, tie_word_embeddings=False)
    model: Any = hf.GPT2LMHeadModel(config).eval()
    ids = torch.tensor([[5, 3, 4]])
    optimizer = torch.optim.AdamW(model.parameters())
    model(ids, labels=ids).loss.backward()
    optimizer.step()
    model.resize_token_embeddings(60)
    table, output = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    assert (table[50:] != table[:50].mean(dim=0)).any()
    assert torch.allclose(table[50:], table[:50].mean(dim=0), atol=1e-4)
    assert not any(output is known for known in optimizer.param_groups[0]["params"])
    optimizer.zero_grad()
    model(ids, labels=ids).loss.backward()
    with pytest.raises(RuntimeError, match="size of tensor"):
        optimizer.step()
