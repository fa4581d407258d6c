"""What a file of a tokenizer or of weights is, told by how it begins."""

import functools
import os
import re
from typing import NamedTuple

from companion._files import bundled_json


class Kind(NamedTuple):
    """A kind of file, with its article; what to do with one; a pattern of its first bytes."""

    name: str
    way_out: str
    sign: str


@functools.cache
def kinds() -> dict[str, Kind]:
    """Return the kinds by their names, in the order in which they are looked through."""
    return {row[0]: Kind(*row) for row in bundled_json("file-kinds.json")}


def kind_of(first_bytes: bytes) -> Kind | None:
    """Return what a file is whose first bytes (a few thousand) are these, if they tell.

    >>> kind_of(b"<!DOCTYPE html><html>").name
    'an HTML page'
    """
    data = first_bytes.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
    flags = re.DOTALL | re.IGNORECASE
    signs = ((kind, kind.sign.encode()) for kind in kinds().values())
    return next((kind for kind, sign in signs if re.match(sign, data, flags)), None)


def text_of(path: str | os.PathLike[str], wanted: str, *also: str, errors: str = "strict") -> str:
    """Return the text of a file without a byte order mark, unless it is of another kind."""
    with open(path, "rb") as file:
        data = file.read(4096)
        refuse_others(path, data, wanted, *also)
        data += file.read()
    try:
        return data.decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{os.fspath(path)} is not {wanted}: byte {error.start} is not UTF-8"
        ) from None


def refuse_others(
    path: str | os.PathLike[str], first_bytes: bytes, wanted: str, *also: str
) -> None:
    """Raise a `ValueError` if a file is known to be of another kind than those."""
    kind = kind_of(first_bytes)
    if kind is not None and kind.name not in (wanted, *also):
        raise ValueError(f"{os.fspath(path)} is {kind.name}, not {wanted}; {kind.way_out}")
