"""Exercises of the chapter `words`."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from companion.exercises._grading import Exercise, Mistake, shown
from companion.story import load_story
from companion.words import build_vocab, tokenize


def _lost_entries() -> int:
    story = load_story()
    return len(build_vocab(story)) - len(build_vocab(story.lower()))


def _unknown_share() -> float:
    tokens = tokenize(load_story())
    half = len(tokens) // 2
    known = set(tokens[:half])
    return sum(token not in known for token in tokens[half:]) / len(tokens[half:])


def _unknown_distinct_share() -> float:
    tokens = tokenize(load_story())
    half = len(tokens) // 2
    known, rest = set(tokens[:half]), set(tokens[half:])
    return len(rest - known) / len(rest)


def _profile(text: str) -> tuple[int, int, float]:
    counts = Counter(tokenize(text))
    once = sum(count == 1 for count in counts.values())
    return counts.total(), len(counts), once / len(counts)


def _profile_by_split(text: str) -> tuple[int, int, float]:
    counts = Counter(text.split())
    once = sum(count == 1 for count in counts.values())
    return counts.total(), len(counts), once / len(counts)


def _profile_of_tokens(text: str) -> tuple[int, int, float]:
    total, distinct, share = _profile(text)
    return total, distinct, share * distinct / total


def _profile_lowered(text: str) -> tuple[int, int, float]:
    return _profile(text.lower())


def _judge_lossless(split: Callable[[str], Sequence[str]]) -> str | None:
    """A splitter may cut where it likes at white space, but keeps every character in order."""
    for text in ("the gate", " two  spaces\n\tand a tab ", "Hush, Pip--it isn't asleep.", ""):
        tokens = list(split(text))
        joined = "".join(tokens)
        if joined == re.sub(r"\s", "", text) != text:
            return f"The white space of {text!r} is gone: keep the pieces that are blank, too."
        if joined != text:
            return f"For {text!r} the tokens join to {shown(joined)}."
        if "" in tokens:
            return f"For {text!r} some tokens are empty; they join to nothing, so drop them."
        if [token for token in tokens if token.strip()] != tokenize(text):
            return (
                f"Nothing is lost, but {text!r} is cut into {shown(tokens)}: words and marks "
                "should be cut as before."
            )
    return None


EXERCISES = [
    Exercise(
        "words.case", "They and they", topic="vocabulary", level=1, minutes=5,
        right=_lost_entries(), asks="the number of entries that are lost",
        mistakes=[
            Mistake(len(build_vocab(load_story().lower())),
                    "That many entries are left; the question is how many are lost."),
            Mistake(-_lost_entries(), "A loss counts as a positive number here."),
            Mistake(len(build_vocab(load_story())), "That is the vocabulary before lower-casing."),
            Mistake(len({t.lower() for t in tokenize(load_story()) if t[:1].isupper()}),
                    "That counts all words with a capital; only those that occur in both forms "
                    "are lost."),
        ],
    ),
    Exercise(
        "words.lossless", "A splitter that loses nothing", topic="splitting", level=2, minutes=10,
        judge=_judge_lossless, asks="a function of (text) that returns a list of tokens",
    ),
    Exercise(
        "words.unknown", "How much is unknown?", topic="unknown words", level=2, minutes=10,
        right=_unknown_share(), tolerance=1e-3,
        asks="the share of unknown tokens, a number between 0 and 1",
        mistakes=[
            Mistake(100 * _unknown_share(), "That is per cent; give the share, between 0 and 1."),
            Mistake(1 - _unknown_share(), "That is the share that is known."),
            Mistake(_unknown_distinct_share(),
                    "That is the share of distinct tokens; count a token each time it occurs."),
            Mistake(_unknown_share() / 2,
                    "Divide by the tokens of the second half, not of the whole story."),
        ],
    ),
    Exercise(
        "words.identity", "Which way round?", topic="encode and decode", level=2, minutes=10,
        right=[False, True],
        asks="two answers, each True or False: is decode(encode(text)) == text for every text, and "
        "encode(decode(ids)) == ids for all ids",
        mistakes=[
            Mistake([True, True], "Try decode(encode(text)) on a text with two spaces in a row."),
            Mistake([True, False],
                    "The other way round: what encode drops, decode cannot know; but ids lose "
                    "nothing on their way to a text and back."),
            Mistake([False, False],
                    "The first is right. For the second, try any ids: decode sets a space between "
                    "any two tokens, and encode cuts there."),
        ],
    ),
    Exercise(
        "words.own-text", "Bring your own text", topic="counting words", level=2, minutes=15,
        right=_profile, cases=[("the old gate, the other way",), (load_story(),), ("Hush, hush!",)],
        mistakes=[
            Mistake(_profile_by_split,
                    "White space alone leaves marks on the words: count what tokenize gives."),
            Mistake(_profile_of_tokens,
                    "The share is of distinct tokens: divide by how many distinct ones there are."),
            Mistake(_profile_lowered,
                    "'The' and 'the' are two tokens here: do not change the case."),
        ],
        hint="The function takes a text and returns three numbers.",
    ),
]  # fmt: skip
