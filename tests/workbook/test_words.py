"""The exercises of the chapter `words`: right and wrong answers."""

import re

from answers import Wrong, tried

from companion.words import tokenize


def lossless(text: str) -> list[str]:
    return [piece for piece in re.split(r"""([,.:;?_!"()']|--|\s)""", text) if piece]


RIGHT = [
    ("words.lossless", lambda text: (piece for piece in lossless(text))),
    ("words.unknown", 0.24),  # as the page prints it, in percent
]  # fmt: skip

WRONG: Wrong = [
    ("words.lossless", tokenize, "('the gate'): the white space is gone"),
    ("words.lossless", lambda text: re.split(r"""([,.:;?_!"()']|--|\s)""", text),
     "(' two  spaces\\n\\tand a tab '): some tokens are empty"),
    ("words.lossless", list, "nothing is lost, but the text is cut into ['t'"),
    *(("words.lossless", lambda text, marks=marks: [
        piece for piece in re.split(rf"""([{marks}]|--)""", text) if piece], "nothing is lost, but")
      for marks in (r""",.:;?!"()'\s""", r""",.:;?_!")'\s""", r""",.:;?_!"('\s""",
                    r""",.:;?_!"()' \n\t""")),
    # Hyphens and other characters beyond the list of the chapter.
    ("words.lossless", lambda text: re.findall(r"""\w+|--|[,.:;?_!"()']|\s""", text),
     "at character 4 they have 'way up: 50'"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)
