"""Ids as an array: what is taken, and what is refused; windows and padding share it."""

import functools
from array import array
from typing import Any

import numpy as np
import pytest
import torch
from refusals import refused

from companion._arrays import as_array

NUMPY = ["i1", "u1", "<i2", ">u2", "u2", "i4", "u4", ">i8", "i8", "u8"]
TORCH = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize(
    "ids",
    [
        *(np.arange(20).astype(dtype) for dtype in NUMPY),
        *(torch.arange(20).to(getattr(torch, d)) for d in TORCH if hasattr(torch, d)),
        range(20),
        array("H", range(20)),
        [*map(np.uint16, range(10)), *map(torch.tensor, range(10, 20))],
        (np.arange(40) // 2)[::2],
        (torch.arange(40) // 2)[::2],
        np.arange(19, -1, -1)[::-1],
    ],
)
def test_ids_from_any_source(ids: Any) -> None:
    found = as_array(ids, "ids")
    assert found.dtype.kind in "iu"
    assert found.tolist() == [*range(20)]
    is_view = isinstance(ids, np.ndarray | torch.Tensor)
    assert not is_view or np.shares_memory(found, np.asarray(ids))


taken: Any = functools.partial(as_array, what="ids")
NO_INTEGERS = "ids must be integers of at most 64 bits: "
NO_LIST = "ids must be a list, a tensor or an array of integers, not "

test_what_is_refused = refused(
    [
        (lambda: taken(torch.arange(5.0)), TypeError, "ids must be integers, not"),
        (lambda: taken([True, False]), TypeError, "ids must be integers, not bool"),
        (lambda: taken([1, 2.0, 3]), TypeError, f"{NO_INTEGERS}'float' object cannot be"),
        (lambda: taken(np.ones((2, 3), int)), ValueError, "ids must have one dimension,"),
        (lambda: taken([0, 2**63]), OverflowError, NO_INTEGERS),
        (lambda: taken("Once upon"), TypeError, f"{NO_LIST}str: 'Once upon'"),
        (lambda: taken(b"Once"), TypeError, f"{NO_LIST}bytes: b'Once'"),
    ]
)  # fmt: skip
