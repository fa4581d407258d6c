"""How a part of a `tokenizer.json` is read, and refused by its name where it cannot be.

Each kind of part has a function in a table: it gets the settings of the part by their names in the
file, and returns what does its work. A `lambda` has no types: there a setting is of the type of its
default, or without one a text.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, signature
from types import UnionType
from typing import Any, TypeAlias, get_args, get_origin

from companion.checks import shortened
from companion.patterns import pieces, read_pattern

Part: TypeAlias = Mapping[str, Any]
Tokens: TypeAlias = list[tuple[str, int]]  # with their ids
Kinds: TypeAlias = dict[str | None, Callable[..., Any]]  # None is for what `null` stands for
Cut: TypeAlias = Callable[[str], Iterable[tuple[str, bool]]]  # the pieces, and whether they match

_LONGEST, _MOST_SIGNS = 5_000, 300  # of a pattern; the longest published one has 600 characters
# What is not printed: tables, and what is no setting of the file.
_HIDDEN = ("vocab", "merges", "precompiled_charsmap", "ids", "known", "begins")


@dataclass(repr=False)
class Stage:
    """A part of a file: its kind, its settings, and what does its work."""

    kind: str
    settings: dict[str, Any]
    work: Any

    def __call__(self, *values: Any) -> Any:
        return self.work(*values)

    def __repr__(self) -> str:
        shown = (f"{k}={v!r}" for k, v in self.settings.items() if k not in _HIDDEN)
        return "None" if self.kind == "None" else f"{self.kind}({', '.join(shown)})"


def made(stage: str, part: object, kinds: Kinds, **more: Any) -> Stage:
    """Make what a part of the file describes; `more` are values that do not stand in it."""
    kind = part.get("type") if isinstance(part, dict) else part
    if not isinstance(kind, str | None) or kind not in kinds or isinstance(part, str):
        known = ", ".join(filter(None, kinds))
        raise ValueError(f"the {stage} {shortened(kind)} is not supported; supported are {known}")
    settings: dict[str, Any] = {}
    try:
        for name, wanted in signature(kinds[kind]).parameters.items():
            usual = None if wanted.default is Parameter.empty else wanted.default
            typed = str if usual is None else type(usual)
            typed = typed if wanted.annotation is Parameter.empty else wanted.annotation
            found = more[name] if name in more else field(part, name, typed, usual)
            if kind == "Sequence":
                found = [made(stage, each, kinds, **more) for each in found]
            settings[name] = found
        return Stage(str(kind), settings, kinds[kind](**settings))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"the {stage} {kind}: {error}") from error


def field(part: Any, name: str, kind: Any, default: Any = None) -> Any:
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


def one_of(name: str, value: str, known: Iterable[str]) -> str:
    """Return a setting that must be one of a few."""
    if value not in known:
        raise ValueError(f"{name!r} is {shortened(value)}; it must be one of {', '.join(known)}")
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
