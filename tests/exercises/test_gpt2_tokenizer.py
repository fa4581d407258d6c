"""The exercises of the chapter `gpt2-tokenizer`: right and wrong answers."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from answers import EXERCISES, Wrong, tried
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from companion.bpe import GPT2_PATTERN, gpt2

END = 50256


def is_whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def stream(ids: Iterable[int], patience: int = 3) -> Iterator[str]:
    """Collect bytes until they make text; what cannot become any is shown as it can be."""
    waiting = b""
    for token_id in ids:
        waiting += gpt2().decode_bytes([token_id])
        if is_whole(waiting) or len(waiting) > patience:
            yield waiting.decode(errors="replace")
            waiting = b""
    if waiting:
        yield waiting.decode(errors="replace")


def stream_by_replacement(ids: list[int]) -> Iterator[str]:
    """Wait after every � at the end, as if it were part of a character."""
    waiting: list[int] = []
    for token_id in ids:
        waiting.append(token_id)
        if not gpt2().decode(waiting).endswith("\ufffd"):
            yield gpt2().decode(waiting)
            waiting.clear()
    if waiting:
        yield gpt2().decode(waiting)


SENTENCE = "to be or not to be"


RIGHT = [
    ("gpt2-tokenizer.to", [f" {SENTENCE}", "to be or not to Be"]),
    ("gpt2-tokenizer.stream", stream),
    ("gpt2-tokenizer.longer", (" 2024", " unbelievability")),
]  # fmt: skip

WRONG: Wrong = [
    ("gpt2-tokenizer.to", [SENTENCE, "to be or not to Be"], "does not differ"),
    ("gpt2-tokenizer.to", ["To be or not to be", "to be or not to Be"], "ids [2514] and [284]"),
    ("gpt2-tokenizer.to", [f" {SENTENCE}", f"{SENTENCE}."], "both `be` still have the ids [307]"),
    ("gpt2-tokenizer.longer", [" unbelievability", " 2024"], "should contain a number."),
    ("gpt2-tokenizer.longer", [" 2024", " don't"], "GPT-2 needs 2 and o200k 1, which is not"),
    ("gpt2-tokenizer.stream", lambda ids: (gpt2().decode([i]) for i in ids), "half a character"),
    ("gpt2-tokenizer.stream", lambda ids: [gpt2().decode(ids)], "had to wait"),
    ("gpt2-tokenizer.stream", stream_by_replacement, "contains the character � itself"),
    ("gpt2-tokenizer.stream", lambda ids: (gpt2().decode_bytes([i]) for i in ids),
     "yields b'\\xf0\\x9f\\x91'; yield text."),
    ("gpt2-tokenizer.stream", lambda ids: stream(ids, patience=10**6),
     "after bytes that can never become a character, show � for them and go on."),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)


def test_the_pieces_are_those_of_the_pattern() -> None:
    split = Split(Regex(GPT2_PATTERN), "isolated")
    assert EXERCISES["gpt2-tokenizer.line-breaks"].right == [
        [word for word, _ in split.pre_tokenize_str(text)] for text in ("a\n\nb", "a\n\n")
    ]


def test_the_order_is_that_of_the_merges() -> None:
    steps = pairwise(gpt2().merge_steps("there"))
    made = [(set(after) - set(before)).pop().decode() for before, after in steps]
    builds_the = any(b" the" in step for step in gpt2().merge_steps(" there"))
    assert [*made, builds_the] == EXERCISES["gpt2-tokenizer.by-hand"].right
