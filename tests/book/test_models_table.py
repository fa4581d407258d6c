"""What chapters say of the sizes of models, against the models' configurations.

What transformers gives a configuration by default is, for these classes, the model that is named.
"""

import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import transformers as hf
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

BOOK = Path(__file__).parents[2] / "book"
CHAPTER = (BOOK / "relative-positions.md").read_text(encoding="utf-8")


def numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"\d+", text.replace(",", ""))]


def table() -> dict[str, Any]:
    rows = {}
    line = re.compile(r"(?m)^\| \[(.+?)\]\(https://\S+\), (\d{4}) \|(.+)\|$")
    for name, year, rest in line.findall(CHAPTER):
        kind, *sizes, positions = (cell.strip() for cell in rest.split("|"))
        vocab, width, length = (next(iter(numbers(size)), None) for size in sizes)
        rows[name] = SimpleNamespace(year=int(year), tokenizer=kind, rows=vocab, width=width,
                                     length=length, positions=positions)  # fmt: skip
    return rows


MODELS = table()
# For the last four transformers reads the kind of tokenizer from the model's files.
CONFIGS = {
    "BERT base": (hf.BertConfig, hf.BertTokenizer), "T5 small": (hf.T5Config, hf.T5Tokenizer),
    "GPT-2 small": (hf.GPT2Config, hf.GPT2Tokenizer), "GPT-J 6B": (hf.GPTJConfig, hf.GPT2Tokenizer),
    "Llama 7B": (hf.LlamaConfig, hf.LlamaTokenizer),
    "ModernBERT base": (hf.ModernBertConfig, None), "DeepSeek-V3": (hf.DeepseekV3Config, None),
    "gpt-oss 120B": (hf.GptOssConfig, None), "SmolLM3 3B": (hf.SmolLM3Config, None),
}  # fmt: skip
# A paper without a configuration, and a class whose default has the sizes of a toy.
ELSEWHERE = {"Transformer base", "BLOOM 176B"}
# Their classes have the numbers before the extension; the rows have those that were published.
EXTENDED = {"DeepSeek-V3", "SmolLM3 3B"}


def test_rows_are_in_order_and_each_is_confirmed_or_said_not_to_be() -> None:
    assert MODELS.keys() == CONFIGS.keys() | ELSEWHERE
    assert [row.year for row in MODELS.values()] == sorted(row.year for row in MODELS.values())


@pytest.mark.parametrize("name", CONFIGS)
def test_sizes_positions_and_kind_of_tokenizer(name: str) -> None:
    (of_config, tokenizer), row = CONFIGS[name], MODELS[name]
    config: Any = of_config()
    assert (row.rows, row.width) == (config.vocab_size, config.hidden_size)
    where, base = row.positions.partition(", ")[0], row.positions.partition("base ")[2]
    if name == "T5 small":
        assert numbers(where) == [config.relative_attention_num_buckets]
    elif name not in EXTENDED:
        assert row.length == config.max_position_embeddings
    if where.startswith("added"):
        assert numbers(where) == [row.length]
    elif base and name not in EXTENDED:
        rope = config.rope_parameters  # one, or one for each kind of layer
        ropes = [part for part in rope.values() if isinstance(part, dict)] or [rope]
        assert {part["rope_theta"] for part in ropes} == {*numbers(base.partition(", YaRN")[0])}
    if tokenizer:  # what transformers builds: a model, and bytes under BPE
        built = tokenizer().backend_tokenizer
        kind = type(built.model).__name__
        on_bytes = kind == "BPE" and "ByteLevel" in str(built.pre_tokenizer)
        assert row.tokenizer == ("byte BPE" if on_bytes else kind)
        # What the chapter says of characters that BPE does not know.
        assert kind != "BPE" or on_bytes or built.model.byte_fallback


