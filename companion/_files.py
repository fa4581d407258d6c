"""Files that are written whole or not at all, and bundled files that are the published ones."""

import functools
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` when the block ends without an error.

    Until then the new file has another name in the same folder, which ends in ``.part``. If
    anything fails, the new file is deleted and an old file at `path` stays as it was; only a
    process that is killed outright leaves its ``.part`` behind.
    """
    target = Path(path)
    # Found out now, not when all is written; and a rename would take the place of /dev/null.
    if target.exists() and not target.is_file():
        raise OSError(f"{target} is a folder, a device or a pipe; name a regular file")
    # In the same folder, because only there a rename replaces a file in one step. No other
    # process chooses this name; a short start of the file's own name keeps it below the limit.
    unfinished = target.with_name(f"{target.name[:32]}.{secrets.token_hex(4)}.part")
    try:
        with open(unfinished, "xb") as file:
            yield file
        unfinished.replace(target)
    except BaseException:  # an interrupt from the keyboard too
        unfinished.unlink(missing_ok=True)
        raise


@functools.cache
def _published() -> dict[str, str]:
    """Return the SHA-256 of each file that ``SOURCES.md`` lists."""
    text = files("companion").joinpath("data", "SOURCES.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([^`]+)` .* `([0-9a-f]{64})` \|$", text, re.MULTILINE))


def bundled(name: str) -> bytes:
    """Return a file of this package's ``data`` folder if it has the published SHA-256."""
    data = files("companion").joinpath("data", name).read_bytes()
    found, published = hashlib.sha256(data).hexdigest(), _published()[name]
    if found != published:
        raise ValueError(
            f"the bundled {name} has the SHA-256 {found}, not {published}; install the package "
            "again"
        )
    return data


@functools.cache
def bundled_json(name: str) -> Any:
    """Return what a bundled file of JSON holds, to be read and not changed."""
    return json.loads(bundled(name))
