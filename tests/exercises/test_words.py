"""The exercises of the chapter `words`: right answers pass, each wrong one hears why."""

import re

import numpy as np
from answers import tried

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


ASKED = {
    "words.case": "the number of entries that are lost",
    "words.lossless": "a function of (text) that returns a list of tokens",
    "words.unknown": "the share of unknown tokens, a number between 0 and 1",
    "words.identity": "two answers, each True or False: is decode(encode(text)) == text for every "
    "text, and encode(decode(ids)) == ids for all ids",
}

HINTS = {
    "words.own-text": "The function takes a text and returns three numbers.",
}

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
    ("words.unknown", np.float32(0.23966)),
    ("words.identity", (False, True)),
    ("words.identity", np.array([False, True])),
    ("words.own-text", profile),
    ("words.own-text", lambda text: np.array(profile(text))),
]  # fmt: skip

WRONG = [
    ("words.case", 317, "That many entries are left; the question is how many are lost."),
    ("words.case", -31, "A loss counts as a positive number here."),
    ("words.case", 348, "That is the vocabulary before lower-casing."),
    ("words.case", 54,
     "That counts all words with a capital; only those that occur in both forms are lost."),
    ("words.case", 30, "30 is too small."),
    ("words.case", "31", "It is '31', and should be an integer."),
    ("words.lossless", tokenize,
     "The white space of 'the gate' is gone: keep the pieces that are blank, too."),
    ("words.lossless", lambda text: re.split(r"""([,.:;?_!"()']|--|\s)""", text),
     "For ' two  spaces\\n\\tand a tab ' some tokens are empty; they join to nothing, so drop "
     "them."),
    ("words.lossless", list,
     "Nothing is lost, but 'the gate' is cut into ['t', 'h', 'e', ' ', 'g', 'a', 't', 'e']: words "
     "and marks should be cut as before."),
    ("words.lossless", lambda text: text.split(),
     "The white space of 'the gate' is gone: keep the pieces that are blank, too."),
    ("words.lossless", lambda text: lossless(text.lower()),
     "For \"Hush, Pip--it isn't asleep.\" the tokens join to \"hush, pip--it isn't asleep.\"."),
    ("words.lossless", lambda text: lossless(text) or [text],
     "For '' some tokens are empty; they join to nothing, so drop them."),
    ("words.unknown", 24.0, "24.0 is too large."),
    ("words.unknown", 100 * 168 / 701, "That is per cent; give the share, between 0 and 1."),
    ("words.unknown", 1 - 168 / 701, "That is the share that is known."),
    ("words.unknown", unknown_distinct(),
     "That is the share of distinct tokens; count a token each time it occurs."),
    ("words.unknown", 168 / 1402,
     "Divide by the tokens of the second half, not of the whole story."),
    ("words.identity", [True, True],
     "Try decode(encode(text)) on a text with two spaces in a row."),
    ("words.identity", [False, False],
     "The first is right. For the second, try any ids: decode sets a space between any two "
     "tokens, and encode cuts there."),
    ("words.identity", [True, False],
     "The other way round: what encode drops, decode cannot know; but ids lose nothing on their "
     "way to a text and back."),
    ("words.identity", False, "It is False, and should be a list."),
    ("words.own-text", profile_by_split,
     "White space alone leaves marks on the words: count what tokenize gives."),
    ("words.own-text", profile_of_tokens,
     "The share is of distinct tokens: divide by how many distinct ones there are."),
    ("words.own-text", lambda text: (len(text.split()), len(set(text.split())), 0.0),
     "your function('the old gate, the other way') gives [6, 5, 0.0], and it should give "
     "[7, 6, 0.8333333333333334]."),
    ("words.own-text", lambda text: profile(text.lower()),
     "'The' and 'the' are two tokens here: do not change the case."),
    ("words.own-text", lambda text: profile(text)[:2],
     "your function('the old gate, the other way') gives [7, 6], and it should give "
     "[7, 6, 0.8333333333333334]."),
    ("words.own-text", build_vocab,
     "build_vocab('the old gate, the other way') gives {',': 0, 'gate': 1, 'old': 2, 'other': 3, "
     "'the': 4, 'way': 5}, and it should give [7, 6, 0.8333333333333334]."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, ASKED, HINTS)
