"""Count, learn and encode with Spark: on one machine, or on those of a cluster.

    pip install pyspark pandas pyarrow    # and Java 17 or newer
    python examples/shards/with_spark.py

On a cluster, `spark-submit` starts the program, the corpus lies where all machines can read it, and
`companion` is installed on each of them.
"""

import os
import sys
from collections.abc import Callable, Iterator

import pandas as pd
import steps
from pyspark.sql import DataFrame, SparkSession


def each(corpus: DataFrame, step: Callable[..., steps.Columns], columns: str) -> DataFrame:
    """Apply a step to each batch; Spark asks for the types of the new columns."""

    def applied(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield pd.DataFrame(step(batch))

    return corpus.mapInPandas(applied, columns)


if __name__ == "__main__":
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of the processes that Spark starts
    spark = SparkSession.builder.master("local[2]").getOrCreate()  # a cluster has its own master
    spark.addArtifacts(steps.__file__, pyfile=True)  # the other machines need the module too
    with steps.shards() as folder:
        corpus = spark.read.json(folder)
        counted = each(corpus, steps.count, "word string, count long")
        added_up = counted.groupBy("word").sum("count").toDF("word", "count")
        encode = steps.learn(row.asDict() for row in added_up.toLocalIterator())
        encoded = each(corpus, encode, "ids array<long>")
        steps.report(row.asDict() for row in encoded.toLocalIterator())
    spark.stop()
