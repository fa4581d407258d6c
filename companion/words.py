"""A tokenizer that knows whole words, built by hand in the chapter `words`.

It is the simplest tokenizer that can be called one: cut the text at white space and punctuation,
number the distinct pieces, look them up. What it cannot do, read a word it has never seen, is the
reason for every other tokenizer of the book.
"""

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["UnknownIdError", "UnknownTokenError", "WordTokenizer", "build_vocab", "tokenize"]

# The parentheses keep what the text is cut at. "--" stands before white space only for reading:
# no two alternatives can match at the same place.
_SEPARATOR = re.compile(r"""([,.:;?_!"()']|--|\s)""")


class _MessageKeyError(KeyError):
    """A `KeyError` that prints its message as it is; Python's own prints the quoted `repr`."""

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownTokenError(_MessageKeyError):
    """A token that the vocabulary does not hold; `token` is that token."""

    def __init__(self, message: str, token: str) -> None:
        super().__init__(message, token)
        self.token = token


class UnknownIdError(_MessageKeyError):
    """An id that the vocabulary does not hold; `id` is that id, `n_vocab` the number of ids."""

    def __init__(self, message: str, id: int, n_vocab: int) -> None:
        super().__init__(message, id, n_vocab)
        self.id = id
        self.n_vocab = n_vocab


def tokenize(text: str) -> list[str]:
    r"""Split a text into words and punctuation marks; white space is dropped.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of str
        The tokens in order: each of the marks ``, . : ; ? _ ! " ( ) '``, each ``--``, and each
        run of anything else. Empty for a text of white space only.

    Raises
    ------
    TypeError
        If `text` is not a string.

    Examples
    --------
    >>> from companion.words import tokenize
    >>> tokenize("It isn't asleep--not now!")
    ['It', 'isn', "'", 't', 'asleep', '--', 'not', 'now', '!']
    >>> tokenize("oat-cakes,  \n honey")
    ['oat-cakes', ',', 'honey']
    """
    _require_text(text, "text")
    return [piece for piece in _SEPARATOR.split(text) if piece.strip()]


def build_vocab(text: str, specials: Sequence[str] = ()) -> dict[str, int]:
    """Number the distinct tokens of a text.

    Parameters
    ----------
    text : str
        The text whose tokens are numbered.
    specials : sequence of str, optional
        Special tokens, such as ``("<|endoftext|>", "<unk>")``. They come last, in this order,
        whether the text holds them or not.

    Returns
    -------
    dict of str to int
        Each token and its id: the tokens of the text in sorted order (by code point, so capitals
        before small letters) from 0, the specials after them.

    Raises
    ------
    TypeError
        If `text` is not a string, or `specials` is not a sequence of strings.
    ValueError
        If a special token is empty or given twice.

    Examples
    --------
    >>> from companion.words import build_vocab
    >>> build_vocab("the gate, the other way", specials=["<unk>"])
    {',': 0, 'gate': 1, 'other': 2, 'the': 3, 'way': 4, '<unk>': 5}
    """
    specials = _checked_specials(specials)
    tokens = sorted(set(tokenize(text)) - set(specials))
    return {token: i for i, token in enumerate([*tokens, *specials])}


