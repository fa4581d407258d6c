"""Count, learn and encode with `datasets`: several processes of one machine.

pip install datasets
python examples/shards/with_datasets.py
"""

from tempfile import TemporaryDirectory

import steps
from datasets import load_dataset

if __name__ == "__main__":
    cache = TemporaryDirectory(ignore_cleanup_errors=True)
    with steps.shards() as folder, cache as cache_dir:
        files = {"data_dir": folder, "cache_dir": cache_dir}
        corpus = load_dataset("json", split="train", **files)
        each = {"batched": True, "remove_columns": ["text"], "num_proc": 2}
        encode = steps.learn(corpus.map(steps.count, **each))
        steps.report(corpus.map(encode, **each))
