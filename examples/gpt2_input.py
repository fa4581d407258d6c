"""The input of GPT-2: ids, windows, a batch, token + position vectors."""

import torch
from torch.utils.data import DataLoader, TensorDataset

from companion.bpe import gpt2

# 1. Text to token ids
text = "Once upon a time there were four little Rabbits"
# or: tiktoken.get_encoding("gpt2"), with a download
tokenizer = gpt2()
ids = tokenizer.encode(text)

# 2. Ids to windows: the target of each token is the token after it
context_size = 4
inputs, targets = [], []
for start in range(0, len(ids) - context_size, context_size):
    inputs.append(ids[start : start + context_size])
    targets.append(ids[start + 1 : start + context_size + 1])

# 3. Windows to batches
dataset = TensorDataset(torch.tensor(inputs), torch.tensor(targets))
loader = DataLoader(dataset, batch_size=2)  # for training, add shuffle=True

# 4. Two tables of vectors, random before training
torch.manual_seed(123)
V, L, d = 50257, 1024, 768  # the sizes of the smallest GPT-2
token_table = torch.nn.Embedding(V, d)  # a row for each token
position_table = torch.nn.Embedding(L, d)  # a row for each position

# 5. Look up and add: (B, n) -> (B, n, d)
for input_ids, target_ids in loader:  # (B, n) each
    n = input_ids.shape[1]
    x = token_table(input_ids) + position_table(torch.arange(n))
    print("inputs", x.shape, "targets", target_ids.shape)
