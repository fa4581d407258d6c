"""What the file of a reader has before an exercise: our versions use it as hers will."""

from companion.bpe import GPT2_PATTERN, BPETokenizer
from companion.patterns import read_pattern

Tokens = list[bytes]
Pair = tuple[bytes, bytes]

BYTES = list(BPETokenizer([]).vocab)
split = read_pattern(GPT2_PATTERN).findall


def as_bytes(word: str) -> Tokens:
    """Return the first tokens of a word: its bytes in UTF-8, one by one."""
    return [bytes([byte]) for byte in word.encode()]


def join(tokens: Tokens, pair: Pair) -> Tokens:
    """Join a pair wherever it occurs, from left to right."""
    joined: Tokens = []
    for token in tokens:
        if joined and (joined[-1], token) == pair:
            joined[-1] += token
        else:
            joined.append(token)
    return joined
