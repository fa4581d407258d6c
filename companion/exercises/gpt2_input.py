"""Exercises of the chapter `gpt2-input`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from companion.embeddings import GPT2Embeddings
from companion.exercises._grading import Exercise, Mistake, judge_of_truths, plain, shown

# ------------------------------------------------------------------------------ quiet


@contextmanager
def _own_randomness(seed: int) -> Iterator[None]:
    """Draw random numbers without touching those of the reader."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


class _Faulty(nn.Module):
    """The input of GPT-2 with one or more of the mistakes of the exercise, or none."""

    def __init__(self, *faults: Literal["one place", "drops", "copied"]) -> None:
        super().__init__()
        self.token = nn.Embedding(100, 8)
        self.position = nn.Embedding(16, 8)
        self.head = nn.Linear(8, 100, bias=False)
        self.head.weight = self.token.weight
        if "copied" in faults:
            self.head.weight = nn.Parameter(self.token.weight.detach().clone())
        self.faults = faults

    def forward(self, ids: Tensor) -> Tensor:
        n = len(ids) if "one place" in self.faults else ids.shape[-1]
        x = self.token(ids) + self.position(torch.arange(n))
        return functional.dropout(x, 0.1, training=self.training or "drops" in self.faults)

    def logits(self, hidden: Tensor) -> Tensor:
        logits: Tensor = self.head(hidden)
        return logits


_NAMES = ("it is tied", "its positions differ", "it is repeatable")


def _judge_checks(checks: Callable[[nn.Module], Any]) -> str | None:
    with _own_randomness(0):
        modules = [
            ("GPT2Embeddings", GPT2Embeddings(100, 16, 8), (True, True, True)),
            ("A module that is right", _Faulty(), (True, True, True)),
            ("A module with one place for all", _Faulty("one place"), (True, False, True)),
            ("A module that always drops", _Faulty("drops"), (True, True, False)),
            ("A module with a copied head", _Faulty("copied"), (False, True, True)),
            ("Quick", _Faulty("one place", "drops", "copied"), (False, False, False)),
        ]
        for name, module, right in modules:
            given = plain(checks(module.train()))
            if not isinstance(given, list) or len(given) != 3:
                return f"It returns {shown(given)}, and should return three values."
            for value, expected, what in zip(given, right, _NAMES, strict=True):
                if not isinstance(value, bool):
                    return f"{shown(value)} is neither True nor False."
                if value != expected:
                    verb = "fails" if expected else "passes"
                    return f"{name} {verb} the check that {what}. {_ADVICE[what][expected]}"
    return None


_ADVICE = {
    "it is tied": {
        True: "Use logits alone: not every module has a head of its own.",
        False: "Equal numbers are not one table: change a table, and see what follows.",
    },
    "its positions differ": {
        True: "Two equal ids at two places should give two vectors.",
        False: "Ask with a batch of one sequence, and compare only what was not dropped.",
    },
    "it is repeatable": {
        True: "New modules are in training mode: say eval() first.",
        False: "Run the same ids twice in evaluation, and compare.",
    },
}

# ------------------------------------------------------------------------------ seeds

_PROGRAMS = [
    (True, "The first program: the second table goes on where the first one stopped. Is any row "
     "shared?"),
    (True, "The second program: two seeds, two rows of random numbers. Is that a fault?"),
    (False, "The third program: after the same seed come the same random numbers."),
    (False, "Swapping the lines in the first program: which table gets the first numbers then?"),
    (True, "Swapping the lines in the second program: each table keeps the seed before it."),
    (True, "Swapping the lines in the third program: wrong as it is, does any number change?"),
]  # fmt: skip


# ------------------------------------------------------------------------------ gpt3


def _half_width(n_blocks: int, vocab_size: int, context_size: int) -> float:
    # (V + L) d = n_blocks (12 d² + 13 d) + 2 d, divided by d
    return (vocab_size + context_size - 13 * n_blocks - 2) / (12 * n_blocks)


_SIZES = [(12, 50_257, 1024), (6, 30_000, 512), (96, 128_256, 8192), (1, 1_000, 100)]

# ------------------------------------------------------------------------------ long

_TEXTS = [(10, 4, 4), (10, 4, 1), (11, 4, 3), (5, 8, 2), (9, 8, 4), (1561, 1024, 256), (1, 4, 2)]


def _judge_reading(reading: Callable[[int, int, int], Any]) -> str | None:
    for n, context_size, stride in _TEXTS:
        windows = plain(reading(n, context_size, stride))
        remark = _remark_on_windows(windows, n, context_size, stride)
        if remark:
            return f"For reading({n}, {context_size}, {stride}): {remark}"
    return None


def _remark_on_windows(windows: Any, n: int, context_size: int, stride: int) -> str | None:
    if not isinstance(windows, list) or not all(map(_is_window, windows)):
        return "the result must be a list of pairs, a start and the places of the targets."
    asked = [(start, place) for start, places in windows for place in places]
    places = [place for _, place in asked]
    if 0 in places:
        return "place 0 is never a target, since nothing comes before it."
    if max(places, default=0) >= n:
        return f"there is no place {max(places)} in a text of {n} ids."
    twice = [place for i, place in enumerate(places) if place in set(places[:i])]
    if twice:
        return f"place {twice[0]} is asked for twice; keep only the targets that are new."
    missing = sorted(set(range(1, n)) - set(places))
    if missing:
        tail = " Is the tail dropped?" if missing[-1] == n - 1 else ""
        return f"place {missing[0]} is no target of any window.{tail}"
    for start, place in asked:
        if not start < place <= start + context_size:
            return (
                f"the window at {start} cannot ask for place {place}: its targets are the "
                f"{context_size} places behind its start."
            )
        if place - start < min(place, context_size - stride + 1):
            n_before = "1 id" if place - start == 1 else f"{place - start} ids"
            return (
                f"the target at place {place} has {n_before} before it in its window; "
                "windows that overlap as they should give it more."
            )
    return None


