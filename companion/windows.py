"""Windows that slide over a sequence of token ids, and batches of them (chapter `windows`).

A model learns to predict the next token. So its training examples are windows of the ids: the
*inputs* are as many ids as the model reads at once, the *targets* the same ids one step later.

* `SlidingWindows` shows the windows of a sequence, wherever its ids lie: in a list, in a tensor,
  in an array, in a file. `window_loader` deals them out in batches.
* `write_tokens` tokenizes a corpus into a file once, and `read_tokens` maps the file into memory,
  so that the corpus may be larger than memory.
* `pad_batch` puts sequences of different lengths into one batch.

>>> from companion.windows import SlidingWindows
>>> inputs, targets = SlidingWindows(range(1001), context_size=5)[0]
>>> inputs, targets
(tensor([0, 1, 2, 3, 4]), tensor([1, 2, 3, 4, 5]))
"""

import hashlib
import json
import mmap
import os
import secrets
import sys
import time
import warnings
from array import array
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, RandomSampler, Sampler
from torch.utils.data.distributed import DistributedSampler

from companion._checks import as_id, at_least, describe, require_text, shortened
from companion.tokenizer import Tokenizer

__all__ = [
    "PaddedBatch",
    "SlidingWindows",
    "pad_batch",
    "read_tokens",
    "window_count",
    "window_loader",
    "write_tokens",
]

Ids: TypeAlias = npt.NDArray[np.integer[Any]]
TokenIds: TypeAlias = Sequence[int] | Tensor | Ids
IdMap: TypeAlias = "np.memmap[Any, np.dtype[np.unsignedinteger[Any]]]"
Pair: TypeAlias = tuple[Tensor, Tensor]


# ------------------------------------------------------------------------------ windows


def window_count(n_tokens: int, context_size: int, stride: int) -> int:
    """Count the windows of a sequence.

    A window starts at every `stride`-th token, as long as it is whole: the last of its
    `context_size` inputs still needs a token after it, its target.

    Parameters
    ----------
    n_tokens : int
        Number of token ids in the sequence, n.
    context_size : int
        Number of inputs in a window, L.
    stride : int
        Step from the start of a window to the start of the next, s.

    Returns
    -------
    int
        max(0, ⌈(n - L) / s⌉).

    Raises
    ------
    TypeError
        If an argument is not an integer.
    ValueError
        If `n_tokens` is negative, or `context_size` or `stride` is below 1.

    Examples
    --------
    >>> from companion.windows import window_count
    >>> window_count(1547, context_size=5, stride=2)
    771
    >>> window_count(5, context_size=5, stride=1)  # the fifth token has no target
    0
    """
    n_tokens = at_least(0, n_tokens, "n_tokens")
    return len(_starts(n_tokens, *_checked_sizes(context_size, stride)))


def _starts(n_tokens: int, context_size: int, stride: int) -> range:
    """Where windows start: the last start leaves room for the inputs and one target more."""
    return range(0, n_tokens - context_size, stride)


