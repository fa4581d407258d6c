"""The checks that the modules share; each module's tests show them at its own edge."""

from typing import Any

import numpy as np
import pytest
import torch
from refusals import refused

from companion._checks import (
    as_id,
    at_least,
    checked_specials,
    checked_vocab,
    describe,
    require_text,
    shortened,
    tokens_of,
)  # fmt: skip
from companion.errors import UnknownIdError

SPECIALS: Any = checked_specials
VOCAB: Any = checked_vocab


def test_a_vocabulary_is_copied_in_its_order_with_plain_integers() -> None:
    ids, tokens = VOCAB([("b", np.uint8(2)), ("a", torch.tensor(0))])
    assert list(ids.items()) == [("b", 2), ("a", 0)]
    assert list(tokens.items()) == [(2, "b"), (0, "a")]
    assert [type(token_id) for token_id in [*ids.values(), *tokens]] == [int] * 4


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), torch.tensor(3)])
def test_an_integer_of_any_library_is_an_id(value: Any) -> None:
    number = as_id(value, "it")
    assert number == 3
    assert type(number) is int
    assert at_least(3, value, "it") == 3


def test_a_value_is_shortened_after_sixty_characters() -> None:
    # repr puts two quotation marks around a string.
    assert shortened("x" * 58) == f"'{'x' * 58}'"
    assert shortened("x" * 59) == f"'{'x' * 59}…"
    assert describe("x" * 100) == f"str: '{'x' * 59}…"


test_what_is_refused = refused(
    [
        (lambda: SPECIALS("<s>", "added"), TypeError,
         "added must be a sequence of strings, not the string '<s>'; write ['<s>']"),
        (lambda: SPECIALS(["a", ""], "it"), ValueError,
         "a special token is empty; give it a name such as '<unk>'"),
        (lambda: SPECIALS(["a", "b", "a"], "it"), ValueError,
         "the special token 'a' is given twice; name it once"),
        (lambda: VOCAB([(7, 0)]), TypeError, "a token of vocab must be a string, not int: 7"),
        (lambda: VOCAB([("a", -1)]), ValueError, "the id of 'a' is -1; ids start at 0"),
        (lambda: VOCAB([("a", 5), ("b", 1), ("c", 5)]), ValueError,
         "id 5 is given to both 'a' and 'c'; each token needs an id of its own"),
        (lambda: VOCAB([("a", 5), ("b", 1), ("a", 2)]), ValueError,
         "token 'a' has the ids 5 and 2; name it once"),
        (lambda: require_text(b"\xff", "it"), TypeError,
         r"it must be a string, not bytes: b'\xff'; decode it first: data.decode('utf-8')"),
        (lambda: as_id(True, "it"), TypeError, "it must be an integer, not bool: True"),
        (lambda: as_id(2.0, "it"), TypeError, "it must be an integer, not float: 2.0"),
        (lambda: as_id(torch.tensor(True), "it"), TypeError, "it must be an integer, not Tensor"),
        (lambda: at_least(3, 2, "it"), ValueError, "it is 2; it must be at least 3"),
        (lambda: tokens_of("12", {}, 0), TypeError,
         "ids must be an iterable of integers, not str: '12'"),
        (lambda: tokens_of([0], {}, 0), UnknownIdError,
         "id 0 is not in the vocabulary, which is empty"),
    ]
)  # fmt: skip
