"""The exercises of the chapter `choosing`: wrong answers."""

from answers import Wrong, tried

WRONG: Wrong = [
    ("choosing.digits", lambda digits: [x for x in (digits[:-6], digits[-6:-3], digits[-3:]) if x],
     "it should return ['12', '345', '678', '901']"),
    ("choosing.shared", lambda a, b: 256 + len({*a.merges} & {*b.merges}),
     "returns 256; it should return 257."),
]  # fmt: skip

test_answers = tried([], WRONG)
