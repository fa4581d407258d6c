"""What the chapter `sinusoids` says of other programs holds for those that are installed."""

import math
from typing import Any

import torch
import transformers as hf
from torch import Tensor
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding

N, D = 40, 16
TINY: dict[str, Any] = {
    "vocab_size": 8, "d_model": D, "encoder_layers": 1, "decoder_layers": 1,
    "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 8,
    "decoder_ffn_dim": 8, "pad_token_id": 0, "decoder_start_token_id": 0,
}  # fmt: skip


def concatenated(divisor: float) -> Tensor:
    """All sines, then all cosines, of hand i at the frequency 10000^(-i / divisor)."""
    omegas = 10_000.0 ** (-torch.arange(D // 2, dtype=torch.float64) / divisor)
    angles = torch.arange(N, dtype=torch.float64)[:, None] * omegas
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


def test_marian_has_the_exponent_of_the_paper_and_m2m100_and_whispers_encoder_the_other() -> None:
    marian = hf.MarianModel(hf.MarianConfig(**TINY, max_position_embeddings=N))
    config = hf.WhisperConfig(**TINY, bos_token_id=0, eos_token_id=0, max_source_positions=N)
    whispers = hf.WhisperModel(config).encoder.embed_positions.weight
    assert not whispers.requires_grad
    for table, divisor in (
        (marian.encoder.embed_positions.weight.detach(), D / 2),
        (M2M100SinusoidalPositionalEmbedding.get_embedding(N, D), D / 2 - 1),
        (whispers, D / 2 - 1),
    ):
        torch.testing.assert_close(table, concatenated(divisor), atol=1e-5, rtol=0)


def test_gemma_multiplies_its_token_vectors_by_the_root_of_their_width() -> None:
    config = hf.GemmaConfig(
        vocab_size=8, hidden_size=D, intermediate_size=8, num_hidden_layers=1, head_dim=8,
        num_attention_heads=2, num_key_value_heads=1,
    )  # fmt: skip
    model, ids = hf.GemmaModel(config).eval(), torch.tensor([[3, 5, 3]])
    # Times the root, and nothing added: the two 3 enter the first layer alike.
    expected = math.sqrt(D) * model.embed_tokens.weight[ids]
    entered = model(ids, output_hidden_states=True).hidden_states[0]
    torch.testing.assert_close(entered, expected)
