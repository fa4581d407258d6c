"""Building windows, and reading them in batches.

Peers: the list of tensor slices of many tutorials, and a loader over batches that are ready made,
which is the least that a `DataLoader` can take.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from _measure import Row, Run, medians, peak_memory, report, rows_of
from torch.utils.data import DataLoader, Dataset

from companion.windows import SlidingWindows, window_loader

CONTEXT_SIZE, BATCH_SIZE = 256, 8

Pair = tuple[torch.Tensor, torch.Tensor]


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


def built(name: str, n_tokens: str) -> Run:
    """Prepare a way to build all windows at stride 1."""
    ids: Any = np.arange(int(n_tokens)) % 50_257
    if "tensor" in name:
        ids = torch.from_numpy(ids)
    elif "list" in name:
        ids = ids.tolist()
    windows: Any = SliceList if name == "list of slices" else SlidingWindows
    return partial(windows, ids, CONTEXT_SIZE, 1)


def building(n_tokens: int, names: Sequence[str]) -> list[Row]:
    """Build all windows of `n_tokens`; memory is that of a process which did nothing else."""
    runs = {name: built(name, str(n_tokens)) for name in names}
    task = f"build windows: {n_tokens:,} tokens, context {CONTEXT_SIZE}, stride 1"
    rows = rows_of(task, medians(runs, 5))
    for row in rows:
        for megabytes in peak_memory(partial(built, row.contender), str(n_tokens)).values():
            row.more["memory (bytes a token)"] = megabytes * 1e6 / n_tokens
    return rows


def an_epoch(tokens: Any, *, shuffle: bool) -> list[Row]:
    """Read all windows once, in batches, in this process."""
    n_windows = len(SlidingWindows(tokens, CONTEXT_SIZE))
    n_batches = n_windows // BATCH_SIZE
    sizes: dict[str, Any] = {"batch_size": BATCH_SIZE, "drop_last": True, "shuffle": shuffle}
    slices = SliceList(tokens.tolist(), CONTEXT_SIZE, CONTEXT_SIZE)
    ready: Any = ReadyBatches(n_windows)
    batches: dict[str, Iterable[Pair]] = {
        "the DataLoader's own work": DataLoader(ready, **sizes, collate_fn=lambda batch: batch),
        "companion": window_loader(tokens, context_size=CONTEXT_SIZE, **sizes),
        "list of slices": DataLoader(slices, **sizes),
    }
    runs: dict[str, Run] = {name: partial(deque, of, maxlen=0) for name, of in batches.items()}
    task = f"an epoch of {n_batches:,} batches of {BATCH_SIZE}, "
    rows = rows_of(task + ("shuffled" if shuffle else "in order"), medians(runs, 7, warm=1))
    for row in rows:
        row.more["µs a batch"] = row.seconds / n_batches * 1e6
    return rows


def main() -> None:
    """Run all and report."""
    torch.set_num_threads(1)
    ours = [f"companion, from {source}" for source in ("an array", "a tensor", "a list")]
    rows = building(100_000, [*ours, "list of slices"]) + building(10_000_000, ours)
    tokens = (np.arange(5_000_000) % 50_257).astype(np.uint16)
    rows += an_epoch(tokens, shuffle=False) + an_epoch(tokens, shuffle=True)
    report("windows", rows, ["numpy", "torch"])


if __name__ == "__main__":
    main()
