"""Merges in the format of GPT-2's ``vocab.bpe``, which is also that of ``merges.txt``."""

from collections.abc import Iterable

from companion._checks import shortened
from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.bpe.merging import Pair

_VERSION_LINE = "#version: 0.2"


def format_merges(merges: Iterable[Pair]) -> bytes:
    """Write merges as lines: a line with the version, then one merge a line."""
    lines = [_VERSION_LINE, *(f"{_shown(left)} {_shown(right)}" for left, right in merges)]
    return "".join(f"{line}\n" for line in lines).encode()


def parse_merges(data: bytes, name: str) -> list[Pair]:
    """Read the merges of a file's content; an error names the line."""
    # A byte that is not UTF-8 becomes U+FFFD, which no byte is written as, and is refused below.
    first, *lines = data.decode(errors="replace").replace("\r\n", "\n").split("\n")
    if not first.startswith("#version"):
        raise ValueError(f"line 1 of {name} must be {_VERSION_LINE!r}, not {shortened(first)}")
    if not lines or lines.pop():
        raise ValueError(
            f"the last line of {name} does not end in a line break, so the file may be cut short; "
            "write it again, or add the line break if nothing is missing"
        )
    tokens = {character: bytes([byte]) for byte, character in BYTE_TO_UNICODE.items()}
    merges: dict[Pair, int] = {}  # each with its line
    for number, line in enumerate(lines, 2):
        left, _, right = line.partition(" ")
        if left not in tokens or right not in tokens:
            raise ValueError(
                f"line {number} of {name} must hold two tokens with a space between, each a byte "
                f"or the result of a line above, not {shortened(line)}"
            )
        merge = tokens[left], tokens[right]
        if merge in merges:
            raise ValueError(f"line {number} of {name} repeats line {merges[merge]}; leave it out")
        merges[merge] = number
        tokens[left + right] = tokens[left] + tokens[right]
    return list(merges)


def _shown(token: bytes) -> str:
    return "".join(BYTE_TO_UNICODE[byte] for byte in token)
