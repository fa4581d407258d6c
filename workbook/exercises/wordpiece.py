"""Exercises of the chapter `wordpiece`."""

import re
import unicodedata
from collections.abc import Container
from typing import Any

from companion.bpe import gpt2
from companion.wordpiece import bert_uncased, longest_match
from workbook.exercises._grading import Exercise, Mistake, is_list, shown

Places = list[tuple[int, int]]
_WORD = re.compile(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+")


def _counts(words: list[str]) -> list[tuple[int, int]]:
    return [(len(bert_uncased().tokenize(word)), len(gpt2().encode(word))) for word in words]


def _token_counts(word: str, bad: str) -> list[tuple[int, int]]:
    return _counts([word[:i] + bad + word[i + 1 :] for i in range(len(word))])


def _fewest(word: str, vocab: Container[str], mark: str = "##") -> list[str] | None:
    """Put a word together from as few pieces as possible."""
    best: list[list[str] | None] = [[]]  # for the letters so far
    for end in range(1, len(word) + 1):
        pieces = [(start, (mark if start else "") + word[start:end]) for start in range(end)]
        found = [[*before, piece] for start, piece in pieces
                 if piece in vocab and (before := best[start]) is not None]  # fmt: skip
        best.append(min(found, key=len, default=None))
    return best[-1]


def _judge_dead_end(answer: Any) -> str | None:
    """Judge a pair: three pieces, and a word that they make but that the greedy rule misses."""
    match answer:
        case [list() | set() as given, str(word)]:
            pieces = sorted({str(piece) for piece in given})
        case _:
            return "Give a pair: first the list of three pieces, and then the word."
    if len(pieces) != 3:
        return f"The list should contain three different pieces; yours contains {len(pieces)}."
    if not _fewest(word, pieces):
        if word and _fewest(word, {piece.removeprefix("##") for piece in pieces}, mark=""):
            return (
                f"The marks are wrong: the first piece of {word!r} needs no ##, and the others do."
            )
        return f"{shown(word)} cannot be built from these pieces at all."
    ids = longest_match(word, {piece: i for i, piece in enumerate(pieces)}, max_chars=len(word))
    if ids is not None:
        found = f"The greedy rule reads {word!r} as {' '.join(pieces[i] for i in ids)}"
        return f"{found}. It fails only if a longer piece leads it to where no piece fits."
    return None


def _judge_split(given: Any, word: str) -> str | None:
    """Judge a split of a word: any is right that has as few pieces as possible."""
    vocab = bert_uncased().vocab
    best = _fewest(word, vocab)
    if best is None:
        wrong = (
            f"{word!r} cannot be built from pieces of the list: return None, not {shown(given)}."
        )
        return wrong if given is not None else None
    if given is None:
        return f"there is a split of {word!r}, but it finds none."
    if not is_list(given, str):
        return f"it returns {shown(given)}; return a list of pieces."
    if "".join(given[:1] + [piece.removeprefix("##") for piece in given[1:]]) != word:
        return f"it returns {shown(given)}, which does not join to the word."
    for i, piece in enumerate(given):
        if i and not piece.startswith("##"):
            return f"in {shown(given)}, {piece!r} does not begin the word: mark it with ##."
        if piece not in vocab:
            return f"in {shown(given)}, the piece {piece!r} is not in BERT's list."
    if len(given) > len(best) and given == bert_uncased().tokenize(word):
        return "that is the split of the greedy rule; there is a shorter one."
    return f"{shown(given)} is not the shortest split." if len(given) > len(best) else None


def folded(text: str) -> str:
    """Lower-case a text, and drop accents and what is invisible; for the texts of this exercise."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Cf"))


def _offsets(text: str) -> Places:
    """Find where each token comes from in a text."""
    origins = [i for i, c in enumerate(text) for _ in folded(c).strip()]
    places, at = [], 0
    for word in _WORD.findall(folded(text)):
        pieces = bert_uncased().tokenize(word)
        for piece in pieces:
            n = len(word) if pieces == ["[UNK]"] else len(piece.removeprefix("##"))
            places.append((origins[at], origins[at + n - 1] + 1))
            at += n
    return places


def _from_start(text: str) -> Places:
    """Search each piece, always from the start."""
    pieces = [token.removeprefix("##") for token in bert_uncased().tokenize(text)]
    starts = [text.lower().find(piece) for piece in pieces]
    return [(start, start + len(piece)) for start, piece in zip(starts, pieces, strict=True)]


EXERCISES = [
    Exercise("wordpiece.bad-letter", "One bad letter", topic="unknown words", level=1, minutes=10,
        first=True, right=_token_counts,
        cases=[("unbelievability", "🐇"), ("rabbit", "🐇"), ("rabbit", "x"), ("a", "四")],
        mistakes=[
            Mistake(lambda word, bad: [(a + 2, b) for a, b in _token_counts(word, bad)],
                    "[CLS] and [SEP] are not part of the word: use tokenize."),
            Mistake(lambda word, bad: _counts([word.replace(letter, bad) for letter in word]),
                    "str.replace changes a letter wherever it occurs; change one place at a time."),
            Mistake(lambda word, bad: [(b, a) for a, b in _token_counts(word, bad)],
                    "In each pair, BERT comes first, then GPT-2."),
        ]),
    Exercise("wordpiece.hugs", "hug ##s against hu ##gs", topic="greedy reading", level=2,
        minutes=10, right=[["hu", "##gs"], ["hug", "##s"], ["hu", "##gs"]],
        asks="three splits of \"hugs\", each a list of pieces: in the training data, by the greedy "
        "rule, by replaying the merges",
        mistakes=[
            Mistake(["hu ##gs", "hug ##s", "hu ##gs"], "Right, but give each as a list of pieces."),
            Mistake([["hug", "##s"], ["hu", "##gs"], ["hug", "##s"]],
                    "The other way round: it is the greedy rule that takes the longest piece."),
            Mistake([["hu", "gs"], ["hug", "s"], ["hu", "gs"]],
                    "A piece that continues a word needs the mark ##."),
        ],
        remarks=[
            "The first split, in the training data: which of the merges changed \"hugs\" first?",
            "The second split: the greedy rule begins with the longest piece that was learned.",
            "The third split: apply the merges to the letters, in the order of the list.",
        ]),
    Exercise("wordpiece.dead-end", "A word that the greedy rule cannot split",
        topic="greedy reading", level=2, minutes=10, first=True, judge=_judge_dead_end,
        asks="a pair: a list of three pieces, and a word"),
    Exercise("wordpiece.offsets", "Back into the text", topic="normalization", level=3, minutes=40,
        right=_offsets,
        cases=[("Don't say naïve!",), ("the cat, the\tmat",), ("strawberries",), ("",),
               ("Rab\u200bbits \t\u00c9t\u00e9",), ("rabbit🐇 and 🐇",), ("四只 e\u0301te",),
               ("e\u0301🐇",), (f"{'a' * 101} b",), ("İ a",)],
        hint="It takes a text and returns a pair (start, end) for each token.",
        mistakes=[
            Mistake(lambda text: [(start, end - 1) for start, end in _offsets(text)],
                    "The end is the position after the last character, as in text[start:end]."),
            Mistake(lambda text: [
                        (start, start + len(token)) for (start, _), token
                        in zip(_offsets(text), bert_uncased().tokenize(text), strict=True)],
                    "The mark ## is not part of the text, and [UNK] stands for a whole word."),
            Mistake(_from_start, "A piece may occur twice: search from where the last token ends."),
        ]),
    Exercise("wordpiece.fewest", "Fewest pieces", topic="segmentation", level=3, minutes=30,
        judge=_judge_split, takes="word",
        # The greedy rule from the left needs too many for the first, from the right for the next.
        cases=[(word,) for word in (
            "mistrust", "unbelievability", "inefficient", "internationalization",
            "overenthusiastic", "rabbit", "q", "rabbit🐇", "四🐇")],
        asks="which returns a list of pieces, or None if there is no split"),
]  # fmt: skip