class WordTokenizer:
    """Encode text as ids of whole words, and decode ids as words joined by one space.

    Parameters
    ----------
    vocab : mapping of str to int
        Each token and its id, as `build_vocab` makes it. Two tokens may not share an id.
    unk_token : str, optional
        The token of `vocab` that stands for every unknown word. Without it an unknown word is
        an error.

    Attributes
    ----------
    vocab : dict of str to int
        A copy of the vocabulary.
    unk_token : str or None
        The token that stands for unknown words.
    n_vocab : int
        Number of ids: the highest id and one.

    Raises
    ------
    TypeError
        If a token is not a string or an id is not an integer.
    ValueError
        If an id is negative or given twice, or `unk_token` is not in `vocab`.

    Examples
    --------
    >>> from companion.words import WordTokenizer, build_vocab
    >>> tokenizer = WordTokenizer(build_vocab("The gate stood still.", ["<unk>"]), "<unk>")
    >>> tokenizer.encode("The old gate stood still.")
    [1, 5, 2, 4, 3, 0]
    >>> tokenizer.decode([1, 5, 2, 4, 3, 0])
    'The <unk> gate stood still .'
    """

    def __init__(self, vocab: Mapping[str, int], unk_token: str | None = None) -> None:
        if not isinstance(vocab, Mapping):
            raise TypeError(
                f"vocab must map each token to its id, not be a {type(vocab).__name__}; "
                "build_vocab(text) makes one"
            )
        self.vocab: dict[str, int] = {}
        self._tokens: dict[int, str] = {}
        for token, value in vocab.items():
            _require_text(token, "a token of vocab")
            token_id = _as_id(value, f"the id of {token!r}")
            if token_id < 0:
                raise ValueError(f"the id of {token!r} is {token_id}; ids start at 0")
            if token_id in self._tokens:
                raise ValueError(
                    f"id {token_id} is given to both {self._tokens[token_id]!r} and {token!r}; "
                    "each token needs an id of its own"
                )
            self.vocab[token] = token_id
            self._tokens[token_id] = token
        if unk_token is not None:
            _require_text(unk_token, "unk_token")
            if unk_token not in self.vocab:
                raise ValueError(
                    f"unk_token {unk_token!r} is not in the vocabulary; "
                    f"add it with build_vocab(text, specials=[{unk_token!r}])"
                )
        self.unk_token = unk_token
        self.n_vocab: int = max(self._tokens, default=-1) + 1

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_vocab={self.n_vocab}, unk_token={self.unk_token!r})"

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids, one for each token of `tokenize`.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        list of int
            The ids in order; empty for a text without tokens.

        Raises
        ------
        UnknownTokenError
            If a token is not in the vocabulary and there is no `unk_token`.
        TypeError
            If `text` is not a string.

        Examples
        --------
        >>> from companion.words import WordTokenizer, build_vocab
        >>> tokenizer = WordTokenizer(build_vocab("up the bank, down the bank"))
        >>> tokenizer.encode("down the bank")
        [2, 3, 1]
        """
        return [self._id_of(token) for token in tokenize(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Turn ids into their tokens, joined by one space.

        Parameters
        ----------
        ids : iterable of int
            Ids of the vocabulary: a list, a numpy array, a tensor of one dimension.

        Returns
        -------
        str
            The tokens with one space between them. The white space of the original text is
            gone, and there is a space before each punctuation mark.

        Raises
        ------
        UnknownIdError
            If an id is not in the vocabulary; negative ids are not.
        TypeError
            If `ids` is not an iterable of integers.

        Examples
        --------
        >>> from companion.words import WordTokenizer, build_vocab
        >>> tokenizer = WordTokenizer(build_vocab("up the bank, down the bank"))
        >>> tokenizer.decode([4, 3, 1, 0])
        'up the bank ,'
        """
        if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
            raise TypeError(f"ids must be an iterable of integers, not {_describe(ids)}")
        return " ".join(self._token_of(_as_id(value, "an id")) for value in ids)

    def _id_of(self, token: str) -> int:
        token_id = self.vocab.get(token)
        if token_id is not None:
            return token_id
        if self.unk_token is not None:
            return self.vocab[self.unk_token]
        raise UnknownTokenError(
            f"{_shortened(token)} is not in the vocabulary of {len(self.vocab)} tokens; "
            "with an unk_token unknown words share its id",
            token,
        )

    def _token_of(self, token_id: int) -> str:
        token = self._tokens.get(token_id)
        if token is None:
            raise UnknownIdError(
                f"id {token_id} is not in the vocabulary of {len(self.vocab)} tokens "
                f"(0 to {self.n_vocab - 1})"
                if self.vocab
                else f"id {token_id} is not in the vocabulary, which is empty",
                token_id,
                self.n_vocab,
            )
        return token


def _checked_specials(specials: Sequence[str]) -> tuple[str, ...]:
    if isinstance(specials, str):
        raise TypeError(
            f"specials must be a sequence of strings, not the string {specials!r}; "
            f"write [{specials!r}]"
        )
    if not isinstance(specials, Iterable):
        raise TypeError(f"specials must be a sequence of strings, not {_describe(specials)}")
    checked = tuple(specials)
    for position, special in enumerate(checked):
        _require_text(special, "a special token")
        if not special:
            raise ValueError("a special token is empty; give it a name such as '<unk>'")
        if special in checked[:position]:
            raise ValueError(f"the special token {special!r} is given twice; name it once")
    return checked


def _require_text(value: Any, what: str) -> None:
    if isinstance(value, bytes):
        raise TypeError(
            f"{what} must be a string, not bytes: {_shortened(value)}; "
            "decode it first: data.decode('utf-8')"
        )
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a string, not {_describe(value)}")


def _as_id(value: Any, what: str) -> int:
    # operator.index takes the integers of numpy and torch too, and refuses 2.0 and "2".
    # A bool counts as an integer in Python, but a mask given for ids is a mistake.
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{what} must be an integer, not {_describe(value)}")


def _describe(value: Any) -> str:
    return f"{type(value).__name__}: {_shortened(value)}"


def _shortened(value: Any, limit: int = 60) -> str:
    shown = repr(value)
    return shown if len(shown) <= limit else f"{shown[:limit]}…"
