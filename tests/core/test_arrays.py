"""Ids as an array: what is taken, and what is refused; windows, padding and files share it."""

from array import array
from typing import Any

import numpy as np
import pytest
import torch
from refusals import refused

from companion._arrays import as_array, require_int64

LEAST, MOST = -(2**63), 2**63 - 1
NUMPY = ["i1", "u1", "<i2", ">u2", "u2", "i4", "u4", ">i8", "i8", "u8"]
TORCH = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize(
    "ids",
    [
        *(np.arange(20).astype(dtype) for dtype in NUMPY),
        *(torch.arange(20).to(getattr(torch, d)) for d in TORCH if hasattr(torch, d)),
        [*range(20)],
        tuple(range(20)),
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


def test_int64_is_the_limit_to_the_last_number() -> None:
    assert as_array([LEAST, 0, 1, MOST], "ids").tolist() == [LEAST, 0, 1, MOST]
    for ids in (np.array([0, MOST], np.uint64), np.array([], np.uint64), np.array([255], np.uint8)):
        require_int64(ids)


ARRAY: Any = as_array
NO_LIST = "ids must be a list, a tensor or an array of integers, not "
MAKE_ONE = "; list(...) makes a list of it"

test_what_is_refused = refused(
    [
        (lambda: ARRAY(np.arange(5.0), "ids"), TypeError, "ids must be integers, not float64"),
        (lambda: ARRAY(torch.arange(5.0), "ids"), TypeError,
         "ids must be integers, not torch.float32"),
        (lambda: ARRAY(np.array([True]), "ids"), TypeError, "ids must be integers, not bool"),
        (lambda: ARRAY([1, 2.5, 3], "ids"), TypeError,
         "element 1 of ids must be an integer, not float: 2.5"),
        (lambda: ARRAY([0, 1, 5, True], "ids"), TypeError,
         "element 3 of ids must be an integer, not bool: True"),
        (lambda: ARRAY([5, torch.tensor(True)], "ids"), TypeError,
         "element 1 of ids must be an integer, not Tensor: tensor(True)"),
        (lambda: ARRAY(np.ma.array([1, 2], mask=[False, True]), "ids"), TypeError,
         "ids must not be masked; keep what the mask leaves: .compressed()"),
        (lambda: ARRAY([[1, 2], [3, 4]], "ids"), ValueError,
         "ids must have one dimension, but element 0 is list: [1, 2]"),
        (lambda: ARRAY(np.ones((2, 3), int), "ids"), ValueError,
         "ids must have one dimension, not the shape (2, 3)"),
        (lambda: ARRAY([LEAST, MOST, MOST + 1], "ids"), ValueError,
         f"element 2 of ids is {MOST + 1}, which is too large for int64"),
        (lambda: ARRAY(torch.ones(5, dtype=torch.int64, device="meta"), "ids"), ValueError,
         "ids must be in main memory, not on meta; call .cpu()"),
        (lambda: ARRAY("Once upon", "ids"), TypeError,
         "ids must be integers, not a text; encode it: tokenizer.encode(text)"),
        (lambda: ARRAY(b"Once", "ids"), TypeError, f"{NO_LIST}bytes: b'Once'{MAKE_ONE}"),
        (lambda: ARRAY({1, 2}, "ids"), TypeError, f"{NO_LIST}set: {{1, 2}}{MAKE_ONE}"),
        (lambda: require_int64(np.array([1, 2**63], np.uint64)), ValueError,
         f"id {2**63} is too large: a tensor of ids holds int64"),
    ]
)  # fmt: skip
