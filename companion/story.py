"""The texts that the chapters share; the story was written for this book."""

from companion.files import bundled

__all__ = ["SENTENCE", "load_story"]


SENTENCE = "Once upon a time there were four little Rabbits"
"""The sentence that runs through the whole book (Beatrix Potter, 1902)."""


def load_story() -> str:
    """Return the story of the four little Rabbits and the river, about a thousand words of ASCII.

    It holds every word of `SENTENCE`, but neither "they" nor "happy".

    >>> load_story()[:43]
    'In the green valley below Candle Hill, wher'
    """
    return bundled("story.txt").decode()
