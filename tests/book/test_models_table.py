"""The table of models in the chapter `relative-positions` against the models' configurations.

What transformers gives a configuration by default is, for these classes, the model of the row.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import transformers

CHAPTER = Path(__file__).parents[2] / "book" / "relative-positions.md"
Row = tuple[str, int, int | None, int, int | None, str, str, str]


def table() -> dict[str, Row]:
    found = re.search(r"^models = (\[.*?^\])", CHAPTER.read_text(encoding="utf-8"), re.M | re.S)
    assert found
    rows: list[Row] = eval(found[1], {"__builtins__": {}})
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: row for row in rows}


MODELS = table()
CONFIGS: dict[str, Any] = {
    "BERT base": transformers.BertConfig,
    "GPT-2 small": transformers.GPT2Config,
    "RoBERTa base": transformers.RobertaConfig,
    "T5 small": transformers.T5Config,
    "GPT-J 6B": transformers.GPTJConfig,
    "OPT 125M": transformers.OPTConfig,
    "Llama 7B": transformers.LlamaConfig,
    "Gemma 7B": transformers.GemmaConfig,
    "ModernBERT base": transformers.ModernBertConfig,
    "DeepSeek-V3": transformers.DeepseekV3Config,
}
# Their configurations have no class of their own: the papers, and Meta's code for Llama 3.
FROM_PAPERS = {"Transformer base", "GPT-3 175B", "Llama 3 8B"}
# Its class has a toy's sizes by default; it confirms the rows of the table.
TOY = {"BLOOM 176B": transformers.BloomConfig}


def bases(config: Any) -> set[float]:
    """The bases of RoPE in a configuration, in older and newer versions of transformers."""
    parameters = getattr(config, "rope_parameters", None)
    if not parameters:
        names = ("rope_theta", "global_rope_theta", "local_rope_theta")
        return {getattr(config, name) for name in names if hasattr(config, name)}
    nested = [part for part in parameters.values() if isinstance(part, dict)] or [parameters]
    return {part["rope_theta"] for part in nested}


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text.replace(",", ""))]


def test_each_row_is_confirmed_or_said_not_to_be() -> None:
    assert MODELS.keys() == CONFIGS.keys() | FROM_PAPERS | TOY.keys()
    assert [row[1] for row in MODELS.values()] == sorted(row[1] for row in MODELS.values())


@pytest.mark.parametrize("name", CONFIGS)
def test_sizes(name: str) -> None:
    _, _, rows, width, length, *_ = MODELS[name]
    config = CONFIGS[name]()
    assert (config.vocab_size, config.hidden_size) == (rows, width)
    if length is not None:
        assert config.max_position_embeddings == length


def test_bloom() -> None:
    assert TOY["BLOOM 176B"]().vocab_size == MODELS["BLOOM 176B"][2]


@pytest.mark.parametrize("name", [n for n in CONFIGS if MODELS[n][5] == "rotation"])
def test_bases(name: str) -> None:
    *_, scheme, remark = MODELS[name]
    config = CONFIGS[name]()
    if name == "GPT-J 6B":  # its table of angles is tested in test_positions, with base 10,000
        assert numbers(scheme) == [10_000]
        assert numbers(remark) == [config.rotary_dim, config.hidden_size // config.n_head]
    elif name == "DeepSeek-V3":
        assert bases(config) == set(numbers(scheme))
        rotated = config.qk_rope_head_dim
        assert numbers(remark) == [rotated, rotated + config.qk_nope_head_dim]
    else:
        assert bases(config) == set(numbers(scheme) + numbers(remark))


def test_learned_rows() -> None:
    """OPT keeps two rows before the first position."""
    config = transformers.OPTConfig(num_hidden_layers=1, ffn_dim=8, vocab_size=8)
    model = transformers.OPTModel(config)
    assert numbers(MODELS["OPT 125M"][6]) == [model.decoder.embed_positions.num_embeddings]
    for name in ("BERT base", "GPT-2 small"):
        assert numbers(MODELS[name][6]) == [CONFIGS[name]().max_position_embeddings]
    assert numbers(MODELS["RoBERTa base"][6]) == [(MODELS["RoBERTa base"][4] or 0) + 2]


def test_t5() -> None:
    config = transformers.T5Config()
    assert numbers(MODELS["T5 small"][6]) == [config.relative_attention_num_buckets] == [32]
    # What the chapter says of its heads.
    assert config.num_heads == 8
    assert config.relative_attention_max_distance == 128


def test_smollm3_rotates_nothing_in_every_fourth_layer() -> None:
    rotated = transformers.SmolLM3Config().no_rope_layers or []  # 1 where the layer rotates
    assert [i for i, rotates in enumerate(rotated) if not rotates] == [*range(3, len(rotated), 4)]
    assert "SmolLM3 rotates nothing in every fourth layer" in CHAPTER.read_text(encoding="utf-8")
