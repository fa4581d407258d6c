"""Check a release and gather its files.

    python tools/release.py check v1.2.3   # is this the version, and does the changelog have it?
    python tools/release.py notes          # print the changelog's newest entry
    python tools/release.py gather         # copy the built site and the PDF into dist

The version is set in `companion/__init__.py`. `CHANGELOG.md` and `CITATION.cff` repeat it, and a
test compares them. This needs nothing but Python.
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
SITE, PDF = ROOT / "_build" / "html", ROOT / "_build" / "text-to-vectors.pdf"


def version() -> str:
    """Read the version without importing the package."""
    source = (ROOT / "companion" / "__init__.py").read_text(encoding="utf-8")
    (found,) = re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    return str(found)


def newest_entry(changelog: str) -> tuple[str, str, str]:
    """Give the version, the date and the text of the first entry in a changelog."""
    _, _, entries = changelog.partition("\n## ")
    entry = re.match(
        r"\[(?P<version>\S+)\] - (?P<date>\d{4}-\d\d-\d\d)\n(?P<text>.*?)(?=^## |\Z)",
        entries,
        re.MULTILINE | re.DOTALL,
    )
    if not entry:
        first = entries.partition("\n")[0]
        raise SystemExit(
            f"the first entry of CHANGELOG.md is {first!r}; "
            "a release needs one that begins '## [VERSION] - YYYY-MM-DD'"
        )
    return entry["version"], entry["date"], entry["text"].strip()


def check(tag: str) -> None:
    """Stop unless a tag names the version, and the changelog's newest entry is on it."""
    newest, _, _ = newest_entry((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not tag == f"v{version()}" == f"v{newest}":
        raise SystemExit(
            f"the tag is {tag}, companion/__init__.py says {version()!r} and the newest entry of "
            f"CHANGELOG.md {newest!r}; a release needs all three to agree"
        )


def gather() -> None:
    """Put the site, which offers the PDF, and the PDF itself beside the package."""
    if not (SITE / "index.html").exists():
        raise SystemExit("the book is not built: run `make book` first")
    if not (SITE / PDF.name).exists():
        raise SystemExit("the site does not offer the PDF: run `make dist`, which prints it first")
    site = shutil.copytree(SITE, DIST / f"text-to-vectors-{version()}-site")
    shutil.make_archive(str(site), "zip", DIST, site.name)  # unpacks into a folder of this name
    shutil.rmtree(site)
    shutil.copy(SITE / PDF.name, DIST / f"text-to-vectors-{version()}.pdf")
    for path in sorted(DIST.iterdir()):
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["check", tag]:
            check(tag)
        case ["notes"]:
            print(newest_entry((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))[2])
        case ["gather"]:
            gather()
        case _:
            raise SystemExit(__doc__)
