"""Positions by formula: equal to the published formulas, and to the code of transformers."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from refusals import refused
from transformers import models  # they take seconds to load: each is named where it is used

from companion import positions
from companion.positions import alibi_bias, alibi_slopes, rotate, sinusoidal, t5_bucket


@pytest.mark.parametrize(("n", "d_model", "base"), [(1, 2, 1e4), (300, 768, 1e4), (40, 8, 100.0)])
def test_sinusoidal_is_the_formula_of_the_paper(n: int, d_model: int, base: float) -> None:
    expected = np.empty((n, d_model))
    for p, i in itertools.product(range(n), range(d_model // 2)):
        angle = p / base ** (2 * i / d_model)
        expected[p, 2 * i : 2 * i + 2] = math.sin(angle), math.cos(angle)
    table = sinusoidal(n, d_model, base=base)
    assert table.dtype == torch.float32
    np.testing.assert_allclose(table.numpy(), expected, rtol=0, atol=1e-7)


def test_half_layout_equals_llama() -> None:
    x = torch.randn(2, 3, 64, 16)
    llama = models.llama.modeling_llama
    config = models.llama.LlamaConfig(hidden_size=48, num_attention_heads=3, head_dim=16)
    cos, sin = llama.LlamaRotaryEmbedding(config)(x, torch.arange(64)[None])
    theirs, _ = llama.apply_rotary_pos_emb(x, x, cos, sin)
    torch.testing.assert_close(rotate(x, layout="half"), theirs, rtol=0, atol=1e-5)


def test_interleaved_layout_equals_gpt_j() -> None:
    x = torch.randn(2, 64, 3, 16)  # GPT-J has positions before heads
    gptj = models.gptj.modeling_gptj
    sin, cos = gptj.create_sinusoidal_positions(64, 16).expand(2, 64, 16).chunk(2, dim=-1)
    theirs = gptj.apply_rotary_pos_emb(x, sin, cos)
    ours = rotate(x.transpose(1, 2)).transpose(1, 2)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_positions_in_every_form() -> None:
    x = torch.randn(2, 3, 5, 4)
    expected = rotate(x)
    for same in (torch.arange(5), [0, 1, 2, 3, 4], torch.arange(5).expand(2, 3, 5)):
        assert torch.equal(rotate(x, same), expected)
    each = torch.stack([torch.arange(5), torch.arange(5) + 7])[:, None]  # (2, 1, 5)
    assert torch.equal(rotate(x, each)[0], expected[0])
    assert torch.equal(rotate(x, each)[1], rotate(x[1], torch.arange(5) + 7))
    assert torch.equal(x[..., 0, :], expected[..., 0, :])  # position 0 stays
    late = rotate(torch.tensor([[1.0, 0.0]], dtype=torch.float64), [10**6])  # no digit is lost
    np.testing.assert_allclose(late, [[math.cos(10**6), math.sin(10**6)]], rtol=0, atol=1e-9)


def test_another_default_device() -> None:
    x, rows = torch.randn(2, 3, 4), torch.tensor([[0, 1, 2], [5, 3, 1]])
    expected, bucketed = rotate(x, rows), t5_bucket(-rows)
    with torch.device("meta"):
        assert torch.equal(rotate(x, rows.tolist()), expected)
        assert torch.equal(t5_bucket(-rows), bucketed)
        made = [sinusoidal(3, 4), alibi_bias(2, 3), t5_bucket([1])]
        made += [rotate(made[0]), rotate(made[0], [0, 1, 2])]
    assert {table.device.type for table in made} == {"meta"}


@pytest.mark.parametrize("n_heads", [*range(1, 41), 64, 112, 128])
def test_slopes_equal_those_of_transformers(n_heads: int) -> None:
    # Its tensor is slope · key position, for a mask without padding.
    theirs = models.bloom.modeling_bloom.build_alibi_tensor(
        torch.ones(1, 4), n_heads, torch.float32
    )
    torch.testing.assert_close(alibi_slopes(n_heads), theirs[:, 0, 1], rtol=1e-6, atol=0)


@pytest.mark.parametrize(("n_buckets", "max_distance", "bidirectional"), [
    (32, 128, True), (32, 128, False), (64, 1000, True), (8, 20, False), (32, 9, True),
])  # fmt: skip
def test_buckets_equal_those_of_transformers(
    n_buckets: int, max_distance: int, bidirectional: bool
) -> None:
    relative = torch.arange(-5000, 5001)
    t5: Any = models.t5.modeling_t5.T5Attention
    theirs = t5._relative_position_bucket(relative, bidirectional, n_buckets, max_distance)
    options = {"n_buckets": n_buckets, "max_distance": max_distance}
    assert torch.equal(t5_bucket(relative, bidirectional=bidirectional, **options), theirs)


def test_buckets_of_extreme_positions_in_every_form() -> None:
    assert t5_bucket([-127, -128, -(10**6), -(2**63)]).tolist() == [15, 15, 15, 15]
    assert t5_bucket([127, 2**63 - 1]).tolist() == [31, 31]
    unsigned = torch.tensor([1, 2**63, 2**64 - 1], dtype=torch.uint64)
    assert t5_bucket(unsigned).tolist() == [17, 31, 31]
    assert t5_bucket(-3).item() == 3


loose: Any = positions  # what no type checker would let pass

test_what_is_refused = refused(
    [
        (lambda: loose.sinusoidal(4, 5), ValueError, "d_model is 5; it must be even, since"),
        (lambda: loose.rotate(torch.ones(3, 5)), ValueError, "d, the last dimension of x, is 5;"),
        (lambda: loose.rotate(torch.ones(4)), ValueError, "x has shape (4,); it must have shape"),
        (lambda: loose.rotate(torch.ones(3, 4).int()), TypeError, "x must be a tensor of a float"),
        (lambda: loose.rotate(torch.ones(3, 4), layout="up"), ValueError, "layout is 'up'; it"),
        (lambda: loose.rotate(torch.ones(2, 3, 4), [[0], [1]]), ValueError, "give (3,) or (2, 3)"),
        (lambda: loose.t5_bucket([1.5]), TypeError, "relative must be integers, not of type"),
        (lambda: loose.t5_bucket(1, max_distance=8), ValueError, "max_distance is 8; it must be"),
    ]
)  # fmt: skip
