"""The exercises of the chapter `bpe`: what helps where an answer raises an error."""

from answers import Wrong, changed, tried

from workbook.exercises.bpe import learn

WRONG: Wrong = [
    ("bpe.learn", changed(learn, "if not counts", "if False"), "nothing to join: stop the loop"),
    ("bpe.learn", changed(learn, "ids[pair[0] + pair[1]] = len(ids)", ""),
     "give `left + right` the next id."),
]  # fmt: skip

test_answers = tried([], WRONG)