class SlidingWindows(Dataset[Pair]):
    """The windows of a sequence of token ids, as pairs of inputs and targets.

    This is a view: no window exists before it is asked for, so building costs the same at any
    stride, and ids in a memory map stay in their file. Only the ids of a list are copied, once,
    into an array.

    Parameters
    ----------
    token_ids : sequence of int, tensor or array
        The ids in order, of one dimension: a list, a tensor in main memory, or a numpy array of
        any integer type. What `read_tokens` returns is such an array.
    context_size : int
        Number of inputs in a window, L.
    stride : int, optional
        Step from the start of a window to the start of the next; without it `context_size`, so
        that each target occurs once.

    Attributes
    ----------
    token_ids : array
        The ids where they lie: a view of the tensor or array that was given.
    n_tokens : int
        Number of token ids.
    context_size, stride : int
        As given.
    starts : range
        Where each window starts in the sequence.

    Raises
    ------
    TypeError
        If `token_ids` is no sequence of integers, or a size is not an integer.
    ValueError
        If `token_ids` has not one dimension, if a size is below 1, or if there are too few ids
        for one window.

    Notes
    -----
    What remains after the last whole window is dropped. A window that is asked for is a copy of
    type int64, and its inputs and targets share no memory: changing the one changes neither the
    other nor the corpus.

    For a worker process the dataset is pickled as its ids, once, however much the windows
    overlap; of a memory map only the path goes along, and the worker maps the file again.

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
        self.context_size, self.stride = _checked_sizes(
            context_size, context_size if stride is None else stride
        )
        self.token_ids = _as_array(token_ids, "token_ids")
        self.n_tokens = len(self.token_ids)
        if self.n_tokens <= self.context_size:
            raise ValueError(
                f"{self.n_tokens} tokens are too few for a context_size of {self.context_size}: "
                f"a window needs {self.context_size + 1}, its inputs and the last target"
            )
        self.starts = _starts(self.n_tokens, self.context_size, self.stride)
        # A row for each window, L + 1 ids long, that lies where the ids lie: (windows, L + 1).
        rows = np.lib.stride_tricks.sliding_window_view(self.token_ids, self.context_size + 1)
        self._rows = rows[:: self.stride]

    def __len__(self) -> int:
        """Return the number of windows."""
        return len(self.starts)

    def __getitem__(self, index: int) -> Pair:
        """Return the inputs and the targets of a window.

        Parameters
        ----------
        index : int
            Number of the window from 0; negative numbers count from the end.

        Returns
        -------
        tuple of two tensors of shape (context_size,)
            Inputs and targets, of type int64.

        Raises
        ------
        TypeError
            If `index` is not an integer.
        IndexError
            If there is no such window.

        Examples
        --------
        >>> from companion.windows import SlidingWindows
        >>> inputs, targets = SlidingWindows(range(9), context_size=4)[1]
        >>> targets
        tensor([5, 6, 7, 8])
        """
        index = as_id(index, "the number of a window")
        inputs, targets = self._fetch(self._rows[self._checked(index)])
        return inputs, targets

    def __iter__(self) -> Iterator[Pair]:
        return map(self.__getitem__, range(len(self)))

    def __getitems__(self, indices: Sequence[int]) -> "_WindowBatch":
        """Return the windows of a batch; a `DataLoader` asks for a batch in this way.

        Parameters
        ----------
        indices : sequence of int
            Numbers of the windows, B of them.

        Returns
        -------
        sequence of pairs of tensors
            As from `__getitem__`. It holds them as two tensors of shape (B, context_size), its
            attributes `inputs` and `targets`.

        Raises
        ------
        TypeError
            If `indices` are not integers.
        IndexError
            If there is no window of a number.

        Examples
        --------
        >>> from companion.windows import SlidingWindows
        >>> SlidingWindows(range(9), context_size=4).__getitems__([1, 0]).inputs
        tensor([[4, 5, 6, 7],
                [0, 1, 2, 3]])
        """
        numbers = _as_array(indices, "the numbers of windows")
        try:
            rows = self._rows[numbers]  # the one gather: (B,) -> (B, L + 1)
        except IndexError:
            for index in indices:
                self._checked(index)
            raise
        return _WindowBatch(*self._fetch(rows))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_tokens} tokens, context_size={self.context_size}, "
            f"stride={self.stride}: {len(self)} windows)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # The rows overlap: pickled as they are, each id would be written once for every window
        # that holds it.
        return _windows_again, (type(self), _packed(self.token_ids), self.context_size, self.stride)

    def _checked(self, index: int) -> int:
        if not -len(self) <= index < len(self):
            raise IndexError(
                f"there is no window {index} among {len(self)} windows (0 to {len(self) - 1})"
            )
        return index

    def _fetch(self, rows: Ids) -> Pair:
        """Copy one row or several: ``(..., L + 1)`` -> twice ``(..., L)``."""
        inputs, targets = rows[..., :-1].astype(np.int64), rows[..., 1:].astype(np.int64)
        _require_int64(rows)
        return torch.from_numpy(inputs), torch.from_numpy(targets)


class _WindowBatch(Sequence[Pair]):
    """Several windows: a sequence of pairs for whoever wants pairs, two tensors to the loader."""

    def __init__(self, inputs: Tensor, targets: Tensor) -> None:
        self.inputs, self.targets = inputs, targets

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: Any) -> Any:
        return self.inputs[index], self.targets[index]


def _as_batch(windows: Any) -> Pair:
    """Collate: the windows of a batch lie side by side already."""
    return windows.inputs, windows.targets


class _FilePart(NamedTuple):
    """Where the ids of a memory map lie, for a process that maps the file itself."""

    path: str
    dtype: str
    offset: int
    length: int


def _packed(ids: Ids) -> Ids | _FilePart:
    """Return what a worker needs to have the same ids: a place in a file, or the ids."""
    root: Any = ids
    while isinstance(root, np.ndarray) and not isinstance(root.base, mmap.mmap):
        root = root.base
    in_file = isinstance(root, np.memmap) and root.filename is not None and root.mode != "c"
    if not in_file or not ids.flags.c_contiguous:
        return ids
    # A part of a map still bears the offset of the whole: count from where the whole begins.
    offset = root.offset + ids.ctypes.data - root.ctypes.data
    return _FilePart(os.fspath(root.filename), ids.dtype.str, offset, len(ids))


def _windows_again(
    cls: type[SlidingWindows], ids: Ids | _FilePart, context_size: int, stride: int
) -> SlidingWindows:
    """Make the dataset anew, in another process."""
    if isinstance(ids, _FilePart):
        path, dtype, offset, length = ids
        ids = np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=(length,))
    return cls(ids, context_size, stride)


# ------------------------------------------------------------------------------ batches


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
    """Deal out the windows of a sequence in batches.

    Parameters
    ----------
    token_ids : sequence of int, tensor or array
        The ids in order, as for `SlidingWindows`.
    batch_size : int
        Number of windows in a batch, B; in each process, where there are several.
    context_size : int
        Number of inputs in a window, L.
    stride : int, optional
        Step from the start of a window to the start of the next; without it `context_size`.
    shuffle : bool, optional
        Deal in random order, a new one each epoch. An epoch is one pass through the loader.
    drop_last : bool, optional
        Leave out a last batch that is not full.
    num_workers : int, optional
        Number of processes that fetch batches ahead; with 0 the batches are fetched here.
    seed : int, optional
        Makes the orders of all epochs reproducible. Without it they depend on
        `torch.manual_seed`, or with `distributed` are those of seed 0.
    distributed : bool, optional
        Deal to all processes of the default process group of `torch.distributed`: in each epoch
        every window goes to one of them. All must give the same arguments.
    **options
        Anything else a `DataLoader` takes, such as ``pin_memory=True``,
        ``persistent_workers=True`` or ``multiprocessing_context="spawn"``.

    Returns
    -------
    DataLoader
        Each of its batches is a pair of int64 tensors, inputs and targets, both of shape
        ``(batch_size, context_size)``.

    Raises
    ------
    TypeError
        If `token_ids` is no sequence of integers, or a number is not an integer.
    ValueError
        If a number is out of range, or there are too few ids for one window.
    RuntimeError
        If `distributed` is asked for and no process group has been initialized.

    Warns
    -----
    UserWarning
        If there is no batch at all, because `drop_last` leaves out the only one.

    Notes
    -----
    With `distributed` every process gets equally many windows, since they wait for each other
    after each batch. Where the windows do not divide evenly, `drop_last` leaves out up to one
    less than there are processes; without it as many are dealt twice. The order of an epoch
    depends on the seed and on the number of the epoch, which the sampler counts by itself. To go
    on from a given epoch, or to be safe where processes do not all begin equally many epochs,
    call ``loader.sampler.set_epoch(epoch)`` before each.

    Shuffling puts the numbers of all windows in a list, some 40 bytes for each: little where
    windows do not overlap, a lot for a large corpus at stride 1.

    Examples
    --------
    >>> from companion.windows import window_loader
    >>> loader = window_loader(range(1001), batch_size=2, context_size=4)
    >>> len(loader)
    125
    >>> inputs, targets = next(iter(loader))
    >>> inputs
    tensor([[0, 1, 2, 3],
            [4, 5, 6, 7]])
    >>> targets
    tensor([[1, 2, 3, 4],
            [5, 6, 7, 8]])
    """
    windows = SlidingWindows(token_ids, context_size, stride)
    batch_size = at_least(1, batch_size, "batch_size")
    num_workers = at_least(0, num_workers, "num_workers")
    if seed is not None:
        seed = at_least(0, seed, "seed")
        if seed >= 2**63:
            raise ValueError(f"seed is {seed}; it must be less than 2**63")
    loader = DataLoader(
        windows,
        batch_size=batch_size,
        sampler=_sampler(windows, shuffle, drop_last, seed, distributed),
        drop_last=drop_last,
        num_workers=num_workers,
        collate_fn=_as_batch,
        **options,
    )
    if len(loader) == 0:
        warnings.warn(
            f"the loader has no batch: {windows} make no full batch of {batch_size}; "
            "pass drop_last=False or make batch_size or stride smaller",
            stacklevel=2,
        )
    return loader


def _sampler(
    windows: SlidingWindows, shuffle: bool, drop_last: bool, seed: int | None, distributed: bool
) -> Sampler[int] | None:
    """Choose who says which window comes next; None stands for one after the other."""
    if distributed:
        if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
            raise RuntimeError(
                "distributed=True needs a process group: call "
                "torch.distributed.init_process_group() first, in a program that torchrun starts"
            )
        return _EpochSampler(windows, shuffle=shuffle, drop_last=drop_last, seed=seed or 0)
    if shuffle:
        # A generator of its own, so that nothing else that draws random numbers, such as a
        # dropout layer, changes the order.
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        return RandomSampler(windows, generator=generator)
    return None


class _EpochSampler(DistributedSampler[int]):
    """A `DistributedSampler` that counts epochs by itself.

    PyTorch's own repeats the same order in every epoch, unless `set_epoch` is called before each.
    """

    def __iter__(self) -> Iterator[int]:
        order = super().__iter__()
        self.set_epoch(self.epoch + 1)
        return order


# ------------------------------------------------------------------------------ a corpus in a file

# The file holds two arrays, one after the other, as `numpy.save` writes them to an open file:
# the ids, and a description in JSON as an array of bytes. Whoever maps the file as .npy sees the
# ids; `read_tokens` reads the description too.
_FORMAT = "companion.windows 1"


def write_tokens(
    documents: Iterable[str],
    path: str | os.PathLike[str],
    tokenizer: Tokenizer,
    *,
    separator: int | str | None = None,
    progress: bool = False,
    num_workers: int = 0,
) -> int:
    """Tokenize documents into a file, one after the other.

    The ids take the smallest unsigned integer type that holds the vocabulary: two bytes each for
    GPT-2. Documents are read as they are needed, and their ids written at once, so neither the
    corpus nor its ids need fit into memory.

    The file appears at `path` when it is complete. Until then it has another name in the same
    folder, one that ends in ``.part``, and if anything fails it is deleted: a file that stood at
    `path` stays as it was. Only a process that is killed outright leaves its ``.part`` behind.

    Parameters
    ----------
    documents : iterable of str
        The texts; a generator will do, such as ``(path.read_text() for path in paths)``.
    path : str or path
        Where to write: at exactly this path, in numpy's ``.npy`` format.
    tokenizer : Tokenizer
        Turns each document into ids.
    separator : int or str, optional
        An id, or a text such as ``"<|endoftext|>"`` that the tokenizer has one id for. It follows
        each document.
    progress : bool, optional
        Report to standard error how many documents are done.
    num_workers : int, optional
        Number of processes that tokenize; with 0 it is done here. The order of the documents, and
        so the file, is the same. The tokenizer must be one that can be pickled.

    Returns
    -------
    int
        Number of ids written, separators included.

    Raises
    ------
    TypeError
        If `documents` is one string or no iterable, a document is not a string, or the tokenizer
        lacks a method.
    ValueError
        If the separator is not one id of the vocabulary, or the tokenizer gives an id outside it.
    OSError
        If the file cannot be written; no part of it is left.

    See Also
    --------
    read_tokens : Map the file into memory.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from companion.bpe import gpt2
    >>> from companion.windows import read_tokens, write_tokens
    >>> path = pathlib.Path(tempfile.mkdtemp(), "corpus.npy")
    >>> write_tokens(["Once upon", " a time"], path, gpt2(), separator="<|endoftext|>")
    6
    >>> read_tokens(path)
    memmap([ 7454,  2402, 50256,   257,   640, 50256], dtype=uint16)
    """
    if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
        raise TypeError(
            f"documents must be an iterable of strings, not {describe(documents)}; "
            "write [text] for one document"
        )
    if not isinstance(tokenizer, Tokenizer):
        raise TypeError(f"tokenizer must have encode, decode and n_vocab: {describe(tokenizer)}")
    num_workers = at_least(0, num_workers, "num_workers")
    encoder = _Encoder(tokenizer, _separator_id(separator, tokenizer))
    report = _Progress(documents) if progress else None
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {path.parent} does not exist; make it first")
    # In the same folder, since only there a file can take the place of another in one step; with
    # a name that no other process chooses.
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with (
            open(unfinished, "xb") as file,
            closing(_encoded(documents, encoder, num_workers)) as encoded,
        ):
            n_documents, n_tokens = _write(file, encoded, encoder, report)
            description = {
                "format": _FORMAT,
                "n_tokens": n_tokens,
                "dtype": encoder.dtype.str,
                "n_documents": n_documents,
                "separator": encoder.separator,
                "vocabulary": _describe_vocabulary(tokenizer),
            }
            np.save(file, np.frombuffer(json.dumps(description).encode(), np.uint8))
            file.flush()
            os.fsync(file.fileno())  # on the disk before it gets its name, should power fail
        os.replace(unfinished, path)
    except BaseException:  # an interrupt from the keyboard too
        unfinished.unlink(missing_ok=True)
        raise
    return n_tokens


class _Encoder:
    """Turns a document into ids of the type of the file, the separator after them."""

    def __init__(self, tokenizer: Tokenizer, separator: int | None) -> None:
        self._tokenizer, self.separator = tokenizer, separator
        self.n_vocab = tokenizer.n_vocab
        self.dtype = _smallest_type(self.n_vocab)
        self._end = np.array([] if separator is None else [separator], self.dtype)

    def __call__(self, number: int, document: str) -> Ids:
        try:
            found = self._tokenizer.encode(document)
        except Exception as error:
            if sys.version_info >= (3, 11):
                error.add_note(f"This was document {number}: {shortened(document)}")
            raise
        ids = _as_array(found, f"the ids of document {number}")
        for extreme in (ids.min(), ids.max()) if len(ids) else ():
            # A smaller type would wrap it round to another id without a word.
            if not 0 <= extreme < self.n_vocab:
                raise ValueError(
                    f"the tokenizer gave the id {extreme} for document {number}, outside its own "
                    f"vocabulary of {self.n_vocab} tokens (0 to {self.n_vocab - 1})"
                )
        return np.concatenate([ids.astype(self.dtype), self._end])


def _smallest_type(n_vocab: int) -> np.dtype[Any]:
    """Return the unsigned type for ids below `n_vocab`: 256 -> one byte, 257 -> two bytes."""
    # The lower byte first, whatever the machine: a file may be read on another one.
    return np.min_scalar_type(max(n_vocab - 1, 0)).newbyteorder("<")


def _texts(documents: Iterable[str]) -> Iterator[tuple[int, str]]:
    for number, document in enumerate(documents):
        require_text(document, f"document {number}")
        yield number, document


def _encoded(
    documents: Iterable[str], encoder: _Encoder, num_workers: int
) -> Generator[Ids, None, None]:
    """Yield the ids of each document in order, encoded here or in other processes."""
    if num_workers == 0:
        for number, document in _texts(documents):
            yield encoder(number, document)
        return
    with ProcessPoolExecutor(num_workers, initializer=_take, initargs=(encoder,)) as pool:
        waiting: deque[Future[list[Ids]]] = deque()
        try:
            for batch in _batches(documents):
                waiting.append(pool.submit(_encode_all, batch))
                # Take no more documents than the workers can have at hand, however fast they
                # come: the memory stays bounded.
                if len(waiting) > 2 * num_workers:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _batches(documents: Iterable[str], size: int = 2**18) -> Iterator[list[tuple[int, str]]]:
    """Group documents until they have `size` characters, worth the way to another process."""
    batch: list[tuple[int, str]] = []
    length = 0
    for number, document in _texts(documents):
        batch.append((number, document))
        length += len(document)
        if length >= size:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


_encoder: _Encoder


def _take(encoder: _Encoder) -> None:
    """Keep the encoder in a worker process, so that it is sent once and not with every batch."""
    global _encoder
    _encoder = encoder


def _encode_all(batch: list[tuple[int, str]]) -> list[Ids]:
    return [_encoder(number, document) for number, document in batch]


def _write(
    file: BinaryIO, encoded: Iterator[Ids], encoder: _Encoder, report: "_Progress | None"
) -> tuple[int, int]:
    """Write the ids and a header for them; return the numbers of documents and of ids."""
    n_documents = n_tokens = 0
    _write_header(file, encoder.dtype, n_tokens)
    for ids in encoded:
        file.write(ids.tobytes())
        n_documents, n_tokens = n_documents + 1, n_tokens + len(ids)
        if report is not None:
            report.show(n_documents, n_tokens)
    if report is not None:
        report.finish(n_documents, n_tokens)
    end = file.tell()
    file.seek(0)
    _write_header(file, encoder.dtype, n_tokens)
    file.seek(end)
    return n_documents, n_tokens


def _write_header(file: BinaryIO, dtype: np.dtype[Any], n_tokens: int) -> None:
    """Write the header of a .npy file; numpy leaves room in it for the number to grow."""
    np.lib.format.write_array_header_1_0(
        file, {"descr": dtype.str, "fortran_order": False, "shape": (n_tokens,)}
    )


class _Progress:
    """Keeps one line on standard error up to date."""

    def __init__(self, documents: Iterable[str]) -> None:
        self._total = f" of {len(documents):,}" if isinstance(documents, Sized) else ""
        self._shown_at = 0.0

    def show(self, n_documents: int, n_tokens: int) -> None:
        # Ten times a second is enough to watch, and costs nothing beside the work.
        if time.monotonic() - self._shown_at >= 0.1:
            self._print(n_documents, n_tokens, end="")

    def finish(self, n_documents: int, n_tokens: int) -> None:
        self._print(n_documents, n_tokens, end="\n")

    def _print(self, n_documents: int, n_tokens: int, end: str) -> None:
        done = f"{n_documents:,}{self._total} documents, {n_tokens:,} tokens"
        print(f"\rwrite_tokens: {done}", end=end, file=sys.stderr, flush=True)
        self._shown_at = time.monotonic()


def _separator_id(separator: int | str | None, tokenizer: Tokenizer) -> int | None:
    if separator is None:
        return None
    if not isinstance(separator, str):
        token_id = as_id(separator, "separator")
    elif (found := _id_of(separator, tokenizer)) is not None:
        token_id = found
    else:
        raise ValueError(
            f"separator {separator!r} is not one token of the tokenizer; give the text of a "
            "special token that it has, or an id"
        )
    if not 0 <= token_id < tokenizer.n_vocab:
        raise ValueError(
            f"separator {token_id} is not an id of the vocabulary of {tokenizer.n_vocab} tokens "
            f"(0 to {tokenizer.n_vocab - 1})"
        )
    return token_id


def _id_of(text: str, tokenizer: Tokenizer) -> int | None:
    """Return the one id that stands for a text, or None."""
    vocab = getattr(tokenizer, "vocab", None)
    if isinstance(vocab, Mapping) and text in vocab:
        return as_id(vocab[text], f"the id of {text!r}")
    encode: Any = tokenizer.encode
    try:
        try:
            ids = encode(text, allowed_special={text})  # as tiktoken and companion.bpe know it
        except TypeError:
            ids = encode(text)
        # The one id may be that of the unknown token.
        return as_id(ids[0], "an id") if tokenizer.decode(ids) == text and len(ids) == 1 else None
    except (LookupError, ValueError):
        return None


def _describe_vocabulary(tokenizer: Tokenizer) -> dict[str, Any]:
    """Describe which text each id stands for: how many ids there are, and a hash of all texts."""
    texts: list[str | None] = []
    for token_id in range(tokenizer.n_vocab):
        try:
            texts.append(tokenizer.decode([token_id]))
        except LookupError:  # ids may have gaps
            texts.append(None)
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    return {"n_vocab": tokenizer.n_vocab, "sha256": digest}


def read_tokens(path: str | os.PathLike[str], tokenizer: Tokenizer | None = None) -> IdMap:
    """Map a file of `write_tokens` into memory.

    The ids stay in the file. The operating system fetches the parts that are looked at and
    forgets them again when memory runs short, so the file may be larger than memory, and several
    processes on a machine share what was fetched.

    Parameters
    ----------
    path : str or path
        A file that `write_tokens` wrote.
    tokenizer : Tokenizer, optional
        Makes sure that the ids mean what this tokenizer means by them: each must decode as it did
        for the tokenizer of the file.

    Returns
    -------
    numpy.memmap
        The ids, of one dimension and an unsigned integer type; it cannot be written to.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If `write_tokens` did not write the file, or it was cut short or changed since, or its ids
        are those of another vocabulary; the message says which.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from companion.bpe import gpt2
    >>> from companion.windows import read_tokens, write_tokens
    >>> path = pathlib.Path(tempfile.mkdtemp(), "corpus.npy")
    >>> write_tokens(["to be", " or not to be"], path, gpt2())
    6
    >>> read_tokens(path, gpt2())
    memmap([1462,  307,  393,  407,  284,  307], dtype=uint16)
    """
    with open(Path(path), "rb") as file:
        dtype, n_tokens = _read_header(file, path)
        start = file.tell()
        n_bytes = os.fstat(file.fileno()).st_size - start
        if n_bytes < n_tokens * dtype.itemsize:
            raise ValueError(
                f"{path} is cut short: it should hold {n_tokens} ids, but there are "
                f"{n_bytes // dtype.itemsize}; write it again with write_tokens"
            )
        file.seek(start + n_tokens * dtype.itemsize)
        description = _read_description(file, path)
        if (description["dtype"], description["n_tokens"]) != (dtype.str, n_tokens):
            raise ValueError(
                f"{path} was changed: its header tells of {n_tokens} ids of type {dtype}, but "
                f"{description['n_tokens']} of type {np.dtype(description['dtype'])} were written"
            )
        if tokenizer is not None:
            _require_vocabulary(description["vocabulary"], tokenizer, path)
        return np.memmap(file, dtype=dtype, mode="r", offset=start, shape=(n_tokens,))


def _read_header(file: BinaryIO, path: Any) -> tuple[np.dtype[Any], int]:
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("another version of the format")
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    except ValueError as error:
        raise ValueError(
            f"{path} is not a file of write_tokens, or cut short in its header: {error}"
        ) from None
    if dtype.kind != "u" or len(shape) != 1:
        raise ValueError(
            f"{path} is not a file of write_tokens: it holds an array of type {dtype} and shape "
            f"{shape}, not unsigned integers in one dimension"
        )
    return dtype, shape[0]


def _read_description(file: BinaryIO, path: Any) -> dict[str, Any]:
    """Read the array of bytes that follows the ids."""
    try:
        description = json.loads(np.lib.format.read_array(file, allow_pickle=False).tobytes())
        if description["format"] == _FORMAT:
            return dict(description)
    except (ValueError, LookupError, TypeError):
        pass
    raise ValueError(
        f"{path} is cut short after its ids, or was not written by write_tokens: there is no "
        "description of its vocabulary; np.load(path, mmap_mode='r') maps any .npy file"
    )


def _require_vocabulary(written: dict[str, Any], tokenizer: Tokenizer, path: Any) -> None:
    if written["n_vocab"] != tokenizer.n_vocab:
        raise ValueError(
            f"{path} was written with another vocabulary: of {written['n_vocab']} tokens, while "
            f"the tokenizer has {tokenizer.n_vocab}"
        )
    if written != _describe_vocabulary(tokenizer):
        raise ValueError(
            f"{path} was written with another vocabulary: of {written['n_vocab']} tokens too, but "
            "some ids stand for other texts"
        )


# ------------------------------------------------------------------------------ padding


class PaddedBatch(NamedTuple):
    """Sequences of different lengths in one batch, as `pad_batch` makes it.

    Attributes
    ----------
    ids : tensor of shape (B, n)
        The ids, of type int64; `pad_id` where a sequence has none.
    attention_mask : tensor of shape (B, n)
        1 for an id of a sequence and 0 for padding, of type int64.

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
        What to fill up with. The mask says where it is, so it may be an id that also occurs in a
        sequence, or, for targets, the -100 that PyTorch's loss leaves out.
    length : int, optional
        The length to fill up to; without it that of the longest sequence.
    side : "right" or "left", optional
        Where to put the padding. On the left every sequence ends in the last column, which is
        where a model that generates goes on.

    Returns
    -------
    PaddedBatch
        The ids and their mask.

    Raises
    ------
    TypeError
        If a sequence is not one of integers, or a number is not an integer.
    ValueError
        If there is no sequence, one has not one dimension, or one is longer than `length`.

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
    if isinstance(sequences, str | bytes) or not isinstance(sequences, Iterable):
        raise TypeError(f"sequences must be an iterable of sequences, not {describe(sequences)}")
    rows = [_as_array(row, f"sequence {i}") for i, row in enumerate(sequences)]
    if not rows:
        raise ValueError("there is no sequence to pad; give at least one")
    if side not in ("right", "left"):
        raise ValueError(f"side must be 'right' or 'left', not {side!r}")
    pad_id = as_id(pad_id, "pad_id")
    if not -(2**63) <= pad_id < 2**63:
        raise ValueError(f"pad_id is {pad_id}, which is too large: a tensor of ids holds int64")
    lengths = [len(row) for row in rows]
    n = max(lengths) if length is None else at_least(0, length, "length")
    ids = np.full((len(rows), n), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        if len(row) > n:
            raise ValueError(
                f"sequence {i} has {len(row)} ids, more than the length of {n}; cut it first: "
                f"sequence[:{n}]"
            )
        _require_int64(row)
        place = slice(len(row)) if side == "right" else slice(n - len(row), None)
        ids[i, place] = row
        mask[i, place] = 1
    return PaddedBatch(torch.from_numpy(ids), torch.from_numpy(mask))


# ------------------------------------------------------------------------------ checks


def _as_array(values: Any, what: str) -> Ids:
    """Return integers as an array of one dimension; copy them only if they are in a list."""
    if isinstance(values, Tensor):
        if values.device.type != "cpu":
            raise ValueError(f"{what} must be in main memory, not on {values.device}; call .cpu()")
        if values.is_floating_point() or values.is_complex():  # of which numpy may know no such
            raise TypeError(f"{what} must be integers, not {values.dtype}")
        values = values.numpy()
    if not isinstance(values, np.ndarray):
        return _array_of(values, what)
    if values.dtype.kind not in "iu":
        raise TypeError(f"{what} must be integers, not {values.dtype}")
    if values.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not the shape {values.shape}")
    return np.asarray(values)


def _array_of(values: Any, what: str) -> Ids:
    """Copy a list of integers, or another sequence, into an array."""
    if isinstance(values, str):
        raise TypeError(f"{what} must be integers, not a text; encode it: tokenizer.encode(text)")
    # An array takes the bytes of a bytearray for the memory of its numbers.
    if isinstance(values, bytes | bytearray) or not isinstance(values, Sequence):
        raise TypeError(
            f"{what} must be a list, a tensor or an array of integers, not {describe(values)}; "
            "list(...) makes a list of it"
        )
    try:
        # array("q") is numpy's int64, and refuses 2.0 where numpy would make 2 of it.
        return np.asarray(array("q", values))
    except (TypeError, OverflowError):
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
        raise


def _require_int64(ids: Ids) -> None:
    """Raise a `ValueError` for an id that would become a negative number."""
    if ids.dtype == np.uint64 and ids.size and ids.max() > np.iinfo(np.int64).max:
        raise ValueError(f"id {ids.max()} is too large: a tensor of ids holds int64")


def _checked_sizes(context_size: Any, stride: Any) -> tuple[int, int]:
    return at_least(1, context_size, "context_size"), at_least(1, stride, "stride")
