"""The exercises of the chapter `gpt2-tokenizer`: right answers pass, each wrong one hears why."""

import codecs
from collections.abc import Iterable, Iterator

import numpy as np
import pytest
import tiktoken
from answers import tried

from companion.bpe import gpt2
from companion.exercises import find, grade

END = 50256
MARKER = "<|endoftext|>"


@pytest.fixture(scope="module")
def peer() -> tiktoken.Encoding:
    return gpt2().to_tiktoken("gpt2")


def as_text(text: str) -> list[int]:
    return gpt2().encode(text, disallowed_special=())


def with_specials(text: str) -> list[int]:
    return gpt2().encode(text, allowed_special="all")


def closed(user_text: str) -> list[int]:
    return [*gpt2().encode_ordinary(user_text), END]


def is_whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def stream(ids: Iterable[int]) -> Iterator[str]:
    """Collect bytes until they make text; what is left at the end is shown as it can be."""
    waiting = b""
    for token_id in ids:
        waiting += gpt2().decode_bytes([token_id])
        if is_whole(waiting):
            yield waiting.decode()
            waiting = b""
    if waiting:
        yield waiting.decode(errors="replace")


def stream_that_drops_the_rest(ids: list[int]) -> Iterator[str]:
    pieces = list(stream(ids))
    return (piece for piece in pieces if "\ufffd" not in piece)


