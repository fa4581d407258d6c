"""The input layers of GPT-2 and BERT, forward and with gradients, against other ways to write them.

    python benchmarks/input_layers.py
    python benchmarks/input_layers.py --device cuda

Peers: the sum as most tutorials write it, transformers' own modules with the same weights, and each
of the three compiled by `torch.compile` without a graph break (this needs a C++ compiler; where
there is none, they are left out). All must give the same vectors. Two lines are no contenders but
bounds: the token lookup alone, and a copy of a tensor of the size of the result, which is as fast
as memory allows.
"""

import argparse
import json
import os
import platform
import random
import shutil
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import torch
from _measure import RESULTS
from torch import Tensor, nn
from transformers import BertConfig, GPT2Config, GPT2Model
from transformers.models.bert.modeling_bert import BertEmbeddings as TransformersBert

from companion.embeddings import BertEmbeddings, GPT2Embeddings

D_MODEL = 768
SHAPES = [(1, 512), (8, 512)]


@dataclass
class Row:
    """One contender in one task; a ratio of 2 is twice as slow as the companion."""

    task: str
    contender: str
    milliseconds: float  # the median
    ratio: float
    bandwidth: float | None = None  # share of what a copy reaches: the least bytes moved / time


class NaiveGPT2(nn.Module):
    """Token vector plus position vector, each looked up, then added."""

    def __init__(self, ours: GPT2Embeddings) -> None:
        super().__init__()
        self.token, self.position, self.dropout = ours.token, ours.position, ours.dropout

    def forward(self, ids: Tensor) -> Tensor:
        """Return the vectors of shape ``(B, n, d)``."""
        positions = torch.arange(ids.shape[-1], device=ids.device)
        return self.dropout(self.token(ids) + self.position(positions))  # type: ignore[no-any-return]


class NaiveBert(nn.Module):
    """Three vectors looked up and added, then normalized."""

    def __init__(self, ours: BertEmbeddings) -> None:
        super().__init__()
        self.token, self.position, self.segment = ours.token, ours.position, ours.segment
        self.norm, self.dropout = ours.norm, ours.dropout

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        """Return the vectors of shape ``(B, n, d)``."""
        segment_ids = torch.zeros_like(ids) if segment_ids is None else segment_ids
        positions = torch.arange(ids.shape[-1], device=ids.device)
        x = self.token(ids) + self.segment(segment_ids) + self.position(positions)
        return self.dropout(self.norm(x))  # type: ignore[no-any-return]


class TransformersGPT2(nn.Module):
    """What transformers' GPT-2 does before its first layer, with its own modules."""

    def __init__(self, ours: GPT2Embeddings) -> None:
        super().__init__()
        model = GPT2Model(GPT2Config(n_layer=1))
        self.wte, self.wpe, self.drop = model.wte, model.wpe, model.drop
        self.wte.weight, self.wpe.weight = ours.token.weight, ours.position.weight

    def forward(self, ids: Tensor) -> Tensor:
        """Return the vectors of shape ``(B, n, d)``."""
        positions = torch.arange(ids.shape[-1], device=ids.device).unsqueeze(0)
        return self.drop(self.wte(ids) + self.wpe(positions))  # type: ignore[no-any-return]


def transformers_bert(ours: BertEmbeddings) -> nn.Module:
    """Return transformers' module with our weights."""
    theirs: Any = TransformersBert(BertConfig())
    theirs.word_embeddings.weight = ours.token.weight
    theirs.position_embeddings.weight = ours.position.weight
    theirs.token_type_embeddings.weight = ours.segment.weight
    theirs.LayerNorm = ours.norm

    class Wrapped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = theirs

        def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
            return self.inner(ids, token_type_ids=segment_ids)  # type: ignore[no-any-return]

    return Wrapped()


def contenders(model: str, device: str) -> dict[str, nn.Module]:
    """Return the companion's module first, and its peers with the same weights."""
    torch.compiler.reset()  # else it would give up compiling for yet another number of threads
    torch.manual_seed(0)
    peers: dict[str, Any]
    if model == "GPT-2":
        gpt2 = GPT2Embeddings()
        theirs: nn.Module = TransformersGPT2(gpt2)
        peers = {"companion": gpt2, "naive sum": NaiveGPT2(gpt2), "transformers": theirs}
    else:
        bert = BertEmbeddings()
        theirs = transformers_bert(bert)
        peers = {"companion": bert, "naive sum": NaiveBert(bert), "transformers": theirs}
    if device != "cpu" or shutil.which("c++"):
        for name, peer in list(peers.items()):
            peers[f"{name}, torch.compile"] = torch.compile(peer, fullgraph=True)
    return {name: peer.to(device) for name, peer in peers.items()}


