"""Windows that slide over a sequence of token ids, and batches of them (chapter `windows`).

A training example is a window: the *inputs* are as many ids as the model reads at once, the
*targets* the same ids one step later. `write_tokens` and `read_tokens` keep a tokenized corpus in
a file; `pad_batch` puts sequences of different lengths into one batch.
"""

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, RandomSampler, Sampler, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from companion._arrays import Ids, as_array
from companion.checks import as_id, at_least
from companion.token_file import read_tokens, write_tokens

__all__ = [
    "PaddedBatch",
    "SlidingWindows",
    "pad_batch",
    "read_tokens",
    "window_count",
    "window_loader",
    "write_tokens",
]

TokenIds: TypeAlias = Sequence[int] | Tensor | Ids
Pair: TypeAlias = tuple[Tensor, Tensor]


def window_count(n_tokens: int, context_size: int, stride: int) -> int:
    """Count the windows of a sequence of n ids: max(0, ⌈(n - L) / s⌉).

    A window of L = `context_size` inputs starts at every s-th id, s = `stride`, as long as it is
    complete: the last of its inputs still needs an id after it, its target.

    >>> window_count(1547, context_size=5, stride=2)
    771
    >>> window_count(5, context_size=5, stride=1)  # the fifth token has no target
    0
    """
    n_starts = at_least(0, n_tokens, "n_tokens") - at_least(1, context_size, "context_size")
    return len(range(0, n_starts, at_least(1, stride, "stride")))


class SlidingWindows(Dataset[Pair]):
    """The windows of a sequence of token ids, as pairs of inputs and targets.

    This is a view: a window is copied when it is asked for; only a list is copied, once, into an
    array. What remains after the last complete window is dropped. A window is of type int64, and
    its inputs and targets share no memory with each other or with the ids. A worker process
    receives the ids once, however much the windows overlap; of a memory map only the path, and a
    `ValueError` says so if the file has changed by then. The attribute `token_ids` is a view of the
    ids, `n_tokens` their number, and `starts` says where each window starts.

    Parameters
    ----------
    token_ids : sequence of int, tensor or array
        The ids in order, of any integer type: a list, a tensor in main memory, or an array, such as
        that of `read_tokens`. Too few for one window are a `ValueError`.
    context_size : int
        Number of inputs in a window, L.
    stride : int, optional
        Step from the start of a window to the start of the next; by default `context_size`, so
        that each target occurs once.

    Examples
    --------
    >>> windows = SlidingWindows([7454, 2402, 257, 640, 612, 547, 1440], context_size=4, stride=2)
    >>> windows
    SlidingWindows(7 tokens, context_size=4, stride=2: 2 windows)
    >>> for inputs, targets in windows:
    ...     print(inputs.tolist(), targets.tolist())
    [7454, 2402, 257, 640] [2402, 257, 640, 612]
    [257, 640, 612, 547] [640, 612, 547, 1440]
    """

    def __init__(self, token_ids: TokenIds, context_size: int, stride: int | None = None) -> None:
        self.context_size = at_least(1, context_size, "context_size")
        self.stride = at_least(1, self.context_size if stride is None else stride, "stride")
        self.token_ids = as_array(token_ids, "token_ids")
        self._file_part = _file_part_of(self.token_ids)
        self.n_tokens = len(self.token_ids)
        # A window starts at every s-th id, as long as the last of its inputs has a target.
        self.starts = range(0, self.n_tokens - self.context_size, self.stride)
        if not self.starts:
            raise ValueError(
                f"{self.n_tokens} tokens are too few for a context_size of {self.context_size}: "
                f"a window needs {self.context_size + 1}, its inputs and the last target"
            )
        # A row for each window, its inputs and the last target, without a copy: (windows, L + 1).
        # Row i begins at starts[i].
        rows = np.lib.stride_tricks.sliding_window_view(self.token_ids, self.context_size + 1)
        self._rows = rows[:: self.stride]

    def __len__(self) -> int:
        """Return the number of windows."""
        return len(self.starts)

    def __getitem__(self, index: int) -> Pair:
        """Return the inputs and the targets of a window; negative numbers count from the end."""
        return _inputs_and_targets(self._rows[as_id(index, "the number of a window")])

    def __iter__(self) -> Iterator[Pair]:
        return map(self.__getitem__, range(len(self)))

    def __getitems__(self, indices: Sequence[int]) -> TensorDataset:
        """Return several windows as one dataset of pairs; a `DataLoader` gets its batches so."""
        rows = self._rows[as_array(indices, "the numbers of windows")]  # (B,) -> (B, L + 1)
        return TensorDataset(*_inputs_and_targets(rows))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_tokens} tokens, context_size={self.context_size}, "
            f"stride={self.stride}: {len(self)} windows)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # The rows overlap: pickled as they are, each id would be written once for every window
        # that holds it.
        if self._file_part:
            self._file_part.mapped()  # an error here is easier to read than one of a worker
        ids = self._file_part or self.token_ids
        return _made, (type(self), ids, self.context_size, self.stride)


