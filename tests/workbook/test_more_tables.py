"""The exercises of the chapter `more-tables`: wrong answers."""

from answers import Wrong, tried


def last_document(ids: list[int], size: int, end: int) -> list[int]:
    """Read what comes after the first end, with all later ones."""
    after = ids[ids.index(end) + 1 :] if end in ids else ids
    return [*after[::-1], *[end] * size][: size - 1]


WRONG: Wrong = [("more-tables.history", last_document, "what is before it does not count")]

test_answers = tried([], WRONG)
