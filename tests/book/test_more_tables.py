"""The chapter `more-tables` against programs and models of 2026."""

from typing import Any

import pytest
import torch
from chapter_code import of_chapter
from tokenizers import Regex, normalizers

from companion.bpe import gpt2, o200k
from companion.wordpiece import bert_uncased

END, N_IDS = 7, 200


def layer(index: int = 0) -> Any:
    """Make Qwen's layer, small and with random weights."""
    from transformers.models.qwen4_exp.configuration_qwen4_exp import Qwen4ExpTextConfig
    from transformers.models.qwen4_exp.modeling_qwen4_exp import Qwen4ExpTextNGramEmbedding

    sizes: dict[str, Any] = {"ngram_vocab_size_base": 1000, "heads_per_ngram": 2, "ngram_size": 3}
    config = Qwen4ExpTextConfig(vocab_size=N_IDS, eos_token_id=END, **sizes)
    torch.manual_seed(0)
    return Qwen4ExpTextNGramEmbedding(config, 16, layer_idx=0, ple_layer_index=index)


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


def test_the_layer_needs_the_ids_of_the_calls_before() -> None:
    from transformers import DynamicCache
    from transformers.models.qwen4_exp.configuration_qwen4_exp import Qwen4ExpTextConfig

    ids = torch.tensor([[5, 6, 8, 9, END, 3, 4]])
    config = Qwen4ExpTextConfig(num_hidden_layers=1, layer_types=["linear_attention"])
    config.number_of_conv_states = 3
    cache, theirs = DynamicCache(config=config), layer()
    kept = torch.cat([theirs(ids[:, i : i + 1], cache) for i in range(ids.shape[1])], dim=1)
    lost = torch.cat([theirs(ids[:, i : i + 1], None) for i in range(ids.shape[1])], dim=1)
    assert torch.equal(kept, theirs(ids, None))
    assert [torch.equal(lost[0, i], kept[0, i]) for i in range(7)] == [
        True, False, False, False, False, True, False,
    ]  # fmt: skip


def test_tokens_are_simplified_as_in_the_program_of_the_paper() -> None:
    space = "\ue000"
    steps = [
        normalizers.NFKC(), normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(),
        normalizers.Replace(Regex("[ \t\r\n]+"), " "), normalizers.Replace(Regex("^ $"), space),
        normalizers.Strip(), normalizers.Replace(space, " "),
    ]  # fmt: skip
    rule, names = normalizers.Sequence(steps), of_chapter("more-tables", "simplified", "compress")
    for vocab, n in [
        ([*gpt2().vocab, b"<|endoftext|>"], 32_962),
        ([*o200k().vocab, b"<|endoftext|>"], 132_108),
        ([token.encode() for token in bert_uncased().vocab], 30_317),
    ]:
        whole = [token for token in vocab if "\ufffd" not in token.decode(errors="replace")]
        theirs = [rule.normalize_str(token.decode()) or token.decode() for token in whole]
        assert [names["simplified"](token) for token in whole] == theirs
        assert len(set(names["compress"](vocab))) == n


def test_a_default_layer_of_qwen_has_the_rows_of_the_exercise() -> None:
    from transformers.models.qwen4_exp.configuration_qwen4_exp import Qwen4ExpTextConfig
    from transformers.models.qwen4_exp.modeling_qwen4_exp import Qwen4ExpTextNGramEmbedding

    with torch.device("meta"):
        made = Qwen4ExpTextNGramEmbedding(Qwen4ExpTextConfig(), 2048, layer_idx=0)
    assert made.ngram_embedding.num_embeddings == 320_001_536


def test_gemmas_tables_have_the_sizes_of_the_figure() -> None:
    from transformers import Gemma3nTextConfig, Gemma4TextConfig

    for config, tokens, more in [
        (Gemma3nTextConfig(), (262_400, 2048), (262_144, 35, 256)),
        (Gemma4TextConfig(), (262_144, 2304), (262_144, 30, 256)),
    ]:
        assert (config.vocab_size, config.hidden_size) == tokens
        assert config.vocab_size_per_layer_input == more[0]
        assert (config.num_hidden_layers, config.hidden_size_per_layer_input) == more[1:]
