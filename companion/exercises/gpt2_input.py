"""Exercises of the chapter `gpt2-input`."""

from collections.abc import Callable
from typing import Any

from companion.exercises._grading import Exercise, Later, Mistake, shown

embeddings, torch = Later("companion.embeddings"), Later("torch")


def _faulty(*faults: str) -> Any:
    """Make the input of GPT-2 with some of the mistakes of the exercise, or with none."""
    nn = torch.nn

    class Faulty(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.token = nn.Embedding(100, 8)
            self.position = nn.Embedding(16, 8)
            self.head = nn.Linear(8, 100, bias=False)
            self.head.weight = self.token.weight
            if "copied" in faults:
                self.head.weight = nn.Parameter(self.token.weight.detach().clone())

        def forward(self, ids: Any) -> Any:
            n = len(ids) if "one position" in faults else ids.shape[-1]
            x = self.token(ids) + self.position(torch.arange(n))
            return nn.functional.dropout(x, 0.1, training=self.training or "drops" in faults)

        def logits(self, hidden: Any) -> Any:
            return self.head(hidden)

    return Faulty()


_ADVICE = {
    "it is tied": {
        True: "Use only logits: not every module has a head of its own.",
        False: "Equal numbers are not one table: change a table, and see what changes with it.",
    },
    "its positions differ": {
        True: "Two equal ids at two positions should give two vectors.",
        False: "Use a batch of one sequence, and compare only what dropout has kept.",
    },
    "it is repeatable": {
        True: "New modules are in training mode: call eval() first.",
        False: "Run the same ids twice in evaluation mode, and compare.",
    },
}


def _judge_checks(checks: Callable[[Any], Any]) -> str | None:
    with torch.random.fork_rng(devices=[]):  # not to change the reader's random numbers
        torch.manual_seed(0)
        modules = [
            ("GPT2Embeddings", embeddings.GPT2Embeddings(100, 16, 8), (True, True, True)),
            ("A correct module", _faulty(), (True, True, True)),
            ("A module with one position for all", _faulty("one position"), (True, False, True)),
            ("A module that always uses dropout", _faulty("drops"), (True, True, False)),
            ("A module with a copied head", _faulty("copied"), (False, True, True)),
            ("Quick", _faulty("one position", "drops", "copied"), (False, False, False)),
        ]
        for name, module, right in modules:
            given = checks(module.train())
            if not isinstance(given, list) or len(given) != 3:
                return f"Your function returns {shown(given)}; it should return three values."
            for value, expected, what in zip(given, right, _ADVICE, strict=True):
                if not isinstance(value, bool):
                    return f"{shown(value)} is neither True nor False."
                if value != expected:
                    verb = "fails" if expected else "passes"
                    return f"{name} {verb} the check that {what}. {_ADVICE[what][expected]}"
    return None


def _half_width(n_blocks: int, vocab_size: int, context_size: int) -> float:
    # (V + L) d = n_blocks (12 d² + 13 d) + 2 d, divided by d
    return (vocab_size + context_size - 13 * n_blocks - 2) / (12 * n_blocks)


_TEXTS = [(10, 4, 4), (10, 4, 1), (11, 4, 3), (5, 8, 2), (9, 8, 4), (1561, 1024, 256), (1, 4, 2)]


def _judge_reading(reading: Callable[[int, int, int], Any]) -> str | None:
    for case in _TEXTS:
        if remark := _remark_on_windows(reading(*case), *case):
            return f"For reading{case}: {remark}"
    return None


def _remark_on_windows(windows: Any, n: int, context_size: int, stride: int) -> str | None:
    try:
        asked = [(start, position) for start, positions in windows for position in positions]
        if not all(isinstance(number, int) for pair in asked for number in pair):
            raise TypeError
    except (TypeError, ValueError):
        return "return a list of pairs, the start of a window and the positions of its targets."
    positions = [position for _, position in asked]
    if 0 in positions:
        return "position 0 is never a target, since no id comes before it."
    if max(positions, default=0) >= n:
        return f"there is no position {max(positions)} in a text of {n} ids."
    twice = [position for i, position in enumerate(positions) if position in set(positions[:i])]
    if twice:
        return f"position {twice[0]} is a target twice; keep only the new targets."
    missing = sorted(set(range(1, n)) - set(positions))
    if missing:
        tail = " Is the tail dropped?" if missing[-1] == n - 1 else ""
        return f"position {missing[0]} is not a target of any window.{tail}"
    for start, position in asked:
        if not start < position <= start + context_size:
            return (
                f"the window at {start} cannot have the target {position}: its targets are the "
                f"{context_size} positions after its start."
            )
        if position - start < min(position, context_size - stride + 1):
            n_before = "1 id" if position - start == 1 else f"{position - start} ids"
            return (
                f"the target at position {position} has {n_before} before it in its window; "
                "windows with the right overlap give it more."
            )
    return None


def _score_cases() -> list[tuple[Any, int]]:
    generator = torch.Generator().manual_seed(0)  # not to change the reader's random numbers
    idle_wins, below_zero, batch = (
        torch.randn(*shape, generator=generator) for shape in ((12,), (3, 12), (2, 4, 12))
    )
    idle_wins[8:11] = torch.tensor([4.0, 4.5, 5.0])  # the last token, and two idle rows
    below_zero -= 9.0
    below_zero[:, 11] = -1.0
    batch[0, :, 9] = 4.0
    return [(idle_wins, 9), (below_zero, 10), (batch, 7), (torch.arange(5.0), 5)]


def _best_of_zeroed(logits: Any, vocab_size: int) -> Any:
    logits[..., vocab_size:] = 0
    return logits.argmax(dim=-1)


EXERCISES = [
    Exercise("gpt2-input.quiet", "Three more mistakes without an error", topic="silent mistakes",
        level=2, minutes=20, first=True, needs="torch", judge=_judge_checks, takes="module",
        asks="which returns three values, one for each mistake in the order of the lines, True "
        "for a module without it",
        hint="Modules have 100 tokens, 16 positions and a width of 8, and logits(hidden)."),
    Exercise("gpt2-input.seeds", "Two seeds or one", topic="random numbers", level=2, minutes=15,
        right=[True, True, False, False, True, True],
        asks="a list of six values, each True or False",
        remarks=[
            "The first program: the second table continues the random numbers of the first. Is "
            "any row shared?",
            "The second program: two seeds give two rows of random numbers. Is that a mistake?",
            "The third program: after the same seed come the same random numbers.",
            "Swapping the lines in the first program: which table gets the first numbers then?",
            "Swapping the lines in the second program: each table keeps the seed before it.",
            "Swapping the lines in the third program: it is wrong, but does any number change?",
        ]),
    Exercise("gpt2-input.gpt3", "The ledger of GPT-3", topic="counting parameters", level=2,
        minutes=20, right=_half_width,
        cases=[(12, 50_257, 1024), (6, 30_000, 512), (96, 128_256, 8192), (1, 1_000, 100)],
        hint="The three arguments are integers.",
        mistakes=[
            *(Mistake(lambda *case, cut=cut: cut(_half_width(*case)), "Do not round the width.")
              for cut in (round, int)),
            Mistake(lambda n, size, places: _half_width(n, size, 0),
                    "The position table is missing: it has context_size rows."),
            Mistake(lambda n, size, places: (size + places) / (12 * n),
                    "Almost: each block has 13d parameters besides 12d², and the end has 2d."),
        ]),
    Exercise("gpt2-input.long", "A text longer than the context", topic="long texts", level=3,
        minutes=30, judge=_judge_reading, takes="n, context_size, stride",
        asks="which returns a list of pairs, the start of a window and the positions of its "
        "targets",
        hint="A position is the number of an id in the text, from 0 to n - 1."),
    Exercise("gpt2-input.padded", "50,304 rows", topic="rows without a token", level=2, minutes=15,
        first=True, needs="torch", cases=_score_cases,
        right=lambda logits, vocab_size: logits[..., :vocab_size].argmax(dim=-1),
        hint="The logits have the shape (..., rows), and the result has the shape (...).",
        mistakes=[
            Mistake(lambda logits, vocab_size: logits[:vocab_size].argmax(dim=-1),
                    "You cut the first axis; the tokens are on the last."),
            Mistake(lambda logits, vocab_size: logits.argmax(dim=-1),
                    "A row without a token has won: cut the logits before you choose."),
            Mistake(_best_of_zeroed, "A logit of 0 can still win: all others may be below 0."),
            Mistake(lambda logits, vocab_size: logits[..., :vocab_size].argmax(),
                    "This is one id for the whole batch: choose along the last axis."),
        ]),
]  # fmt: skip
