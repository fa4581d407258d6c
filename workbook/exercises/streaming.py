"""Exercises of the chapter `streaming`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import codecs
from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from itertools import accumulate, takewhile
from typing import Any

from companion.bpe import BPETokenizer, gpt2, train_bpe
from companion.bpe.splitting import O200K_PATTERN
from companion.story import load_story
from workbook.exercises._file import BYTES
from workbook.exercises._grading import Exercise, Mistake, shown

old = gpt2()
# Small tokenizers, because each call of a reader's function gets copies.
_LETTERS = train_bpe(load_story()[:1500], 420)
_BREAKS = train_bpe("the end.\nIt's it's. The end.\n" * 3, 300, pattern=O200K_PATTERN)
_SPACES = train_bpe("a  b  c  d  e a", 260)
_SIGNS = BPETokenizer([(b"\n", b"\n"), (b"'", b"s")])


def safe_cuts(tokenizer, text):
    """Return the positions at which a cut changes no id."""
    whole = tokenizer.encode(text)
    safe = []
    for i in range(1, len(text)):
        left, right = tokenizer.encode(text[:i]), tokenizer.encode(text[i:])
        if left + right == whole:
            safe.append(i)
    return safe


def _borders(tokenizer: BPETokenizer, text: str) -> list[int]:
    """Return the positions inside the text where one token ends and the next begins."""
    tokens = map(tokenizer.decode_single_token_bytes, tokenizer.encode(text))
    ends = set(accumulate(map(len, tokens)))
    return [i for i in range(1, len(text)) if len(text[:i].encode()) in ends]


def _may_begin(text: str, stop: str) -> int:
    """Return how many characters at the end of a text may begin the stop string."""
    return max(n for n in range(len(stop)) if text.endswith(stop[:n]))


def _show(pieces: list[str], stop: str, waiting: Any = _may_begin) -> list[str]:
    """Return what may be shown after each piece and at the end; `waiting` counts what may not."""
    text, n_shown, found = "", 0, []
    for i, piece in enumerate([*pieces, ""]):
        text += piece
        n_waiting = waiting(text, stop) if i < len(pieces) else 0
        end = text.index(stop) if stop in text else len(text) - n_waiting
        found.append(text[n_shown:end])
        n_shown = max(n_shown, end)
    return found


def _show_in_each(pieces: list[str], stop: str) -> list[str]:
    n = next((i for i, piece in enumerate(pieces) if stop in piece), len(pieces))
    ends = [piece.partition(stop)[0] for piece in pieces[n : n + 1]]
    return [*pieces[:n], *ends, *[""] * (len(pieces) + 1 - n - len(ends))]


def stream(ids):
    """Yield the text of the ids as it comes, and never half a character."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    for token_id in ids:
        text = decoder.decode(old.decode_single_token_bytes(token_id))
        if text:
            yield text
    rest = decoder.decode(b"", final=True)
    if rest:
        yield rest


def _timed(stream: Callable[[Iterable[int]], Any]) -> Callable[[list[int]], Any]:
    """Give the ids one by one, and tell with each piece how many of them were read before it."""

    @wraps(stream)
    def timed(ids: list[int]) -> Any:
        n_read = 0

        def read() -> Iterator[int]:
            nonlocal n_read
            for token_id in ids:
                n_read += 1
                yield token_id

        pieces = stream(read())
        is_one = isinstance(pieces, str) or not isinstance(pieces, Iterable)
        return pieces if is_one else ((piece, n_read) for piece in pieces)

    return timed


def _judge_pieces(pieces: Any, ids: list[int]) -> str | None:
    """Judge pieces, each with the number of ids that were read before it came."""
    if isinstance(pieces, str):
        return "it returns one text; yield a piece at a time."
    if not isinstance(pieces, list):
        return f"it returns {shown(pieces)}; yield a piece of text at a time."
    other = [piece for piece, _ in pieces if not isinstance(piece, str)]
    if other:
        return f"it yields {shown(other[0])}; yield text."
    text, joined = gpt2().decode(ids), "".join(piece for piece, _ in pieces)
    if joined != text and text.encode() != gpt2().decode_bytes(ids) and text.startswith(joined):
        return "the ids end within a character: at the end, yield � for its bytes."
    if joined.count("\ufffd") > text.count("\ufffd"):
        return f"of {text!r} it yields {shown([piece for piece, _ in pieces])}, half a character."
    if joined != text:
        return f"the pieces join to {joined!r}, not to {text!r}."
    for n in range(1, len(ids)):
        certain = gpt2().decode(ids[:n])
        so_far = "".join(piece for piece, n_read in pieces if n_read <= n)
        # A � at the end may wait: the next bytes may belong to it.
        if not certain.endswith("\ufffd") and len(so_far) < len(certain):
            found = f"after {n} of {len(ids)} ids it has yielded {so_far!r}"
            return f"{found}, but {certain!r} is certain: yield it before you read the next id."
    return None


