"""What a check is, and what it finds: the settings that are wrong, and their right values."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar

Value = TypeVar("Value")


class Change(NamedTuple):
    """A setting, its place (a file, and what is inside), its value, and the one to have."""

    place: str
    key: str
    value: object
    wanted: object

    def __str__(self) -> str:
        return f'set "{self.key}": {json.dumps(self.wanted, ensure_ascii=False)} in {self.place}'

    def short(self) -> str:
        """Write the value, and after an arrow the one that it should have."""
        texts = (json.dumps(value, ensure_ascii=False) for value in (self.value, self.wanted))
        now, wanted = (text if len(text) <= 60 else f"{text[:59]}…" for text in texts)
        there = f'no "{self.key}"' if self.value is None else f'"{self.key}": {now}'
        return f"{self.place}  {there}  ->  {wanted}"


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


def known(read: Callable[..., Value], *values: object) -> Value | None:
    """Return what the files of a folder say, or None where they do not."""
    try:
        return read(*values)
    except (NotChecked, ValueError):  # a damaged file is named by the check that needs it
        return None


Run: TypeAlias = Callable[[Any], Evidence | None]  # of an Opened


class Check(NamedTuple):
    """A check: its code and level, why what it finds matters, what mends it, and the function."""

    code: str
    level: str
    why: str
    fix: str
    run: Run


def check(level: str, fix: str = "") -> Callable[[Run], Check]:
    """Make a check of a function: its name is the code, its docstring says why it matters."""
    return lambda run: Check(run.__name__.replace("_", "-"), level, run.__doc__ or "", fix, run)
