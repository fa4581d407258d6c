"""Positions by formula: nothing here is learned (chapters `sinusoids`, `relative-positions`)."""

import math
from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from companion.checks import at_least, describe, require_shape

__all__ = ["alibi_bias", "alibi_slopes", "rotate", "sinusoidal", "t5_bucket"]


def sinusoidal(n: int, d_model: int, *, base: float = 10000.0) -> Tensor:
    """Return the sinusoidal positional encodings: sines in the even columns, cosines in the odd.

    Row p of the table, of shape (n, d_model), holds sin(p · ω_i) in column 2i and cos(p · ω_i) in
    column 2i + 1, with the frequency ω_i = base^(-2i / d_model): wavelengths from 2π positions to
    nearly 2π · base. `d_model` must be even, and `base` above 1.

    From Vaswani et al. 2017, "Attention Is All You Need", section 3.5; the authors' program puts
    all sines before all cosines, and divides by d_model / 2 - 1 in the exponent.

    >>> sinusoidal(3, 2)
    tensor([[ 0.0000,  1.0000],
            [ 0.8415,  0.5403],
            [ 0.9093, -0.4161]])
    """
    # As `sinusoids` in the chapter: an angle for each position and frequency.
    positions = torch.arange(at_least(0, n, "n"), device="cpu")  # which has double precision
    angles = _angles(positions, _even(d_model, "d_model"), base)  # (n, d / 2)
    # Its sine and its cosine, side by side.
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (n, d / 2, 2)
    return pairs.flatten(-2).to(torch.empty(0))  # of the default type, on the default device


