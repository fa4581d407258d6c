"""The exercises of the chapter `bert-input`: right and wrong answers."""

import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from answers import EXERCISES, Wrong, tried

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


def in_numpy(ids: Any, segment_ids: Any, E: Any, S: Any, P: Any, *norm: Any) -> Any:  # noqa: N803
    x = np.array([E[i] for i in ids]) + np.array(S)[segment_ids] + np.array(P)[: len(ids)]
    apart = x - x.mean(axis=1, keepdims=True)
    gamma, beta = np.array(norm)
    return gamma * apart / np.sqrt((apart**2).mean(axis=1, keepdims=True) + 1e-12) + beta


def without_eps(*arguments: Any) -> Any:
    ids, segment_ids, E, S, P, gamma, beta = arguments  # noqa: N806
    vectors = []
    for p, (i, s) in enumerate(zip(ids, segment_ids, strict=True)):
        total = [sum(numbers) for numbers in zip(E[i], S[s], P[p], strict=True)]
        apart = [number - sum(total) / len(total) for number in total]
        deviation = (sum(number**2 for number in apart) / len(apart)) ** 0.5
        vectors.append([g * a / deviation + b for g, a, b in zip(gamma, apart, beta, strict=True)])
    return vectors


def whole_table(ids: Any, segment_ids: Any, E: Any, *rest: Any) -> Any:  # noqa: N803
    """A table as one array: that of the chapter has rows for some ids only."""
    return in_numpy(ids, segment_ids, np.array(E)[: max(ids) + 1], *rest)


RIGHT = [("bert-input.input", in_torch), ("bert-input.input", in_numpy)]

WRONG: Wrong = [
    ("bert-input.input", without_eps, "All numbers of a sum may be equal: add eps, 1e-12"),
    ("bert-input.input", whole_table, "`E[i]` is the row of the id i"),
    ("bert-input.input", lambda *arguments: in_torch(*arguments)[:1], "Only the first entry"),
    (PAIR, read_as(str.casefold), "('5€ x² Straße', "),
    (PAIR, read_as(lambda text: unicodedata.normalize("NFKD", text)), "('5€ x² Straße', "),
    (PAIR, read_as(lambda text: text.replace("\xa0", "")), "('5€ x² Straße', "),
]

test_answers = tried(RIGHT, WRONG)
