"""Ids as an array, whatever they are given as."""

import sys
from array import array
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from companion._checks import as_id, describe

Ids: TypeAlias = npt.NDArray[np.integer[Any]]


def as_array(values: Any, what: str) -> Ids:
    """Return integers as an array of one dimension; only those of a list are copied."""
    torch = sys.modules.get("torch")  # whoever gives a tensor has imported it
    if torch is not None and isinstance(values, torch.Tensor):
        if values.device.type != "cpu":
            raise ValueError(f"{what} must be in main memory, not on {values.device}; call .cpu()")
        if values.is_floating_point() or values.is_complex():  # numpy has no bfloat16
            raise TypeError(f"{what} must be integers, not {values.dtype}")
        values = values.numpy()
    if not isinstance(values, np.ndarray):
        return _copied(values, what)
    if isinstance(values, np.ma.MaskedArray):  # its hidden numbers would be read as ids
        raise TypeError(f"{what} must not be masked; keep what the mask leaves: .compressed()")
    if values.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, not {values.dtype}")
    if values.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not the shape {values.shape}")
    return np.asarray(values)


def _copied(values: Any, what: str) -> Ids:
    """Copy a list of integers, or another sequence, into an array."""
    if isinstance(values, str):
        raise TypeError(f"{what} must be integers, not a text; encode it: tokenizer.encode(text)")
    # An array would take the bytes of a bytearray for the memory of its numbers.
    if isinstance(values, bytes | bytearray) or not isinstance(values, Sequence):
        raise TypeError(
            f"{what} must be a list, a tensor or an array of integers, not {describe(values)}; "
            "list(...) makes a list of it"
        )
    try:
        # array("q") is numpy's int64, and refuses 2.0, which numpy would turn into 2.
        found = np.asarray(array("q", values))
    except (TypeError, OverflowError):
        _explain(values, what)
        raise
    if not isinstance(values, range):
        # True and False became 1 and 0, but a mask given for ids is a mistake.
        for i in np.flatnonzero((found == 0) | (found == 1)).tolist():
            as_id(values[i], f"element {i} of {what}")
    return found


def _explain(values: Sequence[Any], what: str) -> None:
    """Raise an error about the first element that is not an integer of 64 bits."""
    for i, value in enumerate(values):
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            raise ValueError(
                f"{what} must have one dimension, but element {i} is {describe(value)}"
            ) from None
        number = as_id(value, f"element {i} of {what}")
        if not -(2**63) <= number < 2**63:
            raise ValueError(
                f"element {i} of {what} is {number}, which is too large for int64"
            ) from None


def require_int64(ids: Ids) -> None:
    """Raise a `ValueError` for an id that would become a negative number."""
    if ids.dtype == np.uint64 and ids.size and ids.max() > np.iinfo(np.int64).max:
        raise ValueError(f"id {ids.max()} is too large: a tensor of ids holds int64")
