"""Windows, batches, token files: what they hold, and what they refuse."""

import hashlib
import io
import itertools
import json
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch.utils.data import DataLoader, Subset

from companion import windows
from companion.bpe import BPETokenizer, gpt2, train_bpe
from companion.story import SENTENCE, load_story
from companion.windows import (
    PaddedBatch,
    SlidingWindows,
    _batches,
    _encoded,
    _Encoder,
    _EpochSampler,
    pad_batch,
    read_tokens,
    window_count,
    window_loader,
    write_tokens,
)
from companion.wordpiece import bert_uncased
from companion.words import WordTokenizer, build_vocab

ROOT = Path(__file__).parents[2]
START_METHODS = multiprocessing.get_all_start_methods()
SIZES = st.tuples(st.integers(0, 200), st.integers(1, 40), st.integers(1, 60))
ENOUGH = SIZES.filter(lambda sizes: sizes[0] > sizes[1])


class Letters:
    """A tokenizer of a name a letter, at the top of a module so that it can be pickled."""

    def __init__(self, n_vocab: int = 128) -> None:
        self.n_vocab = n_vocab

    def encode(self, text: str) -> list[int]:
        return [ord(letter) for letter in text]

    def decode(self, ids: Iterable[int]) -> str:
        return "".join(map(chr, ids))


def rows(batch: torch.Tensor) -> list[list[int]]:
    return [[int(i) for i in row] for row in batch]


