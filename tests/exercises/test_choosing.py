"""The exercises of the chapter `choosing`: a wrong answer in another form."""

import re

from answers import tried

WRONG = [
    ("choosing.digits",
     lambda digits: [digits[: len(digits) % 3], *re.findall("...", digits[len(digits) % 3 :])], 1),
]  # fmt: skip

test_answers = tried([], WRONG)