_SHOWN = ["👍 请 café", "four little Rabbits", "🇫🇷🙂 naïve", "请请👍", "", "a \ufffd b\ufffd"]
_HALF = gpt2().encode("👍")[:1]
_STREAMED = [
    *map(gpt2().encode, _SHOWN),
    *([*_HALF, *gpt2().encode(text)] for text in ("", "!", "! Four rabbits are asleep.", "👍")),
    [BYTES.index(b"\xc3"), *gpt2().encode("a b")],
]

EXERCISES = [
    Exercise("streaming.safe-cuts", "Safe cuts", topic="cuts", level=1, minutes=8, first=True,
        ours=safe_cuts, right=safe_cuts,
        # In those of _SIGNS, a part is cut into other words than it is in the whole.
        cases=[(_LETTERS, "four Rabbits"), (_LETTERS, "the end "), (_BREAKS, "The end.\nIt's"),
               (_SPACES, "a  b"), (_LETTERS, "a"), (_LETTERS, ""), (_LETTERS, "é 👍"),
               (_SIGNS, "a\n\nb"), (_SIGNS, "_'s")],
        hint="A part may be empty only if the cut is at an end, and those do not count.",
        mistakes=[
            Mistake(_borders, "Not every border of two tokens is safe: encode both parts alone."),
            Mistake(lambda tokenizer, text: [*range(1, len(text))],
                    "The decoded parts always join to the text; compare the ids."),
            Mistake(lambda tokenizer, text: [
                        *dict.fromkeys([0, *safe_cuts(tokenizer, text), len(text)])],
                    "A cut at an end leaves a part empty: leave 0 and len(text) out."),
            Mistake(lambda tokenizer, text: [
                        i for i in range(1, len(text)) if len(tokenizer.encode(text))
                        == len(tokenizer.encode(text[:i]) + tokenizer.encode(text[i:]))],
                    "As many ids need not be the same ids: compare the lists, not their lengths."),
            Mistake(lambda tokenizer, text: [
                        i for i in safe_cuts(tokenizer, text) if text[i] in " \n"],
                    "A cut inside a word can be safe, too: try every position."),
        ]),
    Exercise("streaming.decoder", "One emoji, two tokens", topic="decoding", level=2,
        minutes=12, first=True, ours=stream, judge=_judge_pieces, takes="ids", watch=_timed,
        cases=[(ids,) for ids in _STREAMED], asks="a generator that yields text",
        hint="A token may be half a character. `ids` is an iterator: go through it in a loop."),
    Exercise("streaming.reusable", "How much of a cache fits", topic="prefix caches", level=1,
        minutes=8, right=lambda cached, ids: len([*takewhile(bool, map(int.__eq__, cached, ids))]),
        cases=[([1, 2, 3], [1, 2, 3, 4]), ([1, 2, 220], [1, 2, 9, 4]), ([5, 2], [1, 2]),
               ([1, 2, 3], [1, 2]), ([], [1]), ([1, 9, 3, 4], [1, 2, 3, 4]),
               ([2, 1, 3], [1, 2, 3])],
        mistakes=[
            Mistake(lambda cached, ids: len(set(cached) & set(ids)),
                    "Equal ids at other positions do not help: compare position by position."),
            Mistake(lambda cached, ids: sum(map(int.__eq__, cached, ids)),
                    "After the first difference nothing can be used: later vectors depend on it."),
            Mistake(lambda cached, ids: len(cached) if ids[: len(cached)] == cached else 0,
                    "If the last ids differ, the ids before them can still be used."),
        ]),
    Exercise("streaming.stop", "Stop here", topic="stop strings", level=2, minutes=15,
        right=_show, asks="which returns a list of texts, one more than there are pieces",
        cases=[(["The", " end", ".\n", "Us", "er: hi"], "\nUser:"), (["a", "b"], "xy"),
               (["ab", "ac", "d"], "aca"), (["xENDy", "z"], "END"), (["no EN", "D"], "END"),
               (["no E", "N"], "END"), ([], "END"), (["aab"], "ab"), (["E", "E", "ND"], "END"),
               ([*"xENDyEND"], "END"), ([*"aaab"], "aab")],
        hint="Keep the text so far, and how much of it is shown.",
        mistakes=[
            Mistake(partial(_show, waiting=lambda text, stop: 0),
                    "A part of the stop string is shown: let an end wait that may begin it."),
            Mistake(_show_in_each, "The stop string may span pieces: search the text so far."),
            Mistake(lambda pieces, stop: [*[""] * len(pieces), "".join(_show(pieces, stop))],
                    "Show what cannot be part of the stop string at once, not at the end."),
            Mistake(partial(_show, waiting=lambda text, stop: min(len(text), len(stop) - 1)),
                    "Let only an end wait that is the beginning of the stop string."),
            Mistake(lambda pieces, stop: [*_show(pieces, stop)[:-1], ""],
                    "What waits at the end has to be shown: it is the last entry."),
        ]),
]  # fmt: skip
