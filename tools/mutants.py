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

from mutmut.__main__ import cli
from mutmut.configuration import config
from mutmut.mutation.data import SourceFileMutationData
from mutmut.stats import status_by_exit_code

# The quick tests of each module, besides its own doctests.
TESTS = {
    "companion/_checks.py": ["core/test_checks"],
    "companion/_subword.py": ["core/test_subword"],
    "companion/words.py": ["core/test_words"],
    "companion/story.py": ["core/test_story"],
    "companion/bpe.py": ["core/test_bpe"],
    "companion/wordpiece.py": ["core/test_wordpiece"],
    "companion/windows.py": ["core/test_windows"],
    "companion/embeddings.py": ["core/test_embeddings"],
    "companion/positions.py": ["core/test_positions"],
    "companion/plots/_drawing.py": ["plots/test_drawing"],
    "companion/plots/words.py": ["plots/test_words"],
    "companion/plots/bytes.py": ["plots/test_bytes"],
    "companion/plots/bpe.py": ["plots/test_bpe"],
    "companion/plots/gpt2_tokenizer.py": ["plots/test_bpe"],
    "companion/plots/wordpiece.py": ["plots/test_wordpiece"],
    "companion/plots/choosing.py": ["plots/test_choosing"],
    "companion/plots/windows.py": ["plots/test_windows"],
    "companion/plots/token_embeddings.py": ["plots/test_token_embeddings"],
    "companion/plots/positions.py": ["plots/test_positions"],
    "companion/plots/sinusoids.py": ["plots/test_sinusoids"],
    "companion/plots/bert_input.py": ["plots/test_bert_input"],
    "companion/plots/gpt2_input.py": ["plots/test_gpt2_input"],
    "companion/plots/relative_positions.py": ["plots/test_relative_positions"],
    "companion/plots/training.py": ["plots/test_training"],
    "companion/exercises/__init__.py": ["exercises/test_exercises"],
    "companion/exercises/_grading.py": ["exercises/test_exercises"],
    "companion/exercises/_registry.py": ["exercises/test_exercises"],
    "companion/exercises/words.py": ["exercises/test_words"],
    "companion/exercises/bytes.py": ["exercises/test_bytes"],
    "companion/exercises/bpe.py": ["exercises/test_bpe"],
    "companion/exercises/gpt2_tokenizer.py": ["exercises/test_gpt2_tokenizer"],
    "companion/exercises/wordpiece.py": ["exercises/test_wordpiece"],
    "companion/exercises/choosing.py": ["exercises/test_choosing"],
    "companion/exercises/windows.py": ["exercises/test_windows"],
    "companion/exercises/token_embeddings.py": ["exercises/test_token_embeddings"],
    "companion/exercises/positions.py": ["exercises/test_positions"],
    "companion/exercises/sinusoids.py": ["exercises/test_sinusoids"],
    "companion/exercises/bert_input.py": ["exercises/test_bert_input"],
    "companion/exercises/gpt2_input.py": ["exercises/test_gpt2_input"],
    "companion/exercises/relative_positions.py": ["exercises/test_relative_positions"],
    "companion/exercises/training.py": ["exercises/test_training"],
}
WORKERS = os.environ.get("MUTANT_WORKERS", "2")
FOUND = ("killed", "timeout", "segfault")


def run(module: str, names: list[str]) -> Counter[str]:
    """Run the mutants of a module, or those named, and count them by what became of them."""
    settings = config()
    settings.only_mutate = [module]
    tests = [f"tests/{name}.py" for name in TESTS[module]]
    settings.pytest_add_cli_args_test_selection = [module, *tests]
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
    modules, names = (arguments[:1], arguments[1:]) if arguments else (list(TESTS), [])
    lines = []
    for module in modules:
        if module not in TESTS:
            raise SystemExit(f"{module} is none of {', '.join(TESTS)}")
        counts = run(module, names)
        found = sum(counts[status] for status in FOUND)
        share = found / max(counts.total(), 1)
        lines.append(f"{module:34} {found:5} of {counts.total():5} {share:7.1%}  {dict(counts)}")
    print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
