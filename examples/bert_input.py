"""The input of BERT: token + segment + position vectors, normalized."""

import torch

from companion.wordpiece import bert_uncased

# 1. Two texts to one list of tokens
first, second = "what is ai?", "ai means artificial intelligence."
# or: AutoTokenizer.from_pretrained("bert-base-uncased"), with a download
tokenizer = bert_uncased()
part_a = ["[CLS]", *tokenizer.tokenize(first), "[SEP]"]
part_b = [*tokenizer.tokenize(second), "[SEP]"]

# 2. Token ids, segment ids and positions: (1, n), (1, n) and (n,)
tokens = part_a + part_b
n = len(tokens)
token_ids = torch.tensor([[tokenizer.vocab[token] for token in tokens]])
segment_ids = torch.tensor([[0] * len(part_a) + [1] * len(part_b)])
position_ids = torch.arange(n)

# 3. Three tables of vectors, random before training
torch.manual_seed(123)
V, L, d = 30522, 512, 768  # the sizes of bert-base-uncased
token_table = torch.nn.Embedding(V, d)
segment_table = torch.nn.Embedding(2, d)
position_table = torch.nn.Embedding(L, d)

# 4. Look up, add and normalize: (1, n) -> (1, n, d)
total = token_table(token_ids) + segment_table(segment_ids)
total = total + position_table(position_ids)
x = torch.nn.LayerNorm(d, eps=1e-12)(total)
print("input", x.shape)
