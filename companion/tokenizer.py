"""What every tokenizer of the book has in common.

The chapters on windows and embeddings never ask which tokenizer made their ids. They ask for
three things, and anything that has them will do: a tokenizer of this package, an encoding of
`tiktoken`, or one of your own.
"""

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

__all__ = ["Tokenizer"]


@runtime_checkable
class Tokenizer(Protocol):
    """Anything that turns text into ids and ids into text.

    `companion.words.WordTokenizer` satisfies it, and so does `tiktoken.Encoding`. A class need
    not name this one as its base: to have the three members is enough.

    Examples
    --------
    >>> from companion.tokenizer import Tokenizer
    >>> from companion.words import WordTokenizer, build_vocab
    >>> isinstance(WordTokenizer(build_vocab("four little Rabbits")), Tokenizer)
    True
    >>> isinstance("four little Rabbits", Tokenizer)
    False
    """

    @property
    def n_vocab(self) -> int:
        """Number of ids; every id lies between 0 and ``n_vocab - 1``."""

    def encode(self, text: str, /) -> list[int]:
        """Turn a text into ids.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        list of int
            The ids in order.
        """

    def decode(self, ids: Iterable[int], /) -> str:
        """Turn ids back into a text.

        Parameters
        ----------
        ids : iterable of int
            Ids of the vocabulary.

        Returns
        -------
        str
            The text; what encoding has lost, such as white space, does not come back.
        """
