"""The exercises of the chapter `training`: right answers pass, each wrong one hears why."""

import math
from collections import deque
from collections.abc import Callable

import numpy as np
import torch
from answers import tried
from torch import Tensor

from companion.exercises import Exercise, find, grade


def by_optimizer(steps: int, lr: float, weight_decay: float) -> float:
    """Let AdamW work on a row whose gradient is zero."""
    row = torch.nn.Parameter(torch.ones(1, dtype=torch.float64))
    optimizer = torch.optim.AdamW([row], lr=lr, weight_decay=weight_decay)
    for _ in range(steps):
        row.grad = torch.zeros_like(row)
        optimizer.step()
    return row.item()


def by_adam(steps: int, lr: float, weight_decay: float) -> float:
    row = torch.nn.Parameter(torch.ones(1, dtype=torch.float64))
    optimizer = torch.optim.Adam([row], lr=lr)
    for _ in range(steps):
        row.grad = torch.zeros_like(row)
        optimizer.step()
    return row.item()


def step_by_step(steps: int, lr: float, weight_decay: float) -> float:
    left = 1.0
    for _ in range(steps):
        left -= lr * weight_decay * left
    return left


def cosines(table: Tensor) -> np.ndarray:
    rows = table.numpy()
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    products: np.ndarray = rows @ rows.T
    return products


def alike(first: Tensor, second: Tensor) -> float:
    pairs = [(i, j) for i in range(len(first)) for j in range(i)]
    one, two = ([cosines(table)[pair] for pair in pairs] for table in (first, second))
    return float(np.corrcoef(one, two)[0, 1])


def alike_both_triangles(first: Tensor, second: Tensor) -> Tensor:
    """Count each pair twice, which changes nothing."""
    others = ~np.eye(len(first), dtype=bool)
    pairs = np.stack([cosines(table)[others] for table in (first, second)])
    return torch.corrcoef(torch.tensor(pairs))[0, 1]


def alike_with_the_diagonal(first: Tensor, second: Tensor) -> float:
    # Both triangles and each row with itself; a usual mistake takes one triangle and the diagonal.
    return float(np.corrcoef(cosines(first).ravel(), cosines(second).ravel())[0, 1])


def alike_with_themselves(first: Tensor, second: Tensor) -> float:
    upper = np.triu_indices(len(first))
    return float(np.corrcoef(cosines(first)[upper], cosines(second)[upper])[0, 1])


def alike_by_products(first: Tensor, second: Tensor) -> float:
    upper = np.triu_indices(len(first), 1)
    one, two = ((table @ table.T).numpy()[upper] for table in (first, second))
    return float(np.corrcoef(one, two)[0, 1])


def cosine_of_cosines(first: Tensor, second: Tensor) -> float:
    upper = np.triu_indices(len(first), 1)
    one, two = cosines(first)[upper], cosines(second)[upper]
    return float(one @ two / math.sqrt((one @ one) * (two @ two)))


ASKED = {
    "training.freeze": "a list of the three names, the lowest loss first",
}

HINTS = {
    "training.tie": "Both tables are tensors of shape (n, d), without names or frequencies.",
}

RIGHT = [
    ("training.freeze", ["position", "token, untied", "token"]),
    ("training.freeze", ("position", "token, untied", "token")),
    ("training.freeze", deque(["position", "token, untied", "token"])),
    ("training.freeze", np.array(["position", "token, untied", "token"])),
    ("training.never", by_optimizer),
    ("training.never", step_by_step),
    ("training.never", lambda steps, lr, decay: np.power(1 - lr * decay, steps)),
    ("training.never", lambda steps, lr, decay: torch.tensor(1 - lr * decay).double() ** steps),
    ("training.tie", alike),
    ("training.tie", alike_both_triangles),
]  # fmt: skip

