"""Exercises of the chapter `training`."""

from typing import Any

from workbook.exercises._grading import Exercise, Later, Mistake

torch = Later("torch")


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


EXERCISES = [
    Exercise("training.freeze", "Freeze a table", topic="frozen tables", level=2, minutes=15,
        # The order of the losses that the solution measures, and asserts, in the same cell.
        right=["position", "token, untied", "token"],
        asks="a list of the three names, the lowest loss first",
        mistakes=[
            Mistake(["position", "token", "token, untied"],
                    "A tied token table is the output, too; its short rows allow no large score."),
            *(Mistake([*first, "position", *last], "The layer must only tell 16 positions apart, "
                      "and random rows allow that: its loss is the lowest.")
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
