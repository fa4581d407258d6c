"""From ids to vectors: the complete inputs of GPT-2 and BERT.

* `one_hot_lookup` shows what a lookup is: a product with a matrix (chapter `token-embeddings`).
* `GPT2Embeddings` adds a token vector and a position vector (chapter `gpt2-input`).
* `BertEmbeddings` adds a segment vector too, and normalizes the sum (chapter `bert-input`).

Both start at random, as their models did before training, and both read published weights.

>>> import torch
>>> from companion.embeddings import GPT2Embeddings
>>> embeddings = GPT2Embeddings(vocab_size=100, context_size=8, d_model=4)
>>> embeddings(torch.tensor([[5, 17, 5], [99, 0, 1]])).shape
torch.Size([2, 3, 4])
"""

import os
from collections.abc import Mapping, Sequence
from typing import TypeVar

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from torch.nn import functional

from companion._checks import at_least, describe, shortened

__all__ = ["BertEmbeddings", "GPT2Embeddings", "one_hot_lookup"]

_Module = TypeVar("_Module", bound=nn.Module)


def one_hot_lookup(ids: Tensor, weight: Tensor) -> Tensor:
    """Look rows up as a neural network would: one-hot vectors times a matrix.

    Each id becomes a row of zeros with a single one, and the product with the table leaves just
    the row of the table where the one stands. `torch.nn.Embedding` takes that row at once.

    Parameters
    ----------
    ids : tensor of integers of shape (...)
        Numbers of rows.
    weight : tensor of shape (V, d)
        The table.

    Returns
    -------
    tensor of shape (..., d)
        Equal to ``weight[ids]``, in values and in gradients.

    Raises
    ------
    TypeError
        If `ids` is no tensor of integers, or `weight` no tensor of floats.
    ValueError
        If there is no id, if `weight` has not two dimensions, or both lie on different devices.
    IndexError
        If an id is outside the table.

    Examples
    --------
    >>> import torch
    >>> from companion.embeddings import one_hot_lookup
    >>> table = torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    >>> one_hot_lookup(torch.tensor([2, 0, 2]), table)
    tensor([[0.5000, 0.6000],
            [0.1000, 0.2000],
            [0.5000, 0.6000]])
    """
    if not isinstance(weight, Tensor) or not weight.is_floating_point():
        raise TypeError(f"weight must be a tensor of a float type, not {_kind(weight)}")
    if weight.dim() != 2:
        raise ValueError(f"weight has shape {tuple(weight.shape)}; it must have shape (V, d)")
    ids = _checked_rows(ids, weight, "token").long()
    one_hot = functional.one_hot(ids, len(weight))  # (...) -> (..., V)
    return one_hot.to(weight.dtype) @ weight  # (..., V) @ (V, d) -> (..., d)


