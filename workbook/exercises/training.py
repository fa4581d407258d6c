"""Exercises of the chapter `training`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import math
from collections.abc import Callable
from typing import Any

from workbook.exercises._grading import Exercise, Mistake
from workbook.exercises._rows import dot, softmax, torch

Rows = list[list[float]]


def step(i, target, E, O, rate):
    """Make `target` likelier after token i; return the loss before."""
    x = E[i]
    errors = softmax([dot(row, x) for row in O])
    loss = -math.log(errors[target])
    errors[target] -= 1  # the probability, minus the one we want
    for j, error in enumerate(errors):
        if abs(error) > 0.01:  # smaller errors move hardly anything
            E[i] = [a - rate * error * b for a, b in zip(E[i], O[j])]
            O[j] = [a - rate * error * b for a, b in zip(O[j], x)]
    return loss


def _plus(row: list[float], other: list[float], times: float) -> list[float]:
    return [a + times * b for a, b in zip(row, other, strict=True)]


def _step(
    *, wanted: float = 1, sign: float = -1, first: str = "", moves: str = "EO", only: bool = False,
    returned: Callable[..., Any] = lambda p, *case: -math.log(p),
) -> Callable[..., Any]:  # fmt: skip
    """Return a step with faults: the table that moves `first` is read again after it has moved."""

    def stepped(i: int, target: int, E: Rows, O: Rows, rate: float) -> Any:
        x, old = E[i], list(O)
        errors = softmax([dot(row, x) for row in O])
        p = errors[target]
        errors[target] -= wanted
        used = [(j, e) for j, e in enumerate(errors) if j == target or not only]
        for table in first or "EO":
            for j, error in used:
                if table == "E" and "E" in moves:
                    E[i] = _plus(E[i], (O if first else old)[j], sign * rate * error)
                elif table == "O" and "O" in moves:
                    O[j] = _plus(O[j], E[i] if first else x, sign * rate * error)
        return returned(p, i, target, E, O)

    return stepped


def _pairs(table: Any, *, cosines: bool = True, offset: int = 1) -> Any:
    """Return the cosines, or the products, of all pairs of rows: (n, d) -> (pairs,)."""
    table = table.double()
    rows = torch.nn.functional.normalize(table) if cosines else table
    left, right = torch.triu_indices(len(rows), len(rows), offset)
    return (rows @ rows.T)[left, right]


def _correlation(first: Any, second: Any) -> float:
    return float(torch.corrcoef(torch.stack([first.flatten(), second.flatten()]))[0, 1])


def _tables() -> list[tuple[Any, Any]]:
    """Return pairs of tables: one turned and stretched, one with noise added, two unrelated."""
    draw = torch.Generator().manual_seed(0)  # not to change the reader's random numbers
    table, noise, other = torch.randint(-4, 5, (3, 6, 4), generator=draw).double()
    turn = torch.kron(torch.eye(2), torch.tensor([[3.0, 4.0], [-4.0, 3.0]])).double()
    lengths = torch.arange(1, 7).double()[:, None]
    stretched, noisy = lengths * (table @ turn), lengths * (2 * table + noise)
    return [(table, stretched), (table, noisy), (table, other)]


# No error lies between -0.01 and 0.01: whether such errors are left out makes no difference.
_ROWS = [[0.5, 0.0, 0.2], [0.3, 0.4, -0.3], [0.0, 0.9, 0.1], [-0.4, 0.2, 0.6], [1.0, -0.5, 0.0]]
_OTHERS = [[0.1, 0.7, -0.2], [0.8, 0.0, 0.3], [-0.5, 0.6, 0.4], [0.2, -0.9, 0.5]]

EXERCISES = [
    Exercise("training.step", "A step of training", topic="gradient descent", level=2, minutes=12,
        first=True, ours=step, right=step, in_place=True,
        cases=[(0, 2, [[0.0, 1.0], [1.0, 1.0], [-1.0, 0.5]],
                [[1.0, 0.0], [-1.0, 0.0], [2.0, 0.0]], 0.6),
               (1, 3, _ROWS[:4], _OTHERS, 0.5), (3, 1, _OTHERS, _ROWS, 0.2),
               (2, 0, _ROWS[:3], _OTHERS[:3], 2)],
        asks="which changes E and O, and returns the loss",
        hint="E and O are lists of rows, and a row is a list of numbers.",
        mistakes=[
            Mistake(_step(sign=1), "The loss grows: subtract the gradient, do not add it."),
            Mistake(_step(wanted=0),
                    "The error of the right answer is its probability minus 1: it is pushed away."),
            Mistake(_step(first="EO"), "E[i] has moved already: move O by the old row."),
            Mistake(_step(first="OE"), "O has moved already: move E[i] by the old rows."),
            Mistake(_step(only=True), "Only the right answer moves; the others have errors, too."),
            Mistake(_step(moves="O"), "The row that was read, E[i], has to move, too."),
            Mistake(_step(moves="E"), "The rows of O have to move, too."),
            Mistake(_step(moves=""), "The loss is right; put new rows into E and O: E[i] = …"),
            Mistake(lambda i, target, E, O, rate: step(i, target, E, O, 1),
                    "Multiply each gradient by the rate."),
            Mistake(lambda i, target, E, O, rate: step(target, i, E, O, rate),
                    "Token i is read, and target is the answer; you have exchanged them."),
            Mistake(_step(returned=lambda p, i, target, E, O: step(i, target, [*E], [*O], 0)),
                    "That is the loss after the step; return the one before."),
            Mistake(_step(returned=lambda p, *case: p),
                    "That is the probability of the answer; the loss is minus its logarithm."),
            Mistake(_step(returned=lambda p, *case: -math.log2(p)),
                    "The loss is the natural logarithm, math.log, as the errors are its gradient."),
            Mistake(_step(returned=lambda p, i, target, E, O: (E, O)),
                    "The rows are right; return the loss, not the tables."),
        ]),
    Exercise("training.freeze", "Freeze a table", topic="frozen tables", level=2, minutes=15,
        # The order of the losses that the solution measures, and asserts, in the same cell.
        right=["position", "token, untied", "token"],
        asks="a list of the three names, the lowest loss first",
        mistakes=[
            Mistake(["position", "token", "token, untied"],
                    "A tied token table is the output, too; its short rows allow no large score."),
            *(Mistake([*first, "position", *last],
                      "Random rows are enough to tell 16 positions apart: that loss is the lowest.")
              for first, last in ((["token, untied"], ["token"]), (["token"], ["token, untied"]))),
            Mistake(["token", "token, untied", "position"], "With a tied table frozen, the output "
                    "is frozen too: its loss is the highest."),
            Mistake(["token, untied", "token", "position"], "Which table has more to learn here: "
                    "one of 16 positions, or one of 756 tokens?"),
        ]),
    Exercise("training.never", "A token that never occurs", topic="weight decay", level=2,
        minutes=10, right=lambda steps, lr, weight_decay: (1 - lr * weight_decay) ** steps,
        cases=[(1, 0.5, 0.5), (10, 0.005, 0.1), (3, 0.5, 0.2), (0, 0.005, 0.1)],
        mistakes=[
            Mistake(lambda steps, lr, weight_decay: 1 - steps * lr * weight_decay,
                    "Each step shrinks what the previous steps have left: multiply."),
            Mistake(lambda steps, lr, weight_decay: (1 - weight_decay) ** steps,
                    "A step shrinks the row by lr · weight_decay, not by weight_decay."),
            Mistake(lambda steps, lr, weight_decay: 1.0,
                    "That is right for Adam; AdamW shrinks a parameter even if its gradient is 0."),
        ]),
    Exercise("training.tie", "Tie and untie", topic="tied tables", level=3, minutes=25,
        needs="torch", cases=_tables, tolerance=1e-4,
        right=lambda first, second: _correlation(_pairs(first), _pairs(second)),
        hint="Both tables are tensors of shape (n, d), without names or frequencies.",
        mistakes=[
            Mistake(_correlation, "The axes of two tables differ: compare cosines within each."),
            Mistake(lambda *tables: torch.nn.functional.cosine_similarity(*tables).mean(),
                    "Take cosines within each table, not between them, and compare those."),
            Mistake(lambda *tables: _correlation(*(_pairs(table, offset=0) for table in tables)),
                    "A row has cosine 1 with itself in any table: leave those pairs out."),
            Mistake(lambda *tables: _correlation(*(_pairs(t, cosines=False) for t in tables)),
                    "These are dot products; for cosines, divide each row by its length first."),
        ]),
    Exercise("training.sum", "What cannot move", topic="sums of gradients", level=3, minutes=15),
]  # fmt: skip
