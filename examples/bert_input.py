"""The input of BERT: token + segment + position vectors, normalized."""

import torch

from companion.wordpiece import bert_uncased

# 1. Two texts to token ids, segment ids, positions: (1, n), (1, n), (n,)
first, second = "what is ai?", "ai means artificial intelligence."
# or: AutoTokenizer.from_pretrained("bert-base-uncased")(first, second),
# with a download; what is segment_ids here is its token_type_ids
pair = bert_uncased().encode_pair(first, second)
token_ids = torch.tensor([pair.ids])
segment_ids = torch.tensor([pair.segment_ids])
position_ids = torch.arange(len(pair.ids))

# 2. Three tables of vectors, random before training
torch.manual_seed(123)
V, L, d = 30522, 512, 768  # the sizes of bert-base-uncased
token_table = torch.nn.Embedding(V, d)
segment_table = torch.nn.Embedding(2, d)
position_table = torch.nn.Embedding(L, d)

# 3. Look up, add and normalize: (1, n) -> (1, n, d)
total = token_table(token_ids) + segment_table(segment_ids)
total = total + position_table(position_ids)
x = torch.nn.LayerNorm(d, eps=1e-12)(total)
print("input", x.shape)
