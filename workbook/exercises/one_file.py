"""Exercises of the chapter `one-file`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any

from companion.bpe import BPETokenizer, gpt2
from workbook.exercises._grading import Exercise, Mistake
from workbook.exercises._rows import dot
from workbook.exercises._whole_file import about_file

Merges = Sequence[tuple[bytes, bytes]]
Table = Sequence[Sequence[float]]


def _each(ids: list[list[int]], end: int) -> list[int]:
    return [i for document in ids for i in (*document, end)]


def _encoded(
    documents: Sequence[str], merges: Merges,
    join: Callable[[list[list[int]], int], list[int]] = _each, shift: int = 0,
) -> list[int]:  # fmt: skip
    """Encode each document, and join their ids in some way with that of the end."""
    tokenizer = BPETokenizer(merges)
    ids = [tokenizer.encode_ordinary(document) for document in documents]
    return join(ids, tokenizer.n_vocab + shift)


def continued(ids, E, O, n):
    """Return the ids and n more, each the likeliest after the last."""
    for _ in range(n):
        scores = [dot(row, E[ids[-1]]) for row in O]
        ids = [*ids, scores.index(max(scores))]
    return ids


def _continued(
    best: Callable[[list[float]], Any] = lambda scores: scores.index(max(scores)),
    last: Callable[[list[int]], int] = lambda ids: ids[-1], first: int = 0, tables: int = 1,
) -> Callable[..., Any]:  # fmt: skip
    """Continue with a fault in a step."""

    def wrong(ids: list[int], E: Table, O: Table, n: int) -> Any:
        inputs, outputs = (E, O)[::tables]
        new = list(ids)
        for _ in range(n):
            new.append(best([dot(row, inputs[last(new)]) for row in outputs]))
        return new[first * len(ids) :]

    return wrong


_SMALL = [(b"t", b"h"), (b"th", b"e"), (b" ", b"the")]
_READ = [[2.0, 0.0, 1.0], [1.0, 1.0, -1.0], [0.0, 3.0, 0.5], [-1.0, 0.5, 2.0], [4.0, -2.0, 0.0]]
_NEXT = [[0.3, 1.0, 0.0], [1.0, -0.5, 0.2], [0.0, 0.4, 1.0], [-1.0, 0.2, 0.6], [0.5, 0.5, -1.0]]

EXERCISES = [
    Exercise("one-file.continued", "Continue a text", topic="generation", level=1, minutes=6,
        first=True, ours=continued, right=continued, in_place=True,
        cases=[([0, 3], _READ, _NEXT, 4), ([1], _READ, _NEXT, 3), ([2, 4, 0], _READ, _NEXT, 5),
               ([3], _READ, _NEXT, 0)],
        hint="It takes a list of ids, two lists of rows, and how many ids to add.",
        mistakes=[
            Mistake(_continued(first=1), "These are the new ids alone; return the old ones, too."),
            Mistake(_continued(last=lambda ids: ids[0]),
                    "You always continue the first token; read the last one, ids[-1]."),
            Mistake(lambda ids, E, O, n: [*ids, *continued(ids, E, O, 1)[len(ids) :] * n],
                    "The new token is never read: what comes next depends on it."),
            Mistake(_continued(tables=-1),
                    "Read the row of E, and score it with the rows of O; you exchange the tables."),
            Mistake(_continued(lambda scores: scores.index(min(scores))),
                    "That is the least likely token; take the highest score."),
            Mistake(_continued(max, last=lambda ids: ids[-1] if isinstance(ids[-1], int) else 0),
                    "You append the score; append the id that has it."),
            Mistake(lambda ids, E, O, n: continued(ids, E, O, n)[: len(ids) + n - 1],
                    "An id is missing: add n."),
            Mistake(lambda ids, E, O, n: ids.extend(continued(ids, E, O, n)[len(ids) :]) or ids,
                    "The list of the caller has grown, too: make a new one, such as [*ids, i]."),
        ]),
    Exercise("one-file.file", "Your file", topic="the whole file", level=1, minutes=5,
        judge=about_file, asks="the path of your file, such as \"my_file.py\", or its text"),
    Exercise("one-file.documents", "The end of a document", topic="special tokens", level=1,
        minutes=8, right=_encoded,
        cases=[(["the gate", " the mill"], _SMALL), (["", "Pip<|endoftext|>"], []), ([], _SMALL),
               (["Once upon a time"], gpt2().merges[:1000])],
        asks="which returns a list of ids", hint="There may be no document, or an empty one.",
        mistakes=[
            Mistake(partial(_encoded, join=lambda ids, end: _each(ids, end)[:-1]),
                    "The last document needs an end, too."),
            Mistake(partial(_encoded, join=lambda ids, end: [*chain(*ids)]),
                    "The ends are missing."),
            Mistake(partial(_encoded, join=lambda ids, end: _each(ids, 50256)),
                    "50256 is the end of GPT-2; with other merges it is the number of tokens."),
            *(Mistake(partial(_encoded, shift=shift),
                      "The id of the end is the first that no token has.") for shift in (-1, 1)),
            Mistake(lambda documents, merges: BPETokenizer(merges).encode_ordinary(
                        "".join(f"{text}<|endoftext|>" for text in documents)),
                    "The marker is encoded as text; add its id."),
            Mistake(partial(_encoded, join=lambda ids, end: [end, *_each(ids, end)[:-1]]),
                    "The end comes after its document."),
        ]),
]  # fmt: skip
