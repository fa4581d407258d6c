"""From ids to vectors (chapters `token-embeddings`, `gpt2-input` and `bert-input`).

The layers of GPT-2 and BERT start in training mode, in which dropout sets numbers to zero: call
``.eval()`` to use them as they are. They compile with ``torch.compile(fullgraph=True)`` and never
wait for a GPU. So only on the CPU an `IndexError` names an id outside its table; compiled, under
`torch.vmap` or on a GPU, PyTorch raises its own error, such as a *device-side assert*. Run the same
ids on the CPU to see which it was.
"""

import os
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.embeddings.published import fetched, read_tensors, with_weights
from companion.embeddings.tables import as_indices, from_zero, require_inside, rows

__all__ = ["BertEmbeddings", "GPT2Embeddings", "one_hot_lookup"]


def one_hot_lookup(ids: Tensor, weight: Tensor) -> Tensor:
    """Look rows up as a neural network would: one-hot vectors times a matrix.

    Each id becomes a row of zeros with a single one; times the table, of shape (V, d), this is the
    row that `torch.nn.Embedding` takes at once. The result, of shape (..., d) for ids of shape
    (...), equals ``weight[ids]`` in values and gradients if the table is finite: 0 · inf is nan. An
    id outside the table is an `IndexError` that names it.

    >>> import torch
    >>> table = torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    >>> one_hot_lookup(torch.tensor([2, 0]), table)
    tensor([[0.5000, 0.6000],
            [0.1000, 0.2000]])
    """
    indices = as_indices(ids, "ids").long()
    # A row of zeros for each id, with a one at its place.
    zeros = weight.new_zeros(*ids.shape, len(weight))  # (...) -> (..., V)
    try:
        one_hot = zeros.scatter(-1, indices[..., None], 1)
    except RuntimeError:
        require_inside(ids, len(weight), "token")
        raise
    return one_hot @ weight  # (..., V) @ (V, d) -> (..., d)