WRONG = [
    ("training.freeze", ["token", "token, untied", "position"],
     "That is the order from the highest loss to the lowest."),
    ("training.freeze", ["position", "token", "token, untied"],
     "What else is a tied token table used for? Short rows allow no large score."),
    ("training.freeze", ("token, untied", "position", "token"),
     "The layer needs to tell 16 places apart, and random rows do that: which table has more to "
     "learn?"),
    ("training.freeze", ["token, untied", "token", "position"],
     "The position table has the least to learn: 16 random rows differ from each other as they "
     "are."),
    ("training.freeze", ["token", "position", "token, untied"],
     "Frozen and tied, the table cannot serve as an output: that costs the most."),
    ("training.freeze", ["position", "token"], "It has 2 entries, and there should be 3."),
    ("training.freeze", ["position", "untied", "token"],
     "Entry 1, counted from 0, is 'untied': look again."),
    ("training.freeze", [1.9, 3.6, 5.8], "Entry 0, counted from 0, is 1.9: look again."),
    ("training.never", lambda steps, lr, decay: 1 - steps * lr * decay,
     "Each step shrinks what the steps before have left: multiply."),
    ("training.never", lambda steps, lr, decay: math.prod([1 - decay] * steps),
     "A step shrinks by the learning rate times the weight decay, not by all of it."),
    ("training.never", lambda steps, lr, decay: (1 - lr) ** steps,
     "A step shrinks by the learning rate times the weight decay."),
    ("training.never", lambda steps, lr, decay: np.exp(-lr * decay * steps),
     "That is close for small steps, and not to the last digit: the steps are no flow."),
    ("training.never", lambda steps, lr, decay: 1 - by_optimizer(steps, lr, decay),
     "That is the part which is lost."),
    ("training.never", lambda steps, lr, decay: (lr * decay) ** steps,
     "That is the part that a step takes away; what does it leave?"),
    ("training.never", by_adam,
     "So it is with Adam; AdamW shrinks a parameter whatever its gradient."),
    ("training.never", lambda steps, lr, decay: 1 + lr * decay,
     "your function(1, 0.5, 0.5) gives 1.25, and it should give 0.75."),
    ("training.never", 0.995011,
     "Hand over the function itself, a function of (steps, lr, weight_decay), not what it "
     "returns."),
    ("training.tie", lambda first, second: np.corrcoef(first.ravel(), second.ravel())[0, 1],
     "This compares the numbers, and the axes of two tables have nothing to do with each other: "
     "compare cosines of rows of the same table."),
    ("training.tie",
     lambda first, second: torch.cosine_similarity(first, second, dim=1).mean(),
     "This takes the cosine of a row of one table with a row of the other: take cosines within "
     "each table, then compare those."),
    ("training.tie", alike_with_themselves,
     "A row has cosine 1 with itself in any table: leave those pairs out."),
    ("training.tie", alike_with_the_diagonal,
     "A row has cosine 1 with itself in any table: leave those pairs out, all of them."),
    ("training.tie", alike_by_products,
     "These are products; for cosines bring each row to length 1 first."),
    ("training.tie", cosine_of_cosines,
     "A correlation is taken of the deviations from the mean: subtract it."),
    ("training.tie", lambda first, second: alike(first, second) ** 2,
     "That is the square of the correlation."),
    ("training.tie", lambda first, second: alike(first.T, second.T),
     "These are the cosines of columns; a token has a row."),
    ("training.tie", lambda first, second, ids: 1.0,
     "It is called with (first, second), and yours takes (first, second, ids)."),
    ("training.tie", lambda first, second: first.cosines - second.cosines,
     "your function([[4.0, -4.0, -2.0, 2.0], [3.0, 2.0, 3.0…, [[28.0, 4.0, -14.0, -2.0], "
     "[2.0, 36.0, …) raises AttributeError: 'Tensor' object has no attribute 'cosines'. Both "
     "tables are tensors of shape (n, d), without names or frequencies."),
]  # fmt: skip

TestAnswers = tried(RIGHT, WRONG, ASKED, HINTS)


def test_an_argument_is_left_to_the_reader() -> None:
    assert not find("training.sum").checked
    assert grade(find("training.sum"), 0).message == (
        "this one asks for an argument; compare yours with the chapter's."
    )


def test_both_precisions_are_judged_alike() -> None:
    # The chapter sets float64 as the default, and a reader's own program need not.
    exercise = find("training.tie")
    before = torch.get_default_dtype()
    try:
        for dtype in (torch.float32, torch.float64):
            torch.set_default_dtype(dtype)
            answer = lambda first, second: torch.tensor(alike(first, second))  # noqa: E731
            assert grade(exercise, answer).passed
    finally:
        torch.set_default_dtype(before)


def test_the_tables_are_alike_as_they_should_be(made_anew: Callable[[str], Exercise]) -> None:
    exercise = made_anew("training.tie")
    shares = [exercise.right(*case) for case in exercise.cases]
    turned, noisy, unrelated = (round(share, 3) for share in shares)
    assert (turned, noisy, unrelated) == (1, 0.73, -0.132)
