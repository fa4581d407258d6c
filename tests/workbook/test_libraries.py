"""The exercises of the chapter `libraries`: right and wrong answers."""

from answers import Wrong, tried

STAGES = ["normalizer", "pre-tokenizer", "model", "post-processor", "decoder"]
RIGHT = [
    ("libraries.stages", [stage.replace("-", "_") for stage in STAGES]),
]

WRONG: Wrong = [
    ("libraries.stages", [STAGES[1], STAGES[0], *STAGES[2:]], "The pre-tokenizer splits"),
    ("libraries.stages", STAGES[:4], "a list of five"),
    ("libraries.stages", [*STAGES[:4], "reader"], "'reader' is no stage"),
]

test_answers = tried(RIGHT, WRONG)
