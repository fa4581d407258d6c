"""Make `companion/data/unicode-classes.txt`: the characters as the two tokenizers class them.

    python tools/once/unicode_classes.py

What is a letter depends on the version of Unicode, and every library brings its own: 16.0 in
`tiktoken`, an older one in `tokenizers` for BERT, and in `unicodedata` and `regex` whichever came
with them. A tokenizer whose ids change with that is no use to a trained model, so the classes are
written down once. This asks the two libraries, character by character; run it again when a new
version of them changes its mind (a parity test says so).
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import tiktoken
from tokenizers import normalizers, pre_tokenizers

TARGET = Path(__file__).parents[2] / "companion" / "data" / "unicode-classes.txt"
SURROGATES = range(0xD800, 0xE000)  # no text of these libraries can hold them
CHARACTERS = [chr(c) for c in range(0x110000) if c not in SURROGATES]
HEADER = """\
# Classes of characters: a name, then code points and ranges of them in hexadecimal.
# letter, number: as GPT-2's pattern is read; Lu, Ll, Lt, Lm, Lo, M: as that of o200k is read.
# dropped, mark, punctuation: as BERT's rules are read.
# Made by tools/once/unicode_classes.py.
"""


def matched(pattern: str) -> set[int]:
    """Return the code points that a pattern of `tiktoken` matches; it drops all the others."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return {ord(c) for c in encoding.decode(encoding.encode_ordinary("".join(CHARACTERS)))}


def where(test: Callable[[str], bool]) -> set[int]:
    """Return the code points that pass a test."""
    return {ord(c) for c in CHARACTERS if test(c)}


def ranges(code_points: Iterable[int]) -> str:
    """Write code points as ranges: {65, 66, 67, 170} -> "41-43 AA"."""
    found: list[list[int]] = []
    for c in sorted(code_points):
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return " ".join(f"{a:X}" if a == b else f"{a:X}-{b:X}" for a, b in found)


def main() -> None:
    """Write the file."""
    clean = normalizers.BertNormalizer(True, False, False, False)
    strip = normalizers.BertNormalizer(False, False, True, False)
    split = pre_tokenizers.BertPreTokenizer()
    classes = {
        "letter": matched(r"\p{L}"),
        "number": matched(r"\p{N}"),
        **{name: matched(rf"\p{{{name}}}") for name in ("Lu", "Ll", "Lt", "Lm", "Lo", "M")},
        "dropped": where(lambda c: not clean.normalize_str(c)) | set(SURROGATES),
        "mark": where(lambda c: not strip.normalize_str(c)),
        "punctuation": where(lambda c: len(split.pre_tokenize_str(f"a{c}a")) == 3),
    }
    lines = [f"{name} {ranges(members)}\n" for name, members in classes.items()]
    TARGET.write_text(HEADER + "".join(lines), encoding="utf-8", newline="\n")
    for name, members in classes.items():
        print(f"{name}: {len(members):,} characters")
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
