"""The exercises of the chapter `bert-input`: right and wrong answers."""
# mypy: allow-untyped-calls

import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from answers import EXERCISES, Wrong, tried

from workbook.exercises.bert_input import _input, _norm

PAIR = "bert-input.encode-pair"


def read_as(change: Callable[[str], str]) -> Callable[..., Any]:
    return lambda a, b, vocab: EXERCISES[PAIR].right(change(a), change(b), vocab)


def in_torch(ids: Any, segment_ids: Any, E: Any, S: Any, P: Any, *norm: Any) -> Any:  # noqa: N803
    total = [
        torch.tensor([E[i], S[s], P[p]], dtype=torch.float64).sum(dim=0)
        for p, (i, s) in enumerate(zip(ids, segment_ids, strict=True))
    ]
    gamma, beta = torch.tensor(norm, dtype=torch.float64)
    return torch.nn.functional.layer_norm(torch.stack(total), gamma.shape, gamma, beta, 1e-12)


RIGHT = [("bert-input.input", in_torch)]

WRONG: Wrong = [
    (
        "bert-input.input",
        _input(norm=partial(_norm, eps=0)),
        "All numbers of a sum may be equal: add eps, 1e-12",
    ),
    (PAIR, read_as(str.casefold), "('5€ x² Straße', "),
    (PAIR, read_as(lambda text: unicodedata.normalize("NFKD", text)), "('5€ x² Straße', "),
    (PAIR, read_as(lambda text: text.replace("\xa0", "")), "('5€ x² Straße', "),
]

test_answers = tried(RIGHT, WRONG)
