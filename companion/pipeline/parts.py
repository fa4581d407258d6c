"""How a part of a `tokenizer.json` is read, and refused by its name where it cannot be.

A part with settings is a small class with the name that it has in the file: its fields are the
settings, and its one method does its work. A part without settings is a function.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import partial
from types import UnionType
from typing import Any, TypeAlias, get_args, get_origin

from companion._checks import shortened
from companion.patterns import pieces, read_pattern

Part: TypeAlias = Mapping[str, Any]
Cut: TypeAlias = Callable[[str], Iterable[tuple[str, bool]]]  # the pieces, and whether they match

_LONGEST, _MOST_SIGNS = 5_000, 300  # of a pattern; the longest published one has 600 characters


@dataclass
class Plain:
    """A part without settings: its name, and the function that does its work."""

    name: str
    work: Callable[..., Any]

    def __call__(self, *values: Any) -> Any:
        """Do the work."""
        return self.work(*values)

    def __repr__(self) -> str:
        return f"{self.name}()"


def made(stage: str, part: object, kinds: Mapping[str, Any]) -> Any:
    """Make what a part of the file describes: the class of its type gets the settings it has."""
    kind = part.get("type") if isinstance(part, dict) else part
    if not isinstance(part, dict) or not isinstance(kind, str) or kind not in kinds:
        known = ", ".join(kinds)
        raise ValueError(f"the {stage} {shortened(kind)} is not supported; supported are {known}")
    if not isinstance(kinds[kind], type):
        return Plain(kind, kinds[kind])
    try:
        return kinds[kind](**_settings(kinds[kind], part))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"the {stage} {kind}: {error}") from error


def _settings(kind: Any, part: Part) -> dict[str, Any]:
    """Return the value of each field of a class, from a part or else its default."""
    usual = {each: None if each.default is MISSING else each.default for each in fields(kind)}
    return {each.name: field(part, each.name, each.type, usual[each]) for each in usual}


def field(part: Part, name: str, kind: Any, default: Any = None) -> Any:
    """Return a value of a part, which has this type; without it, or with null, the default."""
    if not isinstance(part, Mapping):
        raise ValueError(f"{shortened(part)} stands where a JSON object must be")
    value = default if part.get(name) is None else part[name]
    kinds = get_args(kind) if isinstance(kind, UnionType) else (get_origin(kind) or kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = kinds[0].__name__
        raise ValueError(f"{name!r} is {shortened(value)}; it must be of type {wanted}")
    return value


def sign(name: str, value: str) -> str:
    """Return a setting that must be one character."""
    if len(value) != 1:
        raise ValueError(f"{name!r} is {shortened(value)}; it must be one character")
    return value


def pattern_of(pattern: Part) -> Cut:
    """Return a function that cuts a text into what a pattern matches, True, and the rest, False."""
    match pattern:
        case {"Regex": str(expression)}:
            if len(expression) > _LONGEST or expression.count("\\") > _MOST_SIGNS:
                raise ValueError(f"a pattern of {len(expression):,} characters is too long to read")
            return partial(pieces, read_pattern(expression, reading="tokenizers").finditer)
        case {"String": str(plain)}:
            return partial(pieces, re.compile(re.escape(plain)).finditer)
        case other:
            raise ValueError(f"'pattern' is {shortened(other)}; it must be a Regex or a String")
