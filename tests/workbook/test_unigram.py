"""The exercises of the chapter `unigram`: wrong answers."""

from answers import Wrong, tried

from workbook.exercises.unigram import _cuts

WRONG: Wrong = [
    ("unigram.count", lambda word, pieces: len(_cuts(word, pieces)),
     "one number for each position"),
]  # fmt: skip

test_answers = tried([], WRONG)
