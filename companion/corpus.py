"""The former name of `companion.story`, for notebooks that import it."""

from companion.story import SENTENCE, load_story

__all__ = ["SENTENCE", "load_story"]
