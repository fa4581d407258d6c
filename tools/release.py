"""Check a release, and find what the changelog says of it.

    python tools/release.py check v1.2.3   # is this the version, and does the changelog have it?
    python tools/release.py notes          # print the changelog's newest entry

The version is set in `companion/__init__.py`. `CHANGELOG.md` and `CITATION.cff` repeat it, and a
test compares them. This needs nothing but Python.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def version() -> str:
    """Read the version without importing the package."""
    source = (ROOT / "companion" / "__init__.py").read_text(encoding="utf-8")
    (found,) = re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    return str(found)


def newest_entry(changelog: str) -> tuple[str, str, str]:
    """Give the version, the date and the text of the first entry in a changelog."""
    _, _, entries = changelog.partition("\n## ")
    pattern = r"\[(\S+)\] - (\d{4}-\d\d-\d\d)\n(.*?)(?=^## |\Z)"
    if entry := re.match(pattern, entries, re.MULTILINE | re.DOTALL):
        return entry[1], entry[2], entry[3].strip()
    raise SystemExit("the first entry of CHANGELOG.md must begin '## [VERSION] - YYYY-MM-DD'")


def check(tag: str) -> None:
    """Stop unless a tag names the version, and the changelog's newest entry is on it."""
    newest, _, _ = newest_entry((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not tag == f"v{version()}" == f"v{newest}":
        raise SystemExit(
            f"the tag is {tag}, companion/__init__.py says {version()!r} and the newest entry of "
            f"CHANGELOG.md {newest!r}; a release needs all three to agree"
        )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["check", tag]:
            check(tag)
        case ["notes"]:
            print(newest_entry((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))[2])
        case _:
            raise SystemExit(__doc__)
