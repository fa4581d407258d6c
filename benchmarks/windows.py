"""Building windows, reading them in batches, and a corpus larger than memory should hold.

    python benchmarks/windows.py

Peers: the list of tensor slices of many tutorials, the same windows with PyTorch's own collation,
random offsets into a memory map as small trainers use them, and a loader over batches that are
ready made, which is the least that a `DataLoader` can take. The last part writes 200 million tokens
to a file beside the system's temporary files (400 MB, deleted afterwards) and reads them back. Its
text is the same megabyte over and over, which flatters the speed of the tokenizer, though not its
memory.
"""

import json
import os
import platform
import resource
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from _measure import RESULTS, english
from torch.utils.data import DataLoader, Dataset

from companion.bpe import gpt2
from companion.windows import SlidingWindows, read_tokens, window_loader, write_tokens

CONTEXT_SIZE, BATCH_SIZE = 256, 8
N_CORPUS = 200_000_000

Ids = npt.NDArray[Any]
Pair = tuple[torch.Tensor, torch.Tensor]
Batches = Iterable[Pair]


@dataclass
class Row:
    """One contender in one task; a ratio of 2 is twice as slow as the first of the task."""

    task: str
    contender: str
    seconds: float
    unit: str
    ratio: float
    bytes_per_token: float | None = None
    megabytes: float | None = None  # by which this process grew at most


class SliceList(Dataset[Pair]):
    """What most tutorials show: every window cut out, made a tensor and kept."""

    def __init__(self, ids: list[int], context_size: int, stride: int) -> None:
        self.inputs, self.targets = [], []
        for i in range(0, len(ids) - context_size, stride):
            self.inputs.append(torch.tensor(ids[i : i + context_size]))
            self.targets.append(torch.tensor(ids[i + 1 : i + context_size + 1]))

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: int) -> Pair:
        return self.inputs[index], self.targets[index]


class OneByOne(SlidingWindows):
    """The companion's windows, but collated by PyTorch one by one."""

    __getitems__ = None  # type: ignore[assignment]


class ReadyBatches(Dataset[Pair]):
    """Gives the same batch for any list of numbers: what remains is the loader's own work."""

    def __init__(self, n: int) -> None:
        self.n = n
        batch = torch.zeros(BATCH_SIZE, CONTEXT_SIZE, dtype=torch.int64)
        self.batch = batch, batch

    def __len__(self) -> int:
        return self.n

    def __getitems__(self, indices: list[int]) -> Pair:
        return self.batch


def random_offsets(tokens: Ids, n_batches: int) -> Iterator[Pair]:
    """Yield batches from random places of a memory map: windows may repeat, others never come."""
    for _ in range(n_batches):
        starts = torch.randint(len(tokens) - CONTEXT_SIZE, (BATCH_SIZE,)).tolist()
        rows = [tokens[i : i + CONTEXT_SIZE + 1].astype(np.int64) for i in starts]
        inputs = torch.stack([torch.from_numpy(row[:-1]) for row in rows])
        yield inputs, torch.stack([torch.from_numpy(row[1:]) for row in rows])


def seconds_of(run: Callable[[], object]) -> float:
    """Time one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def resident() -> int:
    """Return how many bytes of memory this process holds, or where Linux is not, held at most.

    Pages of a mapped file do not count: the system takes them back when it needs the room.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def building(n_tokens: int) -> list[Row]:
    """Build all windows of `n_tokens` at stride 1."""
    array = np.arange(n_tokens) % 50_257
    sources: dict[str, Any] = {
        "companion, from an array": array,
        "companion, from a tensor": torch.from_numpy(array),
        "companion, from a list": array.tolist(),
    }
    task = f"build windows: {n_tokens:,} tokens, context {CONTEXT_SIZE}, stride 1"
    rows: list[Row] = []
    for name, ids in sources.items():
        build = partial(SlidingWindows, ids, CONTEXT_SIZE, 1)
        median = statistics.median(seconds_of(build) for _ in range(21))
        tracemalloc.start()  # it sees what numpy allocates
        windows = SlidingWindows(ids, CONTEXT_SIZE, 1)
        rows.append(Row(task, name, median, "s", 0, tracemalloc.get_traced_memory()[0] / n_tokens))
        tracemalloc.stop()
        del windows
    n_slices = n_tokens // 10  # a tenth, for the whole needs gigabytes
    ids = array[:n_slices].tolist()
    before = resident()
    start = time.perf_counter()
    slices = SliceList(ids, CONTEXT_SIZE, 1)
    seconds = (time.perf_counter() - start) * 10
    bytes_per_token = (resident() - before) / n_slices
    rows.append(Row(task, "list of slices, 10 × a tenth", seconds, "s", 0, bytes_per_token))
    del slices
    return with_ratios(rows)


