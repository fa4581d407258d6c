"""Test what concerns one page: its notebook, module, figures, exercises, and the page itself.

python tools/page.py words
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def files_of(page: str) -> list[str]:
    """Return the files with tests that have the name of a page.

    Raises
    ------
    SystemExit
        If there is no such page.
    """
    pages = sorted(path.stem for path in (ROOT / "book").glob("*.md"))
    if page not in pages:
        raise SystemExit(f"there is no page {page!r}; there are {', '.join(pages)}")
    name = page.replace("-", "_")
    patterns = [
        f"book/notebooks/{page}.ipynb",
        f"companion/**/{name}.py",
        f"tests/*/test_{name}.py",
    ]
    return [str(path) for pattern in patterns for path in sorted(ROOT.glob(pattern))]


if __name__ == "__main__":
    (page,) = sys.argv[1:]
    # Side by side, each in one process: to spread so few tests takes longer than to run them.
    runs = [files_of(page), ["tests/book", "-k", f"book/{page}.html or [{page}]"]]
    command = [sys.executable, "-m", "pytest", "--quiet", "--numprocesses=0"]
    started = [
        subprocess.Popen([*command, *run], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for run in runs
        if run
    ]
    for run in started:
        print(run.communicate()[0])
    # No test may have the page's name, which pytest answers with 5.
    sys.exit(any(run.returncode not in (0, 5) for run in started))
