"""The exercises of the chapter `one-file`: right and wrong answers, and whole files."""

import subprocess
import sys
from pathlib import Path

import pytest
from answers import Wrong, tried

from workbook.__main__ import main

PATH = Path(__file__).parents[2] / "examples" / "one_file.py"
FILE = PATH.read_text(encoding="utf-8")


def changed(old: str, new: str) -> str:
    """Return the file with a fault."""
    assert FILE.count(old) == 1
    return FILE.replace(old, new)


RIGHT = [
    ("one-file.file", FILE),
    ("one-file.file", PATH),
    ("one-file.file", changed("\ndef softmax", '\nprint("hello")\n\n\ndef softmax')),
    ("one-file.file", changed("    text = Path(p", "    raise SystemExit\n    text = Path(p")),
]

WRONG: Wrong = [
    ("one-file.file", "", "9 to do"),
    ("one-file.file", 3, "Give the path of your file or its text, not 3."),
    ("one-file.file", "missing.py", "There is no file 'missing.py' here"),
    ("one-file.file", "a = 1\nb = (\n", "Python cannot read line 2 of the file: '(' was never"),
    ("one-file.file", "a = 1 / 0\n", "The file stops with ZeroDivisionError: division by zero."),
    ("one-file.file", changed("def embed(", "def _("), "`embed` is missing: see the chapter gpt2-"),
    ("one-file.file", changed("errors[target] -= 1 ", "errors[target] -= 0 "),
     "\n`step`: not yet. The error of the right answer is its probability minus 1"),
    ("one-file.file", changed("    return end - 1 if word_kind", "    return end if word_kind"),
     "\n`split`: not yet."),
    ("one-file.file", changed("tokens = join(tokens, min(known, key=self.ranks.get))",
                              "tokens = join(tokens, known[0])"),
     "1 to do, the rest is right:\nWith GPT-2's merges, "),
    ("one-file.file", changed('.decode(errors="replace")', '.decode(errors="ignore")'),
     "With GPT-2's merges, `decode` makes "),
    ("one-file.file", changed(".split()[2:]", ".split()[3:]"), "With GPT-2's merges, "),
    ("one-file.file", changed('"latin-1"', '"ascii"'),
     "With GPT-2's merges, the file stops with UnicodeEncodeError"),
]  # fmt: skip

test_answers = tried(RIGHT, WRONG)


def test_the_command_says_the_same_and_how_it_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(PATH)]) == 0
    assert capsys.readouterr().out == f"{PATH}: right.\n"
    (tmp_path / "mine.txt").write_text("", encoding="utf-8")  # of any name
    assert main([str(tmp_path / "mine.txt")]) == 1
    assert "`windows` is missing: see the chapter windows." in capsys.readouterr().out
    (tmp_path / "mine.py").write_bytes(b"caf\xe9 = 1")
    for path in ("mine.py", "missing.py", "."):
        assert main([str(tmp_path / path)]) == 2
        shown = capsys.readouterr()
        assert (shown.out, shown.err.count("\n")) == ("", 1)
    done = subprocess.run([sys.executable, "-m", "workbook"], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"usage: python -m workbook FILE" in done.stderr
