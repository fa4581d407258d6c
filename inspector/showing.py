"""How findings show the values of a stranger's file."""

import re
import unicodedata
from collections.abc import Iterable

from companion.checks import shortened

#: What looks like a control token: <|im_end|>, <tool_call>, [INST], </s>.
CONTROL = re.compile(
    r"<[|｜].+?[|｜]>|</?[a-z]+_\w+>|\[/?[A-Z_]+\]|</?(?:s|bos|eos|pad|unk|mask|cls|sep|think)>"
)


def visible(value: object, limit: int = 60) -> str:
    """Show a value with visible spaces, and what looks like another character by its code point."""
    text = shortened(value, limit)
    # What may be taken for another character, or for none.
    odd = {c for c in text if not c.isascii() and (
        unicodedata.normalize("NFKC", c) != c or unicodedata.category(c) in ("Mn", "Cf", "Zs")
        or unicodedata.name(c, "").startswith(("CYRILLIC", "GREEK")))}  # fmt: skip
    codes = f" ({', '.join(f'U+{ord(c):04X}' for c in sorted(odd)[:4])})" if odd else ""
    return (text.replace(" ", "␣") if isinstance(value, str) else text) + codes


def listed(values: Iterable[object], limit: int = 4) -> str:
    """Name the first of some values, and how many there are beside."""
    texts = [*values]
    more = f" and {len(texts) - limit:,} more" if len(texts) > limit else ""
    return ", ".join(visible(text, 40) for text in texts[:limit]) + more
