"""The 256 bytes as GPT-2 numbers them and as it writes them."""

# The sign of a byte that prints is that character; the others have those from U+0100 on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_SIGNS = {byte: chr(byte) for byte in _PRINTABLE}
_SIGNS |= {byte: chr(256 + i) for i, byte in enumerate(_OTHERS)}

BYTE_TO_UNICODE = dict(sorted(_SIGNS.items()))
"""Each byte and its sign: the character that is written for it where tokens are shown or saved."""

SIGN_TO_BYTE = {sign: byte for byte, sign in BYTE_TO_UNICODE.items()}

# Ids 0 to 255: GPT-2 numbers the bytes that print first, so "!" has id 0.
BYTE_IDS = {byte: i for i, byte in enumerate(_PRINTABLE + _OTHERS)}
