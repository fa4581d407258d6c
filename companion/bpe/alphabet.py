"""The 256 bytes as GPT-2 numbers them and as it writes them."""

# A byte that prints is shown as itself, any other as a character from U+0100 on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_SHOWN = {byte: chr(byte) for byte in _PRINTABLE}
_SHOWN |= {byte: chr(256 + i) for i, byte in enumerate(_OTHERS)}

BYTE_TO_UNICODE = dict(sorted(_SHOWN.items()))
"""Each byte and the printable character that is written for it where tokens are shown or saved."""

SIGN_TO_BYTE = {sign: byte for byte, sign in BYTE_TO_UNICODE.items()}

# Ids 0 to 255: GPT-2 numbers the bytes in the order of their stand-ins, so "!" has id 0.
BYTE_IDS = {
    byte: byte_id
    for byte_id, byte in enumerate(sorted(range(256), key=BYTE_TO_UNICODE.__getitem__))
}
