"""Checks that the modules share; each is made once, where a value enters the package."""

import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeVar

from companion.errors import UnknownIdError

Token = TypeVar("Token")


def checked_specials(
    specials: Iterable[str], name: str, *, needs: str | None = None
) -> tuple[str, ...]:
    """Return the special tokens; each must be a string that is not empty and is given once."""
    if isinstance(specials, str):
        raise TypeError(f"{name} must be a sequence of strings; write [{specials!r}]")
    checked = tuple(specials)
    for special in checked:
        if special != valid_text(special, "a special token") or not special:
            raise ValueError(
                f"the special token {special!r} is empty or has surrogates; give it a name such as "
                "'<unk>'"
            )
    for special, times in Counter(checked).items():
        if times > 1:
            raise ValueError(f"the special token {special!r} is given twice; name it once")
    if needs is not None and needs not in checked:
        raise ValueError(f"{needs!r} is not among the {len(checked)} {name}; add it")
    return checked


def require_none_of(specials: Iterable[str], pieces: Set[str]) -> None:
    """Refuse a special token that the text has made a piece too: it would have two ids."""
    for special in specials:
        if special in pieces:
            raise ValueError(
                f"the special token {special!r} is also a piece that the text makes; give it a "
                f"name that is in no text, such as '<{special}>'"
            )


def checked_vocab(pairs: Iterable[tuple[str, int]]) -> tuple[dict[str, int], dict[int, str]]:
    """Return the id of each token, and the token of each id; both are one to one, ids from 0."""
    ids: dict[str, int] = {}
    tokens: dict[int, str] = {}
    for token, value in pairs:
        require_text(token, "a token of vocab")
        token_id = at_least(0, value, f"the id of {token!r}")
        if token in ids:
            here = f"has the ids {ids[token]} and {token_id}"
            raise ValueError(f"token {token!r} {here}; name it once")
        if token_id in tokens:
            raise ValueError(
                f"id {token_id} is given to both {tokens[token_id]!r} and {token!r}; "
                "each token needs an id of its own"
            )
        ids[token] = token_id
        tokens[token_id] = token
    return ids, tokens


def tokens_of(ids: Any, tokens: Mapping[int, Token], n_vocab: int) -> list[Token]:
    """Look up the token of each id."""
    if isinstance(ids, str | bytes):  # bytes would be taken for their numbers
        raise TypeError(f"ids must be an iterable of integers, not {describe(ids)}")
    found = []
    for value in ids:
        token = tokens.get(token_id := as_id(value, "an id"))
        if token is None:
            of = f"of {len(tokens)} tokens (0 to {n_vocab - 1})"
            raise UnknownIdError(f"id {token_id} is not in the vocabulary {of}", token_id, n_vocab)
        found.append(token)
    return found


def require_text(value: Any, what: str) -> None:
    """Raise a `TypeError` unless a value is a string."""
    if not isinstance(value, str):
        fix = "; decode it first: data.decode('utf-8')" if isinstance(value, bytes) else ""
        raise TypeError(f"{what} must be a string, not {describe(value)}{fix}")


def valid_text(value: Any, what: str) -> str:
    """Return a text that UTF-8 can encode, as `tiktoken` reads it."""
    # Two surrogates that belong together become their character, a lone one becomes U+FFFD.
    require_text(value, what)
    text: str = value
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def as_id(value: Any, what: str) -> int:
    """Return an integer of any library as an `int`."""
    if type(value) is int:
        return value
    # operator.index takes the integers of numpy and torch too, and refuses 2.0 and "2". Bools
    # count as integers in Python and torch, but a mask that is given for ids is a mistake.
    if not isinstance(value, bool) and not str(getattr(value, "dtype", "")).endswith("bool"):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{what} must be an integer, not {describe(value)}")


def at_least(least: int, value: Any, what: str) -> int:
    """Return an integer that is not below a limit."""
    number = as_id(value, what)
    if number < least:
        raise ValueError(f"{what} is {number}; it must be at least {least}")
    return number


def require_shape(shape: Sequence[int], whole: Sequence[int], name: str, of: str) -> None:
    """Raise a `ValueError` unless there is a number for each of the whole, or one row for all."""
    # Sums would stretch one number over a row, or the whole over more rows than it has.
    pairs = zip(reversed(shape), reversed(whole), strict=False)
    is_row = shape[-1:] == whole[-1:] and len(shape) <= len(whole)
    if not is_row or any(n not in (1, m) for n, m in pairs):
        raise ValueError(
            f"{name} have shape {tuple(shape)}, which does not fit {of} of shape {tuple(whole)}; "
            f"give ({whole[-1]},) or {tuple(whole)}"
        )


def describe(value: Any) -> str:
    """Name a value and its type for an error message."""
    return f"{type(value).__name__}: {shortened(value)}"


def shortened(value: Any, limit: int = 60) -> str:
    """Show a value on one short line."""
    shown = repr(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}…"
