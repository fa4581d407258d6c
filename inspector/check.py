"""What a check is, and what it finds: the settings that are wrong, and their right values."""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeAlias, TypeVar

if TYPE_CHECKING:
    from inspector.opened import Opened

Value = TypeVar("Value")
ABSENT = object()  # the value of a setting that is not there


class Place(NamedTuple):
    """Where a setting is: in a file, in a part of it, or in the entry of an added token."""

    file: str
    part: str = ""
    token: str = ""

    def __str__(self) -> str:
        if self.token:
            return f'the entry of {_json(self.token)} in "added_tokens" of {self.file}'
        return f'"{self.part}" of {self.file}' if self.part else self.file

    def short(self) -> str:
        """Name the file first, and what is inside after it."""
        inside = f"added_tokens, {_json(self.token)}" if self.token else self.part
        return ", ".join(filter(None, (self.file, inside)))


class Change(NamedTuple):
    """A setting of a file, its value, and the one that it should have."""

    place: Place
    key: str
    value: object
    wanted: object

    def __str__(self) -> str:
        return f'set "{self.key}": {_json(self.wanted)} in {self.place}'

    def short(self) -> str:
        """Write the value, and after an arrow the one that it should have."""
        now, wanted = (_json(value, 60) for value in (self.value, self.wanted))
        there = f'no "{self.key}"' if self.value is ABSENT else f'"{self.key}": {now}'
        return f"{self.place.short()}  {there}  ->  {wanted}"


class Evidence(NamedTuple):
    """What a check has found, the settings and the words that mend it, and another level."""

    what: str
    changes: Sequence[Change] = ()
    fix: str = ""
    level: str = ""


class NotChecked(Exception):  # noqa: N818
    """Why a check says nothing."""


def lacking(what: str) -> NoReturn:
    """Say what a check needs and has not."""
    raise NotChecked(f"it needs {what}")


def known(read: Callable[[], Value]) -> Value | None:
    """Return what the files of a folder say, or None where they do not."""
    try:
        return read()
    except (NotChecked, ValueError):  # a damaged file is named by the check that needs it
        return None


Run: TypeAlias = Callable[["Opened"], Evidence | None]


class Check(NamedTuple):
    """A check: its code and level, why what it finds matters, what mends it, and the function."""

    code: str
    level: str
    why: str
    fix: str
    run: Run


def check(level: str, why: str, fix: str = "") -> Callable[[Run], Check]:
    """Make a check of a function, whose name is the code."""
    return lambda run: Check(run.__name__.replace("_", "-"), level, why, fix, run)


def _json(value: object, limit: int | None = None) -> str:
    """Write a value as JSON that can be pasted, unless a limit cuts it."""
    if value is ABSENT:
        return ""
    text = json.dumps(value, ensure_ascii=False)
    return text if limit is None or len(text) <= limit else f"{text[: limit - 1]}…"
