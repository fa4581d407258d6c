"""Ids as an array, whatever they are given as."""

from array import array
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from companion.checks import describe

Ids: TypeAlias = npt.NDArray[np.integer[Any]]


def as_array(values: Any, what: str) -> Ids:
    """Return integers as an array of one dimension; only those of a list are copied."""
    if hasattr(values, "__array__"):  # an array or a tensor
        if isinstance(values, np.ma.MaskedArray):  # its hidden numbers would be read as ids
            raise TypeError(f"{what} must not be masked; keep what the mask leaves: .compressed()")
        found = np.asarray(values)
    # An array would take the bytes of a bytearray for the memory of its numbers.
    elif isinstance(values, Sequence) and not isinstance(values, str | bytes | bytearray):
        if len(values) and isinstance(values[0], bool):  # they would become 1 and 0
            raise TypeError(f"{what} must be integers, not bool")
        try:
            # array("q") is numpy's int64, and refuses 2.0, which numpy would turn into 2.
            found = np.asarray(array("q", values))
        except (TypeError, OverflowError) as error:
            raise type(error)(f"{what} must be integers of at most 64 bits: {error}") from None
    else:
        raise TypeError(f"{what} must be a list, a tensor or an array, not {describe(values)}")
    if found.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, not {found.dtype}")
    if found.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not the shape {found.shape}")
    if found.dtype == np.uint64 and found.size and found.max() >= 2**63:  # they become negative
        raise ValueError(f"{what} hold {found.max()}, which is too large for a tensor of int64")
    return found
