"""The exercises of the chapter `bytes`: right and wrong answers."""

import codecs
import unicodedata
from collections.abc import Callable, Iterator

import numpy as np
from answers import Wrong, tried

FORMS = ["NFC", "NFD", "NFKC", "NFKD"]


def normal(form: str, text: str) -> str:
    return unicodedata.normalize(form, text)  # type: ignore[arg-type]


def equal_under(first: str, second: str) -> Iterator[str]:
    return (form for form in reversed(FORMS) if normal(form, first) == normal(form, second))


def whole_characters(data: bytes) -> int:
    n_ready = len(data)
    while True:
        try:
            data[:n_ready].decode()
        except UnicodeDecodeError:
            n_ready -= 1
        else:
            return n_ready


def held_back(data: bytes) -> int:
    """The same by Python's own decoder."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    decoder.decode(data)
    return len(data) - len(decoder.getstate()[0])


def before_last_start(data: bytes) -> int:
    return next((i for i in reversed(range(len(data))) if not 0x80 <= data[i] < 0xC0), 0)


def count(data: bytes) -> int:
    return len(data) - sum(0x80 <= byte < 0xC0 for byte in data)


def complete_by(length: Callable[[int], int]) -> Callable[[bytes], int]:
    """Trust a rule that tells by the first byte how many bytes a character has."""

    def n_ready(data: bytes) -> int:
        start = before_last_start(data)
        return len(data) if data and len(data) >= start + length(data[start]) else start

    return n_ready


RIGHT = [
    ("bytes.by-hand", ["C3 BC", "E2 82 AC", "F0 9F 99 82", "U+0416"]),
    ("bytes.by-hand", ("c3bc", "e282ac", "0xf09f9982", "0x416")),
    ("bytes.by-hand", [*(character.encode() for character in "ü€🙂"), 0x416]),
    ("bytes.by-hand", [np.array(list("ü".encode())), list("€".encode()), 0xF09F9982, "Ж"]),
    ("bytes.two-spellings", lambda a, b: [f for f in FORMS if normal(f, a) == normal(f, b)]),
    ("bytes.two-spellings", lambda a, b: np.array(list(equal_under(a, b)), dtype=object)),
    ("bytes.two-spellings", equal_under),
    ("bytes.cut-stream", whole_characters),
    ("bytes.cut-stream", held_back),
    ("bytes.cut-stream", lambda data: np.int64(whole_characters(data))),
    ("bytes.repair", ["Á", "Í", "Ï", "Ð", "Ý"]),
    ("bytes.repair", tuple("ÝÐÏÍÁ")),
    ("bytes.count", count),
    ("bytes.count", lambda data: np.sum(np.frombuffer(data, np.uint8) >> 6 != 0b10)),
]  # fmt: skip

GOOD = ["C3 BC", "E2 82 AC", "F0 9F 99 82", "U+0416"]

WRONG: Wrong = [
    ("bytes.by-hand", ["FC", *GOOD[1:]], "For ü: that is the code point itself."),
    ("bytes.by-hand", [GOOD[0], "20 AC", *GOOD[2:]], "For €: that is the code point itself."),
    ("bytes.by-hand", ["DF A0", *GOOD[1:]], "For ü: add zeros on the left"),
    ("bytes.by-hand", [GOOD[0], "E8 8A B0", *GOOD[2:]], "For €: add zeros on the left"),
    ("bytes.by-hand", [*GOOD[:2], "F7 B6 90 A0", GOOD[3]], "For 🙂: add zeros on the left"),
    ("bytes.by-hand", ["C3 3C", *GOOD[1:]],
     "For ü: each byte after the first must begin with the marker"),
    ("bytes.by-hand", [*GOOD[:2], "D8 3D DE 42", GOOD[3]],
     "For 🙂: that is UTF-16, a pair of surrogates."),
    ("bytes.by-hand", [GOOD[0], "C2 AC", *GOOD[2:]], "For €: the number of bytes"),
    ("bytes.by-hand", [*GOOD[:2], "F0 9F 99 83", GOOD[3]],
     "For 🙂: byte 3 (counted from 0) is 83, which is wrong."),
    ("bytes.by-hand", ["ü", *GOOD[1:]], "'ü' does not look like bytes: write them as in 'C3 A9'."),
    ("bytes.by-hand", [*GOOD[:3], "D096"], "The two bytes still have their markers"),
    ("bytes.by-hand", [*GOOD[:3], 0x1016], "The second byte has six bits"),
    ("bytes.by-hand", [*GOOD[:3], "U+0417"], "The last entry, U+0417, is not what D0 96 encodes."),
    ("bytes.by-hand", [*GOOD[:3], None], "None does not look like a code point"),
    ("bytes.by-hand", [*GOOD[:3], "de"], "The last entry, U+00DE, is not what D0 96 encodes."),
    ("bytes.by-hand", [*GOOD[:3], "zhe"], "'zhe' does not look like a code point"),
    ("bytes.by-hand", [*GOOD[:3], 1046.0], "1046.0 does not look like a code point"),
    ("bytes.by-hand", GOOD[:3], "Give a list of four entries"),
    ("bytes.by-hand", "C3 BC", "Give a list of four entries"),
    ("bytes.two-spellings", lambda a, b: FORMS if a == b else [], 0),
    ("bytes.two-spellings", lambda a, b: [f for f in FORMS if normal(f, a) == b], 1),
    ("bytes.two-spellings", lambda a, b: [f for f in FORMS if a == normal(f, b)], 2),
    ("bytes.two-spellings", lambda a, b: [f for f in FORMS[:2] if normal(f, a) == normal(f, b)], 3),
    ("bytes.two-spellings", lambda a, b: list(equal_under(a.casefold(), b.casefold())), 4),
    ("bytes.two-spellings", lambda a, b: any(True for _ in equal_under(a, b)), 5),
    ("bytes.two-spellings", lambda a, b: [], "returns []"),
    ("bytes.cut-stream", len, 1),
    ("bytes.cut-stream", before_last_start, 2),
    ("bytes.cut-stream", lambda data: len(data) - whole_characters(data), 3),
    ("bytes.cut-stream", lambda data: len(data.decode(errors="ignore")), 4),
    ("bytes.cut-stream", lambda data: len(data.rstrip(bytes(range(0x80, 0x100)))), 5),
    ("bytes.cut-stream", complete_by(lambda lead: 1 + (lead >= 0x80)), 0),
    ("bytes.cut-stream",
     complete_by(lambda lead: 1 + (lead > 0x7F) + (lead > 0xE0) + (lead > 0xEF)), 0),
    ("bytes.cut-stream", lambda data: whole_characters(data) if data[-1] else 0,
     "raises IndexError"),
    ("bytes.repair", [], 0),
    ("bytes.repair", [0x81, 0x8D, 0x8F, 0x90, 0x9D], 1),
    ("bytes.repair", [chr(i) for i in range(0xC0, 0xE0)], 2),
    ("bytes.repair", sorted(set(map(chr, range(0xC0, 0x100))) - set("ÁÍÏÐÝ")), 3),
    ("bytes.repair", ["Á", "Í", "Ï", "Ð"], "Your list has 4 entries; it should have 5."),
    ("bytes.repair", list("ÁÍÏÐÞ"), "Some entries are wrong."),
    ("bytes.count", lambda data: len(data.decode(errors="replace")), 0),
    ("bytes.count", lambda data: len(str(data, "utf-8")), "raises UnicodeDecodeError"),
    ("bytes.count", len, 1),
    ("bytes.count", lambda data: sum(byte > 0xBF for byte in data), 2),
    ("bytes.count", lambda data: sum(byte < 0x80 for byte in data), 3),
    ("bytes.count", lambda data: sum(byte > 0x7F for byte in data), 4),
    ("bytes.count", lambda data: len(data) - count(data), 5),
    ("bytes.count", lambda data: len(data.decode("utf-8")), "raises UnicodeDecodeError"),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)