class GPT2Embeddings(nn.Module):
    """The input of GPT-2: token vector plus position vector.

    Parameters
    ----------
    vocab_size : int, optional
        Rows of the token table, V.
    context_size : int, optional
        Rows of the position table, L: the longest sequence there is.
    d_model : int, optional
        Width of a vector, d.
    dropout : float, optional
        Share of the numbers that are set to zero in training.

    Attributes
    ----------
    token, position : torch.nn.Embedding
        The two tables, of shapes (V, d) and (L, d).
    dropout : torch.nn.Dropout
        Acts on the sum in training, and not at all in evaluation mode.

    Raises
    ------
    TypeError
        If a size is not an integer.
    ValueError
        If a size is below 1, or `dropout` not between 0 and 1.

    Notes
    -----
    The tables start as normal random numbers with a standard deviation of 0.02 and 0.01, as in
    the program of Radford et al. 2019, "Language Models are Unsupervised Multitask Learners".

    Examples
    --------
    >>> import torch
    >>> from companion.embeddings import GPT2Embeddings
    >>> embeddings = GPT2Embeddings(vocab_size=100, context_size=8, d_model=4).eval()
    >>> ids = torch.tensor([5, 17, 5])
    >>> vectors = embeddings(ids)  # (3,) -> (3, 4)
    >>> expected = embeddings.token.weight[ids] + embeddings.position.weight[:3]
    >>> bool((vectors == expected).all())
    True
    """

    def __init__(
        self,
        vocab_size: int = 50257,
        context_size: int = 1024,
        d_model: int = 768,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        d_model = at_least(1, d_model, "d_model")
        self.token = nn.Embedding(at_least(1, vocab_size, "vocab_size"), d_model)
        self.position = nn.Embedding(at_least(1, context_size, "context_size"), d_model)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.token.weight, std=0.02)
        nn.init.normal_(self.position.weight, std=0.01)

    def forward(self, ids: Tensor, positions: Tensor | None = None) -> Tensor:
        """Return the input of the first layer.

        Parameters
        ----------
        ids : tensor of integers of shape (..., n)
            Token ids: a sequence or a batch of them, with at most `context_size` ids each.
        positions : tensor of integers of shape (n,) or (..., n), optional
            The position of each id; without it 0 to n - 1. A batch that is padded on the left
            needs it.

        Returns
        -------
        tensor of shape (..., n, d_model)
            For each id the sum of its token vector and its position vector.

        Raises
        ------
        TypeError
            If ids or positions are not tensors of integers.
        ValueError
            If there is no id, if the sequence is longer than `context_size`, or if shapes or
            devices do not fit.
        IndexError
            If an id or a position is outside its table.
        """
        ids = _checked_ids(ids, self.token.weight)
        x: Tensor = self.token(ids)  # (..., n) -> (..., n, d)
        # Added in place: x belongs to nobody else yet, and a lookup needs no values to find its
        # gradient, so the sum takes no second tensor of this size.
        x += _position_rows(ids, positions, self.position)
        return self.dropout(x) if self.training else x

    def logits(self, hidden: Tensor) -> Tensor:
        """Score each token of the vocabulary: the way back out, with the same token table.

        Parameters
        ----------
        hidden : tensor of shape (..., d_model)
            What the last layer gives.

        Returns
        -------
        tensor of shape (..., vocab_size)
            The product of each vector with each row of the token table.

        Raises
        ------
        ValueError
            If the last dimension of `hidden` is not `d_model`.

        Examples
        --------
        >>> import torch
        >>> from companion.embeddings import GPT2Embeddings
        >>> embeddings = GPT2Embeddings(vocab_size=100, context_size=8, d_model=4)
        >>> embeddings.logits(torch.ones(2, 3, 4)).shape
        torch.Size([2, 3, 100])
        """
        d_model = self.token.embedding_dim
        if hidden.dim() == 0 or hidden.shape[-1] != d_model:
            raise ValueError(
                f"hidden has shape {tuple(hidden.shape)}; its last dimension must be "
                f"d_model = {d_model}"
            )
        return functional.linear(hidden, self.token.weight)  # (..., d) @ (d, V) -> (..., V)

    @classmethod
    def from_safetensors(
        cls, path: str | os.PathLike[str], *, dropout: float = 0.1
    ) -> "GPT2Embeddings":
        """Read the two tables from a file of published weights.

        Only the two tables are read, however large the file. Their shapes give the sizes.

        Parameters
        ----------
        path : str or path
            A file in the safetensors format with the names that Hugging Face uses:
            ``wte.weight`` and ``wpe.weight``, both with or without ``transformer.`` before them.
        dropout : float, optional
            As for the class; a file of weights does not hold it.

        Returns
        -------
        GPT2Embeddings
            In training mode, as all new modules are: call ``.eval()`` to use it as it is. The
            weights are of torch's default type, whatever float type the file has.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged or cut short, or a table is missing, there twice, or of a wrong
            shape or type.

        Examples
        --------
        >>> import tempfile, torch
        >>> from safetensors.torch import save_file
        >>> from companion.embeddings import GPT2Embeddings
        >>> weights = {"wte.weight": torch.ones(100, 4), "wpe.weight": torch.ones(8, 4)}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_file(weights, f"{folder}/model.safetensors")
        ...     embeddings = GPT2Embeddings.from_safetensors(f"{folder}/model.safetensors")
        >>> embeddings.token
        Embedding(100, 4)
        """
        tensors = _read(path, _GPT2_NAMES, prefix="transformer.")
        vocab_size, d_model = tensors["token.weight"].shape
        context_size, _ = tensors["position.weight"].shape
        with torch.device("meta"):  # no random numbers for tables that are about to be replaced
            module = cls(vocab_size, context_size, d_model, dropout)
        return _with_weights(module, tensors)

    @classmethod
    def from_hub(
        cls, name: str, *, revision: str | None = None, dropout: float = 0.1
    ) -> "GPT2Embeddings":
        """Fetch published weights from the Hugging Face Hub, once, and read them.

        Parameters
        ----------
        name : str
            Name of a repository, such as ``openai-community/gpt2``.
        revision : str, optional
            A branch, tag or commit; without it the newest version.
        dropout : float, optional
            As for the class.

        Returns
        -------
        GPT2Embeddings

        Raises
        ------
        ImportError
            If `huggingface_hub` is not installed; the extra ``pretrained`` brings it.
        ValueError
            As for `from_safetensors`.

        Notes
        -----
        The whole file ``model.safetensors`` is fetched, 548 MB for the smallest GPT-2, and kept
        in the cache of `huggingface_hub`. Errors of the network and of the Hub come through as
        `huggingface_hub` raises them.

        Examples
        --------
        >>> from companion.embeddings import GPT2Embeddings
        >>> gpt2 = GPT2Embeddings.from_hub("openai-community/gpt2")  # doctest: +SKIP
        """
        return cls.from_safetensors(_fetched(name, revision), dropout=dropout)


