"""Exercises of the chapter `bert-input`."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import math
from collections.abc import Mapping
from functools import partial
from string import punctuation
from typing import Any

from companion.wordpiece import WordPieceTokenizer, bert_uncased
from workbook.exercises._grading import Exercise, Mistake
from workbook.exercises._rows import torch
from workbook.exercises.wordpiece import folded


def layer_norm(x, gamma, beta, eps=1e-12):
    """Give a vector mean 0 and standard deviation 1, then γ and β."""
    mean = sum(x) / len(x)
    apart = [number - mean for number in x]
    variance = sum([a * a for a in apart]) / len(x)
    deviation = math.sqrt(variance + eps)
    return [g * a / deviation + b for a, g, b in zip(apart, gamma, beta)]


def bert_input(ids, segment_ids, E, S, P, gamma, beta):
    """Return BERT's input: three rows for each token, added and normalized."""
    vectors = []
    for p, (i, s) in enumerate(zip(ids, segment_ids)):
        total = [sum(numbers) for numbers in zip(E[i], S[s], P[p])]
        vectors.append(layer_norm(total, gamma, beta))
    return vectors


def _input(join=lambda *rows: [*map(sum, zip(*rows))], norm=layer_norm):
    """Return an answer that joins or normalizes the rows in another way."""
    return lambda ids, segment_ids, E, S, P, gamma, beta: [
        norm(join(E[i], S[s], P[p]), gamma, beta) for p, (i, s) in enumerate(zip(ids, segment_ids))
    ]


def _norm(x, gamma, beta, power=0.5, less=0, eps=1e-12):
    """Subtract the mean; divide by a power of the mean square of what is left."""
    apart = [a - sum(x) / len(x) for a in x]
    divisor = (sum(a * a for a in apart) / (len(x) - less) + eps) ** power
    return [g * a / divisor + b for a, g, b in zip(apart, gamma, beta)]


def _rows(first: str, second: str) -> list[tuple[int, int]]:
    """Return the id and the segment id of each token."""
    pair = bert_uncased().encode_pair(first, second)
    return list(zip(pair.ids, pair.segment_ids, strict=True))


def _changed(first: str, second: str, part: slice = slice(2)) -> list[int]:
    """Return the positions where the other order has another id or segment, or another part."""
    both = zip(_rows(first, second), _rows(second, first), strict=True)
    return [i for i, (one, two) in enumerate(both) if one[part] != two[part]]


def _padded_batches() -> list[tuple[Any, Any]]:
    """Return vectors of different numbers and their masks; padding may come first."""
    batches = []
    for rows, d in (([[1, 1, 1, 1], [1, 1, 0, 0]], 3), ([[1, 1, 1]], 4),
                    ([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 1]], 2)):  # fmt: skip
        mask = torch.tensor(rows)
        numbers = torch.arange(1, mask.numel() * d + 1, dtype=torch.float32)
        batches.append((numbers.square().reshape(*mask.shape, d), mask))
    return batches


def _encode_pair(first: str, second: str, vocab: Mapping[str, int], **settings: Any) -> Any:
    ids, segment_ids, _ = WordPieceTokenizer(vocab, **settings).encode_pair(first, second)
    return ids, segment_ids


_E = [[2.0, 0.0, 1.0], [1.0, 1.0, -1.0], [0.0, 3.0, 0.5], [-1.0, 0.5, 2.0], [1.0, 2.0, 3.0]]
_S = [[0.2, 0.1, -0.3], [-0.5, 0.4, 0.1], [0.0, 0.0, 0.0]]
_P = [[2.0, 1.0, 0.0], [0.5, 0.5, 0.0], [-0.3, 0.1, 0.2], [0.7, 0.0, -0.4], [0.3, -0.6, 1.0]]
_GAMMA, _BETA = [1.0, 0.5, 2.0], [0.1, 0.0, -0.2]
_SMALL = [tuple(number / 100 for number in row) for row in _E]
# In the third all numbers of the sum are equal; the last, as in the chapter, is of tuples.
_TO_INPUT = [(*case, _GAMMA, _BETA) for case in (
    ([0, 2, 1, 3], [0, 0, 1, 1], _E, _S, _P), ([1, 3, 1, 3, 1], [0, 0, 0, 1, 1], _E, _S, _P),
    ([4], [2], _E, _S, _P), ([103, 100], [0, 1], dict(enumerate(_SMALL, 100)), _SMALL, _SMALL),
)]  # fmt: skip
_PAIRS = [
    ("what is ai?", "ai means intelligence."), ("Café in Paris", "naïve, don't!"),
    ("unbelievability", "北京 is far"), ("", "🐇 sat"), ("a\n b\tc", ""), ("cat🐇", "🐇cat"),
    ("a".join(punctuation), "“b”–c。d"), ("5€ x² Straße", "むか की a\xa0b"),
]  # fmt: skip
_TEXT = folded(" ".join("".join(pair) for pair in _PAIRS)) + "strasse x2"
_SMALL_VOCAB = {  # each call gets a copy
    token: i for token, i in bert_uncased().vocab.items()
    if token.removeprefix("##") in _TEXT or token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
}  # fmt: skip

