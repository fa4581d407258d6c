"""Exercises of the chapter `gpt2-input`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from workbook.exercises._grading import Exercise, Mistake
from workbook.exercises._rows import random, torch

Rows = list[list[int]]
_REFUSED = "an IndexError"


def _half_width(n_blocks: int, vocab_size: int, context_size: int) -> float:
    # (V + L) d = n_blocks (12 d² + 13 d) + 2 d, divided by d
    return (vocab_size + context_size - 13 * n_blocks - 2) / (12 * n_blocks)


def _reading(
    n: int, size: int, stride: int, first: int = 1, *, back: bool = True, twice: bool = False
) -> list[tuple[int, range]]:
    """Return the start of each window and its new targets, or all of its targets twice."""
    windows, done, start = [], first, 0
    while done < n:
        start = min(start, max(0, n - 1 - size)) if back else start
        end = min(start + size, n - 1)
        windows.append((start, range(start + 1 if twice else done, end + 1)))
        done, start = end + 1, start + stride
    return windows


def _score_cases() -> list[tuple[Any, int]]:
    shapes = (12,), (3, 12), (2, 4, 12)
    idle_wins, below_zero, batch = (random(*shape, seed=0) for shape in shapes)
    idle_wins[8:11] = torch.tensor([4.0, 4.5, 5.0])  # the last token, and two idle rows
    below_zero -= 9.0
    below_zero[:, 11] = -1.0
    batch[0, :, 9] = 4.0
    return [(idle_wins, 9), (below_zero, 10), (batch, 7), (torch.arange(5.0), 5)]


def _sum(*rows: list[int]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def embed(ids, token_table, position_table):
    """Return the input: for each id its row plus the row of its position."""
    for p, i in enumerate(ids):
        if not (0 <= i < len(token_table) and p < len(position_table)):
            raise IndexError(f"no row for id {i}, or none for position {p}")
    rows = zip([token_table[i] for i in ids], position_table)
    return [[a + b for a, b in zip(token, place)] for token, place in rows]


def _watched(embed: Callable[..., Any]) -> Callable[..., Any]:
    """Return what a function returns, or that it has refused."""

    @wraps(embed)
    def watched(*case: Any) -> Any:
        try:
            return embed(*case)
        except IndexError:
            return _REFUSED

    return watched


def _refusing(*refused: str) -> Callable[[list[int], Rows, Rows], Any]:
    """Embed, and refuse a high id, and if so told a "low" id or a "position" without a row."""

    def some(ids: list[int], tokens: Rows, positions: Rows) -> Any:
        if max(ids, default=0) >= len(tokens):
            return _REFUSED
        if "low" in refused and min(ids, default=0) < 0:
            return _REFUSED
        if "position" in refused and len(ids) > len(positions):
            return _REFUSED
        return [_sum(tokens[i], row) for i, row in zip(ids, positions, strict=False)]

    return some


_TABLES = [[1, 9], [10, 20], [300, 500], [7, 0]], [[2, 3], [50, 60], [4000, 1000], [8, 6], [5, 1]]

EXERCISES = [
    Exercise("gpt2-input.embed", "Two tables and their sum", topic="token and position", level=2,
        minutes=6, first=True, ours=embed, right=_watched(embed), watch=_watched, in_place=True,
        cases=[([2, 0, 2], *_TABLES), ([3, 1, 1, 0], *_TABLES), ([1], *_TABLES), ([], *_TABLES),
               ([0, 1], [[0.5], [-1]], [[1], [2], [3]]), ([0, 4], *_TABLES), ([2, -1], *_TABLES),
               ([3, 2, 1, 0, 3, 2], *_TABLES)],
        hint="It takes a list of ids and two lists of rows.",
        mistakes=[
            Mistake(lambda *_: _REFUSED, "It refuses all ids, those with a row, too."),
            Mistake(_refusing("position"),
                    "The id -1 has no row, but a list gives its last one: refuse it."),
            Mistake(_refusing("low"),
                    "There are more ids than positions, and the last ids are lost: refuse them."),
            Mistake(_refusing(),
                    "Refuse a negative id, and more ids than the position table has rows."),
            Mistake(lambda ids, tokens, _: [tokens[i] for i in ids],
                    "These are the rows of the tokens; add to each the row of its position."),
            Mistake(lambda ids, tokens, positions: [_sum(tokens[i], positions[i]) for i in ids],
                    "You take the position row of the id; a position counts from 0 in the text."),
            Mistake(lambda ids, tokens, positions:
                    [_sum(tokens[i], positions[ids.index(i)]) for i in ids],
                    "`ids.index` finds the first place of an id; an id may occur twice."),
            Mistake(lambda ids, tokens, positions:
                    [tokens[i] + positions[p] for p, i in enumerate(ids)],
                    "`+` joins two lists; add the numbers of the two rows one by one."),
        ]),
    Exercise("gpt2-input.gpt3", "The ledger of GPT-3", topic="counting parameters", level=2,
        minutes=20, right=_half_width,
        cases=[(12, 50_257, 1024), (6, 30_000, 512), (96, 128_256, 8192), (1, 1_000, 100)],
        hint="The three arguments are integers.",
        mistakes=[
            Mistake(lambda *case: round(_half_width(*case)), "Do not round the width."),
            Mistake(lambda n, size, places: _half_width(n, size, 0),
                    "The position table is missing: it has context_size rows."),
            Mistake(lambda n, size, places: (size + places) / (12 * n),
                    "Almost: each block has 13d parameters besides 12d², and the end has 2d."),
        ]),
    Exercise("gpt2-input.long", "A text longer than the context", topic="long texts", level=3,
        minutes=30, right=_reading,
        cases=[(10, 4, 4), (10, 4, 1), (11, 4, 3), (5, 8, 2), (9, 8, 4), (1561, 1024, 256)],
        asks="which returns a list of pairs: a window's start and the positions of its targets",
        hint="A position is the number of an id in the text, from 0 to n - 1.",
        mistakes=[
            Mistake(partial(_reading, first=0),
                    "Position 0 is never a target, since no id comes before it."),
            Mistake(partial(_reading, twice=True),
                    "Some positions are targets twice: keep only the new targets of a window."),
            Mistake(lambda n, size, stride: [(start, places) for start, places in
                                             _reading(n, size, stride) if start % stride == 0],
                    "The tail is lost: move the last window back."),
            Mistake(partial(_reading, back=False),
                    "The last window reaches beyond the text: move it back."),
            Mistake(lambda n, size, stride: _reading(n, size, size),
                    "The next window starts `stride` ids later."),
        ]),
    Exercise("gpt2-input.padded", "50,304 rows", topic="rows without a token", level=2, minutes=15,
        needs="torch", cases=_score_cases,
        right=lambda logits, vocab_size: logits[..., :vocab_size].argmax(dim=-1),
        hint="The logits have the shape (..., rows), and the result has the shape (...).",
        mistakes=[
            Mistake(lambda logits, vocab_size: logits.argmax(dim=-1),
                    "A row without a token has won: cut the logits before you choose."),
            Mistake(lambda logits, vocab_size:
                    (logits * (torch.arange(logits.shape[-1]) < vocab_size)).argmax(dim=-1),
                    "A logit of 0 can still win: all others may be below 0."),
            Mistake(lambda logits, vocab_size: logits[..., :vocab_size].argmax(),
                    "This is one id for the whole batch: choose along the last axis."),
        ]),
]  # fmt: skip
