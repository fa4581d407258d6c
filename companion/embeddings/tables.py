"""Rows of tables for the ids of a batch, and errors that name what is no row."""

from contextlib import suppress

import torch
from torch import Tensor, nn

from companion.checks import describe, require_shape

_NAMES = {"token": "ids", "position": "positions", "segment": "segment_ids"}


def as_indices(numbers: Tensor, names: str) -> Tensor:
    """Return integers as torch takes them; refuse what torch would take for something else."""
    if not isinstance(numbers, Tensor):
        fix = f"{describe(numbers)}; use torch.tensor({names})"
        raise TypeError(f"{names} must be a tensor of integers, not {fix}")
    if numbers.is_floating_point() or numbers.is_complex() or numbers.dtype == torch.bool:
        fix = f"of type {numbers.dtype}; if they are whole, use {names}.long()"
        raise TypeError(f"{names} must be a tensor of integers, not {fix}")
    return numbers if numbers.dtype in (torch.int32, torch.int64) else numbers.long()


def require_inside(numbers: Tensor, n_rows: int, what: str) -> None:
    """Raise an `IndexError` that names the first number for which a table has no row."""
    indices = numbers.long()
    with suppress(RuntimeError):  # numbers under vmap cannot be read
        for index in ((indices < 0) | (indices >= n_rows)).nonzero().tolist():
            where = f"{_NAMES[what]}{index}" if index else _NAMES[what]
            raise IndexError(
                f"{where} is {numbers[tuple(index)].item()}, outside the {what} table of {n_rows} "
                f"rows (0 to {n_rows - 1})"
            ) from None


def rows(table: nn.Embedding, ids: Tensor, numbers: Tensor, what: str) -> Tensor:
    """Call a table, so that its hooks run, for the number of each id: (..., n) -> (..., n, d)."""
    name, indices = _NAMES[what], as_indices(numbers, _NAMES[what])
    if numbers.dim() == 0:
        raise ValueError(f"{name} is a single number; give a sequence: {name}[None]")
    require_shape(numbers.shape, ids.shape, name, "ids")
    # Torch itself compares each number with the table. Only where it has refused one do we read the
    # numbers: until then nothing breaks a compiled graph or waits for a GPU.
    try:
        found: Tensor = table(indices)  # (..., n) -> (..., n, d)
    except IndexError:
        require_inside(numbers, table.num_embeddings, what)
        raise
    return found


def from_zero(table: nn.Embedding, ids: Tensor) -> Tensor:
    """Return the positions 0 to n - 1, if the table has as many rows."""
    n, limit = ids.shape[-1], table.num_embeddings
    if n > limit:
        raise ValueError(
            f"a sequence of {n} ids is longer than the position table of {limit} rows; "
            f"give at most {limit} ids, or cut the sequence into windows"
        )
    return torch.arange(n, device=ids.device)
