"""Added tokens: found in a text before the model sees it."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from companion.bpe.specials import any_of
from companion.patterns import RUST_WORD, WHITE_SPACE
from inspector.parts import Part, field


class AddedToken(NamedTuple):
    """A token that is found in a text as it stands, and never cut.

    It is found in the raw text, or if it is `normalized`, in the normalized one. `lstrip` and
    `rstrip` take the white space beside it too; a `single_word` has no letter or digit beside it.
    ``decode(ids, skip_special_tokens=True)`` leaves `special` ones out.
    """

    content: str
    special: bool
    normalized: bool
    lstrip: bool
    rstrip: bool
    single_word: bool


Stretch: TypeAlias = tuple[str, int | None]  # of a text, with its id if it is an added token

_WORD, _SPACE = re.compile(f"[{RUST_WORD}]"), re.compile(f"[{WHITE_SPACE}]")


def numbered(content: Part, vocab: Mapping[str, int]) -> Iterator[tuple[AddedToken, int, int]]:
    """Yield the added tokens of a file, each with the id that it says and the one that it gets."""
    # The library `tokenizers` does not read the ids: content that the model has keeps the model's,
    # any other gets the next free one, counted from the size of the model.
    ids, free = dict(vocab), len(vocab)
    for part in field(content, "added_tokens", list, []):
        values: list[Any] = [field(part, name, bool) for name in AddedToken._fields[1:]]
        token = AddedToken(field(part, "content", str), *values)
        if token.content:
            is_new = token.content not in ids
            yield token, field(part, "id", int), ids.setdefault(token.content, free)
            free += is_new


def finder(
    tokens: Mapping[int, AddedToken], texts: Mapping[int, str]
) -> Callable[[str], Iterator[Stretch]]:
    """Return a function that cuts a text into added tokens, the longest first, and the rest."""
    # `texts` are those by which the tokens are found: their content, normalized or not.
    ids: dict[str, int] = {}
    # Of those that are alike when normalized, the first counts, special ones before others.
    for token_id, token in sorted(tokens.items(), key=lambda item: not item[1].special):
        if not (content := texts[token_id]):
            raise ValueError(f"the added token {token.content!r} is normalized to nothing")
        ids.setdefault(content, token_id)
    matches = any_of(frozenset(ids)).finditer

    def cut(text: str) -> Iterator[Stretch]:
        done = 0
        for match in matches(text):
            start, end = match.span()
            token = tokens[ids[match[0]]]
            # A single word has no letter or digit beside it.
            beside = _WORD.match(text, end) or (start and _WORD.match(text, start - 1))
            if token.single_word and beside:
                continue
            # It may take the white space on its sides.
            while token.lstrip and start > done and _SPACE.match(text, start - 1):
                start -= 1
            while token.rstrip and _SPACE.match(text, end):
                end += 1
            # What is between it and the one before is a stretch of its own.
            if done < start:
                yield text[done:start], None
            yield text[start:end], ids[match[0]]
            done = end
        if done < len(text):
            yield text[done:], None

    return cut
