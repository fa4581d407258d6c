"""What a check is, what it finds, and how findings show the values of a stranger's file."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeAlias

from companion.checks import shortened

if TYPE_CHECKING:
    from inspector.opened import Opened

#: What looks like a control token: <|im_end|>, <tool_call>, [INST], </s>.
CONTROL = re.compile(
    r"<[|｜].+?[|｜]>|</?[a-z]+_\w+>|\[/?[A-Z_]+\]|</?(?:s|bos|eos|pad|unk|mask|cls|sep|think)>"
)
BEYOND = "is an IndexError, or an assertion on a GPU"
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


def visible(value: object, limit: int = 60) -> str:
    """Show a value with visible spaces, and what looks like another character by its code point."""
    text = shortened(value, limit)
    odd = {c for c in text if not c.isascii() and _is_confusable(c)}
    codes = f" ({', '.join(f'U+{ord(c):04X}' for c in sorted(odd)[:4])})" if odd else ""
    return (text.replace(" ", "␣") if isinstance(value, str) else text) + codes


def _is_confusable(character: str) -> bool:
    """Tell whether a character may be taken for another, or for none."""
    kind, name = unicodedata.category(character), unicodedata.name(character, "")
    is_alike = unicodedata.normalize("NFKC", character) != character
    return is_alike or kind in ("Mn", "Cf", "Zs") or name.startswith(("CYRILLIC", "GREEK"))


def listed(values: Iterable[object], limit: int = 4) -> str:
    """Name the first of some values, and how many there are beside."""
    texts = [*values]
    more = f" and {len(texts) - limit:,} more" if len(texts) > limit else ""
    return ", ".join(visible(text, 40) for text in texts[:limit]) + more


def _json(value: object, limit: int | None = None) -> str:
    """Write a value as JSON that can be pasted, unless a limit cuts it."""
    if value is ABSENT:
        return ""
    text = json.dumps(value, ensure_ascii=False)
    return text if limit is None or len(text) <= limit else f"{text[: limit - 1]}…"
