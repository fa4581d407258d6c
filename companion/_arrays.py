"""Ids as an array, whatever they are given as."""

from array import array
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from companion._checks import describe

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
        raise TypeError(
            f"{what} must be a list, a tensor or an array of integers, not {describe(values)}"
        )
    if found.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, not {found.dtype}")
    if found.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not the shape {found.shape}")
    return found


def require_int64(ids: Ids) -> None:
    """Raise a `ValueError` for an id that would become a negative number."""
    if ids.dtype == np.uint64 and ids.size and ids.max() > np.iinfo(np.int64).max:
        raise ValueError(f"id {ids.max()} is too large: a tensor of ids holds int64")


def require_shape(shape: Sequence[int], whole: Sequence[int], name: str, of: str) -> None:
    """Raise a `ValueError` unless there is a number for each of the whole, or one row for all.

    Sums would stretch one number over a row, or the whole over more rows than it has.
    """
    pairs = zip(reversed(shape), reversed(whole), strict=False)
    if len(shape) > len(whole) or shape[-1] != whole[-1] or any(n not in (1, m) for n, m in pairs):
        raise ValueError(
            f"{name} have shape {tuple(shape)}, which does not fit {of} of shape {tuple(whole)}; "
            f"give ({whole[-1]},) or {tuple(whole)}"
        )
