"""Exercises of the chapter `positions`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from workbook.exercises._grading import Exercise, Later, Mistake
from workbook.exercises._rows import Row, cosine, dot, softmax

torch = Later("torch")


def mix(vectors):
    """Return for each vector a mix of all: more of those that are like it."""
    mixed = []
    for looking in vectors:
        shares = softmax([dot(looking, vector) for vector in vectors])
        mixed.append([dot(shares, column) for column in zip(*vectors)])
    return mixed


_ROWS = [[2.0, 0.0, 1.0], [1.0, 1.0, -1.0], [0.0, 3.0, 0.5], [-1.0, 0.5, 2.0]]
Rows = Sequence[Row]


def _shares(
    weigh: Callable[[Row], Row] = softmax, score: Callable[[Row, Row], float] = dot
) -> Callable[[Rows], Rows]:
    """Weigh the scores of each vector with all: (n, d) -> (n, n)."""
    return lambda vectors: [weigh([score(x, y) for y in vectors]) for x in vectors]


_SHARES = _shares()


def _mixed(
    shares: Callable[[Rows], Rows] = _SHARES, seen: Callable[[int, int], bool] = lambda p, q: True
) -> Callable[[Rows], Rows]:
    """Mix the vectors by these shares, of those that a vector sees."""

    def mixed(vectors: Rows) -> Rows:
        result = []
        for p, row in enumerate(shares(vectors)):
            kept = [share * seen(p, q) for q, share in enumerate(row)]
            total = sum(kept) / sum(row) or 1
            result.append([dot(kept, column) / total for column in zip(*vectors, strict=True)])
        return result

    return mixed


def _best(scores: Row) -> Row:
    return [float(q == max(range(len(scores)), key=scores.__getitem__)) for q in range(len(scores))]


def _power_of_two(scores: Row) -> Row:
    return [2**score / sum(2**other for other in scores) for score in scores]


_REACH_CASES = [
    ([[464, 1310], [257, 640, 612, 2107], [11]], 6),
    ([[1, 2, 3], [1, 2, 3]], 3),
    ([[0, 50256], [50256, 11, 50256]], 4),  # ids that are also used as padding
    ([[7] * 20, [7] * 5, [9] * 20, [8]], 32),
]


def _reach(
    sequences: Sequence[Sequence[int]], context_size: int, padding: int = -1, early: int = 0
) -> list[int]:
    """Count the sequences that reach each row, without padding, or one row too early."""
    return [
        sum(len(ids) > p - early and ids[p : p + 1] != [padding] for ids in sequences)
        for p in range(context_size)
    ]


_MASKS = [[0, 0, 1, 1, 1], [1, 1, 1], [0, 0, 0, 1]]


def _judge_mask(given: Any, mask: Any) -> str | None:
    """A position attends to itself and earlier, never to padding, and always to something."""
    n, real = len(mask), mask.tolist()
    rows = given if isinstance(given, list) else []
    if [isinstance(row, list) and len(row) for row in rows] != [n] * n:
        return f"the result must have the shape ({n}, {n}), a row for each position that looks."
    if not all(value in (0, 1) for row in given for value in row):
        return "the mask must contain True and False, not numbers to add to the scores."
    may = [[bool(value) for value in row] for row in given]
    should = [[q <= p and bool(real[q]) for q in range(n)] for p in range(n)]
    tokens = [p for p in range(n) if real[p]]  # the rows of padding are not used
    for p in tokens:
        for q in range(n):
            if may[p][q] != should[p][q]:
                return _remark_on_entry(may, should, p, q)
    idle = [p for p in range(n) if not any(may[p])]
    if idle:
        return (
            f"position {idle[0]} has nothing to look at, and a softmax over nothing is nan: let "
            "it look at something."
        )
    return None


def _remark_on_entry(may: list[list[bool]], should: list[list[bool]], p: int, q: int) -> str:
    """Say what is wrong with row p and column q, or with the whole if it is transposed."""
    n = len(may)
    if all(may[p][j] != should[p][j] for j in range(n)):
        return "True and False are exchanged: True means that a position may look."
    if all(may[j][i] == should[i][j] for i in range(n) for j in range(n) if i != j):
        return "rows and columns are exchanged: row p is for the position that looks."
    if should[p][q]:
        return f"position {p} cannot look at position {q}, but it should."
    return f"position {p} looks at position {q}, which is {'later' if q > p else 'padding'}."


def _padded_cases() -> list[tuple[Any]]:
    rows = ([[0, 9, 8, 7, 2], [0, 5, 2, 1, 1]], [[1, 1, 0, 5, 2], [1, 0, 9, 8, 2]])
    return [(torch.tensor(ids),) for ids in (*rows, [[0, 4, 4, 4, 4, 2]])]


def _roberta(ids: Any) -> Any:
    real = (ids != 1).long()
    return real.cumsum(dim=1) * real + 1


def _columns_from(first: int) -> Callable[[Any], Any]:
    return lambda ids: (torch.arange(ids.shape[1]) + first).expand_as(ids)


EXERCISES = [
    Exercise("positions.mix", "Mix the vectors", topic="attention", level=2, minutes=8, first=True,
        ours=mix, right=mix,
        cases=[(_ROWS,), (_ROWS[:3],), (_ROWS[::-1],), ([_ROWS[1]],), ([[2, 0], [1, 1], [0, 1]],)],
        hint="It takes a list of vectors, each a list of numbers.",
        mistakes=[
            Mistake(_SHARES, "These are the shares; mix the vectors with them."),
            Mistake(_mixed(seen=lambda p, q: p != q),
                    "A vector leaves itself out: it takes a share of its own, too."),
            Mistake(_mixed(seen=lambda p, q: q <= p),
                    "A vector sees only those before it, as with a causal mask; here it sees all."),
            Mistake(_mixed(_shares(list)),
                    "The scores are no shares: they do not add up to 1. Put them through softmax."),
            Mistake(_mixed(_shares(lambda scores: [1 / len(scores)] * len(scores))),
                    "All take equal shares, the mean; the shares come from the scores."),
            Mistake(_mixed(_shares(_best)),
                    "Only the vector with the highest score counts; each takes its share."),
            Mistake(_mixed(_shares(_power_of_two)),
                    "These are powers of 2, as by hand; softmax takes powers of e."),
            Mistake(_mixed(_shares(score=cosine)),
                    "The scores are cosines; take the dot products, without the lengths."),
            Mistake(lambda vectors: _mixed()(vectors)[0],
                    "This is the mix for the first vector; each vector has its own."),
        ]),
    Exercise("positions.parts", "Which parts see order?", topic="order", level=2, minutes=15,
        right=[True, True, True, False, False],
        asks="a list of five values, True for each function that only reorders its results",
        remarks=[
            "A linear layer handles each row by itself: does the order of the rows matter?",
            "Layer normalization takes the mean of each row by itself, not over the rows.",
            "The mean of all rows: does it change when you permute them?",
            "A running sum: its first row is the first row of X. Put another row first, and "
            "compare.",
            "A convolution mixes each row with its neighbours. Does a permutation keep them?",
        ]),
    Exercise("positions.two-layers", "One masked layer or two", topic="causal mask", level=2,
        minutes=15, right=[1, 60, 1],
        asks="three numbers of outputs: after one masked layer, after two, after two without a "
        "mask",
        mistakes=[
            Mistake([1, 120, 1], "Two of the five tokens are the same: some orders are equal."),
            Mistake([60, 60, 1],
                    "One masked layer shows which tokens came before, but not in which order."),
            Mistake([1, 1, 1], "With a mask, the second layer sees what the first has changed."),
            Mistake([1, 60, 60], "Without a mask no depth reveals the order."),
        ]),
    Exercise("positions.reach", "How often a row learns", topic="training of a position table",
        level=2, minutes=20, right=_reach, cases=_REACH_CASES,
        hint="It takes a list of lists of ids, and the number of rows of the position table.",
        mistakes=[
            Mistake(lambda sequences, context_size:
                    [len(sequences) * (p < max(map(len, sequences))) for p in range(context_size)],
                    "You have counted the padding, too: a sequence reaches only its own rows."),
            Mistake(partial(_reach, early=1),
                    "A sequence of 3 tokens has positions 0, 1 and 2, and does not reach row 3."),
            Mistake(lambda sequences, context_size: _reach(sequences, max(map(len, sequences))),
                    "Give 0 for each row after the end of the longest sequence."),
            *(Mistake(partial(_reach, padding=pad),
                      "A token may have the id of padding: use the lengths, not the ids.")
              for pad in (0, 50256)),
        ]),
    Exercise("positions.left", "Left padding, all the way through", topic="padding", level=3,
        minutes=25, needs="torch", judge=_judge_mask, takes="attention_mask",
        cases=lambda: [(torch.tensor(real),) for real in _MASKS],
        asks="which returns a mask of shape (n, n), True where a position may look",
        hint="The attention mask is a tensor of shape (n,), 1 for a token and 0 for padding."),
    Exercise("positions.roberta", "RoBERTa's 514 rows", topic="offsets", level=2, minutes=15,
        needs="torch", right=_roberta, cases=_padded_cases,
        hint="The ids are a tensor of shape (B, n); 1 is padding.",
        mistakes=[
            Mistake(_columns_from(0), "These are the columns, as for GPT-2 without padding."),
            Mistake(_columns_from(2), "The first token is right, but you count the padding, too."),
            Mistake(lambda ids: torch.where(ids != 1, torch.arange(ids.shape[1]) + 2, 1),
                    "That is right if padding comes last. Count tokens, not columns."),
            Mistake(lambda ids: (ids != 1).cumsum(dim=1) + 1,
                    "Padding has the position of the last token before it; it should have 1."),
            Mistake(lambda ids: _roberta(ids) * (ids != 1),
                    "The tokens are right; padding should have 1, not 0."),
        ]),
]  # fmt: skip
