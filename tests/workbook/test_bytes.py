"""The exercises of the chapter `bytes`: right and wrong answers."""

from answers import Wrong, tried

GOOD = ["C3 BC", "E2 82 AC", "F0 9F 99 82", "U+0416"]

RIGHT = [
    ("bytes.by-hand", ("c3bc", "e282ac", "0xf09f9982", "0x416")),
    ("bytes.by-hand", ["ü".encode(), list("€".encode()), 0xF09F9982, 0x416]),
]

WRONG: Wrong = [
    ("bytes.by-hand", ["FC", *GOOD[1:]], "For ü: that is the code point itself."),
    ("bytes.by-hand", [*GOOD[:2], "F0 9F 99 83", GOOD[3]],
     "For 🙂: byte 3 (counted from 0) is 83, which is wrong."),
    ("bytes.by-hand", ["ü", *GOOD[1:]], "'ü' does not look like bytes: write them as in 'C3 A9'."),
    ("bytes.by-hand", [*GOOD[:3], "D096"], "The two bytes still have their markers"),
    ("bytes.by-hand", [*GOOD[:3], "U+0417"], "The last entry, U+0417, is not what D0 96 encodes."),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
