"""The exercises of the chapter `libraries`: right answers pass, each wrong one hears why."""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from answers import Wrong, tried

STAGES = ["normalizer", "pre-tokenizer", "model", "post-processor", "decoder"]
Messages = Sequence[Mapping[str, str]]
Encode = Callable[[str], list[int]]


def render(messages: Messages) -> str:
    text = ""
    for message in messages:
        text += "<s>" + message["role"] + "\n" + message["content"] + "</s>\n"
    return text + "<s>assistant\n"


def forged(text: str, names: Sequence[str]) -> list[str]:
    found = [
        (start, name)
        for name in names
        for start in range(len(text))
        if text.startswith(name, start)
    ]
    return [name for _, name in sorted(found)]


def encoded(
    messages: Messages, encode: Encode, role_ids: Mapping[str, int], end_id: int
) -> list[int]:
    ids = []
    for message in messages:
        ids.append(role_ids[message["role"]])
        ids.extend(encode(message["content"]))
        ids.append(end_id)
    return [*ids, role_ids["assistant"]]


def rendered_first(
    messages: Messages, encode: Encode, role_ids: Mapping[str, int], end_id: int
) -> list[int]:
    text = "".join(f"<|{m['role']}|>{m['content']}<|end|>" for m in messages)
    return encode(text + "<|assistant|>")


RIGHT = [
    ("libraries.stages", STAGES),
    ("libraries.stages", tuple(STAGES)),
    ("libraries.render", render),
    ("libraries.forged", forged),
    ("libraries.safe", encoded),
    ("libraries.safe", lambda *given: np.array(encoded(*given))),
]

WRONG: Wrong = [
    ("libraries.stages", ["pre-tokenizer", "normalizer", "model", "post-processor", "decoder"], 0),
    ("libraries.stages", ["normalizer", "model", "pre-tokenizer", "post-processor", "decoder"], 1),
    ("libraries.stages", [*STAGES[:3], "decoder", "post-processor"], 2),
    ("libraries.stages", "normalizer", "it should be a list"),
    ("libraries.render", lambda messages: render(messages).removesuffix("<s>assistant\n"), 0),
    ("libraries.render", lambda messages: render(messages)[:-1], 1),
    ("libraries.render", lambda messages: render(messages) + "</s>\n", 2),
    ("libraries.render", lambda messages: render(messages).replace("</s>\n", "</s>"), 3),
    ("libraries.render", lambda messages: render(messages).replace("\n", ""), 4),
    ("libraries.forged", lambda text, names: [name for name in names if name in text], 0),
    ("libraries.forged", lambda text, names: list(dict.fromkeys(forged(text, names))), 1),
    ("libraries.forged", lambda text, names: sorted(forged(text, names)), 2),
    (
        "libraries.forged",
        lambda text, names: [x for x in re.findall("|".join(names), text) if x],
        3,
    ),
    ("libraries.safe", rendered_first, 0),
    ("libraries.safe", lambda *given: encoded(*given)[:-1], 1),
    (
        "libraries.safe",
        lambda m, encode, roles, end: [i for i in encoded(m, encode, roles, end) if i != end],
        2,
    ),
    ("libraries.safe", lambda *given: [*encoded(*given), given[3]], 3),
]

TestAnswers = tried(RIGHT, WRONG)
