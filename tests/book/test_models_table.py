"""The table of models in the chapter `relative-positions` against the models' configurations.

What transformers gives a configuration by default is, for these classes, the model of the row.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

CHAPTER = Path(__file__).parents[2] / "book" / "relative-positions.md"


class Row(NamedTuple):
    name: str
    year: int
    tokenizer: str
    rows: int | None
    width: int | None
    length: int | None
    where: str
    scheme: str
    more: str


def table() -> dict[str, Row]:
    found = re.search(r"^models = (\[.*?^\])", CHAPTER.read_text(encoding="utf-8"), re.M | re.S)
    assert found
    rows = [Row(*row) for row in eval(found[1], {"__builtins__": {}})]
    assert len({row.name for row in rows}) == len(rows)
    return {row.name: row for row in rows}


MODELS = table()
CONFIGS = {
    "BERT base": "BertConfig",
    "GPT-2 small": "GPT2Config",
    "RoBERTa base": "RobertaConfig",
    "T5 small": "T5Config",
    "GPT-J 6B": "GPTJConfig",
    "OPT 125M": "OPTConfig",
    "Llama 7B": "LlamaConfig",
    "ModernBERT base": "ModernBertConfig",
    "DeepSeek-V3": "DeepseekV3Config",
    "gpt-oss 120B": "GptOssConfig",
    "Apertus 8B": "ApertusConfig",
    "Ministral 3 8B": "Ministral3Config",
    "Mistral Small 4": "Mistral4Config",
    "Gemma 4": "Gemma4TextConfig",
    "DeepSeek-V4-Flash": "DeepseekV4Config",
}
# Their configurations have no class of their own: the papers, and Meta's code for Llama 3.
FROM_PAPERS = {"Transformer base", "GPT-3 175B", "Llama 3 8B"}
# Its class has a toy's sizes by default; it confirms the rows of the table.
TOY = {"BLOOM 176B": "BloomConfig"}
# For the others transformers reads the kind of tokenizer from the model's files, or not at all;
# the table has it from papers and model cards.
TOKENIZERS = {
    "BERT base": "BertTokenizer",
    "GPT-2 small": "GPT2Tokenizer",
    "RoBERTa base": "RobertaTokenizer",
    "T5 small": "T5Tokenizer",
    "GPT-J 6B": "GPT2Tokenizer",
    "OPT 125M": "GPT2Tokenizer",
    "Llama 7B": "LlamaTokenizer",
    "Gemma 4": "GemmaTokenizer",
}


def made(name: str, *arguments: Any, **settings: Any) -> Any:
    """Make what transformers gives, by default or with settings."""
    import transformers  # here: it takes seconds

    return getattr(transformers, name)(*arguments, **settings)


def ropes(config: Any) -> list[dict[str, Any]]:
    """The settings of RoPE in a configuration: one, or one for each kind of layer."""
    rope = getattr(config, "rope_parameters", None) or {}
    return [part for part in rope.values() if isinstance(part, dict)] or [rope]


def bases(config: Any) -> set[float]:
    return {rope["rope_theta"] for rope in ropes(config)}


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text.replace(",", ""))]


def test_each_row_is_confirmed_or_said_not_to_be() -> None:
    assert MODELS.keys() == CONFIGS.keys() | FROM_PAPERS | TOY.keys()
    assert [row.year for row in MODELS.values()] == sorted(row[1] for row in MODELS.values())


@pytest.mark.parametrize("name", CONFIGS)
def test_sizes(name: str) -> None:
    row, config = MODELS[name], made(CONFIGS[name])
    assert config.vocab_size == row.rows
    assert row.width in {config.hidden_size, None}
    if row.length is not None:  # before any extension, if there was one
        length = config.max_position_embeddings
        assert ropes(config)[0].get("original_max_position_embeddings", length) == row.length


@pytest.mark.parametrize("name", TOKENIZERS)
def test_kinds_of_tokenizer(name: str) -> None:
    """What transformers builds for the class: a model, and bytes under BPE or not."""
    built = made(TOKENIZERS[name]).backend_tokenizer
    kind = type(built.model).__name__
    on_bytes = kind == "BPE" and "ByteLevel" in str(built.pre_tokenizer)
    assert MODELS[name].tokenizer == ("byte BPE" if on_bytes else kind)
    if kind == "BPE" and not on_bytes:  # what the chapter says of characters they do not know
        assert built.model.byte_fallback


def test_bloom() -> None:
    assert made(TOY["BLOOM 176B"]).vocab_size == MODELS["BLOOM 176B"].rows


@pytest.mark.parametrize("name", [n for n in CONFIGS if MODELS[n].where == "rotation"])
def test_bases(name: str) -> None:
    *_, scheme, remark = MODELS[name]
    config = made(CONFIGS[name])
    if name == "GPT-J 6B":  # its table of angles is tested in test_positions, with base 10,000
        assert numbers(scheme) == [10_000]
        return
    kept = re.sub(r"\d+ of \d+|(?:YaRN|llama3) ×\d+", "", remark)
    assert bases(config) == set(numbers(scheme) + numbers(kept))


@pytest.mark.parametrize("name", [n for n in CONFIGS if " of " in MODELS[n].more])
def test_shares_of_a_head_that_are_rotated(name: str) -> None:
    config = made(CONFIGS[name])
    found = re.search(r"(\d+) of (\d+)", MODELS[name].more)
    assert found
    rotated, width = map(int, found.groups())
    if name == "GPT-J 6B":
        assert (rotated, width) == (config.rotary_dim, config.hidden_size // config.n_head)
    elif name == "DeepSeek-V4-Flash":
        shares = {part["partial_rotary_factor"] for part in ropes(config)}
        assert (shares, config.head_dim) == ({rotated / width}, width)
    else:
        turned = config.qk_rope_head_dim
        assert (rotated, width) == (turned, turned + config.qk_nope_head_dim)


@pytest.mark.parametrize("name", CONFIGS)
def test_extensions(name: str) -> None:
    """A row that names no scaling has none, and the others have the factor that is named."""
    found = re.search(r"(YaRN|llama3) ×(\d+)", MODELS[name].more)
    parts = ropes(made(CONFIGS[name]))
    if found:
        assert [(p["rope_type"], p["factor"]) for p in parts] == [(found[1].lower(), int(found[2]))]
    else:  # "proportional" is Gemma's name for rotating a part of a head
        assert {p.get("rope_type", "default") for p in parts} <= {"default", "proportional"}


def test_configurations_that_the_chapter_reads() -> None:
    text = CHAPTER.read_text(encoding="utf-8")
    read: dict[str, dict[str, Any]] = {}
    for name in ("bert", "t5", "gpt_oss"):
        found = re.search(rf"^{name} = (\{{.*?\}})\n(?=\w)", text, re.M | re.S)
        assert found
        read[name] = eval(found[1], {"__builtins__": {}})
    bert, t5 = made("BertConfig").to_dict(), made("T5Config").to_dict()
    assert bert.items() >= read["bert"].items()
    assert t5.items() >= read["t5"].items()
    config, rope = made("GptOssConfig"), read["gpt_oss"]
    assert config.max_position_embeddings == rope["max_position_embeddings"]
    assert bases(config) == {rope["rope_theta"]}
    assert config.rope_parameters
    assert config.rope_parameters.items() >= rope["rope_scaling"].items()


def test_learned_rows() -> None:
    """OPT keeps two rows before the first position."""
    config = made("OPTConfig", num_hidden_layers=1, ffn_dim=8, vocab_size=8)
    model = made("OPTModel", config)
    assert numbers(MODELS["OPT 125M"].scheme) == [model.decoder.embed_positions.num_embeddings]
    for name in ("BERT base", "GPT-2 small"):
        assert numbers(MODELS[name].scheme) == [made(CONFIGS[name]).max_position_embeddings]
    assert numbers(MODELS["RoBERTa base"].scheme) == [(MODELS["RoBERTa base"].length or 0) + 2]


def test_t5() -> None:
    config = made("T5Config")
    assert numbers(MODELS["T5 small"].scheme) == [config.relative_attention_num_buckets] == [32]
    # What the chapter says of its heads.
    assert config.num_heads == 8
    assert config.relative_attention_max_distance == 128


def test_smollm3_rotates_nothing_in_every_fourth_layer() -> None:
    rotated = made("SmolLM3Config").no_rope_layers or []  # 1 where the layer rotates
    assert [i for i, rotates in enumerate(rotated) if not rotates] == [*range(3, len(rotated), 4)]
    assert "SmolLM3 rotates nothing in every fourth layer" in CHAPTER.read_text(encoding="utf-8")