def bert_or_gpt2_inputs(model: str, batch: int, n: int, device: str) -> tuple[Tensor, ...]:
    """Return random ids, and for two texts their segments, of shape ``(batch, n)``."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(1, 30_000, (batch, n), generator=generator).to(device)
    if model != "BERT, two texts":
        return (ids,)
    segment_ids = (torch.arange(n, device=device) >= n // 2).long().expand(batch, n).contiguous()
    return ids, segment_ids


def medians(runs: dict[str, Callable[[], object]], rounds: int, device: str) -> dict[str, float]:
    """Time runs in turns, in milliseconds, so that a busy moment of the machine hits all.

    Each round has another order: a run is slower after one that used much other memory.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    order, generator = list(runs), random.Random(0)
    for round_ in range(rounds + 5):
        generator.shuffle(order)
        for name in order:
            _wait(device)
            start = time.perf_counter()
            runs[name]()
            _wait(device)
            if round_ >= 5:  # the first rounds warm up
                times[name].append(1e3 * (time.perf_counter() - start))
    return {name: statistics.median(of_name) for name, of_name in times.items()}


def _wait(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize()


def forward(model: str, batch: int, n: int, device: str, threads: str) -> list[Row]:
    """Compare forward passes in evaluation mode."""
    peers = contenders(model, device)
    inputs = bert_or_gpt2_inputs(model, batch, n, device)
    for peer in peers.values():
        peer.eval()
    result: Any = None
    runs: dict[str, Callable[[], object]] = {}
    with torch.no_grad():
        for name, peer in peers.items():
            vectors = peer(*inputs)
            result = vectors if result is None else result
            torch.testing.assert_close(vectors, result, rtol=1e-5, atol=1e-6)
            runs[name] = partial(peer, *inputs)
        first: Any = peers["companion"]
        target = torch.empty_like(result)
        runs["(the token lookup alone)"] = lambda: first.token(inputs[0])
        runs["(a copy of the result)"] = lambda: target.copy_(result)
        found = medians(runs, 150, device)
    # A copy reads and writes the result once. The least an input layer can do is to read a row
    # for each id, read the position rows and write the result.
    copied = 2 * result.numel()
    least = copied + n * D_MODEL
    speed = copied / found["(a copy of the result)"]
    task = f"Input of {model}, forward: {batch} x {n} x {D_MODEL}, {threads}"
    return [
        Row(task, name, ms, ms / found["companion"], None if name[0] == "(" else least / ms / speed)
        for name, ms in found.items()
    ]


def with_gradients(model: str, batch: int, n: int, device: str, threads: str) -> list[Row]:
    """Compare forward and backward passes in training mode, dropout included."""
    peers = contenders(model, device)
    inputs = bert_or_gpt2_inputs(model, batch, n, device)
    outer = torch.randn(batch, n, D_MODEL, device=device)

    def step(peer: nn.Module) -> None:
        peer.zero_grad(set_to_none=True)
        (peer(*inputs) * outer).sum().backward()

    runs: dict[str, Callable[[], object]] = {}
    for name, peer in peers.items():
        peer.train()
        runs[name] = partial(step, peer)
    found = medians(runs, 20, device)
    task = f"Input of {model}, forward and backward: {batch} x {n} x {D_MODEL}, {threads}"
    return [Row(task, name, ms, ms / found["companion"]) for name, ms in found.items()]


def main() -> None:
    """Run all tasks, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    device = parser.parse_args().device
    shapes = SHAPES if device == "cpu" else [*SHAPES, (64, 512)]
    rows: list[Row] = []
    for threads in (1, 2) if device == "cpu" else (1,):
        torch.set_num_threads(threads)
        where = f"{threads} thread{'s' * (threads > 1)}" if device == "cpu" else device
        for model in ("GPT-2", "BERT, one text", "BERT, two texts"):
            for batch, n in shapes:
                rows += forward(model, batch, n, device, where)
                rows += with_gradients(model, batch, n, device, where)
    name = "input_layers" if device == "cpu" else f"input_layers_{device}"
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    if device != "cpu":
        machine += f", {torch.cuda.get_device_name()}"
    data = {
        "benchmark": name,
        "python": platform.python_version(),
        "machine": machine,
        "versions": {package: version(package) for package in ("torch", "transformers")},
        "rows": [asdict(row) for row in rows],
    }
    target = RESULTS / f"{name}.json"
    target.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    print(f"{machine}; {data['versions']}")
    for i, row in enumerate(rows):
        if i == 0 or rows[i - 1].task != row.task:
            print(f"\n{row.task}")
        share = "" if row.bandwidth is None else f"{row.bandwidth:9.0%} of a copy's bandwidth"
        print(f"  {row.contender:28} {row.milliseconds:9.3f} ms {row.ratio:6.2f} {share}")


if __name__ == "__main__":
    main()