def with_ratios(rows: list[Row]) -> list[Row]:
    """Relate each row to the first."""
    for row in rows:
        row.ratio = row.seconds / rows[0].seconds
    return rows


def an_epoch(tokens: Ids, shuffle: bool) -> list[Row]:
    """Read all windows once, in batches, in this process."""
    ids = tokens.tolist()
    windows = SlidingWindows(tokens, CONTEXT_SIZE)
    n_batches = len(windows) // BATCH_SIZE
    sizes: dict[str, Any] = {"batch_size": BATCH_SIZE, "drop_last": True, "shuffle": shuffle}
    ready: Batches = DataLoader(ReadyBatches(len(windows)), **sizes, collate_fn=lambda batch: batch)
    contenders: dict[str, Callable[[], Batches]] = {
        "the DataLoader's own work": lambda: ready,
        "companion": lambda: window_loader(
            tokens, batch_size=BATCH_SIZE, context_size=CONTEXT_SIZE, shuffle=shuffle
        ),
        "list of slices": lambda: DataLoader(SliceList(ids, CONTEXT_SIZE, CONTEXT_SIZE), **sizes),
        "companion's windows, default collation": lambda: DataLoader(
            OneByOne(tokens, CONTEXT_SIZE), **sizes
        ),
    }
    if shuffle:
        contenders["random offsets into a memory map"] = lambda: random_offsets(tokens, n_batches)
    order = "shuffled" if shuffle else "in order"
    task = f"an epoch of {n_batches:,} batches of {BATCH_SIZE}, {order}"
    times: dict[str, list[float]] = {name: [] for name in contenders}
    prepared = {name: make() for name, make in contenders.items()}
    for _ in range(8):
        for name, batches in prepared.items():
            if name.startswith("random"):  # a generator is used up
                batches = contenders[name]()
            times[name].append(seconds_of(partial(deque, batches, maxlen=0)))
    rows = [
        Row(task, name, statistics.median(of_name[1:]) / n_batches * 1e6, "µs a batch", 0)
        for name, of_name in times.items()
    ]
    return with_ratios(rows)


def a_large_corpus(folder: Path) -> list[Row]:
    """Write and read `N_CORPUS` tokens, and watch memory."""
    tokenizer = gpt2()
    document = english(1_000_000)
    n_documents = -(-N_CORPUS // (len(tokenizer.encode_ordinary(document)) + 1))
    path = folder / "corpus.npy"
    before = resident()
    peak = before

    def documents() -> Iterator[str]:
        nonlocal peak
        for _ in range(n_documents):
            peak = max(peak, resident())
            yield document

    start = time.perf_counter()
    n_tokens = write_tokens(documents(), path, tokenizer, separator="<|endoftext|>")
    seconds = time.perf_counter() - start
    assert n_tokens >= N_CORPUS
    task = f"a corpus of {n_tokens:,} tokens ({n_documents * len(document) / 1e9:.2f} GB of text)"
    rows = [Row(task, "write_tokens", seconds, "s", 0, megabytes=(peak - before) / 1e6)]

    loader = window_loader(
        read_tokens(path), batch_size=BATCH_SIZE, context_size=CONTEXT_SIZE, shuffle=True, seed=0
    )
    before = peak = resident()
    start = time.perf_counter()
    n_read = 0
    for i, (inputs, _) in enumerate(loader):
        n_read += inputs.numel()
        if i % 1000 == 0:
            peak = max(peak, resident())
    seconds = time.perf_counter() - start
    rows.append(Row(task, "one shuffled epoch", seconds, "s", 0, megabytes=(peak - before) / 1e6))
    assert n_read > 0.99 * n_tokens
    return with_ratios(rows)


def main() -> None:
    """Run everything, print a table, write it as JSON."""
    torch.set_num_threads(1)
    rows = [*building(1_000_000), *building(10_000_000)]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "tokens.npy")
        np.save(path, (np.arange(5_000_000) % 50_257).astype(np.uint16))
        tokens = np.load(path, mmap_mode="r")
        rows += an_epoch(tokens, shuffle=False) + an_epoch(tokens, shuffle=True)
        rows += a_large_corpus(Path(name))
        del tokens
    data = {
        "benchmark": "windows",
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {package: version(package) for package in ("numpy", "torch")},
        "rows": [asdict(row) for row in rows],
    }
    target = RESULTS / "windows.json"
    target.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    task = None
    for row in rows:
        if row.task != task:
            task = row.task
            print(f"\n{task}")
        memory = "" if row.bytes_per_token is None else f"{row.bytes_per_token:10.2f} bytes a token"
        memory += "" if row.megabytes is None else f"  memory grew by {row.megabytes:.1f} MB"
        print(f"  {row.contender:40} {row.seconds:12.6f} {row.unit:11} {row.ratio:10.2f}{memory}")
    print(f"written to {target}", file=sys.stderr)


if __name__ == "__main__":
    main()
