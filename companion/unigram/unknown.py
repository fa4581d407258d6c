"""A character that no piece holds: what it costs, and the pieces of its bytes."""

# An unknown character costs as much as the rarest piece and this, as in SentencePiece.
UNKNOWN_PENALTY = 10.0
# The piece for each byte, where a vocabulary has byte fallback.
BYTE_PIECES = tuple(f"<0x{byte:02X}>" for byte in range(256))
