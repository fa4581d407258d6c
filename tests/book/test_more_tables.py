"""The chapter `more-tables` against programs and models of 2026."""

from typing import Any

import pytest
import torch
from chapter_code import of_chapter
from tokenizers import Regex, normalizers
from transformers import DynamicCache, Gemma4TextConfig
from transformers.models.gemma4.modeling_gemma4 import Gemma4TextModel
from transformers.models.qwen4_exp import Qwen4ExpTextConfig
from transformers.models.qwen4_exp import modeling_qwen4_exp as qwen

from companion.bpe import gpt2
from companion.wordpiece import bert_uncased

END, N_IDS = 7, 200


def layer(index: int = 0) -> Any:
    """Make Qwen's layer, small and with random weights."""
    sizes: dict[str, Any] = {"ngram_vocab_size_base": 1000, "heads_per_ngram": 2, "ngram_size": 3}
    config = Qwen4ExpTextConfig(vocab_size=N_IDS, eos_token_id=END, **sizes)
    torch.manual_seed(0)
    return qwen.Qwen4ExpTextNGramEmbedding(config, 16, layer_idx=0, ple_layer_index=index)


@pytest.mark.parametrize("index", [0, 1])
def test_the_rows_are_those_of_qwens_layer(index: int) -> None:
    theirs = layer(index)
    names = of_chapter("more-tables", "row_of", "ngram_at", "rows_at", "primes_from")
    names["END"] = END
    sizes = names["primes_from"](1000, 4 * (index + 1))[-4:]
    assert theirs.head_vocab_sizes == sizes
    heads, factors = list(zip([2, 2, 3, 3], sizes, strict=True)), theirs.layer_multipliers.tolist()
    text = torch.randint(N_IDS, (300,), generator=torch.Generator().manual_seed(index))
    text[::9] = END  # and where two follow each other
    text[1::45] = END
    ids = text.tolist()
    rows = torch.tensor([names["rows_at"](ids, i, heads, factors) for i in range(len(ids))])
    table = theirs.ngram_embedding.weight
    assert torch.equal(theirs(text[None], None)[0], table[rows].flatten(-2))


def test_the_layer_keeps_the_ids_of_the_calls_before() -> None:
    ids = torch.tensor([[5, 6, 8, 9, END, 3, 4]])
    config = Qwen4ExpTextConfig(num_hidden_layers=1, layer_types=["linear_attention"])
    config.number_of_conv_states = 3
    cache, theirs = DynamicCache(config=config), layer()
    kept = torch.cat([theirs(ids[:, i : i + 1], cache) for i in range(ids.shape[1])], dim=1)
    assert torch.equal(kept, theirs(ids, None))


def test_tokens_are_simplified_as_in_the_program_of_the_paper() -> None:
    space = "\ue000"
    steps = [
        normalizers.NFKC(), normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(),
        normalizers.Replace(Regex("[ \t\r\n]+"), " "), normalizers.Replace(Regex("^ $"), space),
        normalizers.Strip(), normalizers.Replace(space, " "),
    ]  # fmt: skip
    rule = normalizers.Sequence(steps)
    simplified = of_chapter("more-tables", "simplified")["simplified"]
    for token in [*gpt2().vocab, *(token.encode() for token in bert_uncased().vocab)]:
        text = token.decode(errors="replace")
        assert "\ufffd" in text or simplified(token) == (rule.normalize_str(text) or text)


def test_a_default_layer_of_qwen_has_the_rows_of_the_exercise() -> None:
    with torch.device("meta"):
        made = qwen.Qwen4ExpTextNGramEmbedding(Qwen4ExpTextConfig(), 2048, layer_idx=0)
    assert made.ngram_embedding.num_embeddings == 320_001_536


def test_padding_is_the_end_where_qwens_model_gets_a_mask() -> None:
    assert Qwen4ExpTextConfig().ple_layer_ids == []
    sizes: dict[str, Any] = {
        "hidden_size": 16, "num_hidden_layers": 1, "layer_types": ["linear_attention"],
        "ple_layer_ids": [1], "ngram_vocab_size_base": 100, "heads_per_ngram": 2, "hc_lowrank": 4,
        "num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 8,
        "shared_expert_intermediate_size": 8, "linear_num_key_heads": 1,
        "linear_num_value_heads": 1, "num_attention_heads": 2, "num_key_value_heads": 1,
    }  # fmt: skip
    model: Any = qwen.Qwen4ExpTextModel(
        Qwen4ExpTextConfig(vocab_size=N_IDS, eos_token_id=END, **sizes)
    )
    seen: list[Any] = []
    names = model.layers[0].ple.ple_embedding
    names.register_forward_pre_hook(lambda _, given: seen.append(given[0].tolist()))
    ids = torch.tensor([[0, 0, 5, 6]])
    for mask in (torch.tensor([[0, 0, 1, 1]]), None):
        model(ids, attention_mask=mask, use_cache=False)
    assert seen == [[[END, END, 5, 6]], [[0, 0, 5, 6]]]


def test_a_row_of_gemma_is_scaled_added_to_a_normalized_projection_and_scaled() -> None:
    sizes: dict[str, Any] = {"vocab_size": 20, "vocab_size_per_layer_input": 20, "hidden_size": 16}
    torch.manual_seed(0)
    config = Gemma4TextConfig(**sizes, hidden_size_per_layer_input=4, num_hidden_layers=2)
    model: Any = Gemma4TextModel(config)
    model.per_layer_model_projection.weight.data.normal_()  # so that eps of the norm is little
    ids = torch.tensor([[3, 4]])
    x, rows = model.embed_tokens(ids), model.get_per_layer_inputs(ids, None)
    table = model.embed_tokens_per_layer.weight[ids].reshape(1, 2, 2, 4)
    torch.testing.assert_close(rows, table * 4**0.5)
    projected = model.project_per_layer_inputs(x, None)
    torch.testing.assert_close(projected.square().mean(-1), torch.ones(1, 2, 2), atol=1e-3, rtol=0)
    mixed = model.project_per_layer_inputs(x, rows)
    torch.testing.assert_close(mixed, (projected + rows) / 2**0.5)
    config.hidden_size_per_layer_input = 0
    assert not hasattr(Gemma4TextModel(config), "embed_tokens_per_layer")
