"""The exercises of the chapter `streaming`: right and wrong answers, as readers write them."""

import codecs
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from answers import Wrong, tried

from companion.bpe import gpt2
from companion.streaming import StreamDecoder


def is_whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def stream(ids: Iterable[int], patience: int = 3) -> Iterator[str]:
    """Collect bytes until they make text; what cannot become any is shown as it can be."""
    waiting = b""
    for token_id in ids:
        waiting += gpt2().decode_bytes([token_id])
        if is_whole(waiting) or len(waiting) > patience:
            yield waiting.decode(errors="replace")
            waiting = b""
    if waiting:
        yield waiting.decode(errors="replace")


def by_replacement(ids: list[int], *, flush: bool = True) -> Iterator[str]:
    """Wait after every � at the end, as if it were part of a character."""
    waiting: list[int] = []
    for token_id in ids:
        waiting.append(token_id)
        if not gpt2().decode(waiting).endswith("\ufffd"):
            yield gpt2().decode(waiting)
            waiting.clear()
    if waiting and flush:
        yield gpt2().decode(waiting)


def by_codec(errors: str = "replace", *, flush: bool = True) -> Callable[[list[int]], Any]:
    def answer(ids: list[int]) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")(errors)
        yield from (decoder.decode(gpt2().decode_single_token_bytes(i)) for i in ids)
        if flush:
            yield decoder.decode(b"", final=True)

    return answer


def whole_text_again(ids: list[int]) -> Iterator[str]:
    for n in range(1, len(ids) + 1):
        yield gpt2().decode(ids[:n])


def with_the_companion(ids: list[int]) -> Iterator[str]:
    decoder = StreamDecoder(gpt2())
    yield from map(decoder.feed, ids)
    yield decoder.close()


STREAM = "streaming.decoder"
RIGHT = [
    (STREAM, stream),
    (STREAM, by_codec()),
    (STREAM, with_the_companion),
    (STREAM, by_replacement),
    (STREAM, lambda ids: [*with_the_companion(ids)]),
]

WRONG: Wrong = [
    (STREAM, lambda ids: (gpt2().decode([i]) for i in ids), "half a character"),
    (STREAM, lambda ids: [gpt2().decode([i], errors="ignore") for i in ids], "the pieces join to"),
    (STREAM, lambda ids: [gpt2().decode(ids)], "had to wait"),
    (STREAM, lambda ids: gpt2().decode(ids), "yield a piece at a time"),
    (STREAM, lambda ids: (gpt2().decode_bytes([i]) for i in ids),
     "yields b'\\xf0\\x9f\\x91'; yield text."),
    (STREAM, lambda ids: by_replacement(ids, flush=False), "the pieces join to"),
    (STREAM, by_codec(flush=False), "never end it"),
    (STREAM, by_codec("strict"), "raises UnicodeDecodeError"),
    (STREAM, lambda ids: stream(ids, patience=10**6), "show � for them and go on."),
    (STREAM, whole_text_again, "half a character"),
    (STREAM, lambda ids: None, "returns None"),
    ("streaming.stop", lambda pieces, stop: [*pieces, ""], "it should return"),
    ("streaming.reusable", lambda a, b: len(set(a) & set(b)) / len(a), "raises ZeroDivisionError"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
