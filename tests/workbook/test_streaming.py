"""The exercises of the chapter `streaming`: right and wrong answers, as readers write them."""

# mypy: allow-untyped-calls

from collections.abc import Iterable, Iterator
from itertools import accumulate

from answers import Wrong, changed, tried

from companion.bpe import gpt2
from companion.streaming import StreamDecoder
from workbook.exercises.streaming import stream


def by_replacement(ids: Iterable[int], *, flush: bool = True) -> Iterator[str]:
    """Wait after every � at the end, as if it were part of a character."""
    waiting: list[int] = []
    for token_id in ids:
        waiting.append(token_id)
        if not gpt2().decode(waiting).endswith("\ufffd"):
            yield gpt2().decode(waiting)
            waiting.clear()
    if waiting and flush:
        yield gpt2().decode(waiting)


def with_the_companion(ids: Iterable[int]) -> Iterator[str]:
    decoder = StreamDecoder(gpt2())
    yield from map(decoder.feed, ids)
    yield decoder.close()


def without_fallback(pieces: list[str], stop: str) -> list[str]:
    """Count the signs of the stop string that have come, and begin anew where one does not fit."""
    found, n = [], 0
    for piece in pieces:
        show = ""
        for sign in piece:
            if n == len(stop):
                break
            if sign != stop[n]:
                show, n = show + stop[:n], 0
            show, n = (show, n + 1) if sign == stop[n] else (show + sign, n)
        found.append(show)
    return [*found, stop[:n] if n < len(stop) else ""]


STREAM = "streaming.decoder"
LATE = "after 2 of 6 ids it has yielded '', but '👍' is certain: yield it before you read the next"
RIGHT = [(STREAM, with_the_companion), (STREAM, by_replacement)]

WRONG: Wrong = [
    (STREAM, lambda ids: (gpt2().decode([i]) for i in ids), "half a character"),
    (STREAM, lambda ids: [gpt2().decode([i], errors="ignore") for i in ids], "the pieces join to"),
    (STREAM, lambda ids: [gpt2().decode(list(ids))], LATE),
    (STREAM, lambda ids: gpt2().decode(list(ids)), "yield a piece at a time"),
    (STREAM, lambda ids: (gpt2().decode_bytes([i]) for i in ids),
     "yields b'\\xf0\\x9f\\x91'; yield text."),
    (STREAM, lambda ids: by_replacement(ids, flush=False), "the pieces join to"),
    (STREAM, changed(stream, "if rest", "if False"), "the ids end within a character"),
    (STREAM, lambda ids: map(gpt2().decode, accumulate([i] for i in ids)), "half a character"),
    ("streaming.stop", lambda pieces, stop: [*pieces, ""], "it should return"),
    ("streaming.stop", without_fallback, "it should return ['', '', 'a', '', '']"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
