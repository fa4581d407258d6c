"""Characters as every tokenizer here reads them, whatever the version of Python."""

import functools

from companion._files import bundled

_CLASSES_SHA256 = "2782cf6038ceb88453b44da815a27f09700126890c0d3e4e7989e8fba8da46be"


def valid_unicode(text: str) -> str:
    """Return a text that UTF-8 can encode, as `tiktoken` makes it.

    Two surrogates that belong together become their character, a lone one becomes U+FFFD.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


@functools.cache
def _character_classes() -> dict[str, str]:
    lines = bundled("unicode-classes.txt", _CLASSES_SHA256).decode().splitlines()
    named = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {name: ranges for name, _, ranges in named}


def character_class(name: str) -> str:
    """Return the inside of a regular expression's ``[...]`` for a class of characters.

    The classes are those of ``data/unicode-classes.txt``, which says what they mean. With
    `unicodedata` instead, another version of Python would give other ids.
    """
    return "".join(
        "-".join(f"\\U{int(end, 16):08x}" for end in part.split("-"))
        for part in _character_classes()[name].split()
    )
