"""Stop unless this Python can run the book. `make` asks before it makes .venv.

Older and newer Pythons, Python 2 too, must be able to read this file: it uses nothing new.
"""

import sys

OLDEST, NEWEST = (3, 11), (3, 14)  # the pinned torch has wheels for these, and all between

if __name__ == "__main__" and not OLDEST <= tuple(sys.version_info[:2]) <= NEWEST:
    sys.exit(
        "The book needs Python %d.%d to %d.%d, and this is Python %d.%d. "  # noqa: UP031
        "Name another one: make PYTHON=python3.12" % (OLDEST + NEWEST + tuple(sys.version_info[:2]))
    )
