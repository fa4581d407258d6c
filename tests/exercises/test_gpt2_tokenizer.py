"""The exercises of the chapter `gpt2-tokenizer`: right and wrong answers."""

import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any

from answers import EXERCISES, Wrong, tried
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from companion.bpe import GPT2_PATTERN, gpt2

END = 50256


ONE_FILE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "one_file.py"))
BYTES, as_bytes, join, split = (ONE_FILE[name] for name in ("BYTES", "as_bytes", "join", "split"))


def by_all_merges(text: str, merges: list[tuple[bytes, bytes]]) -> list[int]:
    """Try every merge on every word, as in the chapter `bpe`."""
    tokens = [*BYTES, *(left + right for left, right in merges)]
    ids = []
    for word in split(text):
        parts = as_bytes(word)
        for pair in merges:
            parts = join(parts, pair)
        ids += [tokens.index(part) for part in parts]
    return ids


def by_ids(text: str, merges: list[tuple[bytes, bytes]]) -> list[int]:
    """Merge ids: the smallest new id first."""
    tokens = [*BYTES, *(left + right for left, right in merges)]
    number = {token: i for i, token in enumerate(tokens)}
    made = {(number[a], number[b]): 256 + rank for rank, (a, b) in enumerate(merges)}
    encoded = []
    for word in split(text):
        ids = [BYTES.index(byte) for byte in as_bytes(word)]
        while True:
            new = min((made.get(pair, 10**9) for pair in pairwise(ids)), default=10**9)
            if new == 10**9:
                break
            i = [made.get(pair) for pair in pairwise(ids)].index(new)
            ids = [*ids[:i], new, *ids[i + 2 :]]
        encoded.extend(ids)
    return encoded


def in_one_pass(text: str, merges: list[tuple[bytes, bytes]]) -> list[int]:
    """Go through the first pairs of a word once."""
    vocab, ids = [*BYTES, *(left + right for left, right in merges)], []
    for word in split(text):
        tokens = as_bytes(word)
        for pair in list(pairwise(tokens)):
            if pair in merges:
                tokens = join(tokens, pair)
        ids += [vocab.index(token) for token in tokens]
    return ids


def with_choice(choose: Any, times: int = 99) -> Any:
    def encode(text: str, merges: list[tuple[bytes, bytes]]) -> list[int]:
        vocab, ids = [*BYTES, *(left + right for left, right in merges)], []
        for word in split(text):
            tokens = as_bytes(word)
            for _ in range(times):
                if known := [pair for pair in pairwise(tokens) if pair in merges]:
                    tokens = join(tokens, choose(known, merges))
            ids += [vocab.index(token) for token in tokens]
        return ids

    return encode


def only_merges(text: str, merges: list[tuple[bytes, bytes]]) -> list[int]:
    ids = {left + right: i for i, (left, right) in enumerate(merges)}
    tokenizer = ONE_FILE["Tokenizer"](merges)
    return [ids[tokenizer.tokens[i]] for i in tokenizer.encode(text)]


def without_a_check(text: str, merges: list[tuple[bytes, bytes]]) -> list[int]:
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    for word in split(text):
        tokens = as_bytes(word)
        while len(tokens) > 1:
            tokens = join(tokens, min(pairwise(tokens), key=lambda pair: ranks[pair]))
    return []


def of_strings(text: str, merges: list[tuple[bytes, bytes]]) -> list[str]:
    return [gpt2().decode([i]) for i in by_ids(text, merges)]


SENTENCE = "to be or not to be"


RIGHT = [
    ("gpt2-tokenizer.encode", lambda text, merges: ONE_FILE["Tokenizer"](merges).encode(text)),
    ("gpt2-tokenizer.encode", by_all_merges), ("gpt2-tokenizer.encode", by_ids),
    ("gpt2-tokenizer.encode", lambda text, merges: tuple(by_ids(text, merges))),
    ("gpt2-tokenizer.to", [f" {SENTENCE}", "to be or not to Be"]),
    ("gpt2-tokenizer.longer", (" 2024", " unbelievability")),
]  # fmt: skip

WRONG: Wrong = [
    ("gpt2-tokenizer.encode", lambda text, merges: gpt2().encode(text), "it should return"),
    ("gpt2-tokenizer.encode", lambda text, merges: by_ids(text, merges[::-1]), "it should return"),
    ("gpt2-tokenizer.encode", lambda text, merges: by_ids(text.lower(), merges), "return [46,"),
    ("gpt2-tokenizer.encode", lambda text, merges: by_ids(text.strip(), merges), "请"),
    ("gpt2-tokenizer.encode", lambda text, merges: by_ids(text, merges)[::-1], "turn it round"),
    ("gpt2-tokenizer.encode", lambda text, merges: list(text.encode()), "values of the bytes"),
    ("gpt2-tokenizer.encode", lambda text, merges: [ord(c) for c in text], "it should return"),
    ("gpt2-tokenizer.encode", lambda text, merges: print(text), "Your function returns None"),
    ("gpt2-tokenizer.encode", lambda text: gpt2().encode(text), "(text, merges)"),
    ("gpt2-tokenizer.encode", ONE_FILE["Tokenizer"], "but it takes (merges)"),
    ("gpt2-tokenizer.encode", with_choice(lambda known, merges: min(known)), "that sorts first"),
    ("gpt2-tokenizer.encode", with_choice(lambda known, merges: min(known, key=merges.index), 1),
     "Each word is merged once; repeat"),
    ("gpt2-tokenizer.encode", only_merges, "The 256 bytes are tokens, too"),
    ("gpt2-tokenizer.encode", in_one_pass, "it should return"),
    ("gpt2-tokenizer.encode", without_a_check, "may have no pair that is a merge"),
    ("gpt2-tokenizer.encode", of_strings, "it should return"),
    ("gpt2-tokenizer.to", [SENTENCE, "to be or not to Be"], "does not differ"),
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
