"""The 256 bytes as GPT-2 numbers them and as it writes them."""

# GPT-2 numbers the bytes in this order: first those that are visible, so "!" has id 0.
VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
OTHERS = [byte for byte in range(256) if byte not in VISIBLE]
BYTES = [bytes([byte]) for byte in VISIBLE + OTHERS]
BYTE_IDS = {byte: i for i, byte in enumerate(VISIBLE + OTHERS)}

# It writes a visible byte as that character, and the others as the characters from U+0100 on.
_SIGNS = map(chr, [*VISIBLE, *range(256, 324)])
BYTE_TO_UNICODE = dict(sorted(zip(VISIBLE + OTHERS, _SIGNS, strict=True)))
"""Each byte and its sign: the character that is written for it where tokens are shown or saved."""

SIGN_TO_BYTE = {sign: byte for byte, sign in BYTE_TO_UNICODE.items()}