EXERCISES = [
    Exercise("bert-input.input", "BERT's input", topic="token, segment and position", level=2,
        minutes=12, first=True, ours=bert_input, right=bert_input, cases=_TO_INPUT, in_place=True,
        hint="`E[i]` is the row of the id i, `S[s]` that of the segment s, `P[p]` of position p.",
        hints=[("ZeroDivisionError",
                "All numbers of a sum may be equal: add eps, 1e-12, to the variance.")],
        mistakes=[
            Mistake(_input(norm=lambda x, gamma, beta: x),
                    "This is the sum: one step follows, `layer_norm`."),
            Mistake(lambda ids, segment_ids, *rest: bert_input(ids, [0] * len(ids), *rest),
                    "Each token takes the row of its own segment: some have segment 1."),
            Mistake(_input(join=lambda *rows: [number for row in rows for number in row]),
                    "`+` puts two lists side by side; add number by number, with `zip`."),
            Mistake(_input(norm=partial(_norm, less=1)),
                    "The variance is a mean: divide the sum of the squares by d, not by d - 1."),
            Mistake(_input(norm=partial(_norm, power=1)),
                    "Divide by the standard deviation, the root of the variance."),
            Mistake(_input(norm=partial(_norm, eps=1e-5)),
                    "BERT's ε is 1e-12; where the numbers are small, 1e-5 is large."),
        ]),
    Exercise("bert-input.owner", "Who owns position 0?", topic="special tokens", level=1, minutes=5,
        right=[0, 511], unordered=True, asks="the list of the rows that no ordinary piece can take",
        mistakes=[
            *(Mistake([first, 512], "The 512 rows are counted from 0, so there is no row 512.")
              for first in (0, 1)),
            *(Mistake(names, "Those are the tokens; hand in the numbers of the rows they take.")
              for names in (["[CLS]", "[SEP]"], [101, 102])),
        ]),
    Exercise("bert-input.swap", "Swap the texts", topic="segments", level=2, minutes=10,
        right=_changed, unordered=True,
        cases=[("I like cats", "I like dogs"), ("Hello world", "Hello world"), ("", "Hi"),
               ("what is ai?", "ai means artificial intelligence."), ("no no no", "no")],
        hint="The function takes two texts; `bert_input` takes their ids and segment ids.",
        mistakes=[
            Mistake(lambda first, second: range(len(_rows(first, second))),
                    "`[CLS]` cannot have changed: its three rows are the same for all texts."),
            Mistake(partial(_changed, part=slice(1)),
                    "A token that stays can still change its segment."),
            Mistake(partial(_changed, part=slice(1, 2)),
                    "That is where the segment changes; the token can change elsewhere."),
        ]),
    Exercise("bert-input.mean", "Pad and mask", topic="padding", level=2, minutes=15,
        needs="torch", cases=_padded_batches, tolerance=1e-4,
        right=lambda x, mask: (x * mask[..., None]).sum(dim=1) / mask.sum(dim=1)[:, None],
        hint="The mask has shape (B, n): give it a last axis, (B, n, 1), to fit the vectors.",
        mistakes=[
            Mistake(lambda x, mask: x.mean(dim=1), "This counts the padding, too: use the mask."),
            Mistake(lambda x, mask: (x * mask[..., None]).mean(dim=1),
                    "The sum is right, but mean() divides by n: divide by the number of tokens."),
            Mistake(lambda x, mask: (x * mask[..., None]).sum(dim=1) / mask.sum(),
                    "Divide each row by its own number of tokens, not by that of the batch."),
            Mistake(lambda x, mask: torch.stack(
                        [row[:n].mean(dim=0) for row, n in zip(x, mask.sum(dim=1), strict=True)]),
                    "Padding may come first, too: let the mask choose the positions."),
        ]),
    Exercise("bert-input.ledger", "The ledger", topic="parameters", level=1, minutes=10,
        # The normalization learns a factor and an addend.
        right=lambda vocab_size, max_positions, d_model: (vocab_size + max_positions + 4) * d_model,
        cases=[(30_522, 512, 768), (120_000, 1024, 384), (100, 16, 8)],
        mistakes=[
            # Without the segments it is the same number as without the normalization.
            Mistake(lambda v, p, d: (v + p + 2) * d,
                    "2d parameters are missing: check the segments and the normalization."),
            Mistake(lambda v, p, d: (v + p + 2) * d + d,
                    "d parameters are missing: check the segments and the normalization."),
        ]),
    Exercise("bert-input.segment", "Segment 1 for a single text", topic="cosines of sums", level=3,
        minutes=20, tolerance=0.01,
        right=lambda token, segment, position:
            (token**2 + position**2) / (token**2 + position**2 + segment**2),
        cases=[(1.0, 1.0, 1.0), (3.0, 1.0, 2.0), (0.02, 0.04, 0.02), (1.0, 0.0, 1.0)],
        mistakes=[
            Mistake(lambda token, segment, position: 2 / 3,
                    "That is right if all three are equal; use the three that are given."),
            Mistake(lambda token, segment, position:
                    (token + position) / (token + segment + position),
                    "Square each of the three first: squared lengths add up, and lengths do not."),
        ]),
    Exercise("bert-input.encode-pair", "BERT's input without a library", topic="the whole way",
        level=3, minutes=30, right=lambda first, second, vocab: _encode_pair(first, second, vocab),
        cases=[(*pair, _SMALL_VOCAB) for pair in _PAIRS],
        hint="The function takes two texts and a dictionary from token to id.",
        mistakes=[
            Mistake(lambda a, b, vocab: _encode_pair(a, b, vocab, lowercase=False),
                    "Lower the letters and take the accents off before you look for pieces."),
            Mistake(lambda a, b, vocab: _encode_pair(a, b, vocab, strip_accents=False),
                    "Take the accents off: after NFD, leave out the category Mn."),
            Mistake(lambda a, b, vocab: _encode_pair(a, b, vocab, split_chinese=False),
                    "Each Chinese character is a word of its own."),
            Mistake(lambda *case: (_encode_pair(*case)[0], [0] * len(_encode_pair(*case)[0])),
                    "The tokens of the second text, and its [SEP], have segment 1."),
        ]),
]  # fmt: skip
