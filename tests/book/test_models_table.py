"""The table of models in the chapter `relative-positions` against the models' configurations.

What transformers gives a configuration by default is, for these classes, the model of the row.
"""

import json
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

CHAPTER = Path(__file__).parents[2] / "book" / "relative-positions.md"


class Row(NamedTuple):
    source: str
    year: int
    tokenizer: str
    rows: int | None
    width: int | None
    length: int | None
    positions: str


def numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"\d+", text.replace(",", ""))]


def table() -> dict[str, Row]:
    rows = {}
    line = re.compile(r"(?m)^\| \[(.+?)\]\((https://\S+)\), (\d{4}) \|(.+)\|$")
    for name, source, year, rest in line.findall(CHAPTER.read_text(encoding="utf-8")):
        kind, *sizes, positions = (cell.strip() for cell in rest.split("|"))
        n_rows, width, length = (next(iter(numbers(size)), None) for size in sizes)
        rows[name] = Row(source, int(year), kind, n_rows, width, length, positions)
    return rows


MODELS = table()
CONFIGS = {
    "BERT base": ("BertConfig", "BertTokenizer"),
    "GPT-2 small": ("GPT2Config", "GPT2Tokenizer"),
    "T5 small": ("T5Config", "T5Tokenizer"),
    "GPT-J 6B": ("GPTJConfig", "GPT2Tokenizer"),
    "Llama 7B": ("LlamaConfig", "LlamaTokenizer"),
    "ModernBERT base": ("ModernBertConfig", None),
    "DeepSeek-V3": ("DeepseekV3Config", None),
    "gpt-oss 120B": ("GptOssConfig", None),
    "SmolLM3 3B": ("SmolLM3Config", None),
}
"""For the last four transformers reads the kind of tokenizer from the model's files."""
ELSEWHERE = {"Transformer base", "BLOOM 176B"}
"""A paper without a configuration, and a class whose default has the sizes of a toy."""
EXTENDED = {"DeepSeek-V3", "SmolLM3 3B"}
"""Their classes have the numbers before the extension; the rows have those that were published."""


def made(name: str, *arguments: Any, **settings: Any) -> Any:
    """Make what transformers gives, by default or with settings."""
    import transformers  # here: it takes seconds

    return getattr(transformers, name)(*arguments, **settings)


def test_rows_are_in_order_and_each_is_confirmed_or_said_not_to_be() -> None:
    assert MODELS.keys() == CONFIGS.keys() | ELSEWHERE
    assert [row.year for row in MODELS.values()] == sorted(row.year for row in MODELS.values())


@pytest.mark.parametrize("name", CONFIGS)
def test_sizes_positions_and_kind_of_tokenizer(name: str) -> None:
    row, config = MODELS[name], made(CONFIGS[name][0])
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
    if tokenizer := CONFIGS[name][1]:  # what transformers builds: a model, and bytes under BPE
        built = made(tokenizer).backend_tokenizer
        kind = type(built.model).__name__
        on_bytes = kind == "BPE" and "ByteLevel" in str(built.pre_tokenizer)
        assert row.tokenizer == ("byte BPE" if on_bytes else kind)
        # What the chapter says of characters that BPE does not know.
        assert kind != "BPE" or on_bytes or built.model.byte_fallback


@pytest.mark.parametrize("name", ["T5", "Bloom", "OPT"])
def test_rows_of_tables_with_more_rows_than_tokens(name: str) -> None:
    """They stand in the chapter `token-embeddings`."""
    text = CHAPTER.with_stem("token-embeddings").read_text(encoding="utf-8")
    (found,) = re.findall(rf'(?i)"{name}": \(([\d_]+), ([\d_]+)\),', text)
    n_tokens, n_rows = map(int, found)
    assert n_tokens < n_rows == made(f"{name}Config").vocab_size


def test_shares_of_a_head_that_are_rotated_and_blocks_that_rotate() -> None:
    gpt_j, deepseek = made("GPTJConfig"), made("DeepseekV3Config")
    head = gpt_j.hidden_size // gpt_j.n_head
    assert numbers(MODELS["GPT-J 6B"].positions) == [gpt_j.rotary_dim, head]
    turned = deepseek.qk_rope_head_dim
    shares = numbers(MODELS["DeepSeek-V3"].positions)[:2]
    assert shares == [turned, turned + deepseek.qk_nope_head_dim]
    rotated = made("SmolLM3Config").no_rope_layers  # 1 where the block rotates
    assert rotated == [1, 1, 1, 0] * (len(rotated) // 4)
    assert "three blocks of four" in MODELS["SmolLM3 3B"].positions


def test_configurations_that_the_chapter_reads() -> None:
    text = CHAPTER.read_text(encoding="utf-8")
    read: dict[str, dict[str, Any]] = {"BERT": {}, "T5": {}, "gpt-oss": {}}
    for name, line in re.findall(r"(?m)^\| (BERT|T5|gpt-oss): `(.+?)` \|", text):
        read[name] |= json.loads(f"{{{line}}}")
    assert all(read.values())
    assert made("BertConfig").to_dict().items() >= read["BERT"].items()
    t5 = made("T5Config")
    assert t5.to_dict().items() >= read["T5"].items()
    assert (t5.num_heads, t5.relative_attention_max_distance) == (8, 128)  # said in the prose
    config, lines = made("GptOssConfig"), read["gpt-oss"]
    rope = lines.pop("rope_scaling") | {"rope_theta": lines.pop("rope_theta")}
    assert config.to_dict().items() >= lines.items()
    heads = lines["num_attention_heads"]  # what the table says of them
    assert (lines["hidden_size"] / heads, heads / lines["num_key_value_heads"]) == (45, 8)
    assert config.rope_parameters.items() >= (rope | {"truncate": False}).items()
    assert MODELS["gpt-oss 120B"].positions.endswith(f"YaRN ×{rope['factor']}")


def test_kinds_of_rope() -> None:
    """Each kind that the installed transformers knows has a row, and three do what is said."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    rows = re.findall(r"(?m)^\| `(\w+)` \| ", CHAPTER.read_text(encoding="utf-8"))
    assert set(rows) - {"rope_type"} == ROPE_INIT_FUNCTIONS.keys()  # its heading
    pairs = 10_000.0 ** (-torch.arange(32) / 32)
    slower = [1.0 + pair for pair in range(32)]
    longer = {"factor": 4.0, "original_max_position_embeddings": 512}

    def rope(kind: str, **settings: Any) -> Any:
        parameters = {"rope_type": kind, "rope_theta": 10_000.0, **settings}
        config = made("LlamaConfig", head_dim=64, rope_parameters=parameters)
        return ROPE_INIT_FUNCTIONS[kind](config, "cpu", seq_len=1024)

    turning, _ = rope("proportional", partial_rotary_factor=0.25)
    assert torch.allclose(turning, pairs * (torch.arange(32) < 8))
    turning, _ = rope("longrope", long_factor=slower, short_factor=slower, **longer)
    assert torch.allclose(turning, pairs / torch.tensor(slower))
    _, scale = rope("yarn", **longer)
    assert scale == pytest.approx(0.1 * math.log(4) + 1)  # of queries and keys
