"""What the page of questions says about libraries, with those that are installed."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import transformers as hf

from companion.bpe import o200k
from companion.story import load_story
from companion.wordpiece import bert_uncased

BOOK = Path(__file__).parents[2] / "book"
QUESTIONS = (BOOK / "questions.md").read_text(encoding="utf-8")


def llama(**sizes: Any) -> Any:
    usual = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
    return hf.LlamaForCausalLM(hf.LlamaConfig(**usual, num_attention_heads=2, **sizes))


def test_new_rows_are_near_the_mean_and_an_older_optimizer_lacks_the_table() -> None:
    model = llama(vocab_size=50)
    optimizer = torch.optim.AdamW(model.parameters())
    model.resize_token_embeddings(60)
    table, output = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    assert torch.allclose(table[50:], table[:50].mean(dim=0), atol=1e-4)
    assert not any(output is known for known in optimizer.param_groups[0]["params"])


def test_a_text_in_parts_of_another_tokenizer_is_too_long_for_the_embedder() -> None:
    story, by_count, bert = load_story(), o200k(), bert_uncased()
    ids = by_count.encode(story)
    parts = [by_count.decode(ids[i : i + 512]) for i in range(0, len(ids), 512)]
    long = [size for part in parts if (size := len(bert.encode(part))) > 512]
    assert len(parts) == 3
    for said in (f"makes {len(bert.tokenize(story)):,} tokens", f"o200k {len(ids):,},"):
        assert said in QUESTIONS
    assert "{} and {}, with".format(*long) in QUESTIONS


def test_spare_rows_stay_and_the_table_grows_if_an_id_has_no_row() -> None:
    model = llama(vocab_size=64)
    (code,) = re.findall(r"```python\n(.*?)```", QUESTIONS, re.DOTALL)
    for highest, rows in ((50, 64), (64, 65)):
        tokenizer = SimpleNamespace(get_vocab=lambda highest=highest: {"a": 0, "b": highest})
        exec(code, {"model": model, "tokenizer": tokenizer})
        assert len(model.get_input_embeddings().weight) == rows


def test_temperature_and_top_p() -> None:
    logits = torch.tensor([[2.0, 1.0, 0.0]])
    for temperature, kept in ((0.5, 2), (1.0, 2), (2.0, 3)):
        warmed = hf.TemperatureLogitsWarper(temperature)(None, logits)
        shares = [f"{p:.3f}" for p in warmed.softmax(-1)[0]]
        assert "{}, {} and {}".format(*shares) in QUESTIONS
        assert hf.TopPLogitsWarper(0.9)(None, warmed).isfinite().sum() == kept
    with pytest.raises(ValueError, match="strictly positive float"):
        hf.TemperatureLogitsWarper(1)
    wanted = {"max_new_tokens": 1, "output_scores": True, "return_dict_in_generate": True}
    model = llama(vocab_size=99, eos_token_id=None)
    found = model.generate(torch.tensor([[5]]), do_sample=True, **wanted)
    assert found.scores[0].isfinite().sum() == 50  # where nothing is set


def test_a_third_text_is_no_third_segment() -> None:
    tokenizer: Any = hf.BertTokenizerFast(vocab=bert_uncased().vocab)
    assert tokenizer("a", "b", "c")["labels"] == tokenizer("c")["input_ids"]
    assert tokenizer("a", "b[SEP]c")["token_type_ids"] == [0, 0, 0, 1, 1, 1, 1]