class BertEmbeddings(nn.Module):
    """The input of BERT: token, position and segment vector, added and normalized.

    Parameters
    ----------
    vocab_size : int, optional
        Rows of the token table, V.
    max_positions : int, optional
        Rows of the position table: the longest sequence there is.
    n_segments : int, optional
        Rows of the segment table.
    d_model : int, optional
        Width of a vector, d.
    dropout : float, optional
        Share of the numbers that are set to zero in training.
    eps : float, optional
        What layer normalization adds to the variance.
    padding_id : int or None, optional
        The row of the token table that starts at zero and never learns. It is not hidden from
        attention by that: that takes an attention mask.

    Attributes
    ----------
    token, position, segment : torch.nn.Embedding
        The three tables, each of width d.
    norm : torch.nn.LayerNorm
        Normalizes each vector of the sum.
    dropout : torch.nn.Dropout
        Acts last, in training only.

    Raises
    ------
    TypeError
        If a size is not an integer.
    ValueError
        If a size is below 1, `padding_id` outside the vocabulary, or `dropout` not between 0
        and 1.

    Notes
    -----
    The tables start as normal random numbers with a standard deviation of 0.02, cut off at two
    standard deviations, as in the program of Devlin et al. 2019, "BERT: Pre-training of Deep
    Bidirectional Transformers for Language Understanding".

    Examples
    --------
    >>> import torch
    >>> from companion.embeddings import BertEmbeddings
    >>> embeddings = BertEmbeddings(vocab_size=100, max_positions=8, d_model=4)
    >>> ids = torch.tensor([[2, 17, 3, 25, 3]])
    >>> embeddings(ids, segment_ids=torch.tensor([[0, 0, 0, 1, 1]])).shape
    torch.Size([1, 5, 4])
    """

    def __init__(
        self,
        vocab_size: int = 30522,
        max_positions: int = 512,
        n_segments: int = 2,
        d_model: int = 768,
        dropout: float = 0.1,
        eps: float = 1e-12,
        padding_id: int | None = 0,
    ) -> None:
        super().__init__()
        vocab_size = at_least(1, vocab_size, "vocab_size")
        d_model = at_least(1, d_model, "d_model")
        if padding_id is not None and at_least(0, padding_id, "padding_id") >= vocab_size:
            raise ValueError(
                f"padding_id {padding_id} is outside the token table of {vocab_size} rows "
                f"(0 to {vocab_size - 1})"
            )
        self.token = nn.Embedding(vocab_size, d_model, padding_idx=padding_id)
        self.position = nn.Embedding(at_least(1, max_positions, "max_positions"), d_model)
        self.segment = nn.Embedding(at_least(1, n_segments, "n_segments"), d_model)
        self.norm = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(dropout)
        for table in (self.token, self.position, self.segment):
            nn.init.trunc_normal_(table.weight, std=0.02, a=-0.04, b=0.04)
        if padding_id is not None:
            with torch.no_grad():
                self.token.weight[padding_id].zero_()

    def forward(
        self, ids: Tensor, segment_ids: Tensor | None = None, positions: Tensor | None = None
    ) -> Tensor:
        """Return the input of the first layer.

        Parameters
        ----------
        ids : tensor of integers of shape (..., n)
            Token ids, ``[CLS]`` and ``[SEP]`` included, with at most `max_positions` a sequence.
        segment_ids : tensor of integers of shape (n,) or (..., n), optional
            0 for the first text and 1 for the second; without it all are 0.
        positions : tensor of integers of shape (n,) or (..., n), optional
            The position of each id; without it 0 to n - 1.

        Returns
        -------
        tensor of shape (..., n, d_model)
            For each id the sum of its three vectors, normalized.

        Raises
        ------
        TypeError
            If ids, segments or positions are not tensors of integers.
        ValueError
            If there is no id, if the sequence is longer than `max_positions`, or if shapes or
            devices do not fit.
        IndexError
            If an id, a segment or a position is outside its table.
        """
        ids = _checked_ids(ids, self.token.weight)
        rows = _position_rows(ids, positions, self.position)  # (n, d) or (..., n, d)
        x: Tensor = self.token(ids)  # (..., n) -> (..., n, d)
        # Added in place and in this order, as published models were trained: the same last bits.
        if segment_ids is None:
            x += self.segment.weight[0]
        else:
            self._add_segments(x, _checked_beside(segment_ids, ids, self.segment.weight, "segment"))
        x += rows
        x = self.norm(x)
        return self.dropout(x) if self.training else x

    def _add_segments(self, x: Tensor, segment_ids: Tensor) -> None:
        if self.training:
            x += self.segment(segment_ids)
            return
        # The same without a second tensor as large as x: the row of each segment where it is. In
        # training this would save nothing, since its gradient needs that tensor.
        for number, row in enumerate(self.segment.weight):
            x.addcmul_((segment_ids == number)[..., None], row)  # (..., n, 1) * (d,)

    @classmethod
    def from_safetensors(
        cls,
        path: str | os.PathLike[str],
        *,
        dropout: float = 0.1,
        eps: float = 1e-12,
        padding_id: int | None = 0,
    ) -> "BertEmbeddings":
        """Read the three tables and the normalization from a file of published weights.

        Only these are read, however large the file. Their shapes give the sizes.

        Parameters
        ----------
        path : str or path
            A file in the safetensors format with the names that Hugging Face uses:
            ``embeddings.word_embeddings.weight``, ``embeddings.position_embeddings.weight``,
            ``embeddings.token_type_embeddings.weight``, ``embeddings.LayerNorm.weight`` and
            ``.bias`` (in older files ``.gamma`` and ``.beta``), all with or without ``bert.``
            before them.
        dropout, eps, padding_id : optional
            As for the class; a file of weights does not hold them.

        Returns
        -------
        BertEmbeddings
            In training mode, as all new modules are: call ``.eval()`` to use it as it is. The
            weights are of torch's default type, whatever float type the file has.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged or cut short, or a tensor is missing, there twice, or of a
            wrong shape or type.

        Examples
        --------
        >>> import tempfile, torch
        >>> from safetensors.torch import save_file
        >>> from companion.embeddings import BertEmbeddings
        >>> weights = {
        ...     "bert.embeddings.word_embeddings.weight": torch.ones(100, 4),
        ...     "bert.embeddings.position_embeddings.weight": torch.ones(8, 4),
        ...     "bert.embeddings.token_type_embeddings.weight": torch.ones(2, 4),
        ...     "bert.embeddings.LayerNorm.gamma": torch.ones(4),
        ...     "bert.embeddings.LayerNorm.beta": torch.zeros(4),
        ... }
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_file(weights, f"{folder}/model.safetensors")
        ...     embeddings = BertEmbeddings.from_safetensors(f"{folder}/model.safetensors")
        >>> embeddings.position
        Embedding(8, 4)
        """
        tensors = _read(path, _BERT_NAMES, prefix="bert.")
        vocab_size, d_model = tensors["token.weight"].shape
        max_positions, _ = tensors["position.weight"].shape
        n_segments, _ = tensors["segment.weight"].shape
        with torch.device("meta"):  # no random numbers for tables that are about to be replaced
            module = cls(vocab_size, max_positions, n_segments, d_model, dropout, eps, padding_id)
        return _with_weights(module, tensors)

    @classmethod
    def from_hub(
        cls,
        name: str,
        *,
        revision: str | None = None,
        dropout: float = 0.1,
        eps: float = 1e-12,
        padding_id: int | None = 0,
    ) -> "BertEmbeddings":
        """Fetch published weights from the Hugging Face Hub, once, and read them.

        Parameters
        ----------
        name : str
            Name of a repository, such as ``google-bert/bert-base-uncased``.
        revision : str, optional
            A branch, tag or commit; without it the newest version.
        dropout, eps, padding_id : optional
            As for the class.

        Returns
        -------
        BertEmbeddings

        Raises
        ------
        ImportError
            If `huggingface_hub` is not installed; the extra ``pretrained`` brings it.
        ValueError
            As for `from_safetensors`.

        Notes
        -----
        The whole file ``model.safetensors`` is fetched, 440 MB for the base model, and kept in
        the cache of `huggingface_hub`. Errors of the network and of the Hub come through as
        `huggingface_hub` raises them.

        Examples
        --------
        >>> from companion.embeddings import BertEmbeddings
        >>> bert = BertEmbeddings.from_hub("google-bert/bert-base-uncased")  # doctest: +SKIP
        """
        path = _fetched(name, revision)
        return cls.from_safetensors(path, dropout=dropout, eps=eps, padding_id=padding_id)


