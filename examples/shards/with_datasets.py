"""Count, learn and encode with `datasets`: several processes of one machine.

pip install datasets
python examples/shards/with_datasets.py
"""

import steps
from datasets import load_dataset

if __name__ == "__main__":
    with steps.shards() as folder:
        files = {"data_dir": folder, "cache_dir": folder}
        corpus = load_dataset("json", split="train", **files)
        each = {"batched": True, "remove_columns": ["text"], "num_proc": 2}
        encode = steps.learn(corpus.map(steps.count, **each))
        steps.report(corpus.map(encode, **each))
