"""A model's tokenizer on the command line: ``python -m inspector FOLDER ["a text"]``."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path

from inspector.files import TokenizerFiles
from inspector.inspection import Report, report
from inspector.limits import within

_USAGE = 'usage: python -m inspector FOLDER ["a text"]; FOLDER may be a tokenizer.json too'
_TEXT = "Don't panic: it's 2026, café!"
_BUDGET = 10.0  # seconds for the stages of the text
_MANY = 100_000  # ids, whose inspection takes some seconds


def main(arguments: Sequence[str]) -> int:
    """Print what each stage makes of a text, and what is wrong; return 1 if there is a fault.

    It returns 2, with one sentence on stderr, if there is nothing to judge: no tokenizer, or files
    that cannot be read.
    """
    if arguments and arguments[0] in ("-h", "--help"):
        print(_USAGE)
        return 0
    if not 1 <= len(arguments) <= 2 or arguments[0][:1] in ("", "-"):
        print(_USAGE, file=sys.stderr)
        return 2
    path, text = Path(arguments[0]), (*arguments, _TEXT)[1]
    try:
        if not path.exists():
            fetch = f"; if it is a model's name on a hub, fetch its files first: hf download {path}"
            fix = fetch if len(path.parts) < 3 and not path.is_absolute() else ""
            raise FileNotFoundError(f"{path} is not on this machine{fix}")
        files = TokenizerFiles(path)
        if files.pipeline and files.pipeline.n_vocab > _MANY:
            print(f"inspecting {files.pipeline.n_vocab:,} ids …", file=sys.stderr, flush=True)
        found = report(files)
        with within(_BUDGET):
            stages = [*_stages(files, text)]
        print(_printable("\n".join([*stages, *_said(found, files.unread)])), flush=True)
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
    """Write characters that move a terminal's cursor, or that it has no sign for, by their code."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def _stages(files: TokenizerFiles, text: str) -> Iterator[str]:
    if files.pipeline is None:
        yield f"Pipeline does not read it: {files.refusal}"
        return
    yield f"{files.file}: {files.pipeline.n_vocab:,} ids\n"
    stages = files.pipeline.stages(text)
    rows = {"text": repr(text), **{k: str(v) for k, v in stages._asdict().items()}}
    rows["decoded"] = repr(files.pipeline.decode(stages.ids))
    yield from (f"{name:11} {row}" for name, row in rows.items())


def _said(found: Report, unread: Sequence[str]) -> Iterator[str]:
    parts = found.parts()
    for title, those in parts.items():
        yield f"\n{title}: {len(those)}"
        for each in those:
            yield f"\n{each.level} {each.code}: {each.what}"
            yield f"  why: {each.why}"
            yield f"  fix: {each.way_out}"
    yield f"\nChecked, and nothing found: {', '.join(found.clean)}"
    if unread:
        yield f"\nNot read, as a broken link or no regular file: {', '.join(unread)}"
    yield "\nNot checked:" + ("" if found.not_checked else " nothing")
    yield from (f"  {why}: {', '.join(codes)}" for why, codes in found.not_checked.items())
    levels = Counter(each.level for each in parts["To fix"])
    faults, risks = (f"{levels[e]} {e}{'s' * (levels[e] != 1)}" for e in ("fault", "risk"))
    yield f"\n{faults}, {risks}; exit status {int(levels['fault'] > 0)}"


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what its encoding lacks
    sys.exit(main(sys.argv[1:]))
