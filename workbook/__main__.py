"""Check a reader's file on the command line: ``python -m workbook FILE``."""

import sys
from collections.abc import Sequence
from pathlib import Path

from workbook.exercises import find, grade
from workbook.exercises._grading import Exercise
from workbook.exercises._whole_file import read

_USAGE = "usage: python -m workbook FILE, such as my_file.py"


def main(arguments: Sequence[str]) -> int:
    """Print what `check` says of a file; return 1 if something is wrong, 2 if it cannot be read."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        asked = arguments and arguments[0] in ("-h", "--help")
        print(_USAGE, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    try:
        source = read(Path(arguments[0]))
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    exercise = find("one-file.file")
    assert isinstance(exercise, Exercise)
    passed, message = grade(exercise, f"{source}\n\n")
    print(f"{arguments[0]}: {message}")
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
