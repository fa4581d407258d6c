"""Start a tokenization chapter: how long imports and vocabularies take in a fresh Python."""

import sys
from functools import partial
from subprocess import check_call

from _measure import medians, report, rows_of

PACKAGES = ["tiktoken", "tokenizers", "transformers", "torch"]
MODULES = ["companion.bpe", "companion.wordpiece", "companion.words", *PACKAGES]
CODES = {"": "pass"} | {module: f"import {module}" for module in MODULES}
CODES["companion.bpe, with gpt2()"] = "from companion.bpe import gpt2; gpt2()"
CODES["companion.bpe, with o200k()"] = "from companion.bpe import o200k; o200k()"

if __name__ == "__main__":
    runs = {name: partial(check_call, [sys.executable, "-c", code]) for name, code in CODES.items()}
    times = medians(runs, 9, warm=1)  # the first time, files are read from the disk
    empty = times.pop("")
    beyond = {name: seconds - empty for name, seconds in times.items()}
    report("startup", rows_of("import, beyond an empty Python", beyond), PACKAGES)
