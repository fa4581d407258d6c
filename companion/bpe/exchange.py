"""The way to `tiktoken` and back: it knows tokens with their ranks, `companion.bpe` merges."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

import tiktoken

from companion.bpe.alphabet import BYTE_IDS, BYTES
from companion.bpe.merging import MergeTable, Pair, merged
from companion.bpe.splitting import WHOLE_TEXT_PATTERNS


def merges_of(tokens: Sequence[bytes]) -> list[Pair]:
    """Recover the merges from the tokens in the order of their ids."""
    for token_id, byte in enumerate(BYTES):
        if byte not in tokens[token_id : token_id + 1]:
            found = tokens[token_id : token_id + 1]
            what = f"token {token_id} must be {byte!r}, not {found}"
            raise ValueError(f"{what}: the first 256 are the bytes in GPT-2's order")
    # Each token in turn: what do the merges so far make of its bytes? The two that are left are
    # joined by its own merge, which is the next.
    table = MergeTable()
    for token_id, token in enumerate(tokens[256:], 256):
        ids = merged([BYTE_IDS[byte] for byte in token], table.ranks, table.results)
        parts = [tokens[part] for part in ids]
        if len(parts) != 2:
            what = f"token {token_id}, {token!r}, does not come from a merge of two"
            raise ValueError(f"{what}: it is {parts}")
        table.add(parts[0], parts[1])
    return table.merges


def parts_of(encoding: tiktoken.Encoding) -> tuple[list[Pair], str, dict[str, int]]:
    """Return the merges, the pattern and the special tokens of an encoder of `tiktoken`."""
    # The ordinary tokens in the order of their ids, which are their ranks.
    ids = {token: encoding.encode_single_token(token) for token in encoding.token_byte_values()}
    ranked = sorted(ids, key=ids.__getitem__)
    for expected, token in enumerate(ranked):
        if ids[token] != expected:
            what = f"token {token!r} has the id {ids[token]}"
            raise ValueError(f"{what}, but no token has the id {expected}")
    # The ids above those are of special tokens, and some of none.
    specials: dict[str, int] = {}
    for token_id in range(len(ranked), encoding.n_vocab):
        with suppress(KeyError):
            specials[encoding.decode_single_token_bytes(token_id).decode()] = token_id
    if shared := encoding.special_tokens_set - specials.keys():
        what = f"the special token {min(shared)!r} shares its id with another token"
        raise ValueError(f"{what}; give it an id of its own")
    return merges_of(ranked), encoding._pat_str, specials  # the pattern has no public name


def as_encoding(
    name: str, table: MergeTable, pattern: str, special_tokens: dict[str, int]
) -> tiktoken.Encoding:
    """Return an encoder of `tiktoken` that cuts and merges the same, or raise a `ValueError`."""
    # Where two merges make one token, tiktoken gives both the rank of the first. That is right
    # only if the second never happens: if the token comes out without it.
    first: dict[bytes, Pair] = {}
    for left, right in table.merges:
        first.setdefault(left + right, (left, right))
    for (token, merge), parts in zip(first.items(), merges_of(list(table.vocab)), strict=True):
        if merge != parts:
            what = f"tiktoken would make {token!r} of {parts}, but its merge joins {merge}"
            raise ValueError(f"{what}; it cannot encode as the merges do")
    # In sorted order, a name that begins others comes directly before one of them.
    for shorter, longer in pairwise(sorted(special_tokens)):
        if longer.startswith(shorter):
            what = f"the special token {shorter!r} begins {longer!r}, and tiktoken may take either"
            raise ValueError(f"{what}; give one of them another name")
    if pattern not in WHOLE_TEXT_PATTERNS:
        # tiktoken drops the text between two words; the last alternative makes a word of it.
        pattern = rf"(?:{pattern})|(?:(?!{pattern})[\s\S])+"
    return tiktoken.Encoding(
        name, pat_str=pattern, mergeable_ranks=table.vocab, special_tokens=special_tokens
    )
