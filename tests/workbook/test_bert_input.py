"""The exercises of the chapter `bert-input`: wrong answers."""

import unicodedata
from collections.abc import Callable
from typing import Any

from answers import EXERCISES, Wrong, tried

PAIR = "bert-input.encode-pair"


def read_as(change: Callable[[str], str]) -> Callable[..., Any]:
    return lambda a, b, vocab: EXERCISES[PAIR].right(change(a), change(b), vocab)


WRONG: Wrong = [
    (PAIR, read_as(str.casefold), "('5€ x² Straße', "),
    (PAIR, read_as(lambda text: unicodedata.normalize("NFKD", text)), "('5€ x² Straße', "),
    (PAIR, read_as(lambda text: text.replace("\xa0", "")), "('5€ x² Straße', "),
]  # fmt: skip

test_answers = tried([], WRONG)