def stream_that_drops_what_never_ends(ids: list[int]) -> Iterator[str]:
    """Show half a character at the end, and nothing of one in the middle."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="ignore")
    for token_id in ids:
        yield decoder.decode(gpt2().decode_bytes([token_id]))
    if decoder.getstate()[0]:
        yield "\ufffd"


def stream_of_words(ids: list[int]) -> Iterator[str]:
    """Hold everything back until a space comes."""
    text = gpt2().decode(ids)
    return (word + " " * (i < text.count(" ")) for i, word in enumerate(text.split(" ")))


PIECES = [["a", "\n", "\n", "b"], ["a", "\n\n"]]
SENTENCE = "to be or not to be"


ASKED = {
    "gpt2-tokenizer.to": "a list of two texts: in the first the two `to` agree, in the second the "
    "two `be` do not",
    "gpt2-tokenizer.line-breaks": "a list of two lists of strings, the pieces of both texts",
    "gpt2-tokenizer.stream": "a generator, a function of (ids) that yields text",
    "gpt2-tokenizer.by-hand": "a list of five: the four tokens in the order in which they are "
    "made, and True or False",
}

HINTS = {
    "gpt2-tokenizer.forge": "Whatever a user writes, nothing of it may be refused.",
    "gpt2-tokenizer.stream": "An id may stand for a part of a character only.",
}

RIGHT = [
    ("gpt2-tokenizer.to", [f" {SENTENCE}", "to be or not to Be"]),
    ("gpt2-tokenizer.to", (f" {SENTENCE}", "to Be or not to be")),
    ("gpt2-tokenizer.to", ["to be or not\nto be", "to\nbe or not to be"]),
    ("gpt2-tokenizer.to", ["to be or notto be", "tobe or not to be"]),
    ("gpt2-tokenizer.line-breaks", PIECES),
    ("gpt2-tokenizer.line-breaks", (tuple(PIECES[0]), np.array(PIECES[1]))),
    ("gpt2-tokenizer.forge", closed),
    ("gpt2-tokenizer.forge", lambda user_text: np.array(closed(user_text))),
    ("gpt2-tokenizer.forge", lambda user_text: (i for i in closed(user_text))),
    ("gpt2-tokenizer.stream", stream),
    ("gpt2-tokenizer.stream", lambda ids: list(stream(ids))),
    ("gpt2-tokenizer.stream", lambda ids: (letter for piece in stream(ids) for letter in piece)),
    ("gpt2-tokenizer.by-hand", ["he", "re", "the", "there", True]),
    ("gpt2-tokenizer.by-hand", ("he", "re", "the", "there", np.bool_(True))),
]  # fmt: skip

WRONG = [
    ("gpt2-tokenizer.to", [SENTENCE, "to be or not to Be"],
     "'to be or not to be' is not one character away from 'to be or not to be'."),
    ("gpt2-tokenizer.to", ["  to be or not to be", "to be or not to Be"],
     "'  to be or not to be' is not one character away from 'to be or not to be'."),
    ("gpt2-tokenizer.to", ["To Be or not to be", "to be or not to Be"],
     "'To Be or not to be' is not one character away from 'to be or not to be'."),
    ("gpt2-tokenizer.to", ["to " * 100, "to be or not to Be"],
     f"{('to ' * 100)[:80]!r} is not one character away from 'to be or not to be'."),
    ("gpt2-tokenizer.to", [f" {SENTENCE}", "to be or not to b\ud800"],
     "In 'to be or not to b\\ud800' there are no longer two `be`."),
    ("gpt2-tokenizer.to", ["To be or not to be", "to be or not to Be"],
     "In 'To be or not to be' the two `to` have the ids [2514] and [284]: what belongs to one "
     "token and not to the other?"),
    ("gpt2-tokenizer.to", ["to be or not o be", "to be or not to Be"],
     "In 'to be or not o be' there are no longer two `to`."),
    ("gpt2-tokenizer.to", [f" {SENTENCE}", f"{SENTENCE}."],
     "In 'to be or not to be.' both `be` still have the ids [307]: they are the same token."),
    ("gpt2-tokenizer.to", [f" {SENTENCE}", f"{SENTENCE[:-2]}me"],
     "In 'to be or not to me' there are no longer two `be`."),
    *(("gpt2-tokenizer.to", answer,
       "Hand over a list of two texts: in the first the two `to` agree, in the second the two `be` "
       "do not.")
      for answer in (f" {SENTENCE}", "to", [f" {SENTENCE}"] * 3, [1, 2])),
    ("gpt2-tokenizer.line-breaks", [["a", "\n\n", "b"], ["a", "\n\n"]],
     "Before a letter the fifth alternative has to leave a character over."),
    ("gpt2-tokenizer.line-breaks", [["a", "\n", "\nb"], ["a", "\n\n"]],
     "Only a space goes with the letters after it; see the second alternative."),
    ("gpt2-tokenizer.line-breaks", [["a", "\n", "\n", "b"], ["a", "\n", "\n"]],
     "At the end of a text nothing follows that the fifth alternative could mind."),
    ("gpt2-tokenizer.line-breaks", [["a\n\n", "b"], ["a\n\n"]],
     "Letters and white space are never in one piece, but for a space in front."),
    ("gpt2-tokenizer.line-breaks", [[64, 198, 198, 65], [64, 628]],
     "Those are the ids; the pieces between which the pattern cuts are asked for."),
    ("gpt2-tokenizer.line-breaks", PIECES[::-1], "Both are right, in the other order."),
    ("gpt2-tokenizer.line-breaks", PIECES[0], "It has 4 entries, and there should be 2."),
    ("gpt2-tokenizer.forge", lambda text: with_specials(text + MARKER),
     "A user can still end the document: the permission holds for their text, too."),
    ("gpt2-tokenizer.forge", lambda text: [*with_specials(text), END],
     "A user can still end the document: the permission holds for their text, too."),
    ("gpt2-tokenizer.forge", lambda text: as_text(text + MARKER),
     "Now the marker is plain text as well; at the end its id is needed."),
    ("gpt2-tokenizer.forge", as_text, "The marker at the end is missing."),
    ("gpt2-tokenizer.forge", lambda text: with_specials(text.replace(MARKER, "") + MARKER),
     "Taking the marker out can leave another one, made of what stood around it; and a character "
     "of the user is lost."),
    ("gpt2-tokenizer.forge", lambda text: [*as_text(text.replace(MARKER, "")), END],
     "What the user wrote is to stay, all of it: it is harmless as plain text."),
    ("gpt2-tokenizer.forge", lambda text: [*(i for i in with_specials(text) if i != END), END],
     "What the user wrote is to stay, all of it: it is harmless as plain text."),
    ("gpt2-tokenizer.forge", lambda text: [*closed(text)[:-1], 50257],
     "your function('The river was asleep.') gives [464, 7850, 373, 16039, 13, 50257], and it "
     "should give [464, 7850, 373, 16039, 13, 50256]."),
    ("gpt2-tokenizer.stream", lambda ids: (gpt2().decode([i]) for i in ids),
     "For the ids of '👍 请 café' it yields half a character: "
     "['�', '�', ' �', '�', '�', ' café']."),
    ("gpt2-tokenizer.stream", lambda ids: gpt2().decode(ids),
     "It returns one text; yield a piece at a time."),
    ("gpt2-tokenizer.stream", lambda ids: [gpt2().decode(ids)],
     "For the ids of '👍 请 café' it yields ['👍 请 café']: some characters were complete earlier "
     "and had to wait."),
    ("gpt2-tokenizer.stream", stream_of_words,
     "For the ids of '👍 请 café' it yields ['👍 ', '请 ', 'café']: some characters were complete "
     "earlier and had to wait."),
    ("gpt2-tokenizer.stream", lambda ids: (gpt2().decode_bytes([i]) for i in ids),
     "It yields b'\\xf0\\x9f\\x91'; yield text."),
    ("gpt2-tokenizer.stream",
     lambda ids: (gpt2().decode_bytes([i]).decode(errors="ignore") for i in ids),
     "For the ids of '👍 请 café' the pieces join to '  café'."),
    ("gpt2-tokenizer.stream", stream_that_drops_the_rest,
     "The ids [41840] begin a character and never end it: that should show as '�', and it gives "
     "''."),
    ("gpt2-tokenizer.stream", stream_that_drops_what_never_ends,
     "The ids [41840, 0] begin a character and never end it: that should show as '�!', and it "
     "gives '!'."),
    ("gpt2-tokenizer.stream", lambda ids: list(stream(ids)) or None,
     "It gives None; yield a piece of text at a time."),
    ("gpt2-tokenizer.by-hand", ["he", "re", "the", "there", False],
     "The order is right. For the last entry look at the merges of the word with its space."),
    *(("gpt2-tokenizer.by-hand", [*order, built], message)
      for built in (True, False)
      for order, message in [
          (["he", "the", "re", "there"],
           "After `he`, of all pairs that stand there, the one of the lowest rank is next, and not "
           "the one beside it."),
          (["re", "he", "the", "there"],
           "Of the pairs in the bare letters, the one of the lowest rank comes first."),
          (["he", "er", "the", "there"],
           "`er` finds no `e` in front of the `r`: that one is in `he` already."),
          (["he", "er", "the", "re"],
           "`er` finds no `e` in front of the `r`: that one is in `he` already."),
      ]),
    ("gpt2-tokenizer.by-hand", ["he", "re", "the", "there"],
     "It has 4 entries, and there should be 5."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, ASKED, HINTS)


def test_tiktoken_passes_too(peer: tiktoken.Encoding) -> None:
    exercise = find("gpt2-tokenizer.forge")
    answer = lambda text: [*peer.encode_ordinary(text), peer.eot_token]  # noqa: E731
    assert grade(exercise, answer).message == "right."


def test_text_that_is_refused_is_an_error_with_a_hint() -> None:
    careful = lambda text: [*gpt2().encode(text), END]  # noqa: E731
    said = grade(find("gpt2-tokenizer.forge"), careful).message
    assert "raises ValueError" in said
    assert said.endswith("Whatever a user writes, nothing of it may be refused.")
