"""The exercises of the chapter `words`: right and wrong answers."""

import re

import numpy as np
from answers import Wrong, tried

from companion.story import load_story
from companion.words import build_vocab, tokenize


def lossless(text: str) -> list[str]:
    return [piece for piece in re.split(r"""([,.:;?_!"()']|--|\s)""", text) if piece]


def profile(text: str) -> list[float]:
    tokens = tokenize(text)
    once = [token for token in set(tokens) if tokens.count(token) == 1]
    return [len(tokens), len(set(tokens)), len(once) / len(set(tokens))]


def profile_by_split(text: str) -> list[float]:
    words = text.split()
    return [len(words), len(set(words)), sum(words.count(w) == 1 for w in words) / len(set(words))]


def profile_of_tokens(text: str) -> list[float]:
    tokens = tokenize(text)
    return [len(tokens), len(set(tokens)), profile(text)[2] * len(set(tokens)) / len(tokens)]


def unknown_distinct() -> float:
    tokens = tokenize(load_story())
    first, second = (set(half) for half in np.array_split(tokens, [len(tokens) // 2]))
    return len(second - first) / len(second)


RIGHT = [
    ("words.case", 31),
    ("words.case", np.int64(31)),
    ("words.lossless", lossless),
    ("words.lossless", lambda text: tuple(lossless(text))),
    ("words.lossless", lambda text: (piece for piece in lossless(text))),
    # Runs of white space in one token.
    ("words.lossless",
     lambda text: [p for p in re.split(r"""([,.:;?_!"()']|--|\s+)""", text) if p]),
    ("words.unknown", 168 / 701),
    ("words.unknown", 0.2397),
    ("words.unknown", 0.24),  # as the page prints it, in percent
    ("words.unknown", np.float32(0.23966)),
    ("words.identity", (False, True)),
    ("words.identity", np.array([False, True])),
    ("words.own-text", profile),
    ("words.own-text", lambda text: np.array(profile(text))),
]  # fmt: skip

WRONG: Wrong = [
    ("words.case", 317, 0),
    ("words.case", -31, 1),
    ("words.case", 348, 2),
    ("words.case", 54, 3),
    ("words.case", 30, "30 is too small."),
    ("words.case", "31", "Your answer is '31'; it should be an integer."),
    ("words.lossless", tokenize, "The white space of 'the gate' is gone"),
    ("words.lossless", lambda text: re.split(r"""([,.:;?_!"()']|--|\s)""", text),
     "Some tokens are empty for ' two  spaces\\n\\tand a tab ':"),
    ("words.lossless", list, "Nothing is lost, but 'the gate' is cut into ['t'"),
    ("words.lossless", lambda text: text.split(), "The white space of 'the gate' is gone"),
    ("words.lossless", lambda text: lossless(text.lower()),
     'The tokens do not join to the text again for "Hush'),
    ("words.lossless", lambda text: lossless(text) or [text], "Some tokens are empty for ''"),
    # Hyphens and other characters beyond the list of the chapter.
    ("words.lossless", lambda text: re.findall(r"""\w+|--|[,.:;?_!"()']|\s""", text),
     "at character 4 they have 'way up: 50'"),
    ("words.lossless", lambda text: " ".join(lossless(text)), "return a list of strings."),
    ("words.lossless", lambda text: re.split(r"(--)|(\s)", text), "return a list of strings."),
    ("words.lossless", lossless("the gate"), "Pass the function itself"),
    ("words.unknown", 24.0, 0),
    ("words.unknown", "24 %", "it should be a number."),
    ("words.unknown", 100 * 168 / 701, 0),
    ("words.unknown", 1 - 168 / 701, 1),
    ("words.unknown", unknown_distinct(), 2),
    ("words.unknown", 168 / 1402, 3),
    ("words.identity", [True, True], 0),
    ("words.identity", [False, False], 2),
    ("words.identity", [True, False], 1),
    ("words.identity", False, "Your answer is False; it should be a list."),
    ("words.own-text", profile_by_split, 0),
    ("words.own-text", profile_of_tokens, 1),
    ("words.own-text", lambda text: (len(text.split()), len(set(text.split())), 0.0),
     "returns [6, 5, 0.0]"),
    ("words.own-text", lambda text: profile(text.lower()), 2),
    ("words.own-text", lambda text: profile(text)[:2], "returns [7, 6]"),
    ("words.own-text", build_vocab, "returns {',': 0, 'gate': 1"),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG)
