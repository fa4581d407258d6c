"""The input layers of GPT-2 and BERT, forward and with gradients, against other ways to write them.

Peers: the sum as most tutorials write it, transformers' own modules with the same weights, and each
of the three compiled by `torch.compile` without a graph break. All must give the same vectors.
"""

import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from _measure import Row, Run, medians, ratio_tables, report, rows_of
from torch import Tensor, nn
from transformers import BertConfig, GPT2Config, GPT2Model
from transformers.models.bert.modeling_bert import BertEmbeddings as TransformersBert

from companion.embeddings import BertEmbeddings, GPT2Embeddings

D_MODEL = 768
SHAPES = [(1, 512), (8, 512)]
Layer = Callable[..., Any]


def naive(ours: Any) -> Layer:
    """Look up token and position vectors, for BERT segments as well; add them; normalize BERT's."""

    def forward(ids: Tensor, segment_ids: Tensor | None = None) -> Any:
        x = ours.token(ids) + ours.position(torch.arange(ids.shape[-1]))
        if isinstance(ours, GPT2Embeddings):
            return ours.dropout(x)
        segment_ids = torch.zeros_like(ids) if segment_ids is None else segment_ids
        return ours.dropout(ours.norm(x + ours.segment(segment_ids)))

    return forward


def transformers_gpt2(ours: Any) -> Layer:
    """What transformers' GPT-2 does before its first layer, with its own modules."""
    model = GPT2Model(GPT2Config(n_layer=1)).train(ours.training)
    model.wte.weight, model.wpe.weight = ours.token.weight, ours.position.weight
    return lambda ids: model.drop(model.wte(ids) + model.wpe(torch.arange(ids.shape[-1])[None]))


def transformers_bert(ours: Any) -> Layer:
    """Return transformers' module with our weights."""
    theirs: Any = TransformersBert(BertConfig())
    theirs.word_embeddings.weight = ours.token.weight
    theirs.position_embeddings.weight = ours.position.weight
    theirs.token_type_embeddings.weight = ours.segment.weight
    theirs.LayerNorm = ours.norm
    theirs.train(ours.training)
    return lambda ids, segment_ids=None: theirs(ids, token_type_ids=segment_ids)


def contenders(model: str, *, training: bool) -> tuple[nn.Module, dict[str, Layer]]:
    """Return the companion's module, and all contenders, which share its weights."""
    torch.compiler.reset()  # else it would give up compiling for yet another number of threads
    torch.manual_seed(0)
    ours = (GPT2Embeddings() if model == "GPT-2" else BertEmbeddings()).train(training)
    theirs = transformers_gpt2 if model == "GPT-2" else transformers_bert
    peers: dict[str, Layer] = {
        "companion": ours, "naive sum": naive(ours), "transformers": theirs(ours),
    }  # fmt: skip
    if shutil.which("c++"):
        compiled = {name: torch.compile(peer, fullgraph=True) for name, peer in peers.items()}
        peers |= {f"{name}, torch.compile": peer for name, peer in compiled.items()}
    return ours, peers


def inputs_of(model: str, batch: int, n: int) -> tuple[Tensor, ...]:
    """Return random ids, and for two texts their segments, of shape ``(batch, n)``."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(1, 30_000, (batch, n), generator=generator)
    if model != "BERT, two texts":
        return (ids,)
    segment_ids = (torch.arange(n) >= n // 2).long().expand(batch, n).contiguous()
    return ids, segment_ids


def forward(model: str, inputs: tuple[Tensor, ...], task: str) -> list[Row]:
    """Compare forward passes in evaluation mode."""
    ours, peers = contenders(model, training=False)
    token: Any = ours.token
    with torch.no_grad():
        result = ours(*inputs)
        runs: dict[str, Run] = {name: partial(peer, *inputs) for name, peer in peers.items()}
        for run in runs.values():
            torch.testing.assert_close(run(), result, rtol=1e-5, atol=1e-6)
        runs["token lookup alone"] = lambda: token(inputs[0])
        runs["copy of the result"] = partial(torch.empty_like(result).copy_, result)
        return rows_of(task, medians(runs, 150, warm=5))


def with_gradients(model: str, inputs: tuple[Tensor, ...], task: str) -> list[Row]:
    """Compare forward and backward passes in training mode, dropout included."""
    outer = torch.randn(*inputs[0].shape, D_MODEL)
    ours, peers = contenders(model, training=True)

    def step(peer: Layer) -> None:
        ours.zero_grad(set_to_none=True)
        (peer(*inputs) * outer).sum().backward()

    runs: dict[str, Run] = {name: partial(step, peer) for name, peer in peers.items()}
    return rows_of(task, medians(runs, 20, warm=5))


def main() -> None:
    """Run all and report."""
    rows: list[Row] = []
    for model in ("GPT-2", "BERT, one text", "BERT, two texts"):
        for way, measured in {"forward": forward, "with gradients": with_gradients}.items():
            for threads in (1, 2):
                torch.set_num_threads(threads)
                for batch, n in SHAPES:
                    size = f"{batch} x {n}" + f", {threads} threads" * (threads > 1)
                    rows += measured(model, inputs_of(model, batch, n), f"{model}, {way}: {size}")
    report("input_layers", rows, ["torch", "transformers"], tables=ratio_tables)


if __name__ == "__main__":
    main()
