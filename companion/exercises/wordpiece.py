"""Exercises of the chapter `wordpiece`."""

from collections.abc import Callable, Container
from functools import cache
from typing import Any

from companion.bpe import gpt2
from companion.exercises._grading import Exercise, Mistake, plain, shown
from companion.wordpiece import _words, bert_uncased

Places = list[tuple[int, int]]

# ------------------------------------------------------------------------------ one bad letter


def _counts(words: list[str]) -> list[tuple[int, int]]:
    return [(len(bert_uncased().tokenize(word)), len(gpt2().encode(word))) for word in words]


def _token_counts(word: str, bad: str) -> list[tuple[int, int]]:
    return _counts([word[:i] + bad + word[i + 1 :] for i in range(len(word))])


def _counts_framed(word: str, bad: str) -> list[tuple[int, int]]:
    return [(n_bert + 2, n_gpt2) for n_bert, n_gpt2 in _token_counts(word, bad)]


def _counts_replaced(word: str, bad: str) -> list[tuple[int, int]]:
    return _counts([word.replace(letter, bad) for letter in word])


def _counts_inserted(word: str, bad: str) -> list[tuple[int, int]]:
    return _counts([word[:i] + bad + word[i:] for i in range(len(word))])


def _counts_spread(word: str, bad: str) -> list[tuple[int, int]]:
    return _counts([f"{word[:i]} {bad} {word[i + 1 :]}" for i in range(len(word))])


# ------------------------------------------------------------------------------ reading words


def _longest_first(word: str, vocab: Container[str]) -> list[str] | None:
    """Read a word as BERT does; None where no piece fits."""
    pieces: list[str] = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if mark + word[start:end] in vocab), None)
        if end is None:
            return None
        pieces.append(mark + word[start:end])
        start = end
    return pieces


def _fewest(word: str, vocab: Container[str], mark: str = "##") -> list[str] | None:
    """Put a word together from as few pieces as possible."""

    @cache
    def rest(start: int) -> tuple[str, ...] | None:
        if start == len(word):
            return ()
        found = []
        for end in range(start + 1, len(word) + 1):
            piece = (mark if start else "") + word[start:end]
            if piece in vocab and (behind := rest(end)) is not None:
                found.append((piece, *behind))
        return min(found, key=len, default=None)

    split = rest(0)
    return None if split is None else list(split)


def _judge_dead_end(answer: Any) -> str | None:
    """Judge a pair: three pieces, and a word that they make but that greed cannot read."""
    pair = plain(answer)
    if not isinstance(pair, list) or len(pair) != 2:
        return "Answer with a pair: the list of three pieces, and the word."
    pieces, word = pair
    if isinstance(pieces, str) and isinstance(word, list | set):
        return "The list of pieces comes first, and then the word."
    if not isinstance(word, str) or not isinstance(pieces, list | set | dict):
        return "Answer with a pair: the list of three pieces, and the word."
    vocab = set(pieces)
    if len(vocab) != 3:
        return f"There should be three different pieces on the list, and yours has {len(vocab)}."
    if not _fewest(word, vocab):
        if word and _fewest(word, {piece.removeprefix("##") for piece in vocab}, mark=""):
            return (
                f"The marks are not right: of the pieces of {word!r} the first stands on the list "
                "without ##, and each of the others with it."
            )
        return f"{shown(word)} cannot be put together from these pieces at all."
    read = _longest_first(word, vocab)
    if read is not None:
        return (
            f"The greedy rule reads {word!r} as {' '.join(read)}. It fails only if a longer piece "
            "leads it to a place where nothing fits."
        )
    return None


def _judge_fewest(split: Callable[[str], Any]) -> str | None:
    """Judge splits of words: any is right that has as few pieces as possible."""
    vocab = bert_uncased().vocab
    for word in ("mistrust", "unbelievability", "inefficient", "rabbit", "q", "rabbit🐇", "四🐇"):
        given, best = plain(split(word)), _fewest(word, vocab)
        found = _about_split(word, given, best)
        if found:
            return found
    return None


