"""A model's tokenizer on the command line: ``python -m companion FOLDER ["a text"]``."""

import sys
from collections.abc import Sequence
from pathlib import Path

from companion.pipeline.files import TokenizerFiles
from companion.pipeline.inspection import findings

_USAGE = 'usage: python -m companion FOLDER ["a text"]; FOLDER may be a tokenizer.json too'
_TEXT = "Don't panic: it's 2026, café!"


def main(arguments: Sequence[str]) -> int:
    """Print what each stage makes of a text, and what is wrong; return 1 if there is a fault.

    It returns 2 if the files are those of no tokenizer, with one sentence on stderr.
    """
    if not 1 <= len(arguments) <= 2 or arguments[0].startswith("-"):
        print(_USAGE, file=sys.stderr)
        return 2
    path, text = Path(arguments[0]), (*arguments, _TEXT)[1]
    try:
        if not path.exists():
            fetch = f"; if it is a model's name on a hub, fetch its files first: hf download {path}"
            way_out = fetch if len(path.parts) < 3 and not path.is_absolute() else ""
            raise FileNotFoundError(f"{path} is not on this machine{way_out}")
        it = TokenizerFiles(path)
        found = findings(it)
    except (ValueError, OSError) as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    if it.pipeline is None:
        print(f"Pipeline does not read it: {it.refusal}")
    else:
        print(f"{it.file}: {it.pipeline.n_vocab:,} ids\n")
        stages = it.pipeline.stages(text)
        rows = {"text": repr(text), **{k: str(v) for k, v in stages._asdict().items()}}
        rows["decoded"] = repr(it.pipeline.decode(stages.ids))
        print("\n".join(f"{name:11} {row}" for name, row in rows.items()))
    for code, level, what, why, way_out in found:
        print(f"\n{level} {code}: {what}\n  {why}\n  {way_out}")
    print(f"\nfindings: {len(found)}")
    return int(any(each.level == "fault" for each in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