def _inputs_and_targets(rows: Ids) -> Pair:
    """Copy one window or several: ``(..., L + 1)`` -> twice ``(..., L)``."""
    # Targets are the ids one place later.
    inputs, targets = rows[..., :-1].astype(np.int64), rows[..., 1:].astype(np.int64)
    return torch.from_numpy(inputs), torch.from_numpy(targets)


def window_loader(
    token_ids: TokenIds,
    *,
    batch_size: int,
    context_size: int,
    stride: int | None = None,
    shuffle: bool = False,
    drop_last: bool = True,
    num_workers: int = 0,
    seed: int | None = None,
    distributed: bool = False,
    **options: Any,
) -> DataLoader[Pair]:
    """Deliver the windows of a sequence in batches: pairs of tensors of shape (B, L).

    With `distributed` every process gets equally many windows, since they wait for each other:
    `drop_last` leaves out what does not divide evenly, and without it as many are delivered twice.
    The sampler counts the epochs, and each has another order; to continue from one, call
    ``loader.sampler.set_epoch(epoch)``. A warning says if there is no batch at all.

    Parameters
    ----------
    token_ids, context_size, stride
        As for `SlidingWindows`.
    batch_size : int
        Number of windows in a batch, B; with `distributed`, in each process.
    shuffle : bool, optional
        Deliver in random order, a new one each epoch (pass through the loader).
    seed : int, optional
        Makes the orders of all epochs reproducible, without torch's global random state. Without it
        `torch.manual_seed` counts, or with `distributed` seed 0.
    distributed : bool, optional
        Share the windows between all processes of the default group of `torch.distributed`: in each
        epoch every window goes to one of them. All processes must pass the same arguments.
    drop_last, num_workers, **options
        As for a `DataLoader`: whether to leave out a last batch that is not full, how many
        processes fetch batches ahead, and any other, such as ``pin_memory=True``.

    Examples
    --------
    >>> loader = window_loader(range(1001), batch_size=2, context_size=4)
    >>> inputs, targets = next(iter(loader))
    >>> targets
    tensor([[1, 2, 3, 4],
            [5, 6, 7, 8]])
    """
    # The dataset cuts out windows.
    windows = SlidingWindows(token_ids, context_size, stride)
    # The sampler says in which order. It draws from a generator of its own: from the global one, or
    # from the loader's below, the order would depend on dropout layers or on the workers.
    sampler: Sampler[int] | None = None
    if distributed:
        sampler = _EpochSampler(windows, shuffle=shuffle, drop_last=drop_last, seed=seed or 0)
    elif shuffle:
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        sampler = RandomSampler(windows, generator=generator)
    # The loader puts them into batches. It draws a number for its workers in each epoch.
    if seed is not None:
        options.setdefault("generator", torch.Generator().manual_seed(seed))
    options |= {"batch_size": batch_size, "drop_last": drop_last, "num_workers": num_workers}
    # `__getitems__` makes a whole batch in one step: its tensors are the inputs and the targets.
    loader = DataLoader(windows, sampler=sampler, collate_fn=attrgetter("tensors"), **options)
    if len(loader) == 0:
        warnings.warn(
            f"{windows} make no full batch of {batch_size}; "
            "pass drop_last=False or make batch_size or stride smaller",
            stacklevel=2,
        )
    return loader


class _EpochSampler(DistributedSampler[int]):
    """A `DistributedSampler` that counts epochs itself; PyTorch's own repeats the first order."""

    def __iter__(self) -> Iterator[int]:
        order = super().__iter__()
        self.set_epoch(self.epoch + 1)
        return order