# ------------------------------------------------------------------------------ checks


def _checked_rows(rows: Tensor, table: Tensor, what: str) -> Tensor:
    """Return numbers of rows of a table as torch takes them, or say which is wrong, and where.

    Without this an id such as -1 would stop some libraries, give the last row in others, and on
    a GPU end the process without a word about the id.
    """
    names = _NAMES[what]
    if not isinstance(rows, Tensor):
        raise TypeError(
            f"{names} must be a tensor of integers, not {describe(rows)}; use torch.tensor({names})"
        )
    if rows.is_floating_point() or rows.is_complex() or rows.dtype == torch.bool:
        raise TypeError(
            f"{names} must be a tensor of integers, not of type {rows.dtype}; "
            f"if its numbers are whole, use {names}.long()"
        )
    if rows.numel() == 0:
        raise ValueError(f"{names} of shape {tuple(rows.shape)} are empty; give at least one")
    if rows.device != table.device:
        raise ValueError(
            f"{names} are on {rows.device} and the {what} table is on {table.device}; "
            f"use {names}.to({str(table.device)!r})"
        )
    numbers = rows if rows.dtype in (torch.int32, torch.int64) else rows.long()
    low, high = torch.aminmax(numbers)
    if int(low) < 0 or int(high) >= len(table):
        place = tuple(((numbers < 0) | (numbers >= len(table))).nonzero()[0].tolist())
        where = f"{names}{list(place)}" if place else names
        raise IndexError(
            f"{where} is {rows[place].item()}, outside the {what} table of {len(table)} rows "
            f"(0 to {len(table) - 1})"
        )
    return numbers


