"""Count, learn and encode with Ray: on one machine, or on those of a cluster.

    pip install "ray[data]"
    python examples/shards/with_ray.py

On a cluster, `ray.init` gets its address, the corpus lies where all machines can read it, and
`companion` is installed on each of them.
"""

import ray
import steps

if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False)
    with steps.shards() as folder:
        corpus = ray.data.read_json(folder, lines=True)
        counted = corpus.map_batches(steps.count).groupby("word").sum("count")
        encode = steps.learn(counted.rename_columns({"sum(count)": "count"}).iter_rows())
        steps.report(corpus.map_batches(encode).iter_rows())
    ray.shutdown()
