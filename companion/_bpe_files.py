"""The 256 bytes as `companion.bpe` numbers and shows them, and merges in GPT-2's file format."""

from collections.abc import Iterable

from companion._checks import shortened

Pair = tuple[bytes, bytes]


# A byte that prints is shown as itself, any other as a character from U+0100 on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_SHOWN = {byte: chr(byte) for byte in _PRINTABLE}
_SHOWN |= {byte: chr(256 + i) for i, byte in enumerate(_OTHERS)}

BYTE_TO_UNICODE = dict(sorted(_SHOWN.items()))
"""Each byte and the printable character that is written for it where tokens are shown or saved."""

# Ids 0 to 255: GPT-2 numbers the bytes in the order of their stand-ins, so "!" has id 0.
BYTE_IDS = {
    byte: byte_id
    for byte_id, byte in enumerate(sorted(range(256), key=BYTE_TO_UNICODE.__getitem__))
}

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
