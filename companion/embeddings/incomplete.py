"""An input layer that has rows for some of its tokens, and names a token without one."""

from collections.abc import Mapping
from contextlib import suppress

import torch
from torch import Tensor

from companion.embeddings import BertEmbeddings
from companion.embeddings.published import with_weights
from companion.wordpiece import bert_uncased


class SomeRows(BertEmbeddings):
    """BERT's layer with rows for some tokens; those of the others are NaN."""

    def forward(
        self, ids: Tensor, segment_ids: Tensor | None = None, positions: Tensor | None = None
    ) -> Tensor:
        """Return the input of the first layer, as `BertEmbeddings` does, if all rows are here."""
        x = super().forward(ids, segment_ids, positions)
        if ids.device.type == "cpu" and not torch.compiler.is_compiling():
            missing = self.token.weight[ids.long(), 0].isnan()
            with suppress(RuntimeError):  # ids under vmap cannot be read
                for token_id in ids[missing].tolist():
                    token = list(bert_uncased().vocab)[token_id]
                    raise ValueError(
                        f"the trained vector of {token!r} (id {token_id}) is not in this package; "
                        "for all 30522 read the published file: BertEmbeddings.from_safetensors"
                    )
        return x


def layer_with(tensors: Mapping[str, Tensor], n_vocab: int) -> BertEmbeddings:
    """Make the layer of the bundled tensors, in eval mode, with a row of NaN for each other id."""
    weights = {name: tensors[name] for name in tensors if "." in name}
    rows = weights["token.weight"]
    table = rows.new_full((n_vocab, rows.shape[1]), torch.nan)
    table[tensors["ids"].long()] = rows
    weights["token.weight"] = table
    return with_weights(lambda: SomeRows(1, 1, 1, rows.shape[1]), weights, padding_id=0).eval()