_NAMES = {"token": "ids", "position": "positions", "segment": "segment_ids"}


def _checked_ids(ids: Tensor, table: Tensor) -> Tensor:
    """Return token ids of shape ``(..., n)``."""
    ids = _checked_rows(ids, table, "token")
    if ids.dim() == 0:
        raise ValueError(f"ids is a single number, {int(ids)}; give a sequence: ids[None]")
    return ids


def _checked_beside(rows: Tensor, ids: Tensor, table: Tensor, what: str) -> Tensor:
    """Return segments or positions that have one number for each id."""
    rows = _checked_rows(rows, table, what)
    try:
        rows.expand_as(ids)
        fits = rows.dim() > 0 and rows.shape[-1] == ids.shape[-1]
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            f"{_NAMES[what]} of shape {tuple(rows.shape)} do not fit ids of shape "
            f"{tuple(ids.shape)}; give one number for each id"
        )
    return rows


def _position_rows(ids: Tensor, positions: Tensor | None, table: nn.Embedding) -> Tensor:
    """Return the position vectors of a sequence: ``(n, d)``, or ``(..., n, d)`` if asked for."""
    if positions is not None:
        rows: Tensor = table(_checked_beside(positions, ids, table.weight, "position"))
        return rows
    n, limit = ids.shape[-1], table.num_embeddings
    if n > limit:
        raise ValueError(
            f"a sequence of {n} ids is longer than the position table of {limit} rows; "
            f"give at most {limit} ids, or cut the sequence into windows"
        )
    return table.weight[:n]  # the rows 0 to n - 1 are the first n: no lookup


