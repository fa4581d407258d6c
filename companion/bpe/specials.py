"""Special tokens of `companion.bpe`: their ids, and an expression that finds them."""

import functools
import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from companion.checks import checked_specials, checked_vocab


def special_ids(names: Sequence[str] | Mapping[str, int], n_tokens: int) -> dict[str, int]:
    """Return the id of each special token: as given, or those after the other tokens."""
    checked = checked_specials(names, "special_tokens")
    if not isinstance(names, Mapping):
        return {name: n_tokens + i for i, name in enumerate(checked)}
    ids, _ = checked_vocab(names.items())
    for name, token_id in ids.items():
        if token_id < n_tokens:
            what = f"the id of {name!r} is {token_id}, which a byte or a merge has"
            raise ValueError(f"{what}; the first free id is {n_tokens}")
    return ids


@functools.lru_cache
def any_of(names: frozenset[str]) -> re.Pattern[str]:
    """Match any of the names; of those that start at the same position, the longest."""
    if not names:
        return re.compile("(?!)")  # matches nowhere
    # A branch for each first character, "<b>", "<a>", "[c]" -> ``<(?:b>|a>)|\[(?:c\])``: not all
    # of thousands of names are tried at each position. In a branch, the longest comes first.
    ordered = sorted(names, key=lambda name: (name[0], -len(name)))
    branches = [
        f"{re.escape(first)}(?:{'|'.join(re.escape(name[1:]) for name in same)})"
        for first, same in groupby(ordered, key=lambda name: name[0])
    ]
    return re.compile("|".join(branches))
