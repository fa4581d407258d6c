"""How a part of a `tokenizer.json` is read, and refused by its name where it cannot be."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from typing import Any, TypeAlias, TypeVar

from companion._checks import shortened
from companion.patterns import pieces, read_pattern

Part: TypeAlias = Mapping[str, Any]
Cut: TypeAlias = Callable[[str], Iterable[tuple[str, bool]]]  # the pieces, and whether they match
T = TypeVar("T")


def made(stage: str, part: object, makers: Mapping[str, Callable[[Part], T]]) -> T:
    """Make what a part of the file describes, by the maker of its type."""
    kind = part.get("type") if isinstance(part, dict) else part
    if not isinstance(part, dict) or not isinstance(kind, str) or kind not in makers:
        known = ", ".join(makers)
        raise ValueError(f"the {stage} {shortened(kind)} is not supported; supported are {known}")
    try:
        return makers[kind](part)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"the {stage} {kind}: {error}") from error


def field(part: Part, name: str, kind: type[T], default: T | None = None) -> T:
    """Return a value of a part, which has this type; without it, or with null, the default."""
    if not isinstance(part, Mapping):
        raise ValueError(f"{shortened(part)} stands where a JSON object must be")
    value = default if part.get(name) is None else part[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{name!r} is {shortened(value)}; it must be of type {kind.__name__}")
    return value


def sign(part: Part, name: str, default: str | None = None) -> str:
    """Return a value that is one character."""
    if len(value := field(part, name, str, default)) != 1:
        raise ValueError(f"{name!r} is {shortened(value)}; it must be one character")
    return value


def pattern_of(part: Part) -> Cut:
    """Return a function that cuts a text into what a pattern matches, True, and the rest, False."""
    match field(part, "pattern", dict):
        case {"Regex": str(pattern)}:
            return partial(pieces, read_pattern(pattern, reading="tokenizers").finditer)
        case {"String": str(plain)}:
            return partial(pieces, re.compile(re.escape(plain)).finditer)
        case other:
            raise ValueError(f"'pattern' is {shortened(other)}; it must be a Regex or a String")


def in_turn(functions: Iterable[Callable[[T], T]]) -> Callable[[T], T]:
    """Return the function of a `Sequence`."""
    every = list(functions)
    return lambda value: reduce(lambda result, function: function(result), every, value)


def replacing(part: Part) -> Callable[[str], str]:
    """Return the function of a `Replace`, which is a normalizer and a decoder."""
    cut, content = pattern_of(part), field(part, "content", str)
    return lambda text: "".join(content if found else piece for piece, found in cut(text))
