"""Change the package in many small ways, and count the changes that its tests notice.

`make mutants` runs this with mutmut (the group `mutation` in pyproject.toml). Each change, a
mutant, is one wrong number, operator, word or argument; the tests of its module should fail.
"""

import gc
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from threading import RLock

from mutmut.__main__ import cli
from mutmut.configuration import config
from mutmut.mutation.data import SourceFileMutationData
from mutmut.stats import status_by_exit_code
from tqdm import tqdm  # type: ignore[import-untyped]

COMPANION = Path("companion")
SHARED = {
    "companion/_bpe_encoding.py": "core/test_bpe",
    "companion/_bpe_files.py": "core/test_bpe",
    "companion/_bpe_learning.py": "core/test_bpe",
    "companion/_bpe_tiktoken.py": "core/test_bpe",
    "companion/_weights.py": "core/test_embeddings",
    "companion/_wordpiece_learning.py": "core/test_wordpiece",
    "companion/errors.py": "core/test_checks",
    "companion/plots/gpt2_tokenizer.py": "plots/test_bpe",
    "companion/plots/_drawing.py": "plots/test_drawing",
    **dict.fromkeys(
        (f"companion/exercises/{name}.py" for name in ("__init__", "_grading", "_registry")),
        "exercises/test_exercises",
    ),
}
"""Modules whose tests have another name than they."""
WORKERS = os.environ.get("MUTANT_WORKERS", "2")
FOUND = ("killed", "timeout", "segfault")


def tests_of(module: Path) -> str | None:
    """Return the file with the quick tests of a module, which has its name; None without one."""
    room = module.parent.name if module.parent != COMPANION else "core"
    name = SHARED.get(module.as_posix(), f"{room}/test_{module.stem.lstrip('_')}")
    file = f"tests/{name}.py"
    return file if Path(file).exists() else None


def modules() -> dict[str, str]:
    """Return the modules that have tests of their own, and these."""
    found = {path.as_posix(): tests_of(path) for path in sorted(COMPANION.rglob("*.py"))}
    return {module: tests for module, tests in found.items() if tests}


def run(module: str, names: list[str]) -> Counter[str]:
    """Run the mutants of a module, or those named, and count them by what became of them."""
    settings = config()
    settings.only_mutate = [module]
    settings.pytest_add_cli_args_test_selection = [module, modules()[module]]
    if not names:
        shutil.rmtree("mutants", ignore_errors=True)
    cli(["run", "--max-children", WORKERS, *names], standalone_mode=False)
    results = SourceFileMutationData(path=Path(module))
    results.load()
    statuses = {
        name: status_by_exit_code[code]
        for name, code in results.exit_code_by_key.items()
        if code is not None  # it was not run
    }
    for name, status in statuses.items():
        if status not in FOUND:
            print(f"{status}: {name}")
    return Counter(statuses.values())


def main(arguments: list[str]) -> None:
    """Run the module that is named, perhaps only mutants of it by name or pattern, or run all."""
    # Each mutant runs in a fork, where collecting garbage would copy all that was loaded before.
    os.register_at_fork(before=gc.freeze)
    # By default forks share the lock of progress bars: one that is stopped would stop the others.
    tqdm.set_lock(RLock())
    known = modules()
    chosen, names = (arguments[:1], arguments[1:]) if arguments else (list(known), [])
    lines = []
    for module in chosen:
        if module not in known:
            raise SystemExit(f"{module} is none of {', '.join(known)}")
        counts = run(module, names)
        found = sum(counts[status] for status in FOUND)
        share = found / max(counts.total(), 1)
        lines.append(f"{module:34} {found:5} of {counts.total():5} {share:7.1%}  {dict(counts)}")
    print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
