"""The chapter `more-tables` against programs and models of 2026."""

from typing import Any

import pytest
import torch
from chapter_code import of_chapter
from tokenizers import Regex, normalizers
from transformers.models.qwen4_exp import Qwen4ExpTextConfig
from transformers.models.qwen4_exp.modeling_qwen4_exp import Qwen4ExpTextNGramEmbedding

from companion.bpe import gpt2
from companion.wordpiece import bert_uncased

END, N_IDS = 7, 200


@pytest.mark.parametrize("index", [0, 1])
def test_the_rows_are_those_of_qwens_layer(index: int) -> None:
    sizes: Any = {"ngram_vocab_size_base": 1000, "heads_per_ngram": 2, "ngram_size": 3}
    config = Qwen4ExpTextConfig(vocab_size=N_IDS, eos_token_id=END, **sizes)
    theirs: Any = Qwen4ExpTextNGramEmbedding(config, 16, layer_idx=0, ple_layer_index=index)
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
    config = Qwen4ExpTextConfig()
    with torch.device("meta"):
        made = Qwen4ExpTextNGramEmbedding(config, 2048, layer_idx=0)
    assert (config.ple_layer_ids, made.ngram_embedding.num_embeddings) == ([], 320_001_536)
