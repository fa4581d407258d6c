"""Windows that slide over a sequence of token ids, and batches of them (chapter `windows`).

A training example is a window: the *inputs* are as many ids as the model reads at once, the
*targets* the same ids one step later. `write_tokens` and `read_tokens` keep a tokenized corpus in
a file; `pad_batch` puts sequences of different lengths into one batch.
"""

import mmap
import os
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, RandomSampler, Sampler
from torch.utils.data.distributed import DistributedSampler

from companion._arrays import Ids, as_array, require_int64
from companion._checks import as_id, at_least
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

    >>> from companion.windows import window_count
    >>> window_count(1547, context_size=5, stride=2)
    771
    >>> window_count(5, context_size=5, stride=1)  # the fifth token has no target
    0
    """
    n_starts = at_least(0, n_tokens, "n_tokens") - at_least(1, context_size, "context_size")
    return len(range(0, n_starts, at_least(1, stride, "stride")))


class SlidingWindows(Dataset[Pair]):
    """The windows of a sequence of token ids, as pairs of inputs and targets.

    This is a view: a window is copied when it is asked for and not before, at any stride. Only a
    list is copied, once, into an array. What remains after the last complete window is dropped; a
    `ValueError` says that there are too few ids for one. A window is of type int64, and its inputs
    and targets share no memory with each other or with the ids.

    A worker process receives the ids once, however much the windows overlap; of a memory map it
    receives only the path, and raises a `ValueError` if the size or the type of the file changed.

    Parameters
    ----------
    token_ids : sequence of int, tensor or array
        The ids in order: a list, a tensor in main memory, or an array of any integer type, such as
        `read_tokens` returns.
    context_size : int
        Number of inputs in a window, L.
    stride : int, optional
        Step from the start of a window to the start of the next; by default `context_size`, so
        that each target occurs once.

    Attributes
    ----------
    token_ids : array
        A view of the tensor or array that was given.
    n_tokens : int
        Number of ids.
    starts : range
        Where each window starts in the sequence.

    Examples
    --------
    >>> from companion.windows import SlidingWindows
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
        self.n_tokens = len(self.token_ids)
        self.starts = range(0, self.n_tokens - self.context_size, self.stride)
        if not self.starts:
            raise ValueError(
                f"{self.n_tokens} tokens are too few for a context_size of {self.context_size}: "
                f"a window needs {self.context_size + 1}, its inputs and the last target"
            )
        self._file_part = _part_of_file(self.token_ids)
        # One row per window, L + 1 ids long, without a copy: (windows, L + 1).
        rows = np.lib.stride_tricks.sliding_window_view(self.token_ids, self.context_size + 1)
        self._rows = rows[:: self.stride]

    def __len__(self) -> int:
        """Return the number of windows."""
        return len(self.starts)

    def __getitem__(self, index: int) -> Pair:
        """Return the inputs and the targets of a window, int64 tensors of shape (context_size,).

        Negative numbers count from the end.
        """
        return _copied(self._rows[as_id(index, "the number of a window")])

    def __iter__(self) -> Iterator[Pair]:
        return map(self.__getitem__, range(len(self)))

    def __getitems__(self, indices: Sequence[int]) -> "_WindowBatch":
        """Return several windows as a sequence of pairs; a `DataLoader` gets its batches this way.

        Its attributes `inputs` and `targets`, of shape (B, context_size), hold all B windows.
        """
        # One gather: (B,) -> (B, L + 1)
        return _WindowBatch(*_copied(self._rows[as_array(indices, "the numbers of windows")]))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_tokens} tokens, context_size={self.context_size}, "
            f"stride={self.stride}: {len(self)} windows)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # The rows overlap: pickled as they are, each id would be written once for every window
        # that holds it.
        options = self.context_size, self.stride
        if self._file_part is None:
            return type(self), (self.token_ids, *options)
        return _mapped_again, (type(self), *self._file_part, *options)


def _copied(rows: Ids) -> Pair:
    """Copy one window or several: ``(..., L + 1)`` -> twice ``(..., L)``."""
    inputs, targets = rows[..., :-1].astype(np.int64), rows[..., 1:].astype(np.int64)
    require_int64(rows)
    return torch.from_numpy(inputs), torch.from_numpy(targets)


class _WindowBatch(Sequence[Pair]):
    """Several windows: a sequence of pairs, and for the loader two tensors."""

    def __init__(self, inputs: Tensor, targets: Tensor) -> None:
        self.inputs, self.targets = inputs, targets

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: Any) -> Any:
        return self.inputs[index], self.targets[index]


