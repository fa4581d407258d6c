"""The exercises of the chapter `bytes`: right and wrong answers."""

from answers import Wrong, tried

GOOD = ["C3 BC", "E2 82 AC", "F0 9F 99 82", "U+0416"]


def by_markers(text: str, limit: int) -> str:
    """Cut, and go back to where the cut character starts."""
    data = text.encode()
    while limit < len(data) and data[limit] >> 6 == 0b10:
        limit -= 1
    return data[:limit].decode()


def strict(text: str, limit: int) -> str:
    return text.encode()[:limit].decode()


RIGHT = [
    ("bytes.fit", by_markers),
    ("bytes.by-hand", ("c3bc", "e282ac", "0xf09f9982", "0x416")),
]

WRONG: Wrong = [
    ("bytes.fit", strict, "unexpected end of data. The cut may be inside a character"),
    ("bytes.fit", lambda text, limit: text[: limit // 2], "returns 'ca'; it should return 'café'"),
    ("bytes.by-hand", GOOD[:3], "a list of four strings"),
    ("bytes.by-hand", [*GOOD[:2], "U+01F642", GOOD[3]], "For 🙂: that is the code point itself."),
    ("bytes.by-hand", [*GOOD[:2], "F0 9F 99 83", GOOD[3]], "For 🙂: 'F0 9F 99 83' is wrong."),
    ("bytes.by-hand", [*GOOD[:3], "D096"], "For D0 96: the two bytes still have their markers"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
