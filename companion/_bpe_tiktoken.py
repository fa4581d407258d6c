"""What `companion.bpe` can do and `tiktoken` cannot: refused here, before ids differ silently."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from companion._bpe_encoding import GPT2_PATTERN, merged
from companion._bpe_files import Pair

# A group that is referred to by its number or name: \1, \g<name>, (?P=name), (?P>name), (?&name),
# (?R), (?1), (?(1)yes|no).
_REFERENCE = re.compile(r"\\(?:[1-9]|g<)|\(\?(?:P[=>]|[&(R]|[+-]?\d)")


def tiktoken_pattern(pattern: str) -> str:
    """Return a pattern with which `tiktoken` cuts the same words."""
    if pattern == GPT2_PATTERN:
        return pattern
    if reference := _REFERENCE.search(pattern.replace(r"\\", "")):
        raise ValueError(
            f"pattern {pattern!r} refers to a group, {reference.group()!r}, which cannot be "
            "carried over to tiktoken; write the group out again"
        )
    # tiktoken drops the text between two words; the last alternative makes a word of it.
    return rf"(?:{pattern})|(?:(?!{pattern})[\s\S])+"


def require_own_tokens(vocab: Mapping[bytes, int], merges: Sequence[Pair]) -> None:
    """Raise a `ValueError` unless each token, as a word, encodes to itself."""
    # Where two merges make one token, tiktoken gives both the rank of the first. That is right
    # only if the second never happens: if the token comes out without it.
    first: dict[bytes, Pair] = {}
    for left, right in merges:
        first.setdefault(left + right, (left, right))
    ranks = {(vocab[left], vocab[right]): i for i, (left, right) in enumerate(first.values())}
    results = [vocab[token] for token in first]
    tokens = list(vocab)
    for token, token_id in vocab.items():
        ids = merged(token, ranks, results)
        if ids != [token_id]:
            raise ValueError(
                f"tiktoken would take the word {token!r} as token {token_id}, but the merges "
                f"make {[tokens[i] for i in ids]} of it; it cannot encode as they do"
            )


def require_prefix_free(names: Iterable[str]) -> None:
    """Raise a `ValueError` if one special token begins another."""
    # In sorted order, a name that begins others comes directly before one of them.
    for shorter, longer in pairwise(sorted(names)):
        if longer.startswith(shorter):
            raise ValueError(
                f"the special token {shorter!r} begins {longer!r}, and tiktoken might take "
                "either where both fit; give one of them another name"
            )
