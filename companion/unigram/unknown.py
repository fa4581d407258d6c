"""A character that no piece holds: what it costs, and the pieces of its bytes."""

UNKNOWN_PENALTY = 10.0
"""An unknown character costs as much as the rarest piece and this, as in SentencePiece."""

BYTE_PIECES = tuple(f"<0x{byte:02X}>" for byte in range(256))
"""The piece for each byte, where a vocabulary has byte fallback."""