def _about_split(word: str, given: Any, best: list[str] | None) -> str | None:
    vocab = bert_uncased().vocab
    if best is None:
        return None if given is None else (
            f"{word!r} cannot be put together from pieces of the list: return None then, not "
            f"{shown(given)}."
        )  # fmt: skip
    if given is None:
        return f"You find no split of {word!r}, and there is one."
    if not isinstance(given, list) or not all(isinstance(piece, str) for piece in given):
        return f"For {word!r} you return {shown(given)}; return a list of pieces."
    if "".join(given[:1] + [piece.removeprefix("##") for piece in given[1:]]) != word:
        return f"For {word!r} you return {shown(given)}, which does not join to it."
    for i, piece in enumerate(given):
        if i and not piece.startswith("##"):
            return f"In {shown(given)} {piece!r} does not begin the word: mark it with ##."
        if piece not in vocab:
            return f"In {shown(given)} the piece {piece!r} is not on the list."
    if len(given) > len(best):
        if given == _longest_first(word, vocab):
            return f"For {word!r} that is the split of the greedy rule; there is a shorter one."
        return f"{shown(given)} is not the shortest: {word!r} can do with fewer pieces."
    return None


# ------------------------------------------------------------------------------ back into the text


def _origins(text: str) -> list[int]:
    """For each character that is left when a text is cleaned and folded: where it came from."""
    return [i for i, c in enumerate(text) for word in _words(c, lowercase=True) for _ in word]


def _lengths(text: str) -> list[int]:
    """How many of these characters each token has."""
    lengths = []
    for word in _words(text, lowercase=True):
        pieces = bert_uncased().tokenize(word)
        if pieces == ["[UNK]"]:
            lengths.append(len(word))
        else:
            lengths += [len(piece.removeprefix("##")) for piece in pieces]
    return lengths


def _places(origins: list[int], lengths: list[int]) -> Places:
    places, at = [], 0
    for length in lengths:
        places.append((origins[at], origins[at + length - 1] + 1))
        at += length
    return places


def _offsets(text: str) -> Places:
    return _places(_origins(text), _lengths(text))


def _offsets_inclusive(text: str) -> Places:
    return [(start, end - 1) for start, end in _offsets(text)]


def _offsets_framed(text: str) -> Places:
    return [(0, 0), *_offsets(text), (0, 0)]


def _offsets_without_spaces(text: str) -> Places:
    return _places(list(range(len(_origins(text)))), _lengths(text))


def _offsets_by_token(text: str, length_of: Callable[[str], int | None]) -> Places:
    """Give some tokens another length than the one that they have in the text."""
    places = []
    for (start, end), token in zip(_offsets(text), bert_uncased().tokenize(text), strict=True):
        length = length_of(token)
        places.append((start, end if length is None else start + length))
    return places


def _offsets_with_marks(text: str) -> Places:
    return _offsets_by_token(text, lambda token: len(token) if token.startswith("##") else None)


def _offsets_of_unk(text: str) -> Places:
    return _offsets_by_token(text, lambda token: len(token) if token == "[UNK]" else None)


def _offsets_unk_as_one(text: str) -> Places:
    return _offsets_by_token(text, lambda token: 1 if token == "[UNK]" else None)


def _offsets_in(searched: str, text: str) -> Places:
    """Search each piece, always from the start."""
    pieces = [token.removeprefix("##") for token in bert_uncased().tokenize(text)]
    found = [(searched.find(piece), len(piece)) for piece in pieces]
    return [(start, start + length) for start, length in found]


def _offsets_found(text: str) -> Places:
    return _offsets_in(text.lower(), text)


def _offsets_found_folded(text: str) -> Places:
    return _offsets_in("".join("".join(_words(c, lowercase=True)) or c for c in text), text)


_FIND = "The same piece may stand in a text twice: search on from where the last token ended."