# ------------------------------------------------------------------------------ published weights


# Our name of each tensor, and the names it has in published files, the newest first.
_GPT2_NAMES = {"token.weight": ["wte.weight"], "position.weight": ["wpe.weight"]}
_BERT_NAMES = {
    "token.weight": ["embeddings.word_embeddings.weight"],
    "position.weight": ["embeddings.position_embeddings.weight"],
    "segment.weight": ["embeddings.token_type_embeddings.weight"],
    "norm.weight": ["embeddings.LayerNorm.weight", "embeddings.LayerNorm.gamma"],
    "norm.bias": ["embeddings.LayerNorm.bias", "embeddings.LayerNorm.beta"],
}


def _read(
    path: str | os.PathLike[str], names: Mapping[str, Sequence[str]], *, prefix: str
) -> dict[str, Tensor]:
    """Read the tensors of an input layer, and no others, under our names."""
    path = os.fspath(path)
    try:
        with safe_open(path, framework="pt") as file:
            stored = set(file.keys())
            found = {name: _stored_name(path, stored, names[name], prefix) for name in names}
            tensors = {name: file.get_tensor(found[name]) for name in names}
    except SafetensorError as error:
        raise ValueError(
            f"{path} is not a whole safetensors file ({error}); fetch it again"
        ) from error
    token = tensors["token.weight"]
    d_model = token.shape[1] if token.dim() == 2 else "d_model"
    for name, tensor in tensors.items():
        _check_stored(path, found[name], tensor, 1 if name.startswith("norm") else 2, d_model)
    return tensors


def _stored_name(path: str, stored: set[str], names: Sequence[str], prefix: str) -> str:
    """Return the one name under which a file holds a tensor."""
    present = [start + name for name in names for start in ("", prefix) if start + name in stored]
    if len(present) > 1:
        raise ValueError(f"{path} has both {present[0]} and {present[1]}; keep the one you mean")
    if not present:
        raise ValueError(
            f"{path} has no tensor {names[0]}, with or without {prefix!r} before it; it has "
            f"{shortened(sorted(stored), 200)}"
        )
    return present[0]


def _check_stored(path: str, name: str, tensor: Tensor, n_dims: int, d_model: int | str) -> None:
    """Raise an error unless a tensor is of a float type and as wide as the token table."""
    if tensor.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        raise ValueError(f"{name} in {path} is of type {tensor.dtype}; it must be of a float type")
    if tensor.dim() != n_dims or 0 in tensor.shape or tensor.shape[-1] != d_model:
        expected = f"(rows, {d_model})" if n_dims == 2 else f"({d_model},)"
        raise ValueError(
            f"{name} in {path} has shape {tuple(tensor.shape)}; beside its token table it must "
            f"have {expected}"
        )


def _with_weights(module: _Module, tensors: Mapping[str, Tensor]) -> _Module:
    """Give a module without numbers its own copy of the numbers of a file."""
    dtype = torch.get_default_dtype()
    weights = {name: tensor.to(dtype, copy=True) for name, tensor in tensors.items()}
    module.load_state_dict(weights, assign=True)
    return module


def _fetched(name: str, revision: str | None) -> str:
    """Return the path of a published file of weights, fetched if it is not there yet."""
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise ImportError(
            "from_hub needs huggingface_hub: pip install 'text-to-vectors[pretrained]'"
        ) from error
    return hf_hub_download(name, "model.safetensors", revision=revision)


def _kind(value: object) -> str:
    return f"of type {value.dtype}" if isinstance(value, Tensor) else describe(value)
