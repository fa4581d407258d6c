"""Stop unless this Python can run the book. `make` asks before it makes .venv.

Older and newer Pythons must be able to read this file too: it uses nothing new.
"""

import sys

OLDEST, NEWEST = (3, 11), (3, 14)
"""The versions that the pinned torch has wheels for."""


def complaint(version: "tuple[int, int]") -> str:
    """Say what is wrong with a version of Python; empty if nothing is."""
    if OLDEST <= version <= NEWEST:
        return ""
    return (
        "The book needs Python %d.%d to %d.%d, and this is Python %d.%d. "  # noqa: UP031
        "Name another one: make PYTHON=python3.12" % (OLDEST + NEWEST + version)
    )


if __name__ == "__main__":
    sys.exit(complaint(sys.version_info[:2]) or None)
