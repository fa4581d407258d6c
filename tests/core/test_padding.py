"""Padding and its mask."""

from typing import Any

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from companion.windows import pad_batch

LEAST, MOST = -(2**63), 2**63 - 1


@given(
    st.lists(st.lists(st.integers(LEAST, MOST), max_size=8), min_size=1, max_size=6),
    st.integers(0, 4),
    st.sampled_from(["right", "left"]),
)
def test_the_mask_gives_the_sequences_back(
    sequences: list[list[int]], more: int, side: Any
) -> None:
    length = max(map(len, sequences)) + more
    ids, mask = pad_batch(sequences, pad_id=7, length=length, side=side)
    assert ids.shape == mask.shape == (len(sequences), length)
    assert [row[kept.bool()].tolist() for row, kept in zip(ids, mask, strict=True)] == sequences
    assert (ids[mask == 0] == 7).all()


def test_padding_takes_tensors_and_arrays_and_copies_them() -> None:
    tensor = torch.tensor([1, 2, 3])
    sequences: list[Any] = [tensor, np.array([MOST], np.uint64), range(2)]
    batch = pad_batch(iter(sequences))
    assert batch.ids.tolist() == [[1, 2, 3], [MOST, 0, 0], [0, 1, 0]]
    batch.ids[0, 0] = 9
    assert tensor.tolist() == [1, 2, 3]


PAD: Any = pad_batch

test_what_is_refused = refused(
    [
        (lambda: PAD([[1], [1, 2, 3]], length=2), ValueError, "sequence 1 has 3 ids, more than"),
        (lambda: PAD([[1]], side="up"), ValueError, "side must be 'right' or 'left', not 'up'"),
        (lambda: PAD([[1]], pad_id=0.5), TypeError, "pad_id must be an integer, not float: 0.5"),
    ]
)  # fmt: skip
