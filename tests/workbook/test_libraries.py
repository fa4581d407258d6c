"""The exercises of the chapter `libraries`: wrong answers."""

import re

from answers import EXERCISES, Wrong, tried

NO = {"role": "assistant", "content": "No."}
ROLES = {"system": 600, "user": 601, "assistant": 602}
RENDER, FORGED, SAFE = (EXERCISES[f"libraries.{n}"].right for n in ("render", "forged", "safe"))
WRONG: Wrong = [
    ("libraries.render", lambda chat: RENDER([m | {"content": m["content"].strip()} for m in chat]),
     "it should return"),
    ("libraries.render", lambda chat: RENDER(chat, *[""] * (chat[-1:] == [NO])), "The text ends"),
    ("libraries.forged", lambda text, names: FORGED(text.lower(), names), "it should return []"),
    ("libraries.forged", lambda text, names: re.findall(r"<\|[a-z]+\|>|\[\w+\]|\w[.+]\w", text),
     "it should return ['[SEP]', '[CLS]', '</s>']"),
    ("libraries.safe", lambda chat, encode, *_: SAFE(chat, encode, ROLES, 603), "it should return"),
]  # fmt: skip

test_answers = tried([], WRONG)