def rotate(
    x: Tensor,
    positions: Tensor | Sequence[int] | None = None,
    *,
    base: float = 10000.0,
    layout: Literal["interleaved", "half"] = "interleaved",
) -> Tensor:
    """Rotate each pair of coordinates by an angle that grows with the position (RoPE).

    Pair i of the vector at position p is turned by p · base^(-2i / d). Lengths stay, and the
    product of two rotated vectors depends on their positions through the difference alone. The
    result has the shape and the type of `x`. From Su et al. 2021, "RoFormer: Enhanced Transformer
    with Rotary Position Embedding", section 3.2.

    Parameters
    ----------
    x : tensor of shape (..., n, d)
        Queries or keys, of a float type; d is even.
    positions : tensor or sequence of shape (n,) or (..., n), optional
        The position of each vector; without it 0 to n - 1.
    layout : {"interleaved", "half"}, optional
        Which coordinates make pair i: 2i and 2i + 1, as in the paper, or i and i + d / 2, as in
        the models of Hugging Face. Weights made for the one give wrong results with the other.

    Examples
    --------
    >>> import torch
    >>> rotate(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))  # the second by an angle of 1
    tensor([[1.0000, 0.0000],
            [0.5403, 0.8415]])
    """
    if not isinstance(x, Tensor) or not x.is_floating_point():  # cosines would become integers
        fix = "use torch.as_tensor(x).float()"
        raise TypeError(f"x must be a tensor of a float type, not {describe(x)}; {fix}")
    if x.dim() < 2:
        raise ValueError(f"x has shape {tuple(x.shape)}; it must have shape (..., n, d)")
    if layout not in ("interleaved", "half"):
        raise ValueError(f"layout is {layout!r}; it must be 'interleaved' or 'half'")
    d = _even(x.shape[-1], "d, the last dimension of x,")
    # As `turn` in the chapter: an angle for each position and pair.
    angles = _angles(_checked_positions(positions, x), d, base)  # (..., n, d / 2)
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    # The two coordinates of each pair.
    if layout == "interleaved":
        first, second = x[..., 0::2], x[..., 1::2]  # twice (..., n, d / 2)
    else:
        first, second = x[..., : d // 2], x[..., d // 2 :]
    # Turn each pair, as a plane is turned, and put it back in its place.
    turned = first * cos - second * sin, first * sin + second * cos
    if layout == "interleaved":
        return torch.stack(turned, dim=-1).flatten(-2)
    return torch.cat(turned, dim=-1)


def alibi_slopes(n_heads: int) -> Tensor:
    """Return ALiBi's slope of each attention head: numbers between 0 and 1, of shape (n_heads,).

    For a power of two they are 2^(-8/n), 2^(-16/n), ... down to 2^-8 (Press et al. 2022, "Train
    Short, Test Long", section 3). Between two powers they are those of the smaller, then every
    second one of the larger, as in the authors' program.

    >>> alibi_slopes(8)[:4]
    tensor([0.5000, 0.2500, 0.1250, 0.0625])
    """
    n_heads = at_least(1, n_heads, "n_heads")
    # As `slopes_of` in the chapter: those of the power of two below, then every second one of the
    # power above.
    power = 1 << (n_heads.bit_length() - 1)  # the largest that is not above n_heads
    smaller, larger = ([2 ** (-8 * (i + 1) / n) for i in range(n)] for n in (power, 2 * power))
    return torch.tensor(smaller + larger[0::2][: n_heads - power])


def alibi_bias(n_heads: int, n: int) -> Tensor:
    """Return what ALiBi adds to the attention scores: ``-slope · |i - j|`` for query i and key j.

    The result has the shape (n_heads, n, n). A causal mask is not part of it.

    >>> alibi_bias(8, 3)[0]
    tensor([[ 0.0000, -0.5000, -1.0000],
            [-0.5000,  0.0000, -0.5000],
            [-1.0000, -0.5000,  0.0000]])
    """
    # How far apart each query and each key are, times the slope of each head.
    positions = torch.arange(at_least(0, n, "n"))
    distance = (positions[:, None] - positions[None, :]).abs()  # (n, n)
    return alibi_slopes(n_heads)[:, None, None] * -distance  # (h, 1, 1), (n, n) -> (h, n, n)


def t5_bucket(
    relative: Tensor | Sequence[int] | int,
    *,
    bidirectional: bool = True,
    n_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    """Sort relative positions into T5's buckets: near ones alone, far ones in wide groups.

    Half of the buckets hold one distance each. The other half divide the distances up to
    `max_distance` evenly on a logarithmic scale, and the last takes all that are larger. From
    Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
    Transformer", section 2.1; the exact rule is that of the authors' program.

    Parameters
    ----------
    relative : tensor of integers, sequence of int, or int
        Key position minus query position, of any shape.
    bidirectional : bool, optional
        Give half of the buckets to keys after the query, as in T5's encoder; in its decoder they
        all share bucket 0.
    n_buckets, max_distance : int, optional
        Number of buckets, even if `bidirectional`; the distance from which on all share the last.

    Examples
    --------
    >>> t5_bucket([-9, -8, -1, 0, 1, 8, 9, 1000])
    tensor([ 8,  8,  1,  0, 17, 24, 24, 31])
    """
    found = relative if isinstance(relative, Tensor) else torch.tensor(relative)
    is_float = found.is_floating_point() and found.numel()  # [] is of a float type, too
    if is_float or found.dtype == torch.bool:
        raise TypeError(f"relative must be integers, not of type {found.dtype}")
    n_buckets = at_least(4 if bidirectional else 2, n_buckets, "n_buckets")
    if bidirectional and n_buckets % 2:
        raise ValueError(f"n_buckets is {n_buckets}; two directions need an even number")
    one_way = n_buckets // 2 if bidirectional else n_buckets
    n_exact = one_way // 2
    max_distance = at_least(n_exact + 1, max_distance, "max_distance")

    # Beyond the largest distance all are alike; unsigned ones of 64 bits would become negative.
    signed = found.long().clamp(-max_distance, max_distance)
    if not found.dtype.is_signed:
        signed = torch.where(signed < 0, max_distance, signed)
    # As `bucket` in the chapter: keys after the query have the upper half of the buckets, or all
    # share the first.
    distance = signed.abs() if bidirectional else (-signed).clamp(min=0)
    first = (signed > 0) * one_way if bidirectional else 0
    # Near distances have a bucket each. Far ones share the others on a logarithmic scale, where
    # n_exact is at 0 and max_distance at 1.
    scaled = distance.clamp(min=n_exact).float() / n_exact
    share = torch.log(scaled) / math.log(max_distance / n_exact)
    far = n_exact + (share * (one_way - n_exact)).long()
    return first + torch.where(distance < n_exact, distance, far.clamp(max=one_way - 1))


def _angles(positions: Tensor, d: int, base: float) -> Tensor:
    """Return position times frequency: ``(..., n) -> (..., n, d / 2)``."""
    if not base > 1:
        raise ValueError(f"base is {base}; it must be above 1")
    # In double precision: otherwise the angles of late positions would lose digits.
    exponents = torch.arange(0, d, 2, dtype=torch.float64, device=positions.device) / d
    return positions.double()[..., None] * float(base) ** -exponents


def _checked_positions(positions: Tensor | Sequence[int] | None, x: Tensor) -> Tensor:
    """Return the positions of the vectors of `x`, on a device that has double precision."""
    n, device = x.shape[-2], torch.device("cpu") if x.device.type == "mps" else x.device
    if positions is None:
        return torch.arange(n, device=device)
    found = torch.as_tensor(positions, device=device)
    if found.dtype == torch.bool:
        raise TypeError(f"positions must be numbers, not of type {found.dtype}")
    require_shape(found.shape, x.shape[:-1], "positions", "vectors")
    return found


def _even(value: int, name: str) -> int:
    number = at_least(2, value, name)
    if number % 2:
        raise ValueError(f"{name} is {number}; it must be even, since coordinates go in pairs")
    return number
