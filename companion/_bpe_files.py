"""The 256 bytes as `companion.bpe` numbers and shows them, and merges in GPT-2's file format."""

from collections.abc import Iterable, Iterator

from companion._checks import shortened

Pair = tuple[bytes, bytes]


# A byte that prints is shown as itself, any other as a character from U+0100 on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_SHOWN = {byte: chr(byte) for byte in _PRINTABLE}
_SHOWN |= {byte: chr(256 + i) for i, byte in enumerate(_OTHERS)}

BYTE_TO_UNICODE = dict(sorted(_SHOWN.items()))
"""Each byte and the printable character that is written for it where tokens are shown or saved."""

_UNICODE_TO_BYTE = {character: byte for byte, character in BYTE_TO_UNICODE.items()}

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


def parse_merges(data: bytes, name: str) -> Iterator[tuple[str, Pair]]:
    """Yield each merge of a file's content, and the line that it is in for error messages."""
    # A byte that is not UTF-8 becomes U+FFFD, which no byte is written as, and is refused below.
    lines = data.decode(errors="replace").replace("\r\n", "\n").split("\n")
    if not lines[0].startswith("#version") or "\r" in lines[0]:
        raise ValueError(f"line 1 of {name} must be {_VERSION_LINE!r}, not {shortened(lines[0])}")
    if lines.pop():
        raise ValueError(
            f"line {len(lines) + 1} of {name} does not end in a line break, so the file may be cut "
            "short; write it again, or add the line break if nothing is missing"
        )
    for i, line in enumerate(lines[1:], 2):
        where = f"line {i} of {name}"
        yield where, _parse_line(line, where)


def _parse_line(line: str, where: str) -> Pair:
    parts = line.split(" ")
    if len(parts) != 2 or not all(parts):
        raise ValueError(
            f"{where} must hold two tokens with a space between, not {shortened(line)}"
        )
    for character in line.replace(" ", ""):
        if character not in _UNICODE_TO_BYTE:
            raise ValueError(f"{where} holds {character!r}, which stands for no byte")
    left, right = (bytes(_UNICODE_TO_BYTE[character] for character in part) for part in parts)
    return left, right


def _shown(token: bytes) -> str:
    return "".join(BYTE_TO_UNICODE[byte] for byte in token)
