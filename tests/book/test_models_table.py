"""What a chapter says of the sizes of models, against the models' configurations.

What transformers gives a configuration by default is, for these classes, the model that is named.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import transformers as hf
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

BOOK = Path(__file__).parents[2] / "book"
CHAPTER = (BOOK / "relative-positions.md").read_text(encoding="utf-8")
# The cells of each model, after its name, its year and the kind of its tokenizer.
MODELS = {
    name: (int(year), cells)
    for name, year, cells in re.findall(
        r"(?m)^\| \[(.+?)\]\(https://\S+\), (\d{4}) \| .+? \| (.+) \|$", CHAPTER
    )
}


def base(c: Any, *kind: str) -> str:
    rope = c.rope_parameters[kind[0]] if kind else c.rope_parameters
    return f"{rope['rope_theta']:,.0f}"


# The length and the positions of each; two classes have the length before an extension.
CONFIGS: dict[str, tuple[Any, Any]] = {
    "BERT base": (hf.BertConfig, lambda c: f"{c.max_position_embeddings} | added: 512 rows"),
    "GPT-2 small": (hf.GPT2Config, lambda c: f"{c.n_positions:,} | added: 1,024 rows"),
    "T5 small": (
        hf.T5Config, lambda c: f"512 | bias: {c.relative_attention_num_buckets} buckets"),
    "GPT-J 6B": (hf.GPTJConfig, lambda c: (
        f"{c.n_positions:,} | rotation of {c.rotary_dim} of {c.n_embd // c.n_head} numbers")),
    "Llama 7B": (
        hf.LlamaConfig, lambda c: f"{c.max_position_embeddings:,} | rotation, base {base(c)}"),
    "ModernBERT base": (hf.ModernBertConfig, lambda c: (
        f"{c.max_position_embeddings:,} | rotation, base "
        f"{base(c, 'full_attention')} or {base(c, 'sliding_attention')}")),
    "DeepSeek-V3": (hf.DeepseekV3Config, lambda c: (
        f"163,840 | rotation of {c.qk_rope_head_dim} of {c.qk_rope_head_dim + c.qk_nope_head_dim} "
        f"numbers, base {base(c)}, YaRN ×40")),
    "gpt-oss 120B": (hf.GptOssConfig, lambda c: (
        f"{c.max_position_embeddings:,} | rotation, base {base(c)}, "
        f"YaRN ×{c.rope_parameters['factor']:.0f}")),
    "SmolLM3 3B": (
        hf.SmolLM3Config, lambda c: "65,536 | rotation in three blocks of four, base 5,000,000"),
}  # fmt: skip
# A paper without a configuration, and a class whose default has the sizes of a toy.
ELSEWHERE = {"Transformer base", "BLOOM 176B"}


def test_rows_are_in_order_and_each_is_confirmed_or_said_not_to_be() -> None:
    assert MODELS.keys() == CONFIGS.keys() | ELSEWHERE
    years = [year for year, _ in MODELS.values()]
    assert years == sorted(years)


@pytest.mark.parametrize("name", CONFIGS)
def test_sizes_and_positions(name: str) -> None:
    of_config, rest = CONFIGS[name]
    config = of_config()
    assert MODELS[name][1] == f"{config.vocab_size:,} | {config.hidden_size:,} | {rest(config)}"


def test_kinds_of_rope() -> None:
    rows = re.findall(r"(?m)^\| `(\w+)` \| ", CHAPTER)
    assert {*rows} - {"rope_type"} == ROPE_INIT_FUNCTIONS.keys()  # its heading