def pairs(batches: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> list[tuple[Any, Any]]:
    """All windows of some batches, as tuples."""
    found = []
    for inputs, targets in batches:
        found += zip(map(tuple, inputs.tolist()), map(tuple, targets.tolist()), strict=True)
    return found


# ------------------------------------------------------------------------------ counting


@pytest.mark.parametrize(
    ("sizes", "count"),
    [
        ((1547, 5, 1), 1542),
        ((1547, 5, 2), 771),
        ((1547, 5, 5), 309),
        ((1547, 5, 6), 257),
        ((1547, 1024, 2), 262),
        ((1547, 1024, 1024), 1),
        ((5145, 4, 4), 1286),
        ((6, 5, 1), 1),
        ((5, 5, 1), 0),
        ((0, 5, 1), 0),
    ],
)
def test_window_count(sizes: tuple[int, int, int], count: int) -> None:
    assert window_count(*sizes) == count


@given(SIZES)
def test_window_count_is_the_formula_and_the_walk(sizes: tuple[int, int, int]) -> None:
    n, context_size, stride = sizes
    assert window_count(*sizes) == max(0, -((context_size - n) // stride))
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
    assert i == len(windows) - 1
    # One more window would need an id that is not there.
    assert windows.starts[-1] + stride + context_size >= n


@given(st.integers(2, 300), st.integers(1, 40))
def test_at_the_default_stride_each_target_occurs_at_most_once(n: int, context_size: int) -> None:
    if n <= context_size:
        return
    windows = SlidingWindows(range(n), context_size)
    targets = [i for _, window in windows for i in window.tolist()]
    assert targets == [*range(1, len(windows) * context_size + 1)]
    assert n - 1 - len(targets) < context_size  # the dropped tail is less than a window


def test_stride_equal_to_the_context_loses_no_target_and_one_more_loses_one_a_step() -> None:
    # 5145 = 1286 windows of 4, and one id that is only a target.
    def lost(stride: int) -> int:
        seen = {i for _, window in SlidingWindows(range(5145), 4, stride) for i in window.tolist()}
        return 5145 - 1 - len(seen)

    assert (lost(4), lost(5)) == (0, 1028)


# ------------------------------------------------------------------------------ windows

NINE = [7454, 2402, 257, 640, 612, 547, 1440, 1310, 22502]


def test_the_sentence_of_the_book() -> None:
    ids = gpt2().encode(SENTENCE + ", and their names\n")
    assert ids == [*NINE[:8], 22502, 896, 11, 290, 511, 3891, 198]
    inputs, targets = SlidingWindows(ids, 5)[0]
    prefixes = [(inputs[: i + 1].tolist(), int(targets[i])) for i in range(5)]
    assert prefixes[0] == ([7454], 2402)
    assert prefixes[-1] == ([7454, 2402, 257, 640, 612], 547)
    inputs, targets = next(iter(window_loader(ids, batch_size=3, context_size=5, stride=2)))
    assert rows(inputs) == [NINE[:5], NINE[2:7], NINE[4:9]]
    assert rows(targets) == [NINE[1:6], NINE[3:8], [*NINE[5:9], 896]]


def test_the_figures_of_peter_rabbit(test_texts: Path) -> None:
    ids = gpt2().encode((test_texts / "peter_rabbit.txt").read_text(encoding="utf-8"))
    assert (len(ids), len(set(ids))) == (1547, 513)
    for sizes, count in {
        (5, 1): 1542, (5, 2): 771, (5, 5): 309, (5, 6): 257, (1024, 2): 262, (1024, 1024): 1,
    }.items():  # fmt: skip
        assert len(SlidingWindows(ids, *sizes)) == count
        assert len(pairs(window_loader(ids, batch_size=1, context_size=sizes[0], stride=sizes[1])))
    inputs, targets = next(iter(window_loader(ids, batch_size=3, context_size=1024, stride=2)))
    assert inputs.shape == targets.shape == (3, 1024)
    assert rows(inputs[:, -3:]) == [[480, 517, 290], [290, 517, 36907], [36907, 13, 1763]]
    assert rows(targets[:, -3:]) == [[517, 290, 517], [517, 36907, 13], [13, 1763, 1473]]


INTEGERS = ["i1", "u1", "<i2", ">u2", "u2", "i4", "u4", ">i8", "i8", "u8"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_arrays_of_any_integer_type(dtype: str) -> None:
    check_source(np.arange(20).astype(dtype))


@pytest.mark.parametrize(
    "dtype",
    [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
    + [getattr(torch, name) for name in ("uint16", "uint32", "uint64") if hasattr(torch, name)],
)
def test_tensors_of_any_integer_type(dtype: torch.dtype) -> None:
    check_source(torch.arange(20).to(dtype))


@pytest.mark.parametrize("make", [list, tuple, lambda ids: ids, lambda ids: array("H", ids)])
def test_sequences_of_python(make: Callable[[range], Any]) -> None:
    check_source(make(range(20)))


def test_numbers_of_numpy_and_torch_in_a_list() -> None:
    check_source([np.uint16(i) for i in range(10)] + [torch.tensor(i) for i in range(10, 20)])


def test_arrays_and_tensors_with_gaps() -> None:
    check_source(np.arange(40) // 2, slice(None, None, 2))
    check_source(torch.arange(40) // 2, slice(None, None, 2))
    check_source(np.arange(19, -1, -1), slice(None, None, -1))


def check_source(ids: Any, part: slice = slice(None)) -> None:
    windows = SlidingWindows(ids[part], 6, 4)
    expected = SlidingWindows(range(20), 6, 4)
    assert len(windows) == len(expected) == 4
    for i in range(4):
        for found, right in zip(windows[i], expected[i], strict=True):
            assert found.dtype == torch.int64
            assert found.shape == (6,)
            assert found.is_contiguous()
            assert torch.equal(found, right)
    again = pickle.loads(pickle.dumps(windows))
    assert [rows(again[i]) for i in range(4)] == [rows(expected[i]) for i in range(4)]
    inputs, targets = next(iter(window_loader(ids[part], batch_size=4, context_size=6, stride=4)))
    assert inputs.dtype == targets.dtype == torch.int64
    assert rows(inputs) == [window.tolist() for window, _ in expected]
    assert rows(targets) == [window.tolist() for _, window in expected]


def test_it_is_a_view() -> None:
    ids = torch.arange(10)
    windows = SlidingWindows(ids, 3)
    ids[0] = 77
    assert windows[0][0].tolist() == [77, 1, 2]
    numbers = np.arange(10, dtype=np.uint16)
    windows = SlidingWindows(numbers, 3)
    numbers[3] = 88
    assert windows[0][1].tolist() == [1, 2, 88]


@pytest.mark.parametrize("ids", [np.arange(10), torch.arange(10), [*range(10)]], ids=type)
def test_inputs_targets_and_ids_share_no_memory(ids: Any) -> None:
    windows = SlidingWindows(ids, 4, 1)
    batch = windows.__getitems__([0, 1])
    for inputs, targets in (windows[0], (batch.inputs, batch.targets)):
        inputs.fill_(-1)
        assert -1 not in targets
        targets.fill_(-2)
        assert -2 not in inputs
    assert [int(i) for i in ids] == [*range(10)]
    assert windows[0][0].tolist() == [0, 1, 2, 3]


def test_negative_numbers_count_from_the_end() -> None:
    windows = SlidingWindows(range(10), 3)
    assert rows(windows[-1]) == rows(windows[2]) == [[6, 7, 8], [7, 8, 9]]
    assert rows(windows[-3]) == rows(windows[0]) == [[0, 1, 2], [1, 2, 3]]
    assert windows[np.int64(2)][0].tolist() == [6, 7, 8]


@pytest.mark.parametrize("index", [3, -4, 10**20])
def test_a_window_that_is_not_there(index: int) -> None:
    message = f"there is no window {index} among 3 windows (0 to 2)"
    with pytest.raises(IndexError) as caught:
        SlidingWindows(range(10), 3)[index]
    assert str(caught.value) == message
    if abs(index) < 10:
        with pytest.raises(IndexError) as caught:
            SlidingWindows(range(10), 3).__getitems__([0, index])
        assert str(caught.value) == message


@pytest.mark.parametrize("index", [1.0, "1", slice(2), None, True])
def test_the_number_of_a_window_is_an_integer(index: Any) -> None:
    with pytest.raises(TypeError, match="the number of a window must be an integer, not "):
        SlidingWindows(range(10), 3)[index]


def test_the_numbers_of_a_batch_are_integers() -> None:
    with pytest.raises(TypeError) as caught:
        SlidingWindows(NINE, 3).__getitems__([0, 0.5])  # type: ignore[list-item]
    assert (
        str(caught.value)
        == "element 1 of the numbers of windows must be an integer, not float: 0.5"
    )


def test_a_batch_is_a_sequence_of_pairs_too() -> None:
    windows = SlidingWindows(range(10), 3)
    batch = windows.__getitems__([2, 0])
    assert len(batch) == 2
    assert [rows(pair) for pair in batch] == [rows(windows[2]), rows(windows[0])]
    assert len(windows.__getitems__([])) == 0


def test_plain_loaders_and_subsets_of_torch_work() -> None:
    windows = SlidingWindows(range(40), 4)
    mine = pairs(window_loader(range(40), batch_size=3, context_size=4, drop_last=False))
    assert pairs(DataLoader(windows, batch_size=3)) == mine
    assert pairs(DataLoader(Subset(windows, [1, 3]), batch_size=2)) == [mine[1], mine[3]]
    assert rows(next(iter(DataLoader(windows, batch_size=None)))) == rows(windows[0])


def test_repr() -> None:
    assert repr(SlidingWindows(range(1547), 5, 2)) == (
        "SlidingWindows(1547 tokens, context_size=5, stride=2: 771 windows)"
    )


# ------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize("n", [0, 1, 5])
def test_too_few_tokens(n: int) -> None:
    with pytest.raises(ValueError, match="too few") as caught:
        SlidingWindows([1] * n, 5)
    assert str(caught.value) == (
        f"{n} tokens are too few for a context_size of 5: "
        "a window needs 6, its inputs and the last target"
    )


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((0, 1), "context_size is 0; it must be at least 1"),
        ((-3, None), "context_size is -3; it must be at least 1"),
        ((2, 0), "stride is 0; it must be at least 1"),
        ((2, -1), "stride is -1; it must be at least 1"),
    ],
)
def test_sizes_below_one(sizes: tuple[int, int | None], message: str) -> None:
    with pytest.raises(ValueError, match="at least 1") as caught:
        SlidingWindows(range(10), *sizes)
    assert str(caught.value) == message
    if sizes[1] is not None:
        with pytest.raises(ValueError, match="at least 1") as caught:
            window_count(10, sizes[0], sizes[1])
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((2.0, 1), "context_size must be an integer, not float: 2.0"),
        ((2, "1"), "stride must be an integer, not str: '1'"),
        ((True, 1), "context_size must be an integer, not bool: True"),
    ],
)
def test_sizes_are_integers(sizes: tuple[Any, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        SlidingWindows(range(10), *sizes)
    assert str(caught.value) == message


def test_window_count_checks_the_number_of_tokens() -> None:
    with pytest.raises(ValueError, match="n_tokens is -1; it must be at least 0"):
        window_count(-1, 2, 2)
    with pytest.raises(TypeError, match=r"n_tokens must be an integer, not float: 10\.0"):
        window_count(10.0, 2, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        (np.arange(5.0), TypeError, "token_ids must be integers, not float64"),
        (torch.arange(5.0), TypeError, "token_ids must be integers, not torch.float32"),
        (torch.ones(5).bfloat16(), TypeError, "token_ids must be integers, not torch.bfloat16"),
        (np.array([True] * 5), TypeError, "token_ids must be integers, not bool"),
        (torch.tensor([True] * 5), TypeError, "token_ids must be integers, not bool"),
        (np.array([1, None]), TypeError, "token_ids must be integers, not object"),
        ([1, 2.5, 3], TypeError, "element 1 of token_ids must be an integer, not float: 2.5"),
        ([1, "b"], TypeError, "element 1 of token_ids must be an integer, not str: 'b'"),
        ([1, None], TypeError, "element 1 of token_ids must be an integer, not NoneType: None"),
        (
            [[1, 2], [3, 4]],
            ValueError,
            "token_ids must have one dimension, but element 0 is list: [1, 2]",
        ),
        (
            np.ones((2, 3), int),
            ValueError,
            "token_ids must have one dimension, not the shape (2, 3)",
        ),
        (
            torch.ones(2, 3).long(),
            ValueError,
            "token_ids must have one dimension, not the shape (2, 3)",
        ),
        (torch.tensor(3), ValueError, "token_ids must have one dimension, not the shape ()"),
        (
            [1, 2**63],
            ValueError,
            "element 1 of token_ids is 9223372036854775808, which is too large for int64",
        ),
        (
            torch.ones(5, dtype=torch.int64, device="meta"),
            ValueError,
            "token_ids must be in main memory, not on meta; call .cpu()",
        ),
        (
            "Once upon",
            TypeError,
            "token_ids must be integers, not a text; encode it: tokenizer.encode(text)",
        ),
        (
            b"Once",
            TypeError,
            "token_ids must be a list, a tensor or an array of integers, not bytes: b'Once'; "
            "list(...) makes a list of it",
        ),
        (
            {1, 2},
            TypeError,
            "token_ids must be a list, a tensor or an array of integers, not set: {1, 2}; "
            "list(...) makes a list of it",
        ),
    ],
)  # fmt: skip
def test_what_is_no_sequence_of_ids(ids: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        SlidingWindows(ids, 2)
    assert str(caught.value) == message


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_generator_has_no_windows(num_workers: int) -> None:
    with pytest.raises(TypeError, match=r"not generator: .*; list.* makes a list of it"):
        window_loader(
            (i for i in range(100)),  # type: ignore[arg-type]
            batch_size=2,
            context_size=4,
            num_workers=num_workers,
        )


def test_an_id_that_no_int64_holds() -> None:
    windows = SlidingWindows(np.array([1, 2, 3, 2**63], dtype=np.uint64), 1)
    assert windows[0][0].tolist() == [1]
    with pytest.raises(ValueError, match=f"id {2**63} is too large: a tensor of ids holds int64"):
        windows[2]


# ------------------------------------------------------------------------------ pickles


def test_a_pickle_holds_the_ids_once_at_any_stride() -> None:
    for ids in (np.zeros(100_000, np.uint16), torch.zeros(100_000, dtype=torch.int16)):
        for stride in (1, 256):
            size = len(pickle.dumps(SlidingWindows(ids, 256, stride)))
            assert 200_000 <= size < 200_500
    part = np.zeros(100_000, np.uint16)[:1000]  # not the array that it is a part of
    assert len(pickle.dumps(SlidingWindows(part, 256, 1))) < 2_500


@pytest.fixture
def number_file(tmp_path: Path) -> Path:
    """A file of the numbers 0 to 9999."""
    path = tmp_path / "numbers.npy"
    np.save(path, np.arange(10_000, dtype=np.uint16))
    return path


def test_a_pickle_of_a_memory_map_holds_its_path(number_file: Path) -> None:
    ids = np.load(number_file, mmap_mode="r")
    for part in (ids, ids[5:], ids[77:1200], np.asarray(ids)[10:500], ids[77:][3:900]):
        windows = SlidingWindows(part, 8, 1)
        data = pickle.dumps(windows)
        assert len(data) < 400 + len(str(number_file))
        again = pickle.loads(data)
        assert len(again) == len(windows)
        for i in (0, -1):
            assert rows(again[i]) == rows(windows[i])
            assert again[i][0][0] == part[i if i == 0 else len(part) - 9]
        assert not again.token_ids.flags.writeable


@pytest.mark.parametrize("offset", [0, 10, 4096, 5000])
def test_a_map_that_begins_within_its_file(number_file: Path, offset: int) -> None:
    ids = np.memmap(number_file, np.uint16, "r", offset=128 + 2 * offset)
    windows = SlidingWindows(ids[3:400], 8)
    assert int(windows[0][0][0]) == offset + 3
    again = pickle.loads(pickle.dumps(windows))
    assert rows(again[5]) == rows(windows[5])


def test_what_no_path_can_tell_is_pickled_with_its_ids(number_file: Path) -> None:
    changed = np.load(number_file, mmap_mode="c")  # copy on write: the file does not change
    changed[0] = 9
    gaps = np.load(number_file, mmap_mode="r")[::3]
    with open(os.open(number_file, os.O_RDONLY), "rb") as file:  # of which a number is known
        unnamed = np.memmap(file, np.uint16, "r", offset=128)
    assert unnamed.filename is None
    for ids in (changed, gaps, unnamed):
        windows = SlidingWindows(ids, 4)
        assert rows(pickle.loads(pickle.dumps(windows))[0]) == rows(windows[0])


# ------------------------------------------------------------------------------ loaders


def test_batches_of_plain_numbers() -> None:
    loader = window_loader(range(1001), batch_size=4, context_size=10, stride=3)
    assert isinstance(loader, DataLoader)
    batches = list(loader)
    assert len(batches) == len(loader) == window_count(1001, 10, 3) // 4 == 82
    assert {type(batch) for batch in batches} == {tuple}
    for inputs, targets in batches:
        assert inputs.shape == targets.shape == (4, 10)
        assert torch.equal(targets, inputs + 1)


def test_the_last_batch_is_dropped_or_short() -> None:
    settings: dict[str, Any] = {"batch_size": 4, "context_size": 5}
    assert len(window_loader(range(31), **settings)) == 1
    batches = list(window_loader(range(31), **settings, drop_last=False))
    assert [len(inputs) for inputs, _ in batches] == [4, 2]
    assert len(pairs(batches)) == window_count(31, 5, 5)


def test_where_there_is_no_batch_a_warning_says_what_to_do() -> None:
    with pytest.warns(UserWarning, match="the loader has no batch") as caught:
        loader = window_loader(range(31), batch_size=7, context_size=5)
    assert [str(warning.message) for warning in caught] == [
        "the loader has no batch: SlidingWindows(31 tokens, context_size=5, stride=5: 6 windows) "
        "make no full batch of 7; pass drop_last=False or make batch_size or stride smaller"
    ]
    assert list(loader) == []


def test_no_batch_is_worth_a_warning_of_the_line_that_asks_for_it() -> None:
    with pytest.warns(UserWarning, match="the loader has no batch") as caught:
        window_loader(range(31), batch_size=7, context_size=5)
    assert caught[0].filename == __file__


def test_one_batch_is_worth_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    assert len(window_loader(range(31), batch_size=6, context_size=5)) == 1
    assert len(recwarn) == 0


def test_what_a_loader_of_torch_takes_is_handed_on() -> None:
    loader = window_loader(range(31), batch_size=2, context_size=5)
    assert (loader.num_workers, loader.timeout) == (0, 0)
    loader = window_loader(range(31), batch_size=2, context_size=5, num_workers=2, timeout=3)
    assert (loader.num_workers, loader.timeout) == (2, 3)


@given(ENOUGH, st.integers(1, 9), st.integers(0, 2**63 - 1))
def test_shuffled_each_window_is_seen_once(
    sizes: tuple[int, int, int], batch_size: int, seed: int
) -> None:
    n, context_size, stride = sizes
    loader = window_loader(
        range(n),
        batch_size=batch_size,
        context_size=context_size,
        stride=stride,
        shuffle=True,
        drop_last=False,
        seed=seed,
    )
    expected = [
        (tuple(x.tolist()), tuple(y.tolist())) for x, y in SlidingWindows(range(n), *sizes[1:])
    ]
    for _ in range(2):
        assert sorted(pairs(loader)) == expected


def shuffled(**options: Any) -> DataLoader[tuple[torch.Tensor, torch.Tensor]]:
    return window_loader(range(201), batch_size=5, context_size=4, shuffle=True, **options)


def test_a_seed_makes_the_orders_of_all_epochs_reproducible() -> None:
    loader, same, other = shuffled(seed=1), shuffled(seed=1), shuffled(seed=2)
    epochs = [pairs(loader) for _ in range(3)]
    assert epochs[0] != epochs[1] != epochs[2] != epochs[0]
    torch.rand(7)  # whatever else draws random numbers
    assert [pairs(same) for _ in range(3)] == epochs
    assert pairs(other) != epochs[0]


def test_without_a_seed_the_order_depends_on_that_of_torch() -> None:
    torch.manual_seed(3)
    first = pairs(shuffled())
    torch.manual_seed(3)
    assert pairs(shuffled()) == first
    assert pairs(shuffled()) != first


@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in START_METHODS])
def test_workers_deliver_the_same(method: str, number_file: Path) -> None:
    for ids in (np.arange(201, dtype=np.uint16), np.load(number_file, mmap_mode="r")[:201]):
        alone = window_loader(ids, batch_size=5, context_size=4, shuffle=True, seed=1)
        helped = window_loader(
            ids,
            batch_size=5,
            context_size=4,
            shuffle=True,
            seed=1,
            num_workers=2,
            multiprocessing_context=method,
            persistent_workers=True,
        )
        for _ in range(2):
            assert pairs(helped) == pairs(alone)
        del helped


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "batch_size is 0; it must be at least 1"),
        ({"num_workers": -1}, "num_workers is -1; it must be at least 0"),
        ({"seed": -1}, "seed is -1; it must be at least 0"),
        ({"context_size": 0}, "context_size is 0; it must be at least 1"),
    ],
)
def test_settings_of_a_loader_that_are_out_of_range(settings: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match="at least") as caught:
        window_loader(range(10), **{"batch_size": 2, "context_size": 3} | settings)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["batch_size", "num_workers", "seed", "context_size", "stride"])
