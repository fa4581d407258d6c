"""Characters as every tokenizer here reads them, whatever the version of Python."""

import functools
from collections.abc import Iterable
from typing import TypeAlias

from companion.files import bundled

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points: the first and the last of each range, in order, with a gap before the next."""


def lowered(text: str) -> str:
    """Return a text with small letters, each made small by itself.

    `str.lower` of the whole would turn the last sigma of a word into ς.

    >>> lowered("ΟΔΟΣ"), "ΟΔΟΣ".lower()
    ('οδοσ', 'οδος')
    """
    return text.replace("Σ", "σ").lower()


def union(*several: Iterable[tuple[int, int]]) -> Ranges:
    """Return the code points that are in any of several classes."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(pair for ranges in several for pair in ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return tuple(joined)


def complement(ranges: Ranges) -> Ranges:
    """Return the code points that are not in a class."""
    starts = [0, *(last + 1 for _, last in ranges)]
    ends = [*(first - 1 for first, _ in ranges), 0x10FFFF]
    return tuple(pair for pair in zip(starts, ends, strict=True) if pair[0] <= pair[1])


def intersection(*several: Ranges) -> Ranges:
    """Return the code points that are in all of several classes."""
    return complement(union(*map(complement, several)))


@functools.cache
def _classes() -> dict[str, str]:
    lines = bundled("unicode-classes.txt").decode().splitlines()
    named = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {name: ranges for name, _, ranges in named}


@functools.cache
def ranges_of(name: str) -> Ranges:
    """Return the code points of a class; an unknown name is a `KeyError`."""
    categories = [category for category in _classes() if len(category) == 2]
    if name == "Cn":  # what has no other category
        return complement(union(*map(ranges_of, categories)))
    if members := [other for other in [*categories, "Cn"] if other[0] == name]:
        return union(*map(ranges_of, members))
    ends = ([int(end, 16) for end in part.split("-")] for part in _classes()[name].split())
    return tuple((pair[0], pair[-1]) for pair in ends)


def written(ranges: Ranges) -> str:
    """Write a class as the inside of a regular expression's ``[...]``."""
    return "".join(
        f"\\U{first:08x}" if first == last else f"\\U{first:08x}-\\U{last:08x}"
        for first, last in ranges
    )


def category(name: str) -> str:
    r"""Return the inside of a regular expression's ``[...]`` for a class of characters.

    ``data/unicode-classes.txt`` has the names: of general categories of Unicode 16.0 ("L", "Lu"),
    of scripts ("Han"), and of BERT's classes ("bert-mark").

    >>> category("Zl")
    '\\U00002028'
    """
    return written(ranges_of(name))
