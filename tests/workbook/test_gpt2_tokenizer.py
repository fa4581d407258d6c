"""The exercises of the chapter `gpt2-tokenizer`: right and wrong answers."""

from itertools import pairwise
from typing import Any

from answers import EXERCISES, Wrong, changed, tried
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from companion.bpe import GPT2_PATTERN, BPETokenizer, gpt2
from workbook.exercises.gpt2_tokenizer import encode

SENTENCE = "to be or not to be"


def split_by(old: str, new: str) -> Any:
    """Encode with a change in GPT-2's pattern."""
    assert old in GPT2_PATTERN
    pattern = GPT2_PATTERN.replace(old, new)
    return lambda text, merges: BPETokenizer(merges, pattern=pattern).encode_ordinary(text)


CHANGES = [
    *((f"{ending}|", "") for ending in ("'s", "'t", "'re", "'ve", "'m", "'ll")), ("|'d", ""),
    ("'s|'t|", r"'\p{L}+|"), ("'s|'t|", "(?i:'s|'t)|"),
    *((f" ?{kind}", other + kind) for kind in (r"\p{L}", r"\p{N}", "[^") for other in ("", r"\s?")),
    (r"\p{L}+", r"[\p{L}\p{M}]+"), (r"\p{L}+", r"[A-Za-z]+"),
    (r"\p{N}+", r"\p{N}"), (r"\p{N}]+", r"\p{N}]"), (r"\p{L}+| ?\p{N}+", r"[\p{L}\p{N}]+"),
    (r"|\s+(?!\S)", ""), (r"\s+(?!\S)|\s+", r"\s"),
]  # fmt: skip

RIGHT = [
    ("gpt2-tokenizer.to", [f" {SENTENCE}", "to be or not to Be"]),
    ("gpt2-tokenizer.longer", (" 2024", " unbelievability")),
]

WRONG: Wrong = [
    ("gpt2-tokenizer.encode", changed(encode, "while known", "while len(tokens) > 1"),
     "may have no pair that is a merge"),
    *(("gpt2-tokenizer.encode", split_by(*change), "") for change in CHANGES),
    ("gpt2-tokenizer.encode", changed(encode, "BYTES + [", "["), "The 256 bytes are tokens, too"),
    ("gpt2-tokenizer.to", [SENTENCE, "to be or not to Be"], "does not differ"),
    ("gpt2-tokenizer.to", [f"{SENTENCE} or", "to be or not to Be"], "does not differ"),
    ("gpt2-tokenizer.to", ["To be or not to be", "to be or not to Be"], "ids [2514] and [284]"),
    ("gpt2-tokenizer.to", [f" {SENTENCE}", f"{SENTENCE}."], "both `be` still have the ids [307]"),
    ("gpt2-tokenizer.longer", [" unbelievability", " 2024"], "should contain a number."),
    ("gpt2-tokenizer.longer", [" 2024", " don't"], "GPT-2 needs 2 and o200k 1, which is not"),
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