def test_settings_of_a_loader_are_integers(name: str) -> None:
    settings: Any = {"batch_size": 2, "context_size": 3} | {name: 2.0}
    with pytest.raises(TypeError, match=f"{name} must be an integer, not float: 2.0"):
        window_loader(range(10), **settings)


# ------------------------------------------------------------------------------ several processes


def test_distributed_needs_a_process_group() -> None:
    with pytest.raises(RuntimeError) as caught:
        window_loader(range(10), batch_size=1, context_size=2, distributed=True)
    assert str(caught.value) == (
        "distributed=True needs a process group: call torch.distributed.init_process_group() "
        "first, in a program that torchrun starts"
    )


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("seed", [None, 0, 5])
def test_the_sampler_of_a_process_group_gets_what_the_loader_was_given(
    rank: int, shuffle: bool, drop_last: bool, seed: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
    monkeypatch.setattr(torch.distributed, "get_rank", lambda: rank)
    loader = window_loader(
        range(16), batch_size=2, context_size=1, shuffle=shuffle, drop_last=drop_last, seed=seed,
        distributed=True,
    )  # fmt: skip
    sampler: Any = loader.sampler
    assert (sampler.num_replicas, sampler.rank) == (2, rank)
    assert (sampler.shuffle, sampler.drop_last, sampler.seed) == (shuffle, drop_last, seed or 0)
    assert len(sampler.dataset) == 15
    found = [inputs.flatten().tolist() for inputs, _ in loader]
    # Fifteen windows for two: seven each, or eight, of which one is dealt twice.
    assert [len(batch) for batch in found] == ([2, 2, 2] if drop_last else [2, 2, 2, 2])
    if not shuffle:
        assert found[0] == [rank, rank + 2]


DISTRIBUTED = pytest.mark.skipif(sys.platform == "win32", reason="gloo is for Linux and macOS")
LOOPBACK = {"GLOO_SOCKET_IFNAME": {"linux": "lo", "darwin": "lo0"}.get(sys.platform, "")}


def deal(rank: int, folder: str) -> None:
    """What each of two processes does: read, and write down what it has read."""
    torch.distributed.init_process_group(
        "gloo", init_method=f"{Path(folder, 'group').as_uri()}", rank=rank, world_size=2
    )
    ids = read_tokens(Path(folder, "tokens.npy"))
    dealt: dict[str, Any] = {}
    for drop_last, n in itertools.product([False, True], [401, 405]):
        loader = window_loader(
            ids[:n], batch_size=3, context_size=4, shuffle=True, drop_last=drop_last,
            distributed=True,
        )  # fmt: skip
        dealt[f"{n} {drop_last}"] = [pairs(loader) for _ in range(3)]
        loader.sampler.set_epoch(1)  # type: ignore[attr-defined]
        assert pairs(loader) == dealt[f"{n} {drop_last}"][1]
    plain = window_loader(ids[:401], batch_size=5, context_size=4, distributed=True)
    dealt["in order"] = [pairs(plain) for _ in range(2)]
    seeded = window_loader(
        ids[:401], batch_size=5, context_size=4, shuffle=True, seed=7, distributed=True,
        num_workers=1,
    )  # fmt: skip
    dealt["seeded"] = [pairs(seeded) for _ in range(2)]
    Path(folder, f"{rank}.json").write_text(json.dumps(dealt), encoding="utf-8")
    torch.distributed.destroy_process_group()


@pytest.fixture(scope="module")
def dealt(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What each of two processes has read, all windows as tuples."""
    folder = tmp_path_factory.mktemp("distributed")
    write_tokens(["".join(map(chr, range(500)))], folder / "tokens.npy", Letters(500))
    code = "import sys, test_windows; test_windows.deal(int(sys.argv[1]), sys.argv[2])"
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    env = os.environ | LOOPBACK | {"PYTHONPATH": path}
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(rank), str(folder)], env=env)
        for rank in range(2)
    ]
    assert [process.wait(timeout=120) for process in running] == [0, 0]

    def tuples(value: Any) -> Any:
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    return [
        {name: tuples(epochs) for name, epochs in json.loads(path.read_text("utf-8")).items()}
        for path in (folder / "0.json", folder / "1.json")
    ]


def all_windows(n: int) -> list[Any]:
    return [(tuple(x.tolist()), tuple(y.tolist())) for x, y in SlidingWindows(range(n), 4)]


@DISTRIBUTED
@pytest.mark.parametrize("name", ["401 False", "in order", "seeded"])
def test_two_processes_see_each_window_once(dealt: list[Any], name: str) -> None:
    for of_ranks in zip(*(ranks[name] for ranks in dealt), strict=True):
        assert len(of_ranks[0]) == len(of_ranks[1])
        assert sorted(of_ranks[0] + of_ranks[1]) == all_windows(401)


@DISTRIBUTED
def test_each_epoch_has_another_order(dealt: list[Any]) -> None:
    for name in ("401 False", "405 False", "401 True", "405 True", "seeded"):
        for epochs in (ranks[name] for ranks in dealt):
            assert len(set(epochs)) == len(epochs)
    assert dealt[0]["401 False"][:2] != dealt[0]["seeded"]
    assert dealt[0]["in order"][0] == dealt[0]["in order"][1] == tuple(all_windows(401)[::2])


@DISTRIBUTED
def test_what_does_not_divide_evenly_is_dealt_twice_or_dropped(dealt: list[Any]) -> None:
    assert len(all_windows(405)) == 101
    for of_ranks in zip(*(ranks["405 False"] for ranks in dealt), strict=True):
        assert {*of_ranks[0], *of_ranks[1]} == {*all_windows(405)}
        assert [len(rank) for rank in of_ranks] == [51, 51]
    for of_ranks in zip(*(ranks["405 True"] for ranks in dealt), strict=True):
        assert [len(rank) for rank in of_ranks] == [48, 48]  # 50 each, in batches of 3
        assert len({*of_ranks[0], *of_ranks[1]}) == 96


@DISTRIBUTED
def test_the_example_runs_under_torchrun(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", "2"]
    command += [str(ROOT / "examples" / "distributed_windows.py")]
    env = os.environ | LOOPBACK | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    for extra in ([], ["--tokens", str(tmp_path / "story.npy")]):
        done = subprocess.run(
            command + extra, env=env, capture_output=True, text=True, check=False, timeout=180
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [
            f"epoch {epoch}: 24 + 24 windows, none of 48 missing, 0 twice" for epoch in range(3)
        ]
    assert read_tokens(tmp_path / "story.npy", gpt2())[-1] == 50256


# ------------------------------------------------------------------------------ token files

DOCUMENTS = ["Once upon a time", "", "there were four little Rabbits\n"]
END = "<|endoftext|>"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "corpus.npy"


def in_folder(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


def test_documents_one_after_the_other_with_a_separator(path: Path) -> None:
    expected = []
    for document in DOCUMENTS:
        expected += [*gpt2().encode(document), 50256]
    assert write_tokens(iter(DOCUMENTS), path, gpt2(), separator=END) == len(expected) == 14
    assert in_folder(path) == ["corpus.npy"]
    ids = read_tokens(path, gpt2())
    assert isinstance(ids, np.memmap)
    assert (ids.dtype, ids.mode, ids.tolist()) == (np.uint16, "r", expected)
    with pytest.raises(ValueError, match="read-only"):
        ids[0] = 1
    as_numpy_writes = io.BytesIO()
    np.save(as_numpy_writes, np.array(expected, np.uint16))
    assert path.read_bytes().startswith(as_numpy_writes.getvalue())
    # numpy alone can read it, mapped or not.
    assert np.load(path).tolist() == np.load(path, mmap_mode="r").tolist() == expected


def test_without_a_separator_documents_run_together(path: Path) -> None:
    n = write_tokens(DOCUMENTS, path, gpt2())
    assert read_tokens(str(path)).tolist() == [i for d in DOCUMENTS for i in gpt2().encode(d)]
    assert n == 11


@pytest.mark.parametrize(
    ("n_vocab", "dtype"),
    [
        (128, "u1"),
        (256, "u1"),
        (257, "<u2"),
        (50_257, "<u2"),
        (65_536, "<u2"),
        (65_537, "<u4"),
        (2**32, "<u4"),
        (2**32 + 1, "<u8"),
    ],
)
def test_the_smallest_type_that_holds_the_vocabulary(
    n_vocab: int, dtype: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if n_vocab > 10**5:  # too many to look at one by one
        monkeypatch.setattr("companion.windows._describe_vocabulary", lambda tokenizer: {})
    write_tokens(["abc"], path, Letters(n_vocab), separator=n_vocab - 1)
    ids = read_tokens(path)
    assert ids.dtype == np.dtype(dtype)
    assert ids.tolist() == [97, 98, 99, n_vocab - 1]


@given(st.lists(st.text(st.characters(max_codepoint=299))), st.booleans())
def test_what_is_written_is_read(documents: list[str], separated: bool) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "corpus")  # no suffix is added
        n = write_tokens(documents, path, Letters(300), separator=299 if separated else None)
        ids = read_tokens(path, Letters(300)).tolist()
    assert len(ids) == n
    assert "".join(map(chr, ids)) == "".join(d + "\u012b" * separated for d in documents)


def test_an_empty_corpus(path: Path) -> None:
    assert write_tokens([], path, gpt2()) == 0
    ids = read_tokens(path, gpt2())
    assert (ids.shape, ids.dtype) == ((0,), np.uint16)
    with pytest.raises(ValueError, match="0 tokens are too few"):
        SlidingWindows(ids, 1)


@pytest.mark.parametrize(
    ("tokenizer", "separator", "token_id"),
    [
        (gpt2(), END, 50256),
        (gpt2(), 50256, 50256),
        (gpt2(), np.uint16(7), 7),
        (gpt2(), "\n", 198),
        (train_bpe("low lower", 260, special_tokens=["<|a|>", "<|b|>"]), "<|b|>", 259),
        (gpt2().to_tiktoken("gpt2-again"), END, 50256),
        (bert_uncased(), "[SEP]", 102),
        (WordTokenizer(build_vocab("Once upon", [END, "<unk>"]), "<unk>"), END, 2),
        (Letters(), ".", 46),
    ],
)
def test_separators(tokenizer: Any, separator: Any, token_id: int, path: Path) -> None:
    write_tokens(["low"], path, tokenizer, separator=separator)
    ids = tokenizer.encode("low")
    assert read_tokens(path).tolist() == [*ids, token_id]


@pytest.mark.parametrize(
    ("tokenizer", "separator", "message"),
    [
        (gpt2(), "<|end|>", "separator '<|end|>' is not one token of the tokenizer; give the text "
                            "of a special token that it has, or an id"),
        (gpt2(), "", "separator '' is not one token"),
        (bert_uncased(), END, "separator '<|endoftext|>' is not one token"),
        (WordTokenizer({"<unk>": 0}, "<unk>"), END, "separator '<|endoftext|>' is not one token"),
        (WordTokenizer({"a": 0}), END, "separator '<|endoftext|>' is not one token"),
        (gpt2(), 50257, "separator 50257 is not an id of the vocabulary of 50257 tokens "
                        "(0 to 50256)"),
        (gpt2(), -1, "separator -1 is not an id of the vocabulary"),
    ],
)  # fmt: skip
def test_what_is_no_separator(tokenizer: Any, separator: Any, message: str, path: Path) -> None:
    with pytest.raises(ValueError, match="separator") as caught:
        write_tokens(DOCUMENTS, path, tokenizer, separator=separator)
    assert str(caught.value).startswith(message)
    assert in_folder(path) == []


def test_a_separator_is_an_id_or_a_text(path: Path) -> None:
    with pytest.raises(TypeError, match=r"separator must be an integer, not float: 1\.0"):
        write_tokens(DOCUMENTS, path, gpt2(), separator=1.0)  # type: ignore[arg-type]


def test_progress_goes_to_standard_error(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tokens(DOCUMENTS, path, gpt2(), progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("\rwrite_tokens: 1 of 3 documents, 4 tokens\r")
    assert err.endswith("\rwrite_tokens: 3 of 3 documents, 11 tokens\n")
    write_tokens(iter(DOCUMENTS), path, gpt2(), progress=True)
    assert capsys.readouterr().err.endswith("\rwrite_tokens: 3 documents, 11 tokens\n")
    write_tokens(DOCUMENTS, path, gpt2())
    assert capsys.readouterr().err == ""


def many_documents(n: int = 300) -> Iterator[str]:
    story = load_story()
    for i in range(n):
        yield story[: 17 * i]


def test_several_processes_write_the_same_file(path: Path) -> None:
    n = write_tokens(many_documents(), path, gpt2(), separator=END)
    other = path.with_name("parallel.npy")
    assert write_tokens(many_documents(), other, gpt2(), separator=END, num_workers=2) == n
    assert other.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(("num_workers", "ahead"), [(0, 1), (2, 5)])
def test_documents_are_read_as_they_are_needed(num_workers: int, ahead: int) -> None:
    """Alone one at a time; with workers two for each and one more."""
    drawn = []

    def watched() -> Iterator[str]:
        for i in range(20):
            drawn.append(i)
            yield "a" * 2**18

    encoded = _encoded(watched(), _Encoder(Letters(), None), num_workers)
    for done, _ in enumerate(encoded, 1):
        assert len(drawn) == min(done - 1 + ahead, 20)
    assert done == 20


def test_as_many_processes_as_were_asked_for(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    asked = []

    def pool(n: int, **options: Any) -> ThreadPoolExecutor:
        asked.append(n)
        return ThreadPoolExecutor(n, **options)

    monkeypatch.setattr(windows, "ProcessPoolExecutor", pool)
    monkeypatch.setattr(windows, "_encoder", None, raising=False)
    assert write_tokens(["ab", "", "c"], path, Letters(), separator=0, num_workers=3) == 6
    assert read_tokens(path).tolist() == [97, 98, 0, 0, 99, 0]
    assert asked == [3]
    write_tokens(["ab"], path, Letters())
    assert asked == [3]  # none, unless some are asked for


def test_an_unfinished_file_bears_a_name_of_its_own(path: Path) -> None:
    found = []

    def texts() -> Iterator[str]:
        yield "a"
        found.extend(in_folder(path))

    write_tokens(texts(), path, Letters())
    write_tokens(texts(), path, Letters())
    first, old, second = found
    assert old == "corpus.npy"
    assert first != second
    for name in (first, second):
        assert re.fullmatch(r"corpus\.npy\.[0-9a-f]{8}\.part", name)


class Screen:
    """Keeps what is written, and what of it has been flushed."""

    def __init__(self) -> None:
        self.written = self.seen = ""

    def write(self, text: str) -> None:
        self.written += text

    def flush(self) -> None:
        self.seen = self.written


def test_progress_is_shown_ten_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, screen = [100.0], Screen()
    monkeypatch.setattr("companion.windows.time.monotonic", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", screen)
    progress = windows._Progress(["text"] * 2000)
    line = "\rwrite_tokens: {} of 2,000 documents, {} tokens"
    shown = ""
    for now, n, visible in [
        (100.0, 1, True), (100.0625, 2, False), (100.09375, 3, False), (100.125, 4, True),
        (100.1875, 5, False), (100.25, 1500, True),
    ]:  # fmt: skip
        clock[0] = now
        progress.show(n, 2 * n)
        shown += line.format(f"{n:,}", f"{2 * n:,}") * visible
        assert screen.seen == shown
    progress.finish(2000, 4000)  # however soon it comes
    assert screen.seen == shown + line.format("2,000", "4,000") + "\n"


def failing(error: BaseException) -> Iterator[str]:
    yield from DOCUMENTS
    raise error


class FailsLater(Letters):
    def encode(self, text: str) -> list[int]:
        if text == "bad":
            raise LookupError("no such letter")
        return super().encode(text)


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.parametrize("error", [OSError("the disk is gone"), KeyboardInterrupt(), SystemExit(3)])
def test_an_iterable_that_fails_half_way(
    error: BaseException, num_workers: int, existing: bool, path: Path
) -> None:
    if existing:
        write_tokens(["before"], path, Letters())
    before = path.read_bytes() if existing else b""
    with pytest.raises(type(error)) as caught:
        write_tokens(failing(error), path, Letters(), num_workers=num_workers)
    assert caught.value is error
    assert in_folder(path) == ["corpus.npy"] * existing
    assert not existing or path.read_bytes() == before


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_document_that_cannot_be_encoded(num_workers: int, path: Path) -> None:
    with pytest.raises(LookupError, match="no such letter") as caught:
        write_tokens(["fine", "bad", "fine"], path, FailsLater(), num_workers=num_workers)
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == ["This was document 1: 'bad'"]
    assert in_folder(path) == []


def test_a_special_token_in_a_document_is_refused(path: Path) -> None:
    with pytest.raises(ValueError, match="disallowed special token"):
        write_tokens(["fine", f"forged {END}"], path, gpt2(), separator=END)
    assert in_folder(path) == []


class Full:
    """An open file on a disk with little room."""

    def __init__(self, file: Any, room: int, fails_at: str) -> None:
        self.file, self.room, self.fails_at = file, room, fails_at

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> "Full":
        return self

    def __exit__(self, *error: object) -> None:
        self.file.close()

    def write(self, data: bytes) -> int:
        self.room -= len(data)
        if self.fails_at == "write" and self.room < 0:
            raise OSError(28, "No space left on device")
        return int(self.file.write(data))

    def flush(self) -> None:
        if self.fails_at == "flush":
            raise OSError(28, "No space left on device")
        self.file.flush()


@pytest.mark.parametrize(("room", "fails_at"), [(100, "write"), (2000, "write"), (0, "flush")])
def test_a_full_disk_leaves_the_old_file(
    room: int, fails_at: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tokens(["before"], path, Letters())
    before = path.read_bytes()

    def open_full(*args: Any, **kwargs: Any) -> Any:
        return Full(open(*args, **kwargs), room, fails_at)

    monkeypatch.setattr("companion.windows.open", open_full, raising=False)
    with pytest.raises(OSError, match="No space left on device"):
        write_tokens(["a" * 1000] * 10, path, Letters())
    assert in_folder(path) == ["corpus.npy"]
    assert path.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is for Linux")
def test_a_disk_that_is_really_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = open("/dev/full", "wb")  # noqa: SIM115
    monkeypatch.setattr("companion.windows.open", lambda *_: full, raising=False)
    with pytest.raises(OSError, match="No space left on device"):
        write_tokens(["a" * 10**6], path, Letters())
    assert in_folder(path) == []


def test_a_process_that_is_killed_leaves_the_old_file(path: Path) -> None:
    write_tokens(["before"], path, Letters())
    before = path.read_bytes()
    code = (
        "import os, sys; from test_windows import Letters, write_tokens\n"
        "def texts():\n"
        "    yield 'a' * 10**6\n"
        "    os._exit(9)\n"
        "write_tokens(texts(), sys.argv[1], Letters())"
    )
    search = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": search}, check=False)
    assert done.returncode == 9
    assert sorted(name.rpartition(".")[2] for name in in_folder(path)) == ["npy", "part"]
    assert path.read_bytes() == before
    assert read_tokens(path, Letters()).tolist() == Letters().encode("before")


def test_two_writers_do_not_mix(path: Path) -> None:
    texts = ["a" * 50_000, "b" * 60_000]
    threads = [
        threading.Thread(target=write_tokens, args=([t] * 5, path, Letters())) for t in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert in_folder(path) == ["corpus.npy"]
    assert len(set(read_tokens(path).tolist())) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_the_file_has_the_permissions_of_any_new_file(path: Path) -> None:
    write_tokens(DOCUMENTS, path, gpt2())
    plain = path.with_name("plain")
    plain.write_text("")
    assert path.stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize(
    ("documents", "error", "message"),
    [
        ("one text", TypeError, "documents must be an iterable of strings, not str: 'one text'; "
                                "write [text] for one document"),
        (7, TypeError, "documents must be an iterable of strings, not int: 7; "
                       "write [text] for one document"),
        (["a", b"b"], TypeError, "document 1 must be a string, not bytes: b'b'; "
                                 "decode it first: data.decode('utf-8')"),
        (["a", None], TypeError, "document 1 must be a string, not NoneType: None"),
        (["a", "été"], ValueError, "the tokenizer gave the id 233 for document 1, outside its own "
                                   "vocabulary of 128 tokens (0 to 127)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("num_workers", [0, 1])
def test_documents_that_cannot_be_written(
    documents: Any, error: type[Exception], message: str, num_workers: int, path: Path
) -> None:
    with pytest.raises(error) as caught:
        write_tokens(documents, path, Letters(), num_workers=num_workers)
    assert str(caught.value) == message
    assert in_folder(path) == []


class Odd(Letters):
    """A tokenizer that gives what it was told to give."""

    def __init__(self, ids: Any) -> None:
        super().__init__()
        self.ids = ids

    def encode(self, text: str) -> Any:
        return self.ids


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([5, -1], ValueError, "the tokenizer gave the id -1 for document 0, outside its own "
                              "vocabulary of 128 tokens (0 to 127)"),
        ([5, 128], ValueError, "the tokenizer gave the id 128 for document 0, outside its own "
                               "vocabulary of 128 tokens (0 to 127)"),
        ([5, 2**40], ValueError, "the tokenizer gave the id 1099511627776 for document 0, outside"),
        ([5, 1.5], TypeError, "element 1 of the ids of document 0 must be an integer, not float: "),
        (None, TypeError, "the ids of document 0 must be a list, a tensor or an array"),
        (torch.ones(2, 2).int(), ValueError, "the ids of document 0 must have one dimension, not"),
    ],
)  # fmt: skip
def test_a_tokenizer_that_gives_no_ids(
    ids: Any, error: type[Exception], message: str, path: Path
) -> None:
    with pytest.raises(error) as caught:
        write_tokens(["a"], path, Odd(ids))
    assert str(caught.value).startswith(message)
    assert in_folder(path) == []


@pytest.mark.parametrize(
    "ids", [np.array([0, 127], "u8"), torch.tensor([0, 127]), (0, 127)], ids=type
)
def test_a_tokenizer_may_give_arrays(ids: Any, path: Path) -> None:
    write_tokens(["a"], path, Odd(ids), separator=3)
    assert read_tokens(path).tolist() == [0, 127, 3]


def test_the_id_of_a_separator_is_an_integer(path: Path) -> None:
    odd = Odd([0.5])
    odd.decode = lambda ids: END  # type: ignore[method-assign]
    with pytest.raises(TypeError, match=r"^an id must be an integer, not float: 0\.5$"):
        write_tokens(["a"], path, odd, separator=END)
    odd.vocab = {END: "5"}  # type: ignore[attr-defined]
    with pytest.raises(
        TypeError, match=r"^the id of '<\|endoftext\|>' must be an integer, not str"
    ):
        write_tokens(["a"], path, odd, separator=END)


def test_places_that_cannot_be_written(path: Path) -> None:
    def texts() -> Iterator[str]:
        pytest.fail("a document was read in vain")
        yield ""

    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        write_tokens(texts(), path.parent, gpt2())
    with pytest.raises(FileNotFoundError, match=r"the folder .*none does not exist; make it"):
        write_tokens(texts(), path.parent / "none" / "corpus.npy", gpt2())
    with pytest.raises(TypeError, match="tokenizer must have encode, decode and n_vocab: int: 5"):
        write_tokens(texts(), path, 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="num_workers is -1; it must be at least 0"):
        write_tokens(texts(), path, gpt2(), num_workers=-1)
    assert in_folder(path) == []


# ------------------------------------------------------------------------------ damaged files


def test_a_file_of_another_vocabulary_is_refused(path: Path) -> None:
    tokenizer = train_bpe("low lower lowest", 259)
    write_tokens(["low lower"], path, tokenizer)
    assert read_tokens(path, tokenizer).dtype == np.uint16
    with pytest.raises(ValueError, match="another vocabulary") as caught:
        read_tokens(path, gpt2())
    assert str(caught.value) == (
        f"{path} was written with another vocabulary: of 259 tokens, while the tokenizer has 50257"
    )
    other = train_bpe("her hers hearse", 259)
    with pytest.raises(ValueError, match="another vocabulary") as caught:
        read_tokens(path, other)
    assert str(caught.value) == (
        f"{path} was written with another vocabulary: of 259 tokens too, but some ids stand for "
        "other texts"
    )


def test_an_equal_vocabulary_is_the_same_whoever_holds_it(path: Path) -> None:
    tokenizer = train_bpe("low lower lowest", 259)
    write_tokens(["low lower"], path, tokenizer)
    encoding = tokenizer.to_tiktoken("low")
    assert isinstance(encoding, tiktoken.Encoding)
    again = BPETokenizer(tokenizer.merges)
    assert read_tokens(path, encoding).tolist() == read_tokens(path, again).tolist()


def test_a_vocabulary_with_gaps(path: Path) -> None:
    tokenizer = WordTokenizer({"a": 0, "b": 7})
    write_tokens(["a b"], path, tokenizer)
    assert read_tokens(path, tokenizer).tolist() == [0, 7]
    with pytest.raises(ValueError, match="another vocabulary"):
        read_tokens(path, WordTokenizer({"a": 1, "b": 7}))


def test_a_file_that_was_cut_short_is_refused_wherever_it_was_cut(path: Path) -> None:
    write_tokens(["a" * 50], path, Letters())
    data = path.read_bytes()
    start = data.index(b"a" * 50)
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(ValueError, match="cut short") as caught:
            read_tokens(path)
        assert str(caught.value).startswith(f"{path} ")
        if start <= length < start + 50:
            assert str(caught.value) == (
                f"{path} is cut short: it should hold 50 ids, but there are {length - start}; "
                "write it again with write_tokens"
            )
        elif length >= start + 50:
            assert str(caught.value) == (
                f"{path} is cut short after its ids, or was not written by write_tokens: there is "
                "no description of its vocabulary; np.load(path, mmap_mode='r') maps any .npy file"
            )


def test_what_is_left_of_a_file_is_counted_in_ids(path: Path) -> None:
    write_tokens(["a" * 50], path, Letters(300))  # two bytes each
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"a\0a\0") + 2 * 30 + 1])
    with pytest.raises(ValueError, match="it should hold 50 ids, but there are 30; write it again"):
        read_tokens(path)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (np.arange(9, dtype="<i8"), "holds an array of type int64 and shape (9,), not unsigned"),
        (np.arange(9.0), "holds an array of type float64 and shape (9,), not unsigned integers"),
        (np.ones((2, 3), "u2"), "holds an array of type uint16 and shape (2, 3), not unsigned"),
        (np.array([None]), "holds an array of type object and shape (1,), not unsigned integers"),
        (np.arange(9, dtype="u2"), "is cut short after its ids, or was not written by "),
    ],
)  # fmt: skip
def test_a_file_that_write_tokens_did_not_write_is_refused(
    ids: Any, message: str, path: Path
) -> None:
    np.save(path, ids)
    with pytest.raises(ValueError, match="write_tokens") as caught:
        read_tokens(path)
    assert message in str(caught.value)


def test_what_is_no_npy_file_is_refused(path: Path) -> None:
    path.write_text("Once upon a time there were four little Rabbits", encoding="utf-8")
    with pytest.raises(ValueError, match="is not a file of write_tokens, or cut short in its head"):
        read_tokens(path)
    with pytest.raises(FileNotFoundError):
        read_tokens(path.with_name("none"))


def test_another_version_of_the_format_is_refused(path: Path) -> None:
    with open(path, "wb") as file:
        np.lib.format.write_array(file, np.arange(9, dtype="u2"), version=(2, 0))
    with pytest.raises(ValueError, match="another version of the format") as caught:
        read_tokens(path)
    assert str(caught.value) == (
        f"{path} is not a file of write_tokens, or cut short in its header: another version of "
        "the format"
    )


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_nothing_in_a_file_is_unpickled(path: Path) -> None:
    sprung = path.with_name("sprung")
    with open(path, "wb") as file:
        np.save(file, np.arange(9, dtype="u2"))
        np.save(file, np.array([Trap(sprung)], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="there is no description of its vocabulary"):
        read_tokens(path)
    assert not sprung.exists()


def test_a_file_whose_header_was_changed_is_refused(path: Path) -> None:
    write_tokens(["a" * 50], path, Letters())
    data = path.read_bytes()
    for old, new, found in [
        (b"'|u1'", b"'<u2'", "50 ids of type uint16"),
        (b"(50,)", b"(49,)", "49 ids of type uint8"),
    ]:
        assert data.count(old) >= 1
        # Keep the description where the changed header makes us look for it.
        changed = data.replace(old, new, 1).replace(b"a" * 50, b"a" * (100 if b"u2" in new else 49))
        path.write_bytes(changed)
        with pytest.raises(ValueError, match="was changed") as caught:
            read_tokens(path)
        assert str(caught.value) == (
            f"{path} was changed: its header tells of {found}, but 50 of type uint8 were written"
        )


def test_files_of_earlier_versions_stay_readable(path: Path) -> None:
    write_tokens(["ab", "c"], path, Letters(200), separator=5)
    description = {
        "format": "companion.windows 1",
        "n_tokens": 5,
        "dtype": "|u1",
        "n_documents": 2,
        "separator": 5,
    }
    with open(path, "rb") as file:
        assert np.load(file).tolist() == [97, 98, 5, 99, 5]
        written = json.loads(np.load(file).tobytes())
        assert file.read() == b""  # and nothing after it
    vocabulary = written.pop("vocabulary")
    assert written == description
    # The hash of all texts in JSON, each beside the other.
    texts = json.dumps([chr(i) for i in range(200)])
    sha256 = hashlib.sha256(texts.encode()).hexdigest()
    assert vocabulary == {"n_vocab": 200, "sha256": sha256}


def test_another_description_is_refused(path: Path) -> None:
    with open(path, "wb") as file:
        np.save(file, np.arange(9, dtype="u2"))
        np.save(file, np.frombuffer(b'{"format": "of another program"}', np.uint8))
    with pytest.raises(ValueError, match="there is no description of its vocabulary"):
        read_tokens(path)


def test_windows_of_a_token_file(path: Path) -> None:
    story = load_story()
    write_tokens([story] * 3, path, gpt2(), separator=END)
    ids = [*gpt2().encode(story), 50256] * 3
    loader = window_loader(read_tokens(path), batch_size=4, context_size=32, shuffle=True, seed=5)
    same = window_loader(ids, batch_size=4, context_size=32, shuffle=True, seed=5)
    assert pairs(loader) == pairs(same)


# ------------------------------------------------------------------------------ padding


def test_padding_and_its_mask() -> None:
    batch = pad_batch([NINE[:4], NINE[:1], []], pad_id=50256)
    assert isinstance(batch, PaddedBatch)
    assert rows(batch.ids) == [NINE[:4], [7454, *[50256] * 3], [50256] * 4]
    assert rows(batch.attention_mask) == [[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert batch.ids.dtype == batch.attention_mask.dtype == torch.int64
    ids, mask = batch
    assert ids is batch.ids
    assert mask is batch.attention_mask


def test_padding_on_the_left_and_to_a_length() -> None:
    batch = pad_batch([[1, 2], [3]], pad_id=-100, length=4, side="left")
    assert rows(batch.ids) == [[-100, -100, 1, 2], [-100, -100, -100, 3]]
    assert rows(batch.attention_mask) == [[0, 0, 1, 1], [0, 0, 0, 1]]
    # Positions that count ids only, as models with absolute positions need them.
    assert rows(batch.attention_mask.cumsum(1).sub(1).clamp(min=0)) == [[0, 0, 0, 1], [0, 0, 0, 0]]


@given(
    st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8), min_size=1, max_size=6),
    st.integers(0, 4),
    st.sampled_from(["right", "left"]),
)
def test_the_mask_gives_the_sequences_back(
    sequences: list[list[int]], more: int, side: Any
) -> None:
    length = max(map(len, sequences)) + more
    ids, mask = pad_batch(sequences, pad_id=7, length=length, side=side)
    assert ids.shape == mask.shape == (len(sequences), length)
    assert [row[kept.bool()].tolist() for row, kept in zip(ids, mask, strict=True)] == sequences
    assert (ids[mask == 0] == 7).all()


def test_padding_takes_tensors_and_arrays_and_copies_them() -> None:
    tensor = torch.tensor([1, 2, 3])
    batch = pad_batch(iter([tensor, np.array([4], np.uint8), range(2)]))
    assert rows(batch.ids) == [[1, 2, 3], [4, 0, 0], [0, 1, 0]]
    batch.ids[0, 0] = 9
    assert tensor.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("sequences", "settings", "error", "message"),
    [
        ([], {}, ValueError, "there is no sequence to pad; give at least one"),
        (
            [[1], [1, 2, 3]],
            {"length": 2},
            ValueError,
            "sequence 1 has 3 ids, more than the length of 2; cut it first: sequence[:2]",
        ),
        ([[1]], {"length": -1}, ValueError, "length is -1; it must be at least 0"),
        ([[1]], {"side": "up"}, ValueError, "side must be 'right' or 'left', not 'up'"),
        ([[1]], {"pad_id": 0.5}, TypeError, "pad_id must be an integer, not float: 0.5"),
        ("text", {}, TypeError, "sequences must be an iterable of sequences, not str: 'text'"),
        (3, {}, TypeError, "sequences must be an iterable of sequences, not int: 3"),
        (
            [1, 2],
            {},
            TypeError,
            "sequence 0 must be a list, a tensor or an array of integers, not int: 1; "
            "list(...) makes a list of it",
        ),
        ([[1], [2.0]], {}, TypeError, "element 0 of sequence 1 must be an integer, not float: 2.0"),
    ],
)
def test_what_cannot_be_padded(
    sequences: Any, settings: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        pad_batch(sequences, **settings)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pad_batch([bytearray(b"abcdefgh")]), TypeError, "sequence 0 must be a list"),
        (lambda: SlidingWindows(bytearray(24), 1), TypeError, "token_ids must be a list"),
        (
            lambda: pad_batch([np.array([2**63 + 5], np.uint64)]),
            ValueError,
            "id 9223372036854775813 is too large: a tensor of ids holds int64",
        ),
        (lambda: pad_batch([[1]], pad_id=2**70), ValueError, f"pad_id is {2**70}, which is"),
        (
            lambda: window_loader(range(9), batch_size=1, context_size=2, seed=2**64),
            ValueError,
            f"seed is {2**64}; it must be less than",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        call()


def test_int64_is_the_limit_to_the_last_number() -> None:
    least, most = -(2**63), 2**63 - 1
    for pad_id in (least, most):
        assert pad_batch([[1], []], pad_id=pad_id).ids.tolist() == [[1], [pad_id]]
    for pad_id in (least - 1, most + 1):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            pad_batch([[1], []], pad_id=pad_id)
        assert str(caught.value) == (
            f"pad_id is {pad_id}, which is too large: a tensor of ids holds int64"
        )
    for ids in ([least, most], np.array([0, most], np.uint64)):
        assert pad_batch([ids]).ids.tolist() == [[int(number) for number in ids]]
    for number in (least - 1, most + 1):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            pad_batch([[7], [least, most, number]])
        assert str(caught.value) == (
            f"element 2 of sequence 1 is {number}, which is too large for int64"
        )


def test_a_seed_is_a_number_that_torch_takes() -> None:
    loader = window_loader(range(9), batch_size=1, context_size=2, shuffle=True, seed=2**63 - 1)
    assert len(pairs(loader)) == 4
    with pytest.raises(ValueError, match=rf"^seed is {2**63}; it must be less than 2\*\*63$"):
        window_loader(range(9), batch_size=1, context_size=2, seed=2**63)


def test_documents_are_grouped_until_they_are_worth_the_way() -> None:
    def sizes(texts: list[str], size: int) -> list[list[int]]:
        return [[len(text) for _, text in batch] for batch in _batches(texts, size)]

    assert sizes(["abc", "d", "ef", "g"], 3) == [[3], [1, 2], [1]]
    assert sizes(["abc", "d", "e", "f"], 3) == [[3], [1, 1, 1]]
    assert sizes(["abc"], 3) == [[3]]
    assert sizes([], 3) == sizes([], 1) == []
    assert sizes(["", "", ""], 1) == [[0, 0, 0]]  # and none is forgotten
    assert list(_batches(["a", "bb", "c"], 3)) == [[(0, "a"), (1, "bb")], [(2, "c")]]
    assert [len(batch) for batch in _batches(["x" * 2**17] * 3)] == [2, 1]


def test_a_worker_encodes_with_the_encoder_that_it_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(windows, "_encoder", None, raising=False)
    windows._take(_Encoder(Letters(), 5))
    encoded = windows._encode_all([(3, "ab"), (4, "")])
    assert [ids.tolist() for ids in encoded] == [[97, 98, 5], [5]]
    with pytest.raises(ValueError, match=r"^the tokenizer gave the id 233 for document 7, outside"):
        windows._encode_all([(6, "a"), (7, "\u00e9")])


@pytest.mark.parametrize("shuffle", [False, True])
def test_each_process_of_a_group_counts_its_epochs(shuffle: bool) -> None:
    dataset = SlidingWindows(range(21), 2)

    def sampler(rank: int) -> Any:
        return _EpochSampler(dataset, num_replicas=2, rank=rank, shuffle=shuffle, seed=3)

    first, second = sampler(0), sampler(1)
    orders = []
    for epoch in range(3):
        assert (first.epoch, second.epoch) == (epoch, epoch)
        orders.append((list(first), list(second)))
        assert sorted(orders[-1][0] + orders[-1][1]) == list(range(10))  # each window once
    assert (orders[0] != orders[1] != orders[2]) is shuffle
    again = sampler(0)
    again.set_epoch(2)
    assert list(again) == orders[2][0]
