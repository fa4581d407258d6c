"""Make `companion/data/unicode-classes.txt`: the characters as the published tokenizers class them.

    python tools/once/unicode_classes.py

What is a letter depends on the version of Unicode, and every library brings its own: 16.0 in the
patterns of `tiktoken` and `tokenizers`, an older one in `tokenizers` for BERT, and in `unicodedata`
whichever came with Python. A tokenizer whose ids change with that is no use to a trained model, so
the classes are written down once. This asks tiktoken, and tokenizers for BERT, character by
character; run it again when a new version of them changes its mind (a parity test says so).
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import tiktoken
from tokenizers import normalizers, pre_tokenizers

TARGET = Path(__file__).parents[2] / "companion" / "data" / "unicode-classes.txt"
SURROGATES = range(0xD800, 0xE000)  # no text of these libraries can hold them
CHARACTERS = [chr(c) for c in range(0x110000) if c not in SURROGATES]
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co"
SCRIPTS = (
    "Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati "
    "Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar "
    "Oriya Sinhala Tamil Telugu Thai Tibetan"
)
HEADER = """\
# Classes of characters: a name, then code points and ranges of them in hexadecimal.
# First the general categories of Unicode 16.0 (Cn, the rest, is left out), white space and
# scripts, as tiktoken and tokenizers read patterns; then what BERT's rules drop, strip or split.
# Made by tools/once/unicode_classes.py, which keeps the last, of graphemes: controls, which nothing
# joins; what joins the next; what joins the one before beside marks (M); marks that join none.
"""


def members(expression: str) -> set[int]:
    """Return the code points that a class of `tiktoken` matches; it drops all the others."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("", pat_str=expression, mergeable_ranks=ranks, special_tokens={})
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
    spread = normalizers.BertNormalizer(False, True, False, False)
    split = pre_tokenizers.BertPreTokenizer()
    classes = {
        **{name: members(rf"\p{{{name}}}") for name in CATEGORIES.split()},
        "Cs": set(SURROGATES),
        "White_Space": members(r"\s"),
        **{name: members(rf"\p{{{name}}}") for name in SCRIPTS.split()},
        "bert-dropped": where(lambda c: not clean.normalize_str(c)) | set(SURROGATES),
        "bert-mark": where(lambda c: not strip.normalize_str(c)),
        "bert-chinese": where(lambda c: spread.normalize_str(c) != c),
        "bert-punctuation": where(lambda c: len(split.pre_tokenize_str(f"a{c}a")) == 3),
    }
    lines = [f"{name} {ranges(found)}\n" for name, found in classes.items()]
    lines += [line for line in TARGET.open(encoding="utf-8") if line.startswith("grapheme-")]
    TARGET.write_text(HEADER + "".join(lines), encoding="utf-8", newline="\n")
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
