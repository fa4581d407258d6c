"""Sequences of different lengths in one batch (chapter `windows`)."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from companion._arrays import Ids, as_array, require_int64
from companion._checks import as_id, at_least

__all__ = ["PaddedBatch", "pad_batch"]


class PaddedBatch(NamedTuple):
    """What `pad_batch` returns: `ids`, and an `attention_mask` of 1 for ids and 0 for padding.

    Both are of type int64 and of shape (B, n).

    Examples
    --------
    >>> from companion.windows import pad_batch
    >>> batch = pad_batch([[5, 6], [7]])
    >>> batch.attention_mask.sum(dim=1)  # the lengths
    tensor([2, 1])
    """

    ids: Tensor
    attention_mask: Tensor


def pad_batch(
    sequences: Iterable[Sequence[int] | Tensor | Ids],
    *,
    pad_id: int = 0,
    length: int | None = None,
    side: Literal["right", "left"] = "right",
) -> PaddedBatch:
    """Fill up sequences to one length.

    Parameters
    ----------
    sequences : iterable of sequences of int, tensors or arrays
        The ids of each sequence.
    pad_id : int, optional
        The number to fill up with. For targets use -100, which PyTorch's loss leaves out.
    length : int, optional
        The length to fill up to, by default that of the longest sequence. It cuts nothing.
    side : {"right", "left"}, optional
        Where to put the padding: on the left for a model that continues the sequences.

    Examples
    --------
    >>> from companion.windows import pad_batch
    >>> batch = pad_batch([[7454, 2402, 257, 640], [1462, 307]], pad_id=50256)
    >>> batch.ids
    tensor([[ 7454,  2402,   257,   640],
            [ 1462,   307, 50256, 50256]])
    >>> batch.attention_mask
    tensor([[1, 1, 1, 1],
            [1, 1, 0, 0]])
    """
    rows = [as_array(row, f"sequence {i}") for i, row in enumerate(sequences)]
    if not rows:
        raise ValueError("there is no sequence to pad; give at least one")
    if side not in ("right", "left"):
        raise ValueError(f"side must be 'right' or 'left', not {side!r}")
    n = max(map(len, rows)) if length is None else at_least(0, length, "length")
    pad_id = as_id(pad_id, "pad_id")
    if not -(2**63) <= pad_id < 2**63:
        raise ValueError(f"pad_id is {pad_id}; a tensor of ids holds -2**63 to 2**63 - 1")
    ids = np.full((len(rows), n), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        if len(row) > n:
            raise ValueError(
                f"sequence {i} has {len(row)} ids, more than the length of {n}; cut it first: "
                f"sequence[:{n}]"
            )
        require_int64(row)
        columns = slice(len(row)) if side == "right" else slice(n - len(row), None)
        ids[i, columns] = row
        mask[i, columns] = 1
    return PaddedBatch(torch.from_numpy(ids), torch.from_numpy(mask))