EXERCISES = [
    Exercise(
        "wordpiece.bad-letter", "One bad letter", topic="unknown words", level=1, minutes=10,
        right=_token_counts,
        cases=[("unbelievability", "🐇"), ("rabbit", "🐇"), ("rabbit", "x"), ("a", "四")],
        mistakes=[
            Mistake(_counts_framed,
                    "[CLS] and [SEP] frame a text and are no part of the word: tokenize leaves "
                    "them out."),
            Mistake(_counts_replaced,
                    "str.replace changes a letter wherever it occurs; change one place at a time."),
            Mistake(_counts_inserted,
                    "The bad letter takes the place of another; yours is put between two."),
            Mistake(_counts_spread,
                    "That is the word with spaces around the bad letter, the second question."),
            Mistake(lambda word, bad: [(b, a) for a, b in _token_counts(word, bad)],
                    "BERT comes first in each pair, then GPT-2."),
            Mistake(lambda word, bad: [a for a, _ in _token_counts(word, bad)],
                    "That is the count of BERT alone; give a pair for each place."),
        ],
    ),
    Exercise(
        "wordpiece.hugs", "hug ##s against hu ##gs", topic="greedy reading", level=2, minutes=10,
        right=[["hu", "##gs"], ["hug", "##s"], ["hu", "##gs"]],
        asks="three splits of \"hugs\", each a list of pieces: in the training data, by the greedy "
        "rule, by replaying the merges",
        mistakes=[
            Mistake(["hu ##gs", "hug ##s", "hu ##gs"],
                    "These are the splits; hand each over as a list of pieces."),
            Mistake([["hug", "##s"]] * 3,
                    "That is what greed finds; but which merge touched \"hugs\" first?"),
            Mistake([["hu", "##gs"]] * 3,
                    "The greedy rule knows no merges: which is the longest piece that \"hugs\" "
                    "begins with?"),
            Mistake([["hu", "##gs"], ["hug", "##s"], ["hug", "##s"]],
                    "Replay the three merges in their order: when ##g is gone, hu ##g has nothing "
                    "to merge."),
            Mistake([["hug", "##s"], ["hug", "##s"], ["hu", "##gs"]],
                    "Training and replaying do the same merges in the same order."),
            Mistake([["hug", "##s"], ["hu", "##gs"], ["hug", "##s"]],
                    "The other way round: greed looks for the longest piece, and merges go by "
                    "their order."),
            Mistake([["hu", "gs"], ["hug", "s"], ["hu", "gs"]],
                    "A piece that continues a word bears its mark, ##."),
        ],
    ),
    Exercise(
        "wordpiece.dead-end", "A word that greed cannot read", topic="greedy reading", level=2,
        minutes=10, judge=_judge_dead_end,
        asks="a pair: a list of three pieces, and a word",
    ),
    Exercise(
        "wordpiece.offsets", "Back into the text", topic="normalization", level=3, minutes=40,
        right=_offsets,
        cases=[("Don't say naïve!",), ("the cat, the\tmat",), ("strawberries",), ("",),
               ("Rab\u200bbits \t\u00c9t\u00e9",), ("rabbit🐇 and 🐇",), ("四只 e\u0301te",),
               ("e\u0301🐇",), (f"{'a' * 101} b",)],
        mistakes=[
            Mistake(_offsets_inclusive,
                    "The end is the place after the last character, as in text[start:end]."),
            Mistake(_offsets_framed,
                    "Leave [CLS] and [SEP] out: there is an entry for each token of tokenize(text)."
                    ),
            Mistake(_offsets_without_spaces,
                    "These places fit a text without white space: spaces count in the original."),
            Mistake(_offsets_with_marks,
                    "The two signs ## are no part of the text, and have no length in it."),
            Mistake(_offsets_of_unk,
                    "[UNK] stands for a whole word of the text, however long its own name is."),
            Mistake(_offsets_unk_as_one,
                    "[UNK] stands for a whole word of the text, not for a single character."),
            Mistake(_offsets_found, _FIND),
            Mistake(_offsets_found_folded, _FIND),
        ],
        hint="It takes a text and returns a pair (start, end) for each token.",
    ),
    Exercise(
        "wordpiece.fewest", "Fewest pieces", topic="segmentation", level=3, minutes=30,
        judge=_judge_fewest,
        asks="a function of (word) that returns a list of pieces, or None if there is no split",
    ),
]  # fmt: skip
