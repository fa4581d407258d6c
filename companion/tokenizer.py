"""What every tokenizer of the book has in common."""

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

__all__ = ["Tokenizer"]


@runtime_checkable
class Tokenizer(Protocol):
    """Anything that turns text into ids and ids into text.

    Every tokenizer of this package satisfies it, and so does `tiktoken.Encoding`.

    >>> from companion.words import WordTokenizer, build_vocab
    >>> isinstance(WordTokenizer(build_vocab("four little Rabbits")), Tokenizer)
    True
    """

    @property
    def n_vocab(self) -> int:
        """Number of ids; every id lies between 0 and ``n_vocab - 1``."""

    def encode(self, text: str, /) -> list[int]:
        """Turn a text into ids."""

    def decode(self, ids: Iterable[int], /) -> str:
        """Turn ids back into a text, without what encoding has lost, such as white space."""
