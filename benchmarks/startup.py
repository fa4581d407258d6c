"""Start a tokenization chapter: how long each import takes in a fresh Python.

python benchmarks/startup.py
"""

import statistics
import subprocess
import sys
import time
from importlib.metadata import version

from _measure import Row, english, report

MODULES = {
    "companion.bpe": "text-to-vectors",
    "companion.wordpiece": "text-to-vectors",
    "companion.words": "text-to-vectors",
    "tiktoken": "tiktoken",
    "tokenizers": "tokenizers",
    "transformers": "transformers",
    "torch": "torch",
}
ROUNDS = 9


def seconds(code: str) -> float:
    """Time a Python that runs some code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Run all and report."""
    times: dict[str, list[float]] = {module: [] for module in MODULES}
    seconds("pass")
    for _ in range(ROUNDS):
        empty = seconds("pass")
        for module in MODULES:
            times[module].append(seconds(f"import {module}") - empty)
    medians = {module: statistics.median(of_module) for module, of_module in times.items()}
    first = next(iter(medians.values()))
    rows = [
        Row("import, beyond an empty Python", module, median, ROUNDS, median / first, None, None)
        for module, median in medians.items()
    ]
    packages = [package for package in dict.fromkeys(MODULES.values()) if version(package)]
    report("startup", english(1_000), rows, packages)


if __name__ == "__main__":
    main()
