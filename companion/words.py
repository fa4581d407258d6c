"""A tokenizer that knows whole words (chapter `words`).

It cuts the text at white space and punctuation, numbers the distinct pieces and looks them up. A
word that it has never seen has no id.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from companion.checks import checked_specials, checked_vocab, require_text, shortened, tokens_of
from companion.errors import UnknownIdError, UnknownTokenError

__all__ = ["UnknownIdError", "UnknownTokenError", "WordTokenizer", "build_vocab", "tokenize"]

# Where a text is cut: at a mark, two dashes, or white space. The parentheses keep what is there.
_SEPARATOR = re.compile(r"""([,.:;?_!"()']|--|\s)""")


def tokenize(text: str) -> list[str]:
    r"""Split a text into words and punctuation marks; white space is dropped.

    A token is one of the marks ``, . : ; ? _ ! " ( ) '``, a ``--``, or a run of anything else.

    >>> tokenize("It isn't asleep--not  \n now!")
    ['It', 'isn', "'", 't', 'asleep', '--', 'not', 'now', '!']
    """
    require_text(text, "text")
    # Cut; keep words and marks; drop white space and the empty pieces between two cuts.
    return [piece for piece in _SEPARATOR.split(text) if piece.strip()]


def build_vocab(text: str, specials: Sequence[str] = ()) -> dict[str, int]:
    """Number the distinct tokens of a text, in sorted order, then the special tokens.

    They sort by code point, so capitals come before small letters. The special tokens, such as
    ``("<|endoftext|>", "<unk>")``, come last, whether the text contains them or not.

    >>> build_vocab("the gate, the other way", specials=["<unk>"])
    {',': 0, 'gate': 1, 'other': 2, 'the': 3, 'way': 4, '<unk>': 5}
    """
    specials = checked_specials(specials, "specials")
    # Each token once, in sorted order, then the special ones; the place in the list is the id.
    tokens = sorted(set(tokenize(text)) - set(specials))
    return {token: i for i, token in enumerate([*tokens, *specials])}


class WordTokenizer:
    """Encode text as ids of whole words, and decode ids as words joined by one space.

    Parameters
    ----------
    vocab : mapping of str to int
        Each token and an id of its own, from 0 on, as `build_vocab` makes it. The attribute `vocab`
        is a copy, `n_vocab` the highest id plus one.
    unk_token : str, optional
        The token of `vocab` whose id every unknown word gets.

    Examples
    --------
    >>> tokenizer = WordTokenizer(build_vocab("The gate stood still.", ["<unk>"]), "<unk>")
    >>> tokenizer.encode("The old gate stood still.")
    [1, 5, 2, 4, 3, 0]
    >>> tokenizer.decode([1, 5, 2, 4, 3, 0])
    'The <unk> gate stood still .'
    """

    def __init__(self, vocab: Mapping[str, int], unk_token: str | None = None) -> None:
        self.vocab, self._tokens = checked_vocab(vocab.items())
        if unk_token is not None and unk_token not in self.vocab:
            raise ValueError(
                f"unk_token {unk_token!r} is not in the vocabulary; "
                f"add it with build_vocab(text, specials=[{unk_token!r}])"
            )
        self.unk_token = unk_token
        self.n_vocab: int = max(self._tokens, default=-1) + 1

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_vocab={self.n_vocab}, unk_token={self.unk_token!r})"

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids; without `unk_token`, an unknown one is an `UnknownTokenError`."""
        ids: list[int] = []
        # Cut the text, then look each token up; in place of one that is not there, `unk_token`.
        for token in tokenize(text):
            known = token if token in self.vocab else self.unk_token
            if known is None:
                raise UnknownTokenError(
                    f"{shortened(token)} is not in the vocabulary of {len(self.vocab)} tokens; "
                    "with an unk_token unknown words share its id",
                    token,
                )
            ids.append(self.vocab[known])
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Join the tokens of ids by spaces; an unknown id, such as -1, is an `UnknownIdError`."""
        return " ".join(tokens_of(ids, self._tokens, self.n_vocab))
