"""The exercises of the chapter `streaming`: right and wrong answers, as readers write them."""

import codecs
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from answers import Wrong, tried

from companion.bpe import gpt2
from companion.streaming import StreamDecoder


def cuts(test: Callable[..., bool]) -> Callable[..., list[int]]:
    """Return an answer that keeps the cuts of which `test` is true."""
    return lambda t, text: [i for i in range(1, len(text)) if test(t, text[:i], text[i:], text)]


def with_set(tokenizer: Any, text: str) -> set[int]:
    """Answer with positions in no order."""
    encode = tokenizer.encode
    return {i for i in range(1, len(text)) if encode(text[:i]) + encode(text[i:]) == encode(text)}


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


def show(pieces: list[str], stop: str) -> list[str]:
    """Hold back the longest end that begins the stop string, in another way than ours."""
    held, found, is_over = "", [], False
    for piece in pieces:
        held += "" if is_over else piece
        before, sign, _ = held.partition(stop)
        n = next(n for n in range(len(held) + 1) if sign or stop.startswith(held[n:]))
        found.append(before if sign else held[:n])
        is_over, held = is_over or bool(sign), "" if sign else held[n:]
    return [*found, held]


def show_wholly(pieces: list[str], stop: str) -> list[str]:
    """Look for the stop string in each piece alone."""
    found: list[str] = []
    for piece in pieces:
        found.append(piece.partition(stop)[0])
        if stop in piece:
            break
    return [*found, *[""] * (len(pieces) + 1 - len(found))]


def show_with_stop(pieces: list[str], stop: str) -> list[str]:
    text, n, found = "", 0, []
    for piece in [*pieces, ""]:
        text += piece
        end = text.index(stop) + len(stop) if stop in text else len(text)
        found.append(text[n:end])
        n = max(n, end)
    return found


def loop(cached: list[int], ids: list[int]) -> int:
    n = 0
    while n < min(len(cached), len(ids)) and cached[n] == ids[n]:
        n += 1
    return n


SAFE, STREAM, STOP, REUSE = (
    f"streaming.{name}" for name in ("safe-cuts", "decoder", "stop", "reusable")
)
RIGHT = [
    (SAFE, cuts(lambda t, left, right, text: t.encode(left) + t.encode(right) == t.encode(text))),
    (SAFE, lambda t, text: sorted(with_set(t, text))),
    (STREAM, stream),
    (STREAM, by_codec()),
    (STREAM, with_the_companion),
    (STREAM, by_replacement),
    (STREAM, lambda ids: [*with_the_companion(ids)]),
    (STOP, show),
    (STOP, lambda pieces, stop: tuple(show(pieces, stop))),
    (REUSE, loop),
    (REUSE, lambda a, b: next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y),
                              min(len(a), len(b)))),
]  # fmt: skip

