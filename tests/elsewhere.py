"""Tokenizers and programs for tests that start other processes: those import them by name."""

import itertools
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from companion.token_file import read_tokens, write_tokens


class Letters:
    """A tokenizer whose ids are code points."""

    def __init__(self, n_vocab: int = 128) -> None:
        self.n_vocab = n_vocab

    def encode(self, text: str) -> list[int]:
        return [ord(letter) for letter in text]

    def decode(self, ids: Iterable[int]) -> str:
        return "".join(map(chr, ids))


class TwoPartError(Exception):
    """An error that pickles, but cannot be made again from its message alone."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


class FailsLater(Letters):
    """A tokenizer that refuses two documents."""

    def encode(self, text: str) -> list[int]:
        if text == "bad":
            raise LookupError("no such letter")
        if text == "worse":
            raise TwoPartError("no such ", "word")
        return super().encode(text)


def stop_half_way(path: str) -> None:
    """Write a file, and end the process at once while it is written."""

    def texts() -> Iterator[str]:
        yield "a" * 10**6
        os._exit(9)

    write_tokens(texts(), path, Letters())


def write_for_ever(path: str) -> None:
    """Write a file in two more processes, and print their ids."""

    def texts() -> Iterator[str]:
        for i in itertools.count():
            if i == 8:
                print(*(process.pid for process in active_children()), flush=True)
            if i > 8:
                time.sleep(0.01)
            yield "a" * 2**18

    write_tokens(texts(), path, Letters(), num_workers=2)


def deal(rank: int, folder: str) -> None:
    """Read batches as one of two processes, and write down what they held."""
    import torch

    from companion.windows import window_loader

    torch.distributed.init_process_group(
        "gloo", init_method=f"{Path(folder, 'group').as_uri()}", rank=rank, world_size=2,
        timeout=timedelta(seconds=120),
    )  # fmt: skip
    ids = read_tokens(Path(folder, "tokens.npy"))
    dealt: dict[str, Any] = {}

    def epochs(name: str, n: int, **options: Any) -> Any:
        loader = window_loader(ids[:n], context_size=4, distributed=True, **options)
        dealt[name] = [inputs_of(loader) for _ in range(3)]
        return loader

    for drop_last, n in itertools.product([False, True], [401, 405]):
        loader = epochs(f"{n} {drop_last}", n, batch_size=3, shuffle=True, drop_last=drop_last)
        loader.sampler.set_epoch(1)
        assert inputs_of(loader) == dealt[f"{n} {drop_last}"][1]
    epochs("in order", 401, batch_size=5)
    epochs("seeded", 401, batch_size=5, shuffle=True, seed=7, num_workers=1)
    Path(folder, f"{rank}.json").write_text(json.dumps(dealt), encoding="utf-8")
    torch.distributed.destroy_process_group()


def inputs_of(loader: Iterable[Any]) -> list[list[int]]:
    """Return the inputs of all windows; each target is one more than its input."""
    found: list[list[int]] = []
    for inputs, targets in loader:
        assert (targets == inputs + 1).all()
        found += inputs.tolist()
    return found


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    if name == "deal":
        deal(int(arguments[0]), arguments[1])
    else:
        {"stop_half_way": stop_half_way, "write_for_ever": write_for_ever}[name](arguments[0])
