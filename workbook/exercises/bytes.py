"""Exercises of the chapter `bytes`."""

import unicodedata
from typing import Any, Literal

from workbook.exercises._grading import Exercise, Mistake, shown

_TO_WRITE = "ü€🙂"
_TO_READ = bytes.fromhex("D0 96")


def _judge_by_hand(answers: Any) -> str | None:
    """Three sequences of bytes and a code point, in any of the usual ways to write them."""
    if not isinstance(answers, list) or len(answers) != 4:
        return "Give a list of four entries: three times bytes, and a code point."
    *written, read = answers
    for character, given in zip(_TO_WRITE, written, strict=True):
        data = _as_bytes(given)
        if data is None:
            return f"{shown(given)} does not look like bytes: write them as in 'C3 A9'."
        if data != character.encode():
            return f"For {character}: {_about_bytes(data, character.encode())}"
    point = _as_code_point(read)
    if point is None:
        return f"{shown(read)} does not look like a code point: write it as in 'U+00E9'."
    return None if point == ord(_TO_READ.decode()) else _about_code_point(point)


def _as_bytes(given: Any) -> bytes | None:
    """Read bytes as bytes, as hexadecimal digits, or as one number or several."""
    given = f"{given:X}" if isinstance(given, int) else given
    try:
        return bytes.fromhex(given.replace("0x", "")) if isinstance(given, str) else bytes(given)
    except (TypeError, ValueError):
        return None


def _as_code_point(given: Any) -> int | None:
    """Read a code point as hexadecimal digits, or as a number."""
    if isinstance(given, int):
        return given
    try:
        return int(str(given).strip().upper().removeprefix("U+"), 16)
    except ValueError:
        return None


# What goes wrong on paper, for each of the three characters.
_ON_PAPER = {
    "that is UTF-16, a pair of surrogates.": ["D83DDE42"],
    "that is the code point itself. Cut its bits into pieces, and put a marker in front of each.":
        ["FC", "20AC", "01F642"],
    "add zeros on the left, and cut the bits from the right.": ["DFA0", "E88AB0", "F7B690A0"],
    "each byte after the first must begin with the marker 10.": ["C33C", "E2022C", "F01F1902"],
}  # fmt: skip


def _about_bytes(data: bytes, right: bytes) -> str:
    for message, wrong in _ON_PAPER.items():
        if data.hex().upper() in wrong:
            return message
    if len(data) != len(right):
        return f"the number of bytes, {len(data)}, is wrong: see the table of ranges."
    i = next(i for i, byte in enumerate(data) if byte != right[i])
    return f"byte {i} (counted from 0) is {data[i]:02X}, which is wrong."


def _about_code_point(point: int) -> str:
    first, second = _TO_READ
    if point == first << 8 | second:
        return "The two bytes still have their markers: remove them before you join the bits."
    if point == (first & 0b11111) << 8 | second & 0b111111:
        return "The second byte has six bits, so shift the first by six places, not by eight."
    return f"The last entry, U+{point:04X}, is not what {_TO_READ.hex(' ').upper()} encodes."


_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")


def _equal_under(first: str, second: str) -> list[str]:
    normalize = unicodedata.normalize
    return [form for form in _FORMS if normalize(form, first) == normalize(form, second)]


_LETTERS = [chr(number) for number in range(0xC0, 0x100)]
_AS_CP1252 = bytes(range(256)).decode("cp1252", errors="replace")
_UNDEFINED = [byte for byte in range(256) if _AS_CP1252[byte] == "\ufffd"]

_FIELDS = [("café", 5, 4, 3, 9), ("", 3), ("Aé请👍", 2, 3, 6, 9, 10), ("从前有", 4, 8, 0),
           ("🐇 and 🐇", 4, 3, 9, 12), ("请é!", 2)]  # fmt: skip


def _fit(text: str, limit: int) -> str:
    return text.encode()[: max(limit, 0)].decode(errors="ignore")


EXERCISES = [
    Exercise("bytes.by-hand", "By hand", topic="UTF-8", level=1, minutes=10, judge=_judge_by_hand,
        asks="a list of four, the bytes of ü, € and 🙂 as in 'C3 A9', and a code point as in "
        "'U+00E9'"),
    Exercise("bytes.two-spellings", "Two spellings", topic="normal forms", level=2, minutes=15,
        right=_equal_under, unordered=True,
        cases=[("\u00e9", "e\u0301"), ("e\u0301", "\u00e9"), ("\u00c5", "\u212b"),
               ("\ufb01", "fi"), ("ß", "ss"), ("A", "a"), ("x\u00b2", "x2"), ("", ""),
               ("q\u0323\u0307", "q\u0307\u0323"), ("\ud55c", "\u1112\u1161\u11ab")],
        mistakes=[
            Mistake(lambda first, second: list(_FORMS) if first == second else [],
                    "That compares the texts as they are; normalize both first."),
            Mistake(lambda first, second:
                    [form for form in _FORMS if unicodedata.normalize(form, first) == second],
                    "Normalize both texts, not only the first."),
        ]),
    Exercise("bytes.repair", "Where the repair fails", topic="mojibake", level=2, minutes=15,
        right=[letter for letter in _LETTERS if letter.encode()[1] in _UNDEFINED], unordered=True,
        asks="a list of letters",
        mistakes=[
            Mistake([], "Some are lost: look at the two bytes of each letter in UTF-8."),
            *(Mistake([form(byte) for byte in _UNDEFINED],
                      "These are the bytes; hand in the letters that contain one of them.")
              for form in (int, hex, "{:02x}".format, "{:02X}".format, lambda b: bytes([b]))),
            Mistake([ord(letter) for letter in _LETTERS if letter.encode()[1] in _UNDEFINED],
                    "These are the right code points; hand in the letters, as `chr` gives them."),
            Mistake([letter for letter in _LETTERS if letter.encode()[1] < 0xA0],
                    "Most of the bytes 80 to 9F have a character in Windows-1252: try each."),
        ]),
    Exercise("bytes.fit", "A field of so many bytes", topic="UTF-8", level=2, minutes=6,
        first=True, right=_fit, cases=[(text, limit) for text, *limits in _FIELDS
                                       for limit in limits],
        hint="It takes a text and a number of bytes.",
        hints=[("unexpected end of data", "The cut may be inside a character: see where it "
                                          "starts.")],
        mistakes=[
            Mistake(lambda text, limit: text[:limit],
                    "That counts characters; the field holds bytes."),
            Mistake(lambda text, limit: text.encode()[:limit].decode(errors="replace"),
                    "A character is cut at the end and becomes \ufffd: leave it out."),
            Mistake(lambda text, limit: _fit(text, limit - 1) if text else "",
                    "The field may be full: the text may take exactly `limit` bytes."),
            Mistake(lambda text, limit: _fit(text, limit)[:-1],
                    "You always drop the last character: drop it only if it is cut."),
            Mistake(lambda text, limit: _fit(text, limit).encode(),
                    "These are the right bytes; return a text."),
        ]),
]  # fmt: skip
