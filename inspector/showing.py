"""How findings show the values of a stranger's file, and the settings that mend it."""

import json
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from companion.checks import shortened


class Seen(NamedTuple):
    """What a check has found, how that is mended, and the level where it is not the usual one."""

    what: str
    fix: str = ""
    level: str = ""


class NotChecked(Exception):  # noqa: N818
    """Why a check says nothing."""


def shown(value: object, limit: int = 60) -> str:
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
    return ", ".join(shown(text, 40) for text in texts[:limit]) + more


def setting(key: str, value: object, where: str) -> str:
    """Write what is to be set in a file, as JSON that can be pasted."""
    return f'set "{key}": {json.dumps(value, ensure_ascii=False)} in {where}'


def entry(token: str) -> str:
    """Say where the entry of an added token is."""
    return f'the entry of {json.dumps(token, ensure_ascii=False)} in "added_tokens" of'
