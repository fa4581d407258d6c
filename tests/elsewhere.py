"""Tokenizers and programs for tests that start other processes: those import them by name."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
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


def stop_half_way(path: str) -> None:
    """Write a file, and end the process at once while it is written."""

    def texts() -> Iterator[str]:
        yield "a" * 10**6
        os._exit(9)

    write_tokens(texts(), path, Letters())


def deal(rank: str, folder: str) -> None:
    """Read batches as one of two processes, and write down what they held."""
    import torch

    from companion.windows import window_loader

    torch.distributed.init_process_group(
        "gloo", init_method=f"{Path(folder, 'group').as_uri()}", rank=int(rank), world_size=2,
        timeout=timedelta(seconds=120),
    )  # fmt: skip
    ids = read_tokens(Path(folder, "tokens.npy"))
    dealt: dict[str, Any] = {}

    def epochs(name: str, n: int, **options: Any) -> Any:
        loader = window_loader(ids[:n], context_size=4, distributed=True, **options)
        dealt[name] = [inputs_of(loader) for _ in range(3)]
        return loader

    loader = epochs("even", 401, batch_size=3, shuffle=True, drop_last=False)
    loader.sampler.set_epoch(1)
    assert inputs_of(loader) == dealt["even"][1]
    epochs("dropped", 405, batch_size=3, shuffle=True, drop_last=True)
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
    program, *arguments = sys.argv[1:]
    programs: dict[str, Any] = {"deal": deal, "stop_half_way": stop_half_way}
    programs[program](*arguments)