def _is_window(window: Any) -> bool:
    return (
        isinstance(window, list)
        and len(window) == 2
        and isinstance(window[0], int)
        and isinstance(window[1], list)
        and all(isinstance(place, int) for place in window[1])
    )


# ------------------------------------------------------------------------------ padded


def _scores(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(0)  # the reader's random numbers stay theirs
    return torch.randn(*shape, generator=generator)


def _score_cases() -> list[tuple[Tensor, int]]:
    idle_wins = _scores(12)
    idle_wins[8:11] = torch.tensor([4.0, 4.5, 5.0])  # the last token, and two idle rows
    below_zero = _scores(3, 12) - 9.0
    below_zero[:, 11] = -1.0
    batch = _scores(2, 4, 12)
    batch[0, :, 9] = 4.0
    return [(idle_wins, 9), (below_zero, 10), (batch, 7), (_scores(5), 5)]


def _best(logits: Tensor, vocab_size: int) -> Tensor:
    return logits[..., :vocab_size].argmax(dim=-1)


def _best_of_zeroed(logits: Tensor, vocab_size: int) -> Tensor:
    logits = logits.clone()
    logits[..., vocab_size:] = 0
    return logits.argmax(dim=-1)


def _best_of_batch(logits: Tensor, vocab_size: int) -> Tensor:
    return logits[..., :vocab_size].argmax()


def _cut_first_axis(logits: Tensor, vocab_size: int) -> Tensor:
    return logits[:vocab_size].argmax(dim=-1)


EXERCISES = [
    Exercise(
        "gpt2-input.quiet", "Three more that say nothing", topic="silent mistakes", level=3,
        minutes=30, judge=_judge_checks,
        asks="a function of (module) that returns three values, one for each mistake in the order "
        "of the lines, True where all is well",
        hint="Modules have 100 tokens, 16 positions and a width of 8, and logits(hidden).",
    ),
    Exercise(
        "gpt2-input.seeds", "Two seeds or one", topic="random numbers", level=2, minutes=15,
        judge=judge_of_truths(_PROGRAMS, "six"), asks="a list of six values, each True or False",
    ),
    Exercise(
        "gpt2-input.gpt3", "The ledger of GPT-3", topic="counting parameters", level=2,
        minutes=20, right=_half_width, cases=_SIZES,
        mistakes=[
            Mistake(lambda n, size, places: round(_half_width(n, size, places)),
                    "Give the width as it comes out, without rounding."),
            Mistake(lambda n, size, places: int(_half_width(n, size, places)),
                    "Give the width as it comes out, and do not cut it to an integer."),
            Mistake(lambda n, size, places: _half_width(n, size, 0),
                    "The position table is missing: it has context_size rows."),
            Mistake(lambda n, size, places: _half_width(n, 2 * size, places),
                    "The token table is counted twice; it is tied."),
            Mistake(lambda n, size, places: (size + places) / (12 * n),
                    "Nearly: besides 12d² there are 13d parameters in each block, and 2d at the "
                    "end."),
            Mistake(lambda n, size, places: (size + places - 13 * n) / (12 * n),
                    "Nearly: the last normalization, 2d, is missing."),
            Mistake(lambda n, size, places: (size + places - 15) / 12,
                    "This has one block; all n_blocks count."),
            Mistake(lambda n, size, places: (2 * (size + places) - 13 * n - 2) / (12 * n),
                    "Here the tables are half of the rest, and so a third of the whole; they "
                    "should be as large as the rest."),
        ],
        hint="The three arguments are integers.",
    ),
    Exercise(
        "gpt2-input.long", "A text longer than the context", topic="long texts", level=3,
        minutes=30, judge=_judge_reading,
        asks="a function of (n, context_size, stride) that returns a list of pairs, the start of "
        "a window and the places of its targets",
        hint="A place is the number of an id in the text, from 0 to n - 1.",
    ),
    Exercise(
        "gpt2-input.padded", "50,304 rows", topic="rows without a token", level=2, minutes=15,
        right=_best, cases=_score_cases(),
        mistakes=[
            Mistake(_cut_first_axis,
                    "The cut went through the first axis; the tokens are on the last."),
            Mistake(lambda logits, vocab_size: logits.argmax(dim=-1),
                    "A row that stands for no token has won: cut the logits before you choose."),
            Mistake(_best_of_zeroed,
                    "A logit of 0 is not out of the race: all others may be below 0."),
            Mistake(lambda logits, vocab_size: logits.argmax(dim=-1).clamp(max=vocab_size - 1),
                    "An id that is no token was pressed into the last one, which nobody scored "
                    "best."),
            Mistake(lambda logits, vocab_size: logits.argmax(dim=-1) % vocab_size,
                    "An id that is no token became another one by division, which nobody scored "
                    "best."),
            Mistake(_best_of_batch,
                    "One id came out for the whole batch; each place has its own: choose along the "
                    "last axis."),
            Mistake(lambda logits, vocab_size: logits[..., : vocab_size - 1].argmax(dim=-1),
                    "One too few: the last token of the vocabulary is a token, too."),
            Mistake(lambda logits, vocab_size: logits[..., : vocab_size + 1].argmax(dim=-1),
                    "One too many: the ids of tokens go up to vocab_size - 1."),
        ],
        hint="The logits have the shape (..., rows), and the result has the shape (...).",
    ),
]  # fmt: skip
