"""The installed transformers, asked in a process of its own what it makes of a folder."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from inspector.check import NotChecked

_BUDGET, _WHOLE = 10.0, 70.0  # seconds for a folder, and with the import
_LONGEST = 1_000  # texts, of which the ids are asked for
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "PYTHONIOENCODING": "utf-8"}


class Answer(NamedTuple):
    """What `AutoTokenizer` makes of a folder: its class, ids of texts, tokens that it added."""

    version: str
    name: str
    ids: list[list[int]]
    marker_ids: list[list[int]]
    added: dict[str, int]
    specials: dict[str, str]
    file: str


def ask(
    folder: Path, texts: Sequence[str] = (), markers: Sequence[str] = (), wants_file: bool = False
) -> Answer:
    """Ask what `AutoTokenizer` makes of a folder.

    Nothing is fetched and no code of the folder is run. `NotChecked` says why there is no answer.
    """
    if sys.platform == "emscripten":
        raise NotChecked("on your own computer, beside transformers: python -m inspector FOLDER")
    if not find_spec("transformers"):
        raise NotChecked("it needs transformers: pip install transformers")
    request = {
        "folder": str(folder.resolve()), "texts": texts, "markers": markers[:_LONGEST],
        "wants_file": wants_file, "seconds": _BUDGET,
    }  # fmt: skip
    found = _answered(request)
    if "error" in found:
        raise NotChecked(found["error"])
    return Answer(**found)


def _answered(request: dict[str, Any]) -> dict[str, Any]:
    child = [sys.executable, "-P", str(Path(__file__).with_name("child.py"))]
    try:
        done = subprocess.run(
            child, input=json.dumps(request), capture_output=True, check=True, timeout=_WHOLE,
            encoding="utf-8", env=os.environ | _OFFLINE,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        late = f"transformers ended, or took longer than {request['seconds']:g} seconds"
        raise NotChecked(late) from None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
