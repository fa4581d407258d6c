"""Two steps over the shards of a corpus, the same under `datasets`, Ray and Spark.

Learning BPE from a large corpus takes two steps that work on each text alone, and one that does
not. Counting pre-tokens and encoding run on any number of machines; between them, one machine adds
up the counts and learns the merges. Each step takes a batch, which is whatever gives an iterable of
texts for ``batch["text"]``, and returns columns.
"""

import functools
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.bpe import GPT2_PATTERN, BPETokenizer, train_bpe
from companion.patterns import read_pattern
from companion.story import load_story

VOCAB_SIZE = 600
Columns = dict[str, list[Any]]


def count(batch: Mapping[str, Iterable[str]]) -> Columns:
    """Count the pre-tokens of a batch: a column of words, one of counts."""
    words = read_pattern(GPT2_PATTERN)
    counts: Counter[str] = Counter()
    for text in batch["text"]:
        counts.update(words.findall(text))
    return {"word": list(counts), "count": list(counts.values())}


def encode(batch: Mapping[str, Iterable[str]], tokenizer: BPETokenizer) -> Columns:
    """Encode the texts of a batch, each with the end of a document: a column of lists of ids."""
    end = tokenizer.special_tokens["<|endoftext|>"]
    return {"ids": [[*tokenizer.encode_ordinary(text), end] for text in batch["text"]]}


def learn(counted: Iterable[Mapping[str, Any]]) -> Callable[[Any], Columns]:
    """Add up the rows of counts, learn the merges, and return the second step.

    A word may be in many rows, one of each batch, or in one, if the engine has added them up.
    """
    counts: Counter[str] = Counter()
    for row in counted:
        counts[row["word"]] += int(row["count"])
    tokenizer = train_bpe(counts, VOCAB_SIZE, special_tokens=["<|endoftext|>"])
    return functools.partial(encode, tokenizer=tokenizer)


@contextmanager
def shards() -> Iterator[str]:
    """Write the paragraphs of the story to four files, each line a text in JSON: the corpus."""
    paragraphs = load_story().split("\n\n")
    # On Windows the files may still be open when the folder is removed.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for i in range(4):
            lines = [json.dumps({"text": text}) for text in paragraphs[i::4]]
            Path(folder, f"{i}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        yield folder


def report(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print how many texts and ids there are."""
    lengths = [len(row["ids"]) for row in rows]
    print(f"{len(lengths)} texts, {sum(lengths)} ids")
