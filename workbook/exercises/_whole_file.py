"""What is wrong with a reader's file: each of its functions, then the ids of GPT-2."""

import random
import tempfile
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from companion.bpe import GPT2_PATTERN, gpt2
from companion.patterns import read_pattern
from companion.story import load_story
from workbook.exercises._grading import Exercise, Mistake, grade, shown

CHAPTERS = {
    "split": "bpe", "learn": "bpe", "read_merges": "gpt2-tokenizer", "Tokenizer": "gpt2-tokenizer",
    "windows": "windows", "nearest": "token-embeddings", "embed": "gpt2-input",
    "step": "training", "continued": "one-file",
}  # fmt: skip
"""What the file of a reader has, and where it was written."""
_TEXTS = [
    "", " ", "a  b\n\n c\r\n", "We're sure it'll do; DON'T shout.", "x=1+22;  // 3.5%",
    "na\u00efve \u4f60\u597d \U0001f44d",
]  # fmt: skip


def about_file(file: object) -> str | None:
    """Say what is wrong with a file, given as its path or its text; None if all is right."""
    try:
        source = read(file)
    except (OSError, ValueError) as error:
        return str(error)
    names = ModuleType("my_file").__dict__  # __name__ is not "__main__": a program does not start
    try:
        exec(compile(source, "my_file.py", "exec"), names)
    except SyntaxError as error:
        return f"Python cannot read line {error.lineno} of the file: {error.msg}."
    except Exception as error:
        return f"The file stops with {type(error).__name__}: {error}."
    found = [*_about_functions(names), *_about_gpt2(names)]
    return "\n".join([f"{len(found)} to do, the rest is right:", *found]) if found else None


def read(file: object) -> str:
    """Return the text of a file: of its path, which is a `Path` or a line that ends in .py."""
    if isinstance(file, str) and ("\n" in file.strip() or not file.strip().endswith(".py")):
        return file
    if not isinstance(file, str | Path):
        raise ValueError(f"Give the path of your file or its text, not {shown(file)}.")
    path = Path(str(file).strip())
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        missing = f"There is no file {str(path)!r} here: save yours there, or give its path."
        raise OSError(missing) from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not text in UTF-8: save it as such.") from error


@cache
def _exercises() -> dict[str, Exercise]:
    """Return the exercise of each function that the reader writes."""
    from workbook.exercises import chapters  # here: this is one of its modules

    exercises = [each for group in chapters().values() for each in group if each.ours]
    split = Exercise("one-file.split", "Words", topic="words", level=1, minutes=1,
        right=read_pattern(GPT2_PATTERN).findall, cases=[(text,) for text in _TEXTS],
        mistakes=[Mistake(str.split, "A word keeps the space in front of it.")])  # fmt: skip
    return {each.ours.__name__: each for each in exercises} | {"split": split}


def _about_functions(names: dict[str, Any]) -> Iterator[str]:
    """Grade each function as its exercise does, and name those that are missing."""
    exercises = _exercises()
    for name in dict.fromkeys([*CHAPTERS, *exercises]):
        answer, exercise = names.get(name), exercises.get(name)
        if answer is None and name in CHAPTERS:
            yield f"`{name}` is missing: see the chapter {CHAPTERS[name]}."
        elif answer is not None and exercise:
            passed, message = grade(exercise, answer)
            if not passed:
                yield f"`{name}`: {message}"


def _about_gpt2(names: dict[str, Any]) -> Iterator[str]:
    """Compare a tokenizer of GPT-2's merges with GPT-2's: on the story, and some hundred texts."""
    if not ("read_merges" in names and "Tokenizer" in names):
        return
    text = ""
    try:
        with tempfile.TemporaryDirectory() as folder:
            gpt2().save(path := Path(folder, "vocab.bpe"))
            tokenizer = names["Tokenizer"](names["read_merges"](path))
        for text in (*_TEXTS, load_story(), *_random_texts(300)):
            if remark := _difference(tokenizer, text):
                yield f"With GPT-2's merges, {remark}."
                return
    except Exception as error:
        at = f"{shown(text, 40)} raises" if text else "the file stops with"
        yield f"With GPT-2's merges, {at} {type(error).__name__}: {error}."


def _difference(tokenizer: Any, text: str) -> str | None:
    """Say where the ids of a text, or the text of ids, are not GPT-2's."""
    ids = gpt2().encode_ordinary(text)
    if (found := list(tokenizer.encode(text))) != ids:
        return f"{shown(text, 40)} becomes {shown(found)}, and GPT-2 has {shown(ids)}"
    for some in (ids, ids[1:]):  # the second may begin with a part of a character
        if (back := tokenizer.decode(some)) != (right := gpt2().decode(some)):
            return f"`decode` makes {shown(back, 40)} of {shown(some)}, GPT-2 {shown(right, 40)}"
    return None


def _random_texts(n: int) -> list[str]:
    """Draw characters that this Python knows, as a newer letter would be a sign to it."""
    draw = random.Random(0)
    known = [chr(c) for c in range(70_000) if unicodedata.name(chr(c), "")]
    known += 2000 * " \n'19azAZ"
    return ["".join(draw.choices(known, k=20)) for _ in range(n)]