def _part_of_file(ids: Ids) -> tuple[tuple[Any, ...], tuple[int, int]] | None:
    """Return with which arguments `np.memmap` maps the ids of a memory map, and its `_identity`."""
    root: Any = ids
    while isinstance(root, np.ndarray) and not isinstance(root.base, mmap.mmap):
        root = root.base
    in_file = isinstance(root, np.memmap) and root.filename is not None and root.mode != "c"
    if not in_file or not ids.flags.c_contiguous or not os.path.exists(root.filename):
        return None
    # A part of a map still has the offset of the whole: count from where the whole begins.
    offset = root.offset + ids.ctypes.data - root.ctypes.data
    path = os.fspath(root.filename)
    return (path, ids.dtype.str, "r", offset, (len(ids),)), _identity(path)


def _identity(path: str) -> tuple[int, int]:
    """Return the size of a file and a checksum of its first bytes, which tell a type in .npy."""
    with open(path, "rb") as file:
        return os.path.getsize(path), zlib.crc32(file.read(128))


def _mapped_again(
    cls: type[SlidingWindows], mapped: tuple[Any, ...], identity: tuple[int, int], *options: int
) -> SlidingWindows:
    """Make the dataset anew in another process, which maps the file itself."""
    if _identity(mapped[0]) != identity:
        raise ValueError(
            f"{mapped[0]} has another size or type than when its windows were made; "
            "make them again from the new file"
        )
    return cls(np.memmap(*mapped), *options)


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
    """Deliver the windows of a sequence in batches.

    Each is a pair of int64 tensors, inputs and targets, both of shape (batch_size, context_size).

    Parameters
    ----------
    token_ids, context_size, stride
        As for `SlidingWindows`.
    batch_size : int
        Number of windows in a batch, B; with `distributed`, in each process.
    shuffle : bool, optional
        Deliver in random order, a new one each epoch. An epoch is one pass through the loader.
    drop_last : bool, optional
        Leave out a last batch that is not full.
    num_workers : int, optional
        Number of processes that fetch batches ahead.
    seed : int, optional
        Makes the orders of all epochs reproducible, and the loader neither uses nor changes torch's
        global random state. Without it `torch.manual_seed` counts, or with `distributed` seed 0.
    distributed : bool, optional
        Share the windows between all processes of the default group of `torch.distributed`, which
        ``init_process_group`` makes: in each epoch every window goes to one of them. All processes
        must pass the same arguments.
    **options
        Any other argument of a `DataLoader`, such as ``pin_memory=True``.

    Notes
    -----
    If there is no batch at all, because `drop_last` leaves out the only one, a warning says so.

    With `distributed` every process gets equally many windows, since they wait for each other
    after each batch: `drop_last` leaves out what does not divide evenly, and without it as many are
    delivered twice. The order depends on the seed and on the number of the epoch, which the sampler
    counts; to continue from an epoch, call ``loader.sampler.set_epoch(epoch)``.

    Shuffling makes a list of the numbers of all windows, about 40 bytes each.

    Examples
    --------
    >>> from companion.windows import window_loader
    >>> loader = window_loader(range(1001), batch_size=2, context_size=4)
    >>> inputs, targets = next(iter(loader))
    >>> targets
    tensor([[1, 2, 3, 4],
            [5, 6, 7, 8]])
    """
    windows = SlidingWindows(token_ids, context_size, stride)
    if seed is not None:
        if (seed := at_least(0, seed, "seed")) >= 2**64:
            raise ValueError(f"seed is {seed}; it must be below 2**64")
        # A DataLoader draws a number for its workers in each epoch, by default from torch's
        # global generator. Not from the sampler's either: the order would depend on the workers.
        options.setdefault("generator", torch.Generator().manual_seed(seed))
    sampler: Sampler[int] | None = None
    if distributed:
        sampler = _EpochSampler(windows, shuffle=shuffle, drop_last=drop_last, seed=seed or 0)
    elif shuffle:  # by a generator that nothing else, such as a dropout layer, draws from
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        sampler = RandomSampler(windows, generator=generator)
    loader = DataLoader(
        windows,
        batch_size=batch_size,
        sampler=sampler,
        drop_last=drop_last,
        num_workers=num_workers,
        collate_fn=attrgetter("inputs", "targets"),  # two tensors already
        **options,
    )
    if len(loader) == 0:
        warnings.warn(
            f"the loader has no batch: {windows} make no full batch of {batch_size}; "
            "pass drop_last=False or make batch_size or stride smaller",
            stacklevel=2,
        )
    return loader


class _EpochSampler(DistributedSampler[int]):
    """A `DistributedSampler` that counts epochs by itself.

    PyTorch's own repeats the same order in every epoch, unless `set_epoch` is called before each.
    """

    def __iter__(self) -> Iterator[int]:
        order = super().__iter__()
        self.set_epoch(self.epoch + 1)
        return order


class PaddedBatch(NamedTuple):
    """What `pad_batch` returns: `ids`, and an `attention_mask` of 1 for ids and 0 for padding.

    Both are of type int64 and of shape (B, n).

    >>> from companion.windows import pad_batch
    >>> batch = pad_batch([[5, 6], [7]])
    >>> batch.attention_mask.sum(dim=1)  # the lengths
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