def _made(cls: type[SlidingWindows], ids: Any, *sizes: int) -> SlidingWindows:
    """Make the dataset anew in another process, which maps a file itself."""
    return cls(ids.mapped() if isinstance(ids, _FilePart) else ids, *sizes)


class _FilePart(NamedTuple):
    """Ids in a file: where they are, and by what they are known again."""

    path: str
    dtype: str
    offset: int
    shape: tuple[int, ...]
    state: tuple[int, int, int, bytes] | None

    def mapped(self) -> Ids:
        """Map the ids again; others in their place are a `ValueError`."""
        with suppress(ValueError):  # of a file that is too short now
            ids: Ids = np.memmap(self.path, self.dtype, "r", self.offset, self.shape)
            if self.state in (None, _state_of(self.path, ids)):
                return ids
        raise ValueError(
            f"{self.path} has changed since its ids were mapped (its size, time, inode or ids), "
            "and a worker would read other ids; map it again, and make new windows of it"
        )


def _state_of(path: str, ids: Ids) -> tuple[int, int, int, bytes]:
    # Of the ids some, because the file may have changed before the windows were made.
    status, some = os.stat(path), ids[:: len(ids) // 64 + 1].tobytes()
    return status.st_size, status.st_mtime_ns, status.st_ino, some


def _file_part_of(ids: Ids) -> _FilePart | None:
    """Return where the ids are, if they are in a file."""
    whole: Any = ids
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    is_mapped = isinstance(whole, np.memmap) and whole.filename is not None and whole.mode != "c"
    if not is_mapped or not ids.flags.c_contiguous or not os.path.exists(whole.filename):
        return None
    # A part of a map still has the offset of the whole: count from where the whole begins.
    path, offset = os.fspath(whole.filename), whole.offset + ids.ctypes.data - whole.ctypes.data
    state = _state_of(path, ids) if whole.mode == "r" else None  # who writes changes the file
    return _FilePart(path, ids.dtype.str, offset, ids.shape, state)


class PaddedBatch(NamedTuple):
    """What `pad_batch` returns: ids, and a mask of 1 for ids and 0 for padding, both (B, n).

    >>> pad_batch([[5, 6], [7]]).attention_mask.sum(dim=1)  # the lengths
    tensor([2, 1])
    """

    ids: Tensor
    attention_mask: Tensor


def pad_batch(
    sequences: Iterable[TokenIds],
    *,
    pad_id: int = 0,
    length: int | None = None,
    side: Literal["right", "left"] = "right",
) -> PaddedBatch:
    """Fill up sequences to one length.

    Parameters
    ----------
    sequences : iterable of sequences of int, tensors or arrays
    pad_id : int, optional
        The number to fill up with. For targets use -100, which PyTorch's loss leaves out.
    length : int, optional
        The length to fill up to, by default that of the longest sequence. It cuts nothing.
    side : {"right", "left"}, optional
        Where to put the padding: on the left for a model that continues the sequences.

    Examples
    --------
    >>> batch = pad_batch([[7454, 2402, 257, 640], [1462, 307]], pad_id=50256)
    >>> batch.ids
    tensor([[ 7454,  2402,   257,   640],
            [ 1462,   307, 50256, 50256]])
    >>> batch.attention_mask
    tensor([[1, 1, 1, 1],
            [1, 1, 0, 0]])
    """
    rows = [as_array(row, f"sequence {i}") for i, row in enumerate(sequences)]
    if side not in ("right", "left"):
        raise ValueError(f"side must be 'right' or 'left', not {side!r}")
    n = max(map(len, rows), default=0) if length is None else at_least(0, length, "length")
    # Everything is padding, until the ids of a row take its first or its last places.
    ids = np.full((len(rows), n), as_id(pad_id, "pad_id"), dtype=np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        if len(row) > n:
            raise ValueError(f"sequence {i} has {len(row)} ids, more than {n}; cut it: [:{n}]")
        columns = slice(len(row)) if side == "right" else slice(n - len(row), None)
        ids[i, columns] = row
        mask[i, columns] = 1
    return PaddedBatch(torch.from_numpy(ids), torch.from_numpy(mask))
