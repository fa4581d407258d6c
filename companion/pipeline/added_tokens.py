"""Added tokens: found in a text before the model sees it."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from companion.patterns import RUST_WORD, WHITE_SPACE
from companion.pipeline.normalizers import Normalize
from companion.pipeline.parts import Part, field


class AddedToken(NamedTuple):
    """A token that is found in a text as it stands, and is never cut.

    `special` tokens are left out by ``decode(ids, skip_special_tokens=True)``. A token that is
    `normalized` is found in the normalized text, any other in the raw one. `lstrip` and `rstrip`
    take the white space beside it too. A `single_word` is found only between characters that are
    no part of a word.
    """

    content: str
    special: bool
    normalized: bool
    lstrip: bool
    rstrip: bool
    single_word: bool


# A stretch of a text: where it starts, the text, and the id if it is an added token.
Stretch: TypeAlias = tuple[int, str, int | None]

_WORD = re.compile(f"[{RUST_WORD}]")
_SPACE = re.compile(f"[{WHITE_SPACE}]")


def added_tokens(parts: list[Part], vocab: Mapping[str, int]) -> dict[int, AddedToken]:
    """Return the added tokens of a file by their ids.

    The library `tokenizers` does not read the ids: content that the model has keeps the model's,
    any other gets the next free one. A file that says otherwise is refused.
    """
    ids: dict[str, int] = {}
    found: dict[int, AddedToken] = {}
    tokens = {token_id: token for token, token_id in vocab.items()}
    for part in parts:
        switches = (field(part, name, bool) for name in AddedToken._fields[1:])
        token = AddedToken(field(part, "content", str), *switches)
        if not token.content:
            continue
        given = field(part, "id", int)
        gets = vocab.get(token.content, ids.get(token.content))
        if gets is None:
            gets = max(len(vocab), 1 + max(ids.values(), default=-1))
        if given != gets:
            raise ValueError(
                f"the added token {token.content!r} has the id {given} in the file, but gets "
                f"{gets}: the id that its text has in the model's vocabulary, or the next free one"
            )
        if tokens.setdefault(gets, token.content) != token.content:
            raise ValueError(
                f"the added token {token.content!r} gets the id {gets}, which {tokens[gets]!r} has"
            )
        ids[token.content] = gets
        found[gets] = token
    return found


def finder(
    tokens: Mapping[int, AddedToken], normalize: Normalize
) -> Callable[[str], Iterator[Stretch]]:
    """Return a function that cuts a text into added tokens and what is between them.

    Where several start at the same place, the longest wins.
    """
    ids: dict[str, int] = {}
    lengths: defaultdict[str, set[int]] = defaultdict(set)  # of those with this first character
    # Of those that are alike when normalized, the first counts, special ones before others.
    for token_id, token in sorted(tokens.items(), key=lambda item: not item[1].special):
        content = normalize(token.content)
        if not content:
            raise ValueError(f"the added token {token.content!r} is normalized to nothing")
        ids.setdefault(content, token_id)
        lengths[content[0]].add(len(content))
    longest_first = {first: sorted(each, reverse=True) for first, each in lengths.items()}
    starts = re.compile(f"[{''.join(map(re.escape, lengths))}]" if lengths else r"(?!)")

    def matches(text: str) -> Iterator[tuple[int, int, int]]:
        end = 0
        while found := starts.search(text, end):
            start = found.start()
            end = start + 1
            for length in longest_first[found.group()]:
                token_id = ids.get(text[start : start + length])
                if token_id is not None:
                    end = start + length
                    yield start, end, token_id
                    break

    def cut(text: str) -> Iterator[Stretch]:
        done = 0
        for start, end, token_id in matches(text):
            token = tokens[token_id]
            if token.single_word and (
                (start and _WORD.match(text, start - 1)) or _WORD.match(text, end)
            ):
                continue
            while token.lstrip and start > done and _SPACE.match(text, start - 1):
                start -= 1
            while token.rstrip and _SPACE.match(text, end):
                end += 1
            if done < start:
                yield done, text[done:start], None
            yield start, text[start:end], token_id
            done = end
        if done < len(text):
            yield done, text[done:], None

    return cut
