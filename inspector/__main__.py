"""A model's tokenizer on the command line: ``python -m inspector FOLDER ["a text"]``."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path

from inspector.inspection import Report, report
from inspector.limits import within
from inspector.opened import Opened
from inspector.showing import visible
from inspector.verdict import facts, lines_of, summary

_TEXT = "Don't panic: it's 2026, café!"
_MANY = 100_000  # ids, whose inspection takes some seconds
_BUDGET = 8.0  # seconds for the text


def main(arguments: Sequence[str]) -> int:
    """Print the verdict, what is to be fixed, and a text as tokens; return 1 if there is a fault.

    It returns 2, with one sentence on stderr, if there is nothing to judge: no tokenizer, or files
    that cannot be read.
    """
    parser = ArgumentParser("python -m inspector", epilog="exit status 1: a fault, 2: unreadable")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="or a tokenizer.json")
    parser.add_argument("text", metavar="TEXT", nargs="?", default=_TEXT)
    flag = partial(parser.add_argument, action="store_true")
    flag("--notes", help="properties that many good tokenizers have")
    flag("--all", help="what was checked, and what was not")
    flag("--stages", help="what each stage makes of the text")
    given = parser.parse_args(arguments)
    path = given.folder
    try:
        if not path.exists():
            fetch = f"; if it is a model's name on a hub, fetch its files first: hf download {path}"
            fix = fetch if len(path.parts) < 3 and not path.is_absolute() else ""
            raise FileNotFoundError(f"{path} is not on this machine{fix}")
        it = Opened(path)
        if it.table.n_vocab > _MANY:
            print(f"inspecting {it.table.n_vocab:,} ids …", file=sys.stderr, flush=True)
        found = report(it)
        print(_printable("\n".join(_said(it, found, given))), flush=True)
    except BrokenPipeError:  # who reads has seen enough
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return 0
    except Exception as error:
        message = str(error) if isinstance(error, ValueError | OSError) else repr(error)
        print(_printable(message.strip()), file=sys.stderr)
        return 2
    return int(any(each.level == "fault" for each in found.findings))


def _printable(text: str) -> str:
    # Write characters that move a terminal's cursor, or that it has no sign for, by their code.
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def _said(it: Opened, found: Report, given: Namespace) -> Iterator[str]:
    yield summary(found)
    yield facts(it)
    if it.unasked:
        yield f"not checked, what transformers makes of it: {it.unasked}"
    if it.unread:
        yield f"not read, as a broken link or no regular file: {', '.join(it.unread)}"
    shown = [each for each in found.entries if each[0].level != "note" or given.notes]
    yield from [""] if shown else []
    for finding, seen in shown:
        yield from lines_of(finding, seen)
    yield ""
    yield from _stages(it, given.text, given.stages)
    if given.all:
        yield f"\nchecked, and nothing found: {', '.join(found.clean)}"
        yield "not checked:" + ("" if found.not_checked else " nothing")
        yield from (f"  {why}: {', '.join(codes)}" for why, codes in found.not_checked.items())


def _stages(it: Opened, text: str, all_of_them: bool) -> Iterator[str]:
    if it.read is None:
        yield f"Pipeline does not read it: {it.refusal}"
        return
    yield f"text     {text!r}"
    try:
        with within(_BUDGET):
            stages, whole = it.read.stages(text), it.read.encode_pair(text)
            back = it.read.decode(whole.ids, skip_special_tokens=True)
    except TimeoutError as error:
        yield f"         {error}"
        return
    if all_of_them:
        yield f"normal.  {stages.normalized}"
        yield f"pieces   {stages.pre_tokens}"
    yield f"tokens   {' '.join(visible(token, 200)[1:-1] for token in whole.tokens)}"
    yield f"ids      {' '.join(map(str, whole.ids))}"
    yield "decoded  " + ("the same text" if back == text else repr(back))


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what its encoding lacks
    sys.exit(main(sys.argv[1:]))
