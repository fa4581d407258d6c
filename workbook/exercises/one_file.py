"""Exercises of the chapter `one-file`."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from operator import mul

from companion.bpe import BPETokenizer, gpt2
from workbook.exercises._grading import Exercise, Mistake

Merges = Sequence[tuple[bytes, bytes]]
Table = Sequence[Sequence[float]]


def _each(ids: list[list[int]], end: int) -> list[int]:
    return [i for document in ids for i in (*document, end)]


def _encoded(
    documents: Sequence[str],
    merges: Merges,
    join: Callable[[list[list[int]], int], list[int]] = _each,
    shift: int = 0,
) -> list[int]:
    """Encode each document, and join their ids in some way with that of the end."""
    tokenizer = BPETokenizer(merges)
    ids = [tokenizer.encode_ordinary(document) for document in documents]
    return join(ids, tokenizer.n_vocab + shift)


def _order(vector: Sequence[float], token_table: Table) -> list[int]:
    scores = [sum(map(mul, row, vector)) for row in token_table]
    return sorted(range(len(scores)), key=lambda i: -scores[i])


_SMALL = [(b"t", b"h"), (b"th", b"e"), (b" ", b"the")]
_DOCUMENTS = [
    (["the gate", " the mill"], _SMALL), (["", "Pip<|endoftext|>"], []), ([], _SMALL),
    (["Once upon a time"], gpt2().merges[:1000]),
]  # fmt: skip
_ROWS = [[0.1, -0.4, 0.2], [0.9, 0.3, -0.5], [-0.7, 0.2, 0.3], [0.4, 0.4, 0.4], [-0.2, -0.9, 0.1]]

EXERCISES = [
    Exercise("one-file.documents", "The end of a document", topic="special tokens", level=1,
        minutes=8, right=_encoded, cases=_DOCUMENTS,
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
    Exercise("one-file.likely", "The most likely tokens", topic="softmax", level=1, minutes=8,
        right=lambda vector, token_table, k: _order(vector, token_table)[:k],
        cases=[(_ROWS[i], _ROWS, k) for i, k in ((0, 1), (1, 3), (2, 2), (3, 5))],
        mistakes=[
            Mistake(lambda vector, token_table, k: _order(vector, token_table)[::-1][:k],
                    "These are the least likely tokens: sort from the largest down."),
            Mistake(lambda vector, token_table, k: sorted(_order(vector, token_table)[:k]),
                    "The ids are right; put the most likely one first."),
            Mistake(lambda vector, token_table, k: _order(vector, token_table),
                    "These are all tokens; return the first k."),
            Mistake(lambda vector, token_table, k: [
                sum(map(mul, token_table[i], vector)) for i in _order(vector, token_table)[:k]],
                "These are the scores; return the ids."),
        ]),
]  # fmt: skip
