"""The exercises of the chapter `bytes`: right answers pass, each wrong one hears why."""

import codecs
import unicodedata
from collections.abc import Callable, Iterator

import numpy as np
from answers import tried

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


ASKED = {
    "bytes.by-hand": "a list of four, the bytes of ü, € and 🙂 as in 'C3 A9', and a code point as "
    "in 'U+00E9'",
    "bytes.repair": "a list of letters, the answer to the third question",
}

HINTS = {
    "bytes.cut-stream": "The data may be empty, and may end after any byte.",
}

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

WRONG = [
    ("bytes.by-hand", ["FC", *GOOD[1:]],
     "For ü: that is the code point itself. Cut its bits into pieces, with a marker before each."),
    ("bytes.by-hand", [GOOD[0], "20 AC", *GOOD[2:]],
     "For €: that is the code point itself. Cut its bits into pieces, with a marker before each."),
    ("bytes.by-hand", ["DF A0", *GOOD[1:]],
     "For ü: fill up with zeros on the left, and cut from the right."),
    ("bytes.by-hand", [GOOD[0], "E8 8A B0", *GOOD[2:]],
     "For €: fill up with zeros on the left, and cut from the right."),
    ("bytes.by-hand", [*GOOD[:2], "F7 B6 90 A0", GOOD[3]],
     "For 🙂: fill up with zeros on the left, and cut from the right."),
    ("bytes.by-hand", ["C3 3C", *GOOD[1:]],
     "For ü: each byte after the first begins with the marker 10."),
    ("bytes.by-hand", [*GOOD[:2], "D8 3D DE 42", GOOD[3]],
     "For 🙂: that is UTF-16, a pair of surrogates."),
    ("bytes.by-hand", [GOOD[0], "C2 AC", *GOOD[2:]],
     "For €: the table says how many bytes its range takes, and it is not 2."),
    ("bytes.by-hand", [*GOOD[:2], "F0 9F 99 83", GOOD[3]],
     "For 🙂: byte 3, counted from 0, is not 83."),
    ("bytes.by-hand", ["ü", *GOOD[1:]], "'ü' is no bytes: write them as in 'C3 A9'."),
    ("bytes.by-hand", [*GOOD[:3], "D096"],
     "The two bytes still have their markers: drop those before you join the bits."),
    ("bytes.by-hand", [*GOOD[:3], 0x1016],
     "The second byte brings six bits, so the first moves up by six places, not eight."),
    ("bytes.by-hand", [*GOOD[:3], "U+0417"],
     "The last entry, U+0417, is not what D0 96 stands for."),
    ("bytes.by-hand", [*GOOD[:3], None], "None is no code point: write it as in 'U+00E9'."),
    ("bytes.by-hand", [*GOOD[:3], "de"], "The last entry, U+00DE, is not what D0 96 stands for."),
    ("bytes.by-hand", [*GOOD[:3], "zhe"], "'zhe' is no code point: write it as in 'U+00E9'."),
    ("bytes.by-hand", [*GOOD[:3], 1046.0], "1046.0 is no code point: write it as in 'U+00E9'."),
    ("bytes.by-hand", GOOD[:3],
     "Hand over a list of four entries: three times bytes, and a code point."),
    ("bytes.by-hand", "C3 BC",
     "Hand over a list of four entries: three times bytes, and a code point."),
    ("bytes.two-spellings", lambda a, b: FORMS if a == b else [],
     "That compares the texts as they are; bring both to the form first."),
    ("bytes.two-spellings", lambda a, b: [f for f in FORMS if normal(f, a) == b],
     "Bring both texts to the form, not only the first."),
    ("bytes.two-spellings", lambda a, b: [f for f in FORMS if a == normal(f, b)],
     "Bring both texts to the form, not only the second."),
    ("bytes.two-spellings", lambda a, b: [f for f in FORMS[:2] if normal(f, a) == normal(f, b)],
     "There are four forms; try those with a K, too."),
    ("bytes.two-spellings",
     lambda a, b: list(equal_under(a.casefold(), b.casefold())),
     "Normal forms keep upper and lower case apart, and ß and ss: fold nothing."),
    ("bytes.two-spellings", lambda a, b: any(True for _ in equal_under(a, b)),
     "Name the forms, in a list, and not only whether there is one."),
    ("bytes.two-spellings", lambda a, b: [],
     "your function('\u00e9', 'e\u0301') gives [], and it should give "
     "['NFC', 'NFD', 'NFKC', 'NFKD']."),
    ("bytes.cut-stream", len, "The last character may be unfinished, and then it has to wait."),
    ("bytes.cut-stream", before_last_start,
     "A character at the end whose bytes are all there need not wait."),
    ("bytes.cut-stream", lambda data: len(data) - whole_characters(data),
     "That is how many bytes wait; the question is how many are ready."),
    ("bytes.cut-stream", lambda data: len(data.decode(errors="ignore")),
     "That counts characters; count the bytes from the front."),
    ("bytes.cut-stream", lambda data: len(data.rstrip(bytes(range(0x80, 0x100)))),
     "Bytes from 80 on need not wait if they make a whole character."),
    ("bytes.cut-stream", complete_by(lambda lead: 1 + (lead >= 0x80)),
     "Not every character beyond ASCII has two bytes: its first byte tells."),
    ("bytes.cut-stream",
     complete_by(lambda lead: 1 + (lead > 0x7F) + (lead > 0xE0) + (lead > 0xEF)),
     "Not every character beyond ASCII has two bytes: its first byte tells."),
    ("bytes.cut-stream", lambda data: whole_characters(data) if data[-1] else 0,
     "your function(b'') raises IndexError: index out of range. The data may be empty, and may end "
     "after any byte."),
    ("bytes.repair", [], "Some do get lost: look at the two bytes that each letter has in UTF-8."),
    ("bytes.repair", [0x81, 0x8D, 0x8F, 0x90, 0x9D],
     "Those are the bytes; which letters have one of them?"),
    ("bytes.repair", [chr(i) for i in range(0xC0, 0xE0)],
     "Most of the bytes 80 to 9F do have a character in Windows-1252; try each."),
    ("bytes.repair", sorted(set(map(chr, range(0xC0, 0x100))) - set("ÁÍÏÐÝ")),
     "Those are the letters that can be repaired; the others are asked for."),
    ("bytes.repair", ["Á", "Í", "Ï", "Ð"], "It has 4 entries, and there should be 5."),
    ("bytes.repair", list("ÁÍÏÐÞ"), "Some entries are not among the right ones."),
    ("bytes.count", len, "That counts bytes; some of them only continue a character."),
    ("bytes.count", lambda data: sum(byte > 0xBF for byte in data),
     "A byte below 80 is a character, too."),
    ("bytes.count", lambda data: sum(byte < 0x80 for byte in data),
     "That counts ASCII only; the other characters have a lead byte each."),
    ("bytes.count", lambda data: sum(byte > 0x7F for byte in data),
     "That counts the bytes beyond ASCII; count one for each character."),
    ("bytes.count", lambda data: len(data) - count(data),
     "Those bytes continue a character; count the ones that start it."),
    ("bytes.count", lambda data: len(data.decode("utf-8")),
     "your function(b'caf\\xc3\\xa9') raises NotImplementedError: nothing is decoded here; look at "
     "the bytes."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, ASKED, HINTS)
