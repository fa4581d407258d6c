"""Start a tokenization chapter: how long imports and vocabularies take in a fresh Python.

python benchmarks/startup.py
"""

import subprocess
import sys
from functools import partial

from _measure import medians, report, rows_of

PACKAGES = ["tiktoken", "tokenizers", "transformers", "torch"]
MODULES = ["companion.bpe", "companion.wordpiece", "companion.words", *PACKAGES]


def main() -> None:
    """Run all and report."""
    codes = {"": "pass"} | {module: f"import {module}" for module in MODULES}
    for name in ("gpt2", "o200k"):
        codes[f"companion.bpe, with {name}()"] = f"from companion.bpe import {name}; {name}()"
    runs = {
        name: partial(subprocess.run, [sys.executable, "-c", code], check=True)
        for name, code in codes.items()
    }
    medians(runs, 1)  # the first time, files are read from the disk
    times = medians(runs, 9)
    empty = times.pop("")
    beyond = {module: seconds - empty for module, seconds in times.items()}
    report("startup", rows_of("import, beyond an empty Python", beyond), PACKAGES)


if __name__ == "__main__":
    main()