# Sentences and cells of these chapters with numbers of a configuration.
PAGES = ("relative-positions", "token-embeddings", "more-tables", "questions")
SAID: dict[Any, list[str]] = {
    hf.BertConfig: ['BERT: `"max_position_embeddings": {max_position_embeddings}`'],
    hf.BloomConfig: ['"BLOOM": (250_680, {vocab_size:_}),'],
    hf.Gemma3nTextConfig: ["{num_hidden_layers} tables of {vocab_size_per_layer_input:,} rows with "
                    "{hidden_size_per_layer_input} numbers, 2,348,810,240"],
    hf.Gemma4TextConfig: [
        '"Gemma 4 E2B": {vocab_size:_} * 1536,',
        '"Gemma 4 E2B": {vocab_size_per_layer_input:_} * 35 * {hidden_size_per_layer_input},'],
    hf.GptOssConfig: [
        'gpt-oss: `"rope_theta": {rope_parameters[rope_theta]:.0f}`',
        '"rope_type": "{rope_parameters[rope_type]}", "factor": {rope_parameters[factor]:.0f}}}`',
        '"num_attention_heads": {num_attention_heads}, "head_dim": {head_dim}`',
        'gpt-oss: `"num_key_value_heads": {num_key_value_heads}`'],
    hf.OPTConfig: ['"OPT": (50_265, {vocab_size:_}),'],
    hf.T5Config: [
        '"T5": (32_100, {vocab_size:_}),',
        'T5: `"relative_attention_num_buckets": {relative_attention_num_buckets}`',
        "16 to {relative_attention_max_distance} on a logarithmic scale"],
}  # fmt: skip


@pytest.mark.parametrize("of_config", SAID)
def test_numbers_are_those_of_the_configuration(of_config: Any) -> None:
    text = "".join((BOOK / f"{page}.md").read_text(encoding="utf-8") for page in PAGES)
    for said in SAID[of_config]:
        assert said.format(**of_config().to_dict()) in text


def test_shares_of_a_head_that_are_rotated_and_blocks_that_rotate() -> None:
    gpt_j, deepseek = hf.GPTJConfig(), hf.DeepseekV3Config()
    head = gpt_j.hidden_size // gpt_j.n_head
    assert numbers(MODELS["GPT-J 6B"].positions) == [gpt_j.rotary_dim, head]
    turned = deepseek.qk_rope_head_dim
    shares = numbers(MODELS["DeepSeek-V3"].positions)[:2]
    assert shares == [turned, turned + deepseek.qk_nope_head_dim]
    rotated = hf.SmolLM3Config().no_rope_layers  # 1 where the block rotates
    assert rotated == [1, 1, 1, 0] * (len(rotated) // 4)
    assert "three blocks of four" in MODELS["SmolLM3 3B"].positions


def test_kinds_of_rope() -> None:
    """Each kind that the installed transformers knows has a row, and three do what is said."""
    assert hf.GptOssConfig().rope_parameters["truncate"] is False
    rows = re.findall(r"(?m)^\| `(\w+)` \| ", CHAPTER)
    assert set(rows) - {"rope_type"} == ROPE_INIT_FUNCTIONS.keys()  # its heading
    pairs = 10_000.0 ** (-torch.arange(32) / 32)
    slower = [1.0 + pair for pair in range(32)]
    longer = {"factor": 4.0, "original_max_position_embeddings": 512}

    def rope(kind: str, **settings: Any) -> Any:
        parameters = {"rope_type": kind, "rope_theta": 10_000.0, **settings}
        config = hf.LlamaConfig(head_dim=64, rope_parameters=parameters)
        return ROPE_INIT_FUNCTIONS[kind](config, "cpu", seq_len=1024)

    share, _ = rope("proportional", partial_rotary_factor=0.25)
    assert torch.allclose(share, pairs * (torch.arange(32) < 8))
    factors, _ = rope("longrope", long_factor=slower, short_factor=slower, **longer)
    assert torch.allclose(factors, pairs / torch.tensor(slower))
    # Queries and keys are scaled.
    assert rope("yarn", **longer)[1] == pytest.approx(0.1 * math.log(4) + 1)
