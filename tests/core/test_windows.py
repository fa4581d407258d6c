"""Ids as an array, windows and batches of them, padding: what they hold, and what they refuse."""

import os
import pickle
import re
import subprocess
import sys
from array import array
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refused
from torch.utils.data import DataLoader, Subset

from companion._arrays import as_array
from companion.windows import SlidingWindows, pad_batch, window_count, window_loader

ROOT = Path(__file__).parents[2]
SIZES = st.tuples(st.integers(0, 200), st.integers(1, 40), st.integers(1, 60))
ENOUGH = SIZES.filter(lambda sizes: sizes[0] > sizes[1])


def rows(batch: Iterable[torch.Tensor]) -> list[list[int]]:
    return [row.tolist() for row in batch]


def pairs(batches: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> list[tuple[Any, Any]]:
    """All windows of some batches, as tuples."""
    found: list[tuple[Any, Any]] = []
    for inputs, targets in batches:
        found += zip(map(tuple, inputs.tolist()), map(tuple, targets.tolist()), strict=True)
    return found


@pytest.mark.parametrize(
    "ids",
    [
        *(np.arange(20).astype(d) for d in ("i1", "u1", "<i2", ">u2", "u4", ">i8", "i8", "u8")),
        *(torch.arange(20).to(getattr(torch, d)) for d in ("uint8", "int16", "int32", "int64")),
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


@given(SIZES)
def test_window_count_is_that_of_a_walk(sizes: tuple[int, int, int]) -> None:
    n, context_size, stride = sizes
    starts = [i for i in range(0, n, stride) if i + context_size < n]
    assert window_count(*sizes) == len(starts)


@given(ENOUGH)
@example((7, 3, 3))
def test_each_target_is_its_input_shifted_and_windows_tile(sizes: tuple[int, int, int]) -> None:
    n, context_size, stride = sizes
    windows = SlidingWindows(range(n), context_size, stride)
    assert len(windows) == window_count(*sizes) == len(windows.starts)
    for i, (inputs, targets) in enumerate(windows):
        assert inputs.tolist() == [*range(i * stride, i * stride + context_size)]
        assert targets.tolist() == [number + 1 for number in inputs.tolist()]
    assert SlidingWindows(range(n), context_size).stride == context_size


@pytest.mark.parametrize("ids", [np.arange(10), torch.arange(10).short(), [*range(10)]], ids=type)
def test_inputs_and_targets_are_of_int64_and_share_no_memory_with_the_ids(ids: Any) -> None:
    windows = SlidingWindows(ids, 4, 1)
    for inputs, targets in (windows[0], windows.__getitems__([0, 1]).tensors):
        assert inputs.dtype == targets.dtype == torch.int64  # whatever the ids are
        inputs.fill_(-1)
        assert -1 not in targets.fill_(-2)
        assert -2 not in inputs
    assert [int(i) for i in ids] == [*range(10)]


def test_plain_loaders_and_subsets_of_torch_work() -> None:
    windows = SlidingWindows(range(40), 4)
    assert rows(windows[-1]) == rows(windows[8]) == [[32, 33, 34, 35], [33, 34, 35, 36]]
    options: dict[str, Any] = {"batch_size": 4, "context_size": 4, "timeout": 0}
    assert len(window_loader(range(40), **options)) == 2
    mine = pairs(window_loader(range(40), **options, drop_last=False))
    assert pairs(DataLoader(windows, batch_size=3)) == mine
    assert pairs(DataLoader(Subset(windows, [1, 3]), batch_size=2)) == [mine[1], mine[3]]


@given(
    st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8), min_size=1, max_size=6),
    st.integers(0, 4),
    st.sampled_from(["right", "left"]),
)
def test_the_mask_gives_padded_sequences_back(
    sequences: list[list[int]], more: int, side: Any
) -> None:
    length = max(map(len, sequences)) + more
    ids, mask = pad_batch(sequences, pad_id=7, length=length, side=side)
    assert ids.shape == mask.shape == (len(sequences), length)
    assert [row[kept.bool()].tolist() for row, kept in zip(ids, mask, strict=True)] == sequences
    assert (ids[mask == 0] == 7).all()


taken: Any = partial(as_array, what="ids")
PAD: Any = pad_batch
NO_INTEGERS = "ids must be integers of at most 64 bits: "
NO_LIST = "ids must be a list, a tensor or an array, not "

test_what_is_refused = refused(
    [
        (lambda: taken(torch.arange(5.0)), TypeError, "ids must be integers, not"),
        (lambda: taken([True, False]), TypeError, "ids must be integers, not bool"),
        (lambda: taken([1, 2.0, 3]), TypeError, f"{NO_INTEGERS}'float' object cannot be"),
        (lambda: taken(np.ma.array([1], mask=[True])), TypeError, "ids must not be masked; keep"),
        (lambda: taken(np.array([1, 2**63], np.uint64)), ValueError, f"ids hold {2**63}, which is"),
        (lambda: taken(np.ones((2, 3), int)), ValueError, "ids must have one dimension,"),
        (lambda: taken([0, 2**63]), OverflowError, NO_INTEGERS),
        (lambda: taken("Once upon"), TypeError, f"{NO_LIST}str: 'Once upon'"),
        (lambda: PAD([[1], [1, 2, 3]], length=2), ValueError, "sequence 1 has 3 ids, more than"),
        (lambda: PAD([[1]], side="up"), ValueError, "side must be 'right' or 'left', not 'up'"),
        (lambda: SlidingWindows([1] * 5, 5), ValueError, "a context_size of 5: a window needs 6"),
        (lambda: window_count(10, 2, -1), ValueError, "stride is -1; it must be at least 1"),
        (lambda: SlidingWindows(range(10), 3)[3], IndexError, "index 3 is out of bounds"),
    ]
)  # fmt: skip


@pytest.mark.parametrize("stride", [1, 256])
def test_a_pickle_holds_the_ids_once_at_any_stride(stride: int) -> None:
    for ids in (np.zeros(100_000, np.uint16), torch.zeros(100_000, dtype=torch.int16)):
        assert 200_000 <= len(pickle.dumps(SlidingWindows(ids, 256, stride))) < 200_500


@pytest.fixture
def number_file(tmp_path: Path) -> Path:
    """A file of the numbers 0 to 9999."""
    path = tmp_path / "numbers.npy"
    np.save(path, np.arange(10_000, dtype=np.uint16))
    return path


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_a_pickle_of_a_memory_map_holds_its_path(mode: Any, number_file: Path) -> None:
    ids = np.load(number_file, mmap_mode=mode)
    raw = np.memmap(number_file, np.uint16, "r", offset=128 + 2 * 5000)
    for part in (ids, ids[77:1200], np.asarray(ids)[10:500], ids[77:][3:900], raw[3:400]):
        windows = SlidingWindows(part, 8, 1)
        if mode == "r+":
            ids[0] = 7  # what is written into the map is in the file
        data = pickle.dumps(windows)
        assert len(data) < 600 + len(str(number_file))
        again = pickle.loads(data)
        assert [rows(again[i]) for i in (0, -1)] == [rows(windows[i]) for i in (0, -1)]
        assert (len(again), again.token_ids.flags.writeable) == (len(windows), False)


mapped_files_change = pytest.mark.skipif(
    os.name == "nt", reason="Windows lets no file change that is mapped"
)


@mapped_files_change
@pytest.mark.parametrize("numbers", [range(9_000), range(10_000)[::-1]], ids=["shorter", "other"])
def test_a_file_that_has_changed_is_refused_by_name(numbers: range, number_file: Path) -> None:
    ids = np.load(number_file, mmap_mode="r")
    windows = SlidingWindows(ids, 8)
    data = pickle.dumps(windows)
    os.utime(number_file, ns=(1, 1))  # not every id is compared: the time tells
    with pytest.raises(ValueError, match="has changed since its ids"):
        pickle.loads(data)
    np.save(number_file.with_stem("new"), np.array(numbers, dtype=np.uint16))
    os.replace(number_file.with_stem("new"), number_file)
    later = SlidingWindows(ids, 8)  # these windows have the old ids, too
    assert rows(later[0]) == rows(windows[0]) == [[*range(8)], [*range(1, 9)]]
    for step in (partial(pickle.dumps, windows), partial(pickle.dumps, later),
                 partial(pickle.loads, data)):  # fmt: skip
        with pytest.raises(ValueError, match=re.escape(f"{number_file} has changed since its ids")):
            step()


@mapped_files_change
def test_what_is_not_in_a_file_as_it_is_is_pickled_with_its_ids(number_file: Path) -> None:
    whole = np.load(number_file, mmap_mode="r")
    changed = np.load(number_file, mmap_mode="c")  # copy on write: the file does not change
    changed[0] = 9
    for ids in (changed, whole[::3], whole):
        if ids is whole:
            number_file.unlink()
        windows = SlidingWindows(ids, 4)
        again = pickle.loads(pickle.dumps(windows))
        assert [rows(again[i]) for i in (0, -1)] == [rows(windows[i]) for i in (0, -1)]


def test_where_there_is_no_batch_a_warning_says_what_to_do() -> None:
    with pytest.warns(UserWarning, match=r"5: 6 windows\) make no full batch of 7; pass"):
        assert list(window_loader(range(31), batch_size=7, context_size=5)) == []


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_seed_alone_decides_the_orders_of_all_epochs(num_workers: int) -> None:
    orders = []
    options: dict[str, Any] = {"batch_size": 2, "context_size": 4, "num_workers": num_workers}
    for global_seed, seed in ((3, 5), (4, 5), (4, 6)):
        loader = window_loader(range(41), shuffle=True, seed=seed, **options)
        torch.manual_seed(global_seed)
        before = torch.get_rng_state()
        orders.append([pairs(loader) for _ in range(2)])
        assert torch.equal(torch.get_rng_state(), before)
    assert orders[0] == orders[1]
    assert orders[1][0] != orders[1][1] != orders[2][1]
    in_order = pairs(window_loader(range(41), batch_size=2, context_size=4))
    assert sorted(orders[0][0]) == sorted(orders[2][1]) == sorted(in_order)


def test_a_worker_that_is_spawned_delivers_the_same(number_file: Path) -> None:
    ids = np.load(number_file, mmap_mode="r")[:201]
    options: dict[str, Any] = {"batch_size": 5, "context_size": 4, "shuffle": True, "seed": 1}
    alone = pairs(window_loader(ids, **options))
    options |= {"num_workers": 1, "multiprocessing_context": "spawn"}
    assert pairs(window_loader(ids, **options)) == alone


def dealt(monkeypatch: pytest.MonkeyPatch, n: int, **options: Any) -> list[list[list[Any]]]:
    """Return what each of two processes reads in three epochs."""
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
    read: list[list[list[Any]]] = []
    for rank in range(2):
        monkeypatch.setattr(torch.distributed, "get_rank", lambda rank=rank: rank)
        loader = window_loader(range(n), context_size=4, distributed=True, **options)
        read.append([pairs(loader) for _ in range(3)])
        loader.sampler.set_epoch(1)  # type: ignore[attr-defined]
        assert pairs(loader) == read[-1][1]
    return read


def test_two_processes_share_the_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    shuffled: dict[str, Any] = {"batch_size": 3, "shuffle": True, "drop_last": False}
    even = dealt(monkeypatch, 401, **shuffled)
    in_order = dealt(monkeypatch, 401, batch_size=5)
    seeded = dealt(monkeypatch, 401, **shuffled, seed=7)
    dropped = dealt(monkeypatch, 405, **shuffled | {"drop_last": True})
    expected = pairs(window_loader(range(401), batch_size=100, context_size=4))
    for ranks in (even, in_order, seeded):
        for first, second in zip(*ranks, strict=True):
            assert len(first) == len(second)
            assert sorted(first + second) == expected  # each once
    for first, second in zip(*dropped, strict=True):
        assert len(first) == len(second) == 48  # 50 each, in batches of 3
        assert len({*first, *second}) == 96
    for one, two, three in (*even, *dropped, *seeded):  # each epoch has another order
        assert one != two != three != one
    assert in_order[0][0] == in_order[0][1] == expected[::2]
    assert seeded != even


# Three processes import torch to run a few lines.
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="gloo is for Linux and macOS")
def test_the_example_runs_under_torchrun() -> None:
    # Without the address torchrun looks up the machine's name, which some machines do not know.
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--local-addr", "127.0.0.1", "--nproc-per-node", "2"]
    command += [str(ROOT / "examples" / "distributed_windows.py")]
    loopback = {"linux": "lo", "darwin": "lo0"}.get(sys.platform, "")
    env = os.environ | {"GLOO_SOCKET_IFNAME": loopback, "PYTHONPATH": str(ROOT)}
    shown = subprocess.check_output(command, env=env, text=True, timeout=180)
    told = "epoch {}: 24 + 24 windows, 0 missing, 0 twice"
    assert shown.splitlines() == [*map(told.format, range(3))]