class GPT2Embeddings(nn.Module):
    """The input of GPT-2: token vector plus position vector.

    The tables start as normal random numbers of standard deviation 0.02 and 0.01, as in the program
    of Radford et al. 2019, "Language Models are Unsupervised Multitask Learners".

    Parameters
    ----------
    vocab_size, context_size, d_model : int, optional
        Rows of the table `token`, V, and of the table `position`, L: the longest sequence; width of
        a vector, d. Both are `torch.nn.Embedding`.
    dropout : float, optional
        Share of the numbers of the sum that are set to zero in training.

    Examples
    --------
    >>> import torch
    >>> embeddings = GPT2Embeddings(vocab_size=100, context_size=8, d_model=4).eval()
    >>> ids = torch.tensor([5, 17, 5])
    >>> vectors = embeddings(ids)  # (3,) -> (3, 4)
    >>> torch.equal(vectors, embeddings.token.weight[ids] + embeddings.position.weight[:3])
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
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(context_size, d_model)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.token.weight, std=0.02)
        nn.init.normal_(self.position.weight, std=0.01)

    def forward(self, ids: Tensor, positions: Tensor | None = None) -> Tensor:
        """Return the input of the first layer: ``(..., n) -> (..., n, d_model)``.

        `ids` are integers, at most `context_size` in a sequence; `positions`, of shape (n,) or
        (..., n), are 0 to n - 1 unless given, as for a batch that is padded on the left. A
        `TypeError`, `ValueError` or `IndexError` names what does not fit the tables.
        """
        # What each token is: a row of the token table.
        x = rows(self.token, ids, ids, "token")  # (..., n) -> (..., n, d)
        # Where it stands: a row of the position table, the same ones for each sequence.
        if positions is None:
            positions = from_zero(self.position, ids)
        x = x + rows(self.position, ids, positions, "position")  # (..., n, d) + (n, d)
        vectors: Tensor = self.dropout(x)
        return vectors

    def logits(self, hidden: Tensor) -> Tensor:
        """Score each token of the vocabulary, with the token table: ``(..., d) -> (..., V)``."""
        return functional.linear(hidden, self.token.weight)  # (..., d) @ (d, V) -> (..., V)

    @classmethod
    def from_safetensors(
        cls, path: str | os.PathLike[str], *, prefix: str | None = None, dropout: float = 0.1
    ) -> Self:
        """Read the two tables, and nothing else, from published weights.

        `path` is a file of safetensors, or a model's folder with ``model.safetensors`` or its
        parts. The names are ``wte.weight`` and ``wpe.weight``, below any prefix, such as
        ``transformer.``; `prefix` says which if there are several. The tables give the sizes, and
        become torch's default type, on its default device. A `ValueError` says what is wrong.
        """
        tensors = read_tensors(path, _GPT2_NAMES, prefix)
        d_model = tensors["token.weight"].shape[1]
        return with_weights(lambda: cls(1, 1, d_model, dropout), tensors)

    @classmethod
    def from_hub(cls, name: str, *, revision: str | None = None, **options: Any) -> Self:
        """Fetch published weights from the Hugging Face Hub, once, and read them.

        All of the file is fetched (548 MB for ``openai-community/gpt2``) and kept in a cache;
        `revision` is a branch, tag or commit. ``pip install "text-to-vectors[pretrained]"`` brings
        the `huggingface_hub` that this needs.
        """
        return cls.from_safetensors(fetched(name, revision), **options)


class BertEmbeddings(nn.Module):
    """The input of BERT: token, position and segment vector, added and normalized.

    The tables start as normal random numbers of standard deviation 0.02, cut off at twice that, as
    in the program of Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers".

    Parameters
    ----------
    vocab_size, max_positions, n_segments, d_model : int, optional
        Rows of the tables `token` (V), `position` (the longest sequence) and `segment`, of the
        class `torch.nn.Embedding`; width of a vector, d.
    dropout : float, optional
        Share of the normalized numbers that are set to zero in training.
    eps : float, optional
        What the layer normalization `norm` adds to the variance.
    padding_id : int or None, optional
        The row of the token table that starts at zero and never learns. An attention mask hides it.

    Examples
    --------
    >>> import torch
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
        self.token = nn.Embedding(vocab_size, d_model, padding_idx=padding_id)
        self.position = nn.Embedding(max_positions, d_model)
        self.segment = nn.Embedding(n_segments, d_model)
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
        """Return the input of the first layer: ``(..., n) -> (..., n, d_model)``.

        As `GPT2Embeddings.forward`, with a segment for each id, of shape (n,) or (..., n): 0 for
        the first text, 1 for the second, by default 0.
        """
        # What each token is: a row of the token table.
        x = rows(self.token, ids, ids, "token")  # (..., n) -> (..., n, d)
        # To which text it belongs. Added first, as in published models: the same last bits.
        if segment_ids is None:
            segment_ids = torch.zeros(ids.shape[-1:], dtype=torch.int64, device=ids.device)
        x = x + rows(self.segment, ids, segment_ids, "segment")
        # Where it stands.
        if positions is None:
            positions = from_zero(self.position, ids)
        x = x + rows(self.position, ids, positions, "position")
        # Each vector of the sum gets mean 0 and variance 1, then a learned scale and shift.
        vectors: Tensor = self.dropout(self.norm(x))
        return vectors

    @classmethod
    def from_safetensors(
        cls,
        path: str | os.PathLike[str],
        *,
        prefix: str | None = None,
        dropout: float = 0.1,
        eps: float = 1e-12,
        padding_id: int | None = 0,
    ) -> Self:
        """Read the three tables and the normalization from published weights.

        As `GPT2Embeddings.from_safetensors`, with the names ``word_embeddings.weight``,
        ``position_embeddings.weight``, ``token_type_embeddings.weight``, ``LayerNorm.weight`` and
        ``.bias`` (in older files ``.gamma`` and ``.beta``). Weights do not say how a model uses
        them: `eps` is in its ``config.json``, and positions of RoBERTa and its kin begin at 2.
        """
        tensors = read_tensors(path, _BERT_NAMES, prefix)
        d_model = tensors["token.weight"].shape[1]
        return with_weights(lambda: cls(1, 1, 1, d_model, dropout, eps), tensors, padding_id)

    @classmethod
    def from_hub(cls, name: str, *, revision: str | None = None, **options: Any) -> Self:
        """Fetch published weights as `GPT2Embeddings.from_hub` does."""
        return cls.from_safetensors(fetched(name, revision), **options)


# Our name of each tensor, and the names it has in published files, the newest first.
_GPT2_NAMES = {"token.weight": ["wte.weight"], "position.weight": ["wpe.weight"]}
_BERT_NAMES = {
    "token.weight": ["word_embeddings.weight"],
    "position.weight": ["position_embeddings.weight"],
    "segment.weight": ["token_type_embeddings.weight"],
    "norm.weight": ["LayerNorm.weight", "LayerNorm.gamma"],
    "norm.bias": ["LayerNorm.bias", "LayerNorm.beta"],
}
