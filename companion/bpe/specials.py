"""Special tokens of `companion.bpe`: their ids, and an expression that finds them."""

import functools
import re
from collections.abc import Mapping, Sequence
from itertools import groupby, takewhile
from operator import itemgetter

from companion.checks import checked_specials, checked_vocab

_MOST_BRANCHINGS = 20  # on the way to the end of a name: `re` reads groups in groups by recursion


def special_ids(names: Sequence[str] | Mapping[str, int], n_tokens: int) -> dict[str, int]:
    """Return the id of each special token: as given, or those after the other tokens."""
    checked = checked_specials(names, "special_tokens")
    if not isinstance(names, Mapping):
        return {name: n_tokens + i for i, name in enumerate(checked)}
    ids, _ = checked_vocab(names.items())
    for name, token_id in ids.items():
        if token_id < n_tokens:
            raise ValueError(
                f"the id of the special token {name!r} is {token_id}, which a byte or a merge has; "
                f"the first free id is {n_tokens}"
            )
    return ids


@functools.lru_cache
def any_of(names: frozenset[str]) -> re.Pattern[str]:
    """Match any of the names; of those that start at the same position, the longest."""
    if not names:
        return re.compile("(?!)")  # matches nowhere
    return re.compile(_tree(sorted(names)))


def _tree(names: Sequence[str], depth: int = 0) -> str:
    """Write names, in sorted order, as a tree: "<a>", "<b>", "<b><c>" as ``<(?:a>|b>(?:<c>)?)``.

    One after the other, thousands of names would be tried at each position of a text.
    """
    # What all of them begin with is, in sorted order, what the first and the last begin with.
    same = takewhile(lambda pair: pair[0] == pair[1], zip(names[0], names[-1], strict=False))
    start = "".join([character for character, _ in same])
    rests = [name[len(start) :] for name in names]
    # A branch for each character that comes next. It is tried before the end of a name that is
    # here, so the longest name wins.
    branches = [[*group] for _, group in groupby(filter(None, rests), itemgetter(0))]
    if not branches:
        return re.escape(start)
    if depth < _MOST_BRANCHINGS:
        parts = [_tree(branch, depth + 1) for branch in branches]
    else:
        parts = [re.escape(rest) for rest in sorted(filter(None, rests), key=len, reverse=True)]
    return f"{re.escape(start)}(?:{'|'.join(parts)}){'' if rests[0] else '?'}"
