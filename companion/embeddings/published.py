"""Published weights of an input layer, read from safetensors files by their known names."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from companion.checks import shortened
from companion.files import refuse_others

Module = TypeVar("Module", bound=nn.Module)


def read_tensors(
    path: str | os.PathLike[str], names: Mapping[str, Sequence[str]], prefix: str | None
) -> dict[str, Tensor]:
    """Read tensors from a file or a folder; for each of our names theirs, the newest first."""
    path = Path(path)
    stored: dict[str, Path] = {}
    tensors: dict[str, Tensor] = {}
    try:
        for file in _files(path):
            with open(file, "rb") as start:
                refuse_others(file, start.read(4096), "a file of weights (safetensors)")
            with safe_open(file, framework="pt") as tensors_of:
                stored |= dict.fromkeys(tensors_of.keys(), file)
        before = _prefix(path, stored, names["token.weight"][0], prefix)
        for ours, theirs in names.items():
            found = next((before + name for name in theirs if before + name in stored), None)
            if found is None:
                here = shortened(sorted(stored), 200)
                raise ValueError(f"{path} has no tensor {before}{theirs[0]}; it has {here}")
            with safe_open(stored[found], framework="pt") as tensors_of:
                tensors[ours] = tensors_of.get_tensor(found)
            d_model = tensors["token.weight"].shape[-1]
            n_dims = 1 if ours.startswith("norm") else 2
            _require_table(stored[found], found, tensors[ours], n_dims, d_model)
    except SafetensorError as error:
        fix = "fetch it again"
        raise ValueError(f"{path} is not a whole safetensors file ({error}); {fix}") from error
    return tensors


def _files(path: Path) -> Sequence[Path]:
    """Return the file, or those of a folder: one, or the parts of a large model."""
    if not path.is_dir():
        return [path]
    whole = path / "model.safetensors"
    files = [whole] if whole.exists() else sorted(path.glob("model-*.safetensors"))
    if not files:
        here = shortened(sorted(file.name for file in path.iterdir()), 200)
        fix = "let transformers write one: model.save_pretrained(folder)"
        raise ValueError(f"{path} has no model.safetensors; it has {here}; {fix}")
    return files


def _prefix(path: Path, stored: Iterable[str], name: str, prefix: str | None) -> str:
    """Return what precedes all names: what is asked for, or what precedes the token table's."""
    if prefix is not None:
        return prefix if prefix.endswith(".") or not prefix else f"{prefix}."
    found = sorted(full.removesuffix(name) for full in stored if f".{full}".endswith(f".{name}"))
    if len(found) > 1:
        raise ValueError(f"{path} has {name} below {found}; choose one: prefix={found[0]!r}")
    return "".join(found)


def _require_table(path: Path, name: str, tensor: Tensor, n_dims: int, d_model: int) -> None:
    """Raise a `ValueError` unless a tensor is of a float type and as wide as the token table."""
    if not tensor.is_floating_point():
        raise ValueError(f"{name} in {path} is of type {tensor.dtype}; it must be of a float type")
    if tensor.dim() != n_dims or 0 in tensor.shape or tensor.shape[-1] != d_model:
        shape, needed = tuple(tensor.shape), f"(rows, {d_model})" if n_dims == 2 else (d_model,)
        raise ValueError(f"{name} in {path} has shape {shape}; beside its tokens it needs {needed}")


def with_weights(
    make: Callable[[], Module], tensors: Mapping[str, Tensor], padding_id: int | None = None
) -> Module:
    """Make a module with tables of a row each, and replace them by copies of the tensors."""
    # The few random numbers are not wanted, the generator's state is. (On the device "meta" there
    # would be none, but torch would first import its compiler, for seconds.) The copies are of
    # torch's default type, on its default device.
    with torch.random.fork_rng(devices=[]), torch.device("cpu"):
        module = make()
    for name, tensor in tensors.items():
        part, _, parameter = name.partition(".")
        layer: Any = module.get_submodule(part)
        setattr(layer, parameter, nn.Parameter(tensor.to(torch.empty(0), copy=True)))
        if isinstance(layer, nn.Embedding):
            layer.num_embeddings = len(tensor)
            layer.padding_idx = padding_id if part == "token" else None
    return module


def fetched(name: str, revision: str | None) -> str:
    """Return the path of a published file of weights, fetched if it is not here yet."""
    from huggingface_hub import hf_hub_download  # of the extra "pretrained"

    return hf_hub_download(name, "model.safetensors", revision=revision)
