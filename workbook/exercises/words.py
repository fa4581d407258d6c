"""Exercises of the chapter `words`."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from companion.story import load_story
from companion.words import build_vocab, tokenize
from workbook.exercises._grading import Exercise, Mistake, is_list, shown

_STORY = load_story()
_SIZE, _SMALL_SIZE = len(build_vocab(_STORY)), len(build_vocab(_STORY.lower()))
_TOKENS = tokenize(_STORY)
_REST = _TOKENS[len(_TOKENS) // 2 :]
_MISSING = [token for token in _REST if token not in _TOKENS[: len(_TOKENS) // 2]]
_UNKNOWN = len(_MISSING) / len(_REST)
_CAPITALS = {token for token in _TOKENS if token != token.lower()}


def _profile(tokens: Iterable[str], *, of_all: bool = False) -> tuple[int, int, float]:
    counts = Counter(tokens)
    once = sum(count == 1 for count in counts.values())
    return counts.total(), len(counts), once / (counts.total() if of_all else len(counts))


def _judge_lossless(tokens: Any, text: str) -> str | None:
    """A splitter may cut as it likes at white space, but keeps every character in order."""
    if not is_list(tokens, str):
        return f"it returns {shown(tokens)}; return a list of strings."
    joined = "".join(tokens)
    if joined == re.sub(r"\s", "", text) != text:
        return "the white space is gone: keep the blank pieces, too."
    if joined != text:
        i = next(i for i in range(len(text) + 1) if joined[: i + 1] != text[: i + 1])
        found = f"at character {i} they have {joined[i : i + 10]!r}, not {text[i : i + 10]!r}"
        return f"the tokens do not join to the text: {found}."
    if "" in tokens:
        return "some tokens are empty: leave them out, they join to nothing."
    if [token for token in tokens if token.strip()] != tokenize(text):
        found = f"nothing is lost, but the text is cut into {shown(tokens)}"
        return f"{found}: cut words and punctuation as `tokenize` does."
    return None


EXERCISES = [
    Exercise("words.case", "They and they", topic="vocabulary", level=1, minutes=5,
        right=_SIZE - _SMALL_SIZE, asks="the number of entries that are lost",
        mistakes=[
            Mistake(_SMALL_SIZE,
                    "That is how many entries are left; the question is how many are lost."),
            Mistake(len({t for t in _CAPITALS if t.lower() in _TOKENS}),
                    "That counts words with a twin in small letters: build both vocabularies."),
            Mistake(len(set(_STORY.split())) - len(set(_STORY.lower().split())),
                    "Split with `tokenize`, so that `Pip.` and `Pip` are one entry."),
            Mistake(_SIZE - _SMALL_SIZE + 2,
                    "One vocabulary has two special tokens, the other none: compare without."),
            *(Mistake(len({form(token) for token in _CAPITALS}),
                      "That counts all words with a capital letter; only those are lost whose "
                      "small form is in the story, too.") for form in (str.lower, str)),
        ]),
    Exercise("words.lossless", "A splitter that loses nothing", topic="splitting", level=2,
        minutes=10, judge=_judge_lossless, takes="text", asks="which returns a list of tokens",
        cases=[(text,) for text in (
            "the gate", " two  spaces\n\tand a tab ", "Hush, Pip--it isn't asleep.", "",
            "half-way up: 50% of naïve 请, [1] + #2", "snake_case(one)\xa0and\x0btwo", _STORY)]),
    Exercise("words.unknown", "How much is unknown?", topic="unknown words", level=2, minutes=10,
        right=_UNKNOWN, tolerance=2e-3,  # the page prints 24.0%
        asks="the share of unknown tokens, a number between 0 and 1",
        mistakes=[
            Mistake(len(_MISSING), "That is how many; divide by the tokens of the second half."),
            Mistake(len(set(_MISSING)) / len(set(_REST)),
                    "That is the share of distinct tokens; count a token each time it occurs."),
            Mistake(_UNKNOWN / 2, "Divide by the tokens of the second half, not of the story."),
        ]),
    Exercise("words.identity", "Is decoding the inverse of encoding?", topic="encode and decode",
        level=2, minutes=10, right=[False, True],
        asks="two answers, each True or False: is decode(encode(text)) == text for every text, and "
        "encode(decode(ids)) == ids for all ids",
        remarks=[
            "The first: try decode(encode(text)) on a text with two spaces in a row.",
            "The second: encode cuts at each space of decode.",
        ]),
    Exercise("words.own-text", "Bring your own text", topic="counting words", level=2, minutes=15,
        right=lambda text: _profile(tokenize(text)),
        cases=[("the old gate, the other way",), (_STORY,), ("Hush, hush!",)],
        hint="The function takes a text and returns three numbers.",
        mistakes=[
            Mistake(lambda text: _profile(text.split()),
                    "Some words still have punctuation: count what tokenize returns."),
            Mistake(lambda text: _profile(tokenize(text), of_all=True),
                    "Divide by the number of distinct tokens, not of all."),
            Mistake(lambda text: _profile(tokenize(text.lower())),
                    "'The' and 'the' are two tokens here: do not change the case."),
        ]),
]  # fmt: skip
