"""What the page of questions says about libraries, with those that are installed."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiktoken
import torch
import transformers as hf
from tokenizers import Tokenizer, models, pre_tokenizers

from companion.bpe import o200k
from companion.story import load_story
from companion.wordpiece import bert_uncased

LLAMA: Any = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1,
              "num_attention_heads": 2}  # fmt: skip
TEXT = "in 2019 four little rabbits met"
BOOK = Path(__file__).parents[2] / "book"
QUESTIONS = (BOOK / "questions.md").read_text(encoding="utf-8")
WRONG = (BOOK / "wrong.md").read_text(encoding="utf-8")


def test_word_ids_of_a_part_count_in_the_whole_text() -> None:
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(TEXT.split())}))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer: Any = hf.PreTrainedTokenizerFast(tokenizer_object=made)
    parts = tokenizer(TEXT, truncation=True, max_length=4, stride=2, return_overflowing_tokens=True)
    assert [parts.word_ids(n) for n in range(2)] == [[0, 1, 2, 3], [2, 3, 4, 5]]
    assert f"`model_max_length` is {tokenizer.model_max_length}" in WRONG


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


def test_a_text_in_parts_of_another_tokenizer_is_too_long_for_the_embedder() -> None:
    story, by_count, bert = load_story(), o200k(), bert_uncased()
    ids = by_count.encode(story)
    parts = [by_count.decode(ids[i : i + 512]) for i in range(0, len(ids), 512)]
    sizes = [len(bert.encode(part)) for part in parts]
    assert len(sizes) == 3
    assert f"makes {len(bert.tokenize(story)):,} tokens" in QUESTIONS
    assert f"o200k {len(ids):,}," in QUESTIONS
    assert "{} and {}, with".format(*[size for size in sizes if size > 512]) in QUESTIONS
    for name in ("text-embedding-3-small", "text-embedding-3-large"):
        assert tiktoken.encoding_name_for_model(name) == "cl100k_base"


def test_spare_rows_are_cut_by_resizing_to_the_number_of_tokens() -> None:
    model: Any = hf.LlamaForCausalLM(hf.LlamaConfig(**LLAMA, vocab_size=64))
    spare = model.get_input_embeddings().weight[50].clone()
    assert len(model.get_input_embeddings().weight) == 64
    (code,) = re.findall(r"```python\n(.*?)```", QUESTIONS, re.DOTALL)
    vocab = {str(i): i for i in range(51)}  # one more than the model was trained with
    names = {"model": model, "tokenizer": SimpleNamespace(get_vocab=lambda: vocab)}
    exec(code, names)
    assert len(model.get_input_embeddings().weight) == 64
    model.resize_token_embeddings(len(vocab))
    table = model.get_input_embeddings().weight
    assert len(table) == 51
    assert torch.equal(table[50], spare)
    vocab["64"] = 64
    exec(code, names)
    assert len(model.get_input_embeddings().weight) == 65


def test_temperature_and_top_p() -> None:
    logits = torch.tensor([[2.0, 1.0, 0.0]])
    for temperature, kept in ((0.5, 2), (1.0, 2), (2.0, 3)):
        warmed = hf.TemperatureLogitsWarper(temperature)(None, logits)
        shares = [f"{p:.3f}" for p in warmed.softmax(-1)[0]]
        assert "{}, {} and {}".format(*shares) in QUESTIONS
        assert hf.TopPLogitsWarper(0.9)(None, warmed).isfinite().sum() == kept
    with pytest.raises(ValueError, match="strictly positive float"):
        hf.TemperatureLogitsWarper(1)
    model: Any = hf.LlamaForCausalLM(hf.LlamaConfig(**LLAMA, vocab_size=99, eos_token_id=None))
    wanted = {"max_new_tokens": 1, "output_scores": True, "return_dict_in_generate": True}
    for own, kept in (({}, 50), ({"top_k": 5}, 5)):
        found = model.generate(torch.tensor([[5]]), do_sample=True, **own, **wanted)
        assert found.scores[0].isfinite().sum() == kept


def test_a_third_text_is_no_third_segment() -> None:
    tokenizer: Any = hf.BertTokenizerFast(vocab=bert_uncased().vocab)
    found = tokenizer("a", "b", "c")
    assert found["labels"] == tokenizer("c")["input_ids"]
    assert tokenizer("a", "b[SEP]c")["token_type_ids"] == [0, 0, 0, 1, 1, 1, 1]
