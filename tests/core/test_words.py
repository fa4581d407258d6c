from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from companion.tokenizer import Tokenizer
from companion.words import UnknownIdError, UnknownTokenError, WordTokenizer, build_vocab, tokenize

MARKS = set(""",.:;?_!"()'""")
# All of Unicode, lone surrogates included, with the characters that matter here made frequent.
OFTEN = [*" \t\n\r\x0b\x1c\x85\u2003-,.:;?_!\"()'aA<|>", "--"]
TEXTS = st.lists(st.characters() | st.sampled_from(OFTEN)).map("".join)


def tokenize_by_hand(text: str) -> list[str]:
    """Walk through the text character by character: an independent `tokenize`."""
    tokens, word, i = [], "", 0
    while i < len(text):
        mark = "--" if text.startswith("--", i) else text[i]
        if mark == "--" or mark in MARKS or mark.isspace():
            tokens += [word, "" if mark.isspace() else mark]
            word = ""
        else:
            word += mark
        i += len(mark)
    return [token for token in [*tokens, word] if token]


@given(TEXTS)
def test_tokenize_equals_a_walk_through_the_characters(text: str) -> None:
    assert tokenize(text) == tokenize_by_hand(text)


@given(TEXTS, st.lists(st.sampled_from(["<unk>", "<pad>", "<s>"]), unique=True))
def test_vocabulary_numbers_each_distinct_token_once(text: str, specials: list[str]) -> None:
    vocab = build_vocab(text, specials)
    assert set(vocab) == set(tokenize(text)) | set(specials)
    assert list(vocab.values()) == list(range(len(vocab)))
    n_ordinary = len(vocab) - len(specials)
    assert list(vocab) == [*sorted([*vocab][:n_ordinary]), *specials]


@given(TEXTS)
def test_encoding_after_decoding_changes_nothing(text: str) -> None:
    tokenizer = WordTokenizer(build_vocab(text, ["<unk>"]), "<unk>")
    ids = [*tokenizer.encode(text), *range(tokenizer.n_vocab)]
    assert tokenizer.encode(tokenizer.decode(ids)) == ids


@given(TEXTS, TEXTS)
def test_unknown_words_and_only_these_become_the_unknown_token(known: str, text: str) -> None:
    tokenizer = WordTokenizer(build_vocab(known, ["<unk>"]), "<unk>")
    expected = [t if t in tokenizer.vocab else "<unk>" for t in tokenize(text)]
    assert tokenizer.decode(tokenizer.encode(text)) == " ".join(expected)


def test_a_vocabulary_may_have_gaps() -> None:
    tokenizer = WordTokenizer({"drip": 7, "drop": 2})
    assert tokenizer.n_vocab == 8  # rows that a table needs
    assert tokenizer.encode("drop drip") == [2, 7]
    assert tokenizer.decode(torch.tensor([2, 7])) == tokenizer.decode(iter([2, 7])) == "drop drip"
    for unknown in (3, -1, 10**30):
        with pytest.raises(UnknownIdError) as caught:
            tokenizer.decode([2, unknown])
        assert (caught.value.id, caught.value.n_vocab) == (unknown, 8)
    assert isinstance(tokenizer, Tokenizer)


TOKENIZE: Any = tokenize
VOCAB: Any = build_vocab
MAKE: Any = WordTokenizer

test_what_is_refused = refused(
    [
        (lambda: TOKENIZE(None), TypeError, "text must be a string, not NoneType: None"),
        (lambda: VOCAB("a", "<unk>"), TypeError, "specials must be a sequence of strings; wri"),
        (lambda: VOCAB("a", ["a", ""]), ValueError, "the special token '' is empty or has"),
        (lambda: VOCAB("a", ["b", "c", "b"]), ValueError, "the special token 'b' is given twice"),
        (lambda: MAKE({7: 0}), TypeError, "a token of vocab must be a string, not int: 7"),
        (lambda: MAKE({"a": -1}), ValueError, "the id of 'a' is -1; it must be at least 0"),
        (lambda: MAKE({"a": 5, "b": 1, "c": 5}), ValueError, "id 5 is given to both 'a' and 'c'"),
        (lambda: MAKE({"a": 0}, unk_token="<unk>"), ValueError, "unk_token '<unk>' is not in the"),
        (lambda: MAKE({"a": 0}).encode("a b"), UnknownTokenError, "'b' is not in the vocabulary"),
        (lambda: MAKE({"a": 0}).decode("0"), TypeError, "ids must be an iterable of integers, not"),
        (lambda: MAKE({"a": 0}).decode([False]), TypeError, "an id must be an integer, not bool:"),
    ]
)  # fmt: skip
