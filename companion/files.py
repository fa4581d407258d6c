"""Files: written whole or not at all, bundled as they were published, told by how they begin."""

import functools
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import BinaryIO, NamedTuple


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` when the block ends without an error.

    Until then its name ends in ``.part``. If anything fails, an old file at `path` stays as it was.
    """
    target = Path(path).resolve()  # where a symbolic link points
    # Found out now, not when all is written; and a rename would take the place of /dev/null.
    if target.exists() and not target.is_file():
        raise OSError(f"{target} is a folder, a device or a pipe; name a regular file")
    # In the same folder, because only there a rename replaces a file in one step. No other
    # process chooses this name; a short start of the file's own name keeps it below the limit.
    unfinished = target.with_name(f"{target.name[:32]}.{secrets.token_hex(4)}.part")
    try:
        with open(unfinished, "xb") as file:
            if target.exists():
                shutil.copymode(target, unfinished)
            yield file
        unfinished.replace(target)
    except BaseException:  # an interrupt from the keyboard too
        unfinished.unlink(missing_ok=True)
        raise


def bundled(name: str) -> bytes:
    """Return a file of this package's ``data`` folder if it has the SHA-256 in ``SOURCES.md``."""
    folder = files("companion").joinpath("data")
    data, sources = folder.joinpath(name).read_bytes(), folder.joinpath("SOURCES.md")
    rows = re.findall(r"(?m)^\| `([^`]+)` .* `([0-9a-f]{64})` \|$", sources.read_text("utf-8"))
    found, published = hashlib.sha256(data).hexdigest(), dict(rows)[name]
    if found != published:
        raise ValueError(
            f"the bundled {name} has the SHA-256 {found}, not {published}; if you have changed it, "
            f"write the new one into {sources}, else install the package again"
        )
    return data


class Kind(NamedTuple):
    """A kind of file, with its article; what to do with one; a pattern of its first bytes."""

    name: str
    fix: str
    sign: str


@functools.cache
def kinds() -> dict[str, Kind]:
    """Return the kinds by their names, in the order in which they are looked through."""
    return {row[0]: Kind(*row) for row in json.loads(bundled("file-kinds.json"))}


def kind_of(first_bytes: bytes) -> Kind | None:
    """Return what a file is whose first bytes (a few thousand) are these, if they tell."""
    data = first_bytes.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
    flags = re.DOTALL | re.IGNORECASE
    signs = ((kind, kind.sign.encode()) for kind in kinds().values())
    return next((kind for kind, sign in signs if re.match(sign, data, flags)), None)


def text_of(path: str | os.PathLike[str], wanted: str, *also: str, errors: str = "strict") -> str:
    """Return the text of a file without a byte order mark, unless it is of another kind."""
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device may never end
        raise ValueError(f"{path} is a folder, a device or a pipe; name a regular file")
    with open(path, "rb") as file:
        data = file.read(4096)
        refuse_others(path, data, wanted, *also)
        data += file.read()
    try:
        return data.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not {wanted}: byte {error.start} is not UTF-8") from None


def refuse_others(
    path: str | os.PathLike[str], first_bytes: bytes, wanted: str, *also: str
) -> None:
    """Raise a `ValueError` if a file is known to be of another kind than those."""
    kind = kind_of(first_bytes)
    if kind is not None and kind.name not in (wanted, *also):
        raise ValueError(f"{path} is {kind.name}, not {wanted}; {kind.fix}")
