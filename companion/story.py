"""The texts that the chapters share, bundled so that nothing is downloaded.

The story was written for this book. It repeats its words often enough for statistics to mean
something, and it is short enough to read.
"""

from importlib.resources import files

__all__ = ["SENTENCE", "load_story"]

SENTENCE = "Once upon a time there were four little Rabbits"
"""The sentence that runs through the whole book (Beatrix Potter, 1902)."""


def load_story() -> str:
    """Return the story of the four little Rabbits and the river, about a thousand words of ASCII.

    It holds every word of `SENTENCE`, but neither "they" nor "happy".

    Examples
    --------
    >>> from companion.story import load_story
    >>> load_story()[:43]
    'In the green valley below Candle Hill, wher'
    """
    return files("companion").joinpath("data", "story.txt").read_text(encoding="utf-8")
