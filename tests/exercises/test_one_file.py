"""The exercises of the chapter `one-file`: right answers pass, wrong ones get their message."""

import runpy
from pathlib import Path
from typing import Any

from answers import Wrong, tried

ONE_FILE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "one_file.py"))


def documents(documents: list[str], merges: Any) -> list[int]:
    tokenizer, ids = ONE_FILE["Tokenizer"](merges), []
    for text in documents:
        ids.extend([*tokenizer.encode(text), 256 + len(merges)])
    return ids


def likely(vector: list[float], token_table: list[list[float]], k: int) -> list[int]:
    p = ONE_FILE["probabilities"](vector, token_table)
    found: list[int] = []
    while len(found) < k:
        found.append(max((i for i in range(len(p)) if i not in found), key=lambda i: p[i]))
    return found


RIGHT = [("one-file.documents", documents), ("one-file.likely", likely)]

WRONG: Wrong = [
    ("one-file.documents", lambda texts, merges: documents(["".join(texts)], merges), "return"),
    ("one-file.documents", lambda texts, merges: [documents([t], merges) for t in texts], "return"),
    ("one-file.likely", lambda vector, token_table, k: likely(vector, token_table, k)[0], "return"),
    ("one-file.likely", lambda vector, token_table, k: list(range(k)), "return"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
