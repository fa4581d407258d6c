"""Right and wrong answers of the chapters with one or two exercises that need them."""
# mypy: allow-untyped-calls

import re
from typing import Any

import torch
from answers import EXERCISES, Wrong, changed, tried

from workbook.exercises.bpe import learn
from workbook.exercises.gpt2_input import embed
from workbook.exercises.token_embeddings import nearest
from workbook.exercises.unigram import _cuts

NO = {"role": "assistant", "content": "No."}
ROLES = {"system": 600, "user": 601, "assistant": 602}
RENDER, FORGED, SAFE = (EXERCISES[f"libraries.{n}"].right for n in ("render", "forged", "safe"))


def embed_in_torch(ids: list[int], token_table: Any, position_table: Any) -> Any:
    if any(i < 0 for i in ids):
        raise IndexError
    rows = [token_table[i] for i in ids]
    places = [position_table[p] for p in range(len(ids))]
    return torch.tensor(rows) + torch.tensor(places)


def by_angle(i: int, table: Any, k: int) -> list[int]:
    """Cosines in torch; where they are equal, its order is not that of the numbers."""
    rows = torch.tensor(table, dtype=torch.float64)
    cosines = torch.cosine_similarity(rows, rows[i], dim=1).tolist()
    return sorted((j for j in range(len(table)) if j != i), key=lambda j: -round(cosines[j], 9))[:k]


def last_document(ids: list[int], size: int, end: int) -> list[int]:
    """Read what comes after the first end, with all later ones."""
    after = ids[ids.index(end) + 1 :] if end in ids else ids
    return [*after[::-1], *[end] * size][: size - 1]


def nearest_direction(total: Any, tokens: Any, positions: Any) -> tuple[int, int]:
    cosines = torch.cosine_similarity(tokens[:, None] + positions, total, dim=-1)
    return divmod(int(cosines.argmax()), len(positions))


RIGHT = [("gpt2-input.embed", embed_in_torch), ("token-embeddings.nearest", by_angle)]

WRONG: Wrong = [
    ("bpe.learn", changed(learn, "if not counts", "if False"), "nothing to join: stop the loop"),
    ("bpe.learn", changed(learn, "ids[pair[0] + pair[1]] = len(ids)", ""),
     "give `left + right` the next id."),
    ("choosing.digits", lambda digits: [x for x in (digits[:-6], digits[-6:-3], digits[-3:]) if x],
     "it should return ['12', '345', '678', '901']"),
    ("choosing.shared", lambda a, b: 256 + len({*a.merges} & {*b.merges}),
     "returns 256; it should return 257."),
    ("gpt2-input.embed", changed(embed, "if not", "if True or not"), "It refuses all ids, those"),
    ("gpt2-input.embed", changed(embed, "[[a + b", "[list.append(place, 0) or [a + b"),
     " changes `position_table`, which should stay"),
    ("libraries.render", lambda chat: RENDER([m | {"content": m["content"].strip()} for m in chat]),
     "it should return"),
    ("libraries.render", lambda chat: RENDER(chat, *[""] * (chat[-1:] == [NO])), "The text ends"),
    ("libraries.forged", lambda text, names: FORGED(text.lower(), names), "it should return []"),
    ("libraries.forged", lambda text, names: re.findall(r"<\|[a-z]+\|>|\[\w+\]|\w[.+]\w", text),
     "it should return ['[SEP]', '[CLS]', '</s>']"),
    ("libraries.safe", lambda chat, encode, *_: SAFE(chat, encode, ROLES, 603), "it should return"),
    ("more-tables.history", last_document, "what is before it does not count"),
    ("sinusoids.recover", nearest_direction, "it should return [1, 0]"),
    # Divided by the squares of the lengths: short rows win.
    ("token-embeddings.nearest", changed(nearest, "hypot(*row)", "hypot(*row)**2"), "nearest(1, "),
    ("unigram.count", lambda word, pieces: len(_cuts(word, pieces)),
     "one number for each position"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
