"""The exercises of the chapter `libraries`: right and wrong answers."""

from collections.abc import Callable, Mapping, Sequence

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


def overlapping(offsets: Sequence[tuple[int, int]], start: int, end: int) -> list[int]:
    return [i for i, (a, b) in enumerate(offsets) if set(range(a, b)) & set(range(start, end))]


RIGHT = [
    ("libraries.stages", STAGES),
    ("libraries.stages", [stage.replace("-", "_") for stage in STAGES]),
    ("libraries.span", overlapping),
    ("libraries.render", render),
    ("libraries.forged", forged),
    ("libraries.safe", encoded),
]

WRONG: Wrong = [
    ("libraries.stages", [STAGES[1], STAGES[0], *STAGES[2:]], "The pre-tokenizer splits"),
    ("libraries.stages", STAGES[:4], "a list of five"),
    ("libraries.stages", [*STAGES[:4], "reader"], "'reader' is no stage"),
]

test_answers = tried(RIGHT, WRONG)
