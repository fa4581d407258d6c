"""Exercises of the chapter `bytes`."""

import re
import unicodedata
from typing import Any, Literal

from workbook.exercises._grading import Exercise, Mistake, is_list, shown

_POINT = "that is the code point itself. Cut its bits into pieces, each after a marker."
_RIGHT = "add zeros on the left, and cut the bits from the right."
_MARKER = "each byte after the first must begin with the marker 10."
# The right digits, and what goes wrong on paper.
_BY_HAND = {
    "ü": ("C3BC", {"FC": _POINT, "DFA0": _RIGHT, "C33C": _MARKER}),
    "€": ("E282AC", {"20AC": _POINT, "E88AB0": _RIGHT, "E2022C": _MARKER}),
    "🙂": ("F09F9982", {"1F642": _POINT, "F7B690A0": _RIGHT, "F01F1902": _MARKER,
                        "D83DDE42": "that is UTF-16, a pair of surrogates."}),
    "D0 96": ("416", {
        "D096": "the two bytes still have their markers: remove them before you join the bits.",
        "1016": "the second byte has six bits, so shift the first by six places, not by eight."}),
}  # fmt: skip
_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")


def _judge_by_hand(answers: Any) -> str | None:
    """Three sequences of bytes and a code point, with any signs around their digits."""
    if not is_list(answers, str, 4):
        return "Give a list of four strings: three times bytes, and a code point."
    for given, (asked, (right, slips)) in zip(answers, _BY_HAND.items(), strict=True):
        digits = re.sub("0X|[^0-9A-F]", "", given.upper()).lstrip("0")
        if digits != right:
            return f"For {asked}: {slips.get(digits, f'{shown(given)} is wrong.')}"
    return None


def _fit(text: str, limit: int) -> str:
    return text.encode()[: max(limit, 0)].decode(errors="ignore")


_LETTERS = [chr(number) for number in range(0xC0, 0x100)]
_UNDEFINED = b"\x81\x8d\x8f\x90\x9d"  # in Windows-1252

_FIELDS = [("café", 5, 4, 3, 9), ("", 3), ("Aé请👍", 2, 3, 6, 9, 10), ("从前有", 4, 8, 0),
           ("🐇 and 🐇", 4, 3, 9, 12), ("请é!", 2)]  # fmt: skip

EXERCISES = [
    Exercise("bytes.by-hand", "By hand", topic="UTF-8", level=1, minutes=10, judge=_judge_by_hand,
        asks="a list of four: the bytes of ü, € and 🙂 as 'C3 A9', a code point as 'U+00E9'"),
    Exercise("bytes.two-spellings", "Two spellings", topic="normal forms", level=2, minutes=15,
        unordered=True, right=lambda first, second: [
            form for form in _FORMS
            if unicodedata.normalize(form, first) == unicodedata.normalize(form, second)],
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
    Exercise("bytes.fit", "A field of so many bytes", topic="UTF-8", level=2, minutes=5,
        first=True, right=_fit, cases=[(text, limit) for text, *limits in _FIELDS
                                       for limit in limits],
        hint="It takes a text and a number of bytes.",
        hints=[("unexpected end", "The cut may be inside a character: see where it starts.")],
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
