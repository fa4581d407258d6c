"""Print what the changelog says of the version that is released.

    python tools/release.py v1.2.3

The version is set in `companion/__init__.py`; `CHANGELOG.md` and `CITATION.cff` repeat it, and a
test compares them. This needs nothing but Python.
"""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def newest_entry(changelog: str) -> tuple[str, str, str]:
    """Give the version, the date and the text of the first entry in a changelog."""
    _, _, entries = changelog.partition("\n## ")
    pattern = r"\[(\S+)\] - (\d{4}-\d\d-\d\d)\n(.*?)(?=^## |\Z)"
    if entry := re.match(pattern, entries, re.MULTILINE | re.DOTALL):
        return entry[1], entry[2], entry[3].strip()
    raise SystemExit("the first entry of CHANGELOG.md must begin '## [VERSION] - YYYY-MM-DD'")


def notes(tag: str) -> str:
    """Give the text of the newest entry, or stop if it is not that of a tag."""
    version, _, text = newest_entry(CHANGELOG.read_text(encoding="utf-8"))
    if tag != f"v{version}":
        raise SystemExit(
            f"the tag is {tag}, and the newest entry of CHANGELOG.md is of {version}: "
            f"name that version there and in companion/__init__.py, or push the tag v{version}"
        )
    return text


if __name__ == "__main__":
    print(notes(sys.argv[1]))