WRONG: Wrong = [
    (SAFE, cuts(lambda t, left, right, text: t.decode(t.encode(left) + t.encode(right)) == text),
     "compare the ids"),
    (SAFE, cuts(lambda t, left, right, text: t.encode(left) + t.encode(right) != t.encode(text)),
     "change an id"),
    (SAFE, cuts(lambda t, left, right, text:
                len(t.encode(left)) + len(t.encode(right)) == len(t.encode(text))),
     "compare the lists, not their lengths"),
    (SAFE, cuts(lambda t, left, right, text: right[0] == " "), "inside a word can be safe, too"),
    (SAFE, cuts(lambda t, left, right, text: left[-1] == " "), "it should return"),
    (SAFE, lambda t, text: [0, *sorted(with_set(t, text)), len(text)], "it should return"),
    (SAFE, lambda t, text: [i for i in range(len(text) + 1)
                            if t.encode(text[:i]) + t.encode(text[i:]) == t.encode(text)],
     "leave 0 and len(text) out"),
    (SAFE, lambda t, text: [i for i in range(len(text))
                            if t.encode(text[:i]) + t.encode(text[i:]) == t.encode(text)],
     "leave 0 out"),
    (SAFE, lambda t, text: [i for i in range(1, len(text) + 1)
                            if t.encode(text[:i]) + t.encode(text[i:]) == t.encode(text)],
     "leave len(text) out"),
    (SAFE, lambda t, text: len(with_set(t, text)), "return the list of positions"),
    (SAFE, lambda t, text: [text[:i] for i in sorted(with_set(t, text))], "not the left parts"),
    (SAFE, lambda t, text: [i - 1 for i in sorted(with_set(t, text))], "one too small"),
    (SAFE, lambda t, text: [i + 1 for i in sorted(with_set(t, text))], "it should return"),
    (SAFE, lambda t, text: sorted(with_set(t, text))[::-1], "in the wrong order"),
    (SAFE, lambda text: [], "The checker calls your function with (tokenizer, text)"),
    (SAFE, lambda t, text: None, "returns None"),
    (STREAM, lambda ids: (gpt2().decode([i]) for i in ids), "half a character"),
    (STREAM, lambda ids: [gpt2().decode([i], errors="ignore") for i in ids], "the pieces join to"),
    (STREAM, lambda ids: [gpt2().decode(ids)], "had to wait"),
    (STREAM, lambda ids: gpt2().decode(ids), "yield a piece at a time"),
    (STREAM, lambda ids: (gpt2().decode_bytes([i]) for i in ids),
     "yields b'\\xf0\\x9f\\x91'; yield text."),
    (STREAM, lambda ids: by_replacement(ids, flush=False), "the pieces join to"),
    (STREAM, by_codec(flush=False), "never end it"),
    (STREAM, by_codec("ignore"), "never end it"),
    (STREAM, by_codec("strict"), "raises UnicodeDecodeError"),
    (STREAM, lambda ids: stream(ids, patience=10**6), "show � for them and go on."),
    (STREAM, lambda ids: stream(ids, patience=0), "half a character"),
    (STREAM, whole_text_again, "half a character"),
    (STREAM, lambda ids: (gpt2().decode(ids[i : i + 2]) for i in range(0, len(ids), 2)),
     "half a character"),
    (STREAM, lambda ids: ids, "yield text"),
    (STREAM, lambda ids: None, "returns None"),
    (STOP, show_wholly, "may be spread over several pieces"),
    (STOP, show_with_stop, "it should return"),
    (STOP, lambda pieces, stop: show(pieces, stop)[:-1], "The last entry is missing"),
    (STOP, lambda pieces, stop: [*show(pieces, stop)[:-1], ""], "What waits at the end"),
    (STOP, lambda pieces, stop: [*[""] * len(pieces), "".join(show(pieces, stop))], "at once"),
    (STOP, lambda pieces, stop: "".join(show(pieces, stop)), "in a list"),
    (STOP, lambda pieces, stop: "".join(pieces).split(stop)[0], "in a list"),
    (STOP, lambda pieces, stop: [*pieces, ""], "it should return"),
    (STOP, lambda pieces, stop: pieces, "it should return"),
    (STOP, lambda pieces, stop: [p for p in pieces if stop not in p], "it should return"),
    (STOP, lambda pieces, stop: [*(p.replace(stop, "") for p in pieces), ""], "it should return"),
    (STOP, lambda pieces, stop: [p for p in show(pieces, stop) if p], "it should return"),
    (STOP, lambda pieces, stop: show(pieces, stop)[::-1], "in the wrong order"),
    (STOP, lambda pieces: pieces, "The checker calls your function with (pieces, stop)"),
    (STOP, lambda pieces, stop: [stop in p for p in pieces], "it should return"),
    (REUSE, lambda a, b: sum(x == y for x, y in zip(a, b, strict=False)), "the first id that"),
    (REUSE, lambda a, b: len(set(a) & set(b)), "position by position"),
    (REUSE, lambda a, b: len(a) if b[: len(a)] == a else 0, "before them can still be used"),
    (REUSE, lambda a, b: a[: loop(a, b)], "return how many"),
    (REUSE, lambda a, b: min(len(a), len(b)), "the shorter list"),
    (REUSE, lambda a, b: loop(a, b) - 1, "it should return"),
    (REUSE, lambda a, b: loop(a, b) + 1, "it should return"),
    (REUSE, lambda a, b: b[loop(a, b) :], "it should return"),
    (REUSE, lambda a, b: len(b) - loop(a, b), "it should return"),
    (REUSE, lambda a, b: loop(a, b) / len(a), "raises ZeroDivisionError"),
    (REUSE, lambda a, b: a == b, "it should return"),
    (REUSE, lambda a, b: len(a), "it should return"),
    (REUSE, lambda a, b: len(set(b) - set(a)), "it should return"),
    (REUSE, lambda a, b: sum(x in b for x in a), "position by position"),
    (REUSE, lambda a: a, "The checker calls your function with (cached, ids)"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
