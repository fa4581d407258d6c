"""The input of GPT-2: ids, windows, a batch, token + position vectors."""

import torch

from companion.bpe import gpt2

# 1. Text to token ids
text = "Once upon a time there were four little Rabbits"
# or: tiktoken.get_encoding("gpt2").encode(text), with a download
ids = gpt2().encode(text)

# 2. Ids to windows: the target of each token is the token after it
n = 4  # tokens in a window
inputs = [ids[0:4], ids[4:8]]
targets = [ids[1:5], ids[5:9]]

# 3. Windows to a batch; for many batches: torch.utils.data.DataLoader
input_ids = torch.tensor(inputs)  # (B, n)
target_ids = torch.tensor(targets)  # (B, n)

# 4. Two tables of vectors, random before training
torch.manual_seed(123)
V, L, d = 50257, 1024, 768  # the sizes of the smallest GPT-2
token_table = torch.nn.Embedding(V, d)  # a row for each token
position_table = torch.nn.Embedding(L, d)  # a row for each position

# 5. Look up and add: (B, n) -> (B, n, d)
x = token_table(input_ids) + position_table(torch.arange(n))
print("inputs", x.shape, "targets", target_ids.shape)
