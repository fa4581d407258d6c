"""Special tokens of `companion.bpe`: their ids, and a text cut at those that it holds."""

import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from companion._checks import checked_specials, checked_vocab
from companion.patterns import pieces

Names = Literal["all"] | Collection[str]


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


def cut_at_specials(
    text: str, ids: Mapping[str, int], allowed: Names, disallowed: Names
) -> Iterator[str | int]:
    """Cut a text at the special tokens that are allowed: yield the text between them, and ids."""
    allowed_names = _names(allowed, ids, "allowed_special")
    refused = _names(disallowed, ids, "disallowed_special")
    if disallowed == "all":
        refused -= allowed_names
    if found := any_of(refused).search(text):
        name = found.group()
        raise ValueError(
            f"the text holds the disallowed special token {name!r} at character {found.start()}; "
            f"to encode it as its id, pass allowed_special={{{name!r}}}; to encode special tokens "
            "as ordinary text, pass disallowed_special=()"
        )
    for piece, is_special in pieces(any_of(allowed_names.intersection(ids)).finditer, text):
        yield ids[piece] if is_special else piece


def _names(names: Names, ids: Mapping[str, int], what: str) -> frozenset[str]:
    if isinstance(names, str) and names != "all":  # as a set, the set of its characters
        raise TypeError(
            f"{what} must be 'all' or a set of strings, not the string {names!r}; "
            f"write {{{names!r}}}"
        )
    return frozenset(ids if names == "all" else names)


@functools.lru_cache
def any_of(names: frozenset[str]) -> re.Pattern[str]:
    """Match any of the names; of those that start at the same position, the longest."""
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or r"\A(?!)")  # of none, nothing
