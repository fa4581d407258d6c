"""Published weights of an input layer, read from safetensors files by their known names."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from companion._checks import shortened

Module = TypeVar("Module", bound=nn.Module)


def read_tensors(
    path: str | os.PathLike[str], names: Mapping[str, Sequence[str]], prefix: str
) -> dict[str, Tensor]:
    """Read some tensors, and no others, under our names.

    `names` has for each of our names those that files use, the newest first. `prefix` may precede
    the names in a file: all of them, or none. A `ValueError` says that the file is damaged, or that
    a tensor is missing, ambiguous, or of a wrong shape or type.
    """
    path = os.fspath(path)
    try:
        with safe_open(path, framework="pt") as file:
            stored = set(file.keys())
            start = _start(path, stored, names["token.weight"][0], prefix)
            found = {
                ours: _stored_name(path, stored, [start + name for name in theirs])
                for ours, theirs in names.items()
            }
            tensors = {ours: file.get_tensor(name) for ours, name in found.items()}
    except SafetensorError as error:
        raise ValueError(
            f"{path} is not a whole safetensors file ({error}); fetch it again"
        ) from error
    d_model = tensors["token.weight"].shape[-1]
    for ours, tensor in tensors.items():
        _require_table(path, found[ours], tensor, 1 if ours.startswith("norm") else 2, d_model)
    return tensors


def _start(path: str, stored: set[str], name: str, prefix: str) -> str:
    """Return what precedes all names in a file: the prefix, or nothing."""
    starts = [start for start in ("", prefix) if start + name in stored]
    if len(starts) > 1:
        raise ValueError(f"{path} has both {name} and {prefix}{name}; keep the one you mean")
    return starts[0] if starts else ""


def _stored_name(path: str, stored: set[str], names: Sequence[str]) -> str:
    """Return the first of some names that a file has."""
    for name in names:
        if name in stored:
            return name
    raise ValueError(f"{path} has no tensor {names[0]}; it has {shortened(sorted(stored), 200)}")


def _require_table(path: str, name: str, tensor: Tensor, n_dims: int, d_model: int) -> None:
    """Raise a `ValueError` unless a tensor is of a float type and as wide as the token table."""
    if not tensor.is_floating_point():
        raise ValueError(f"{name} in {path} is of type {tensor.dtype}; it must be of a float type")
    if tensor.dim() != n_dims or 0 in tensor.shape or tensor.shape[-1] != d_model:
        expected = f"(rows, {d_model})" if n_dims == 2 else f"({d_model},)"
        raise ValueError(
            f"{name} in {path} has shape {tuple(tensor.shape)}; beside its token table it must "
            f"have {expected}"
        )


def with_weights(
    make: Callable[[], Module], tensors: Mapping[str, Tensor], padding_id: int | None = None
) -> Module:
    """Make a module with tables of a row each, and replace them by copies of the tensors.

    The copies are of torch's default type; `padding_id` is that of the token table. On the device
    "meta" no random number would be drawn, but torch would first import its compiler, for seconds.
    """
    with torch.random.fork_rng(devices=[]):  # the numbers are not wanted, the generator's state is
        module = make()
    for name, tensor in tensors.items():
        weight = tensor.to(torch.get_default_dtype(), copy=True)
        part, _, parameter = name.partition(".")
        if part == "norm":
            setattr(module.get_submodule(part), parameter, nn.Parameter(weight))
        else:
            padding = padding_id if part == "token" else None
            make_table: Callable[..., nn.Module] = nn.Embedding.from_pretrained
            table = make_table(weight, freeze=False, padding_idx=padding)
            module.add_module(part, table)
    return module


def fetched(name: str, revision: str | None) -> str:
    """Return the path of a published file of weights, fetched if it is not here yet."""
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise ImportError(
            "from_hub needs huggingface_hub: pip install 'text-to-vectors[pretrained]'"
        ) from error
    return hf_hub_download(name, "model.safetensors", revision=revision)
