"""The installed transformers, asked in a process of its own what it makes of a folder."""

import atexit
import json
import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from inspector.check import NotChecked

_START, _BUDGET = 60.0, 10.0  # seconds for the import, and for a folder
_LONGEST = 1_000  # texts, of which the ids are asked for
_QUIET = {
    "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false", "CUDA_VISIBLE_DEVICES": "", "PYTHONIOENCODING": "utf-8",
}  # fmt: skip


class Answer(NamedTuple):
    """What `AutoTokenizer` makes of a folder: its class, ids of texts, tokens that it added."""

    version: str
    name: str
    ids: list[list[int]]
    marker_ids: list[list[int]]
    added: dict[str, int]
    specials: dict[str, str]
    file: str | None


def ask(
    folder: Path,
    *,
    texts: tuple[str, ...] = (),
    markers: tuple[str, ...] = (),
    wants_file: bool = False,
) -> Answer:
    """Ask what `AutoTokenizer` makes of a folder.

    Nothing is fetched and no code of the folder is run. `NotChecked` says why there is no answer.
    """
    if reason := _missing():
        raise NotChecked(reason)
    request = {
        "folder": str(folder.resolve()), "texts": texts, "markers": markers[:_LONGEST],
        "wants_file": wants_file,
    }  # fmt: skip
    with _LOCK:
        try:
            child = _running()
            if not _RUNNING["version"]:
                _RUNNING["version"] = _line(child, _START)["version"]
            child.stdin.write(json.dumps(request) + "\n")
            child.stdin.flush()
            found = _line(child, _BUDGET)
        except OSError as error:
            end()
            raise NotChecked(f"transformers ended: {error}") from None
        except BaseException:  # an alarm or a key, too: what it says later would answer the next
            end()
            raise
    if "error" in found:
        raise NotChecked(f"transformers {_RUNNING['version']} says: {found['error']}")
    return Answer(_RUNNING["version"], **found)


_LOCK = threading.Lock()
_RUNNING: dict[str, Any] = {}  # the process, kept for several folders


def _missing() -> str:
    """Say what is missing for asking, or nothing."""
    if sys.platform == "emscripten":
        return "on your own computer, beside transformers: python -m inspector FOLDER"
    return "" if find_spec("transformers") else "it needs transformers: pip install transformers"


def _running() -> Any:
    if _RUNNING.get("of") != os.getpid():
        pipes: Any = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
        child = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("child.py"))],
            stderr=subprocess.DEVNULL, encoding="utf-8", env=os.environ | _QUIET, **pipes,
        )  # fmt: skip
        _RUNNING.update({"child": child, "of": os.getpid(), "version": ""})
    return _RUNNING["child"]


def _line(child: Any, seconds: float) -> dict[str, Any]:
    """Read an answer; a process that takes too long is ended."""
    timer = threading.Timer(seconds, child.kill)
    timer.start()
    try:
        line = child.stdout.readline()
    finally:
        timer.cancel()
    if not line:
        raise NotChecked(f"transformers ended, or took longer than {seconds:g} seconds")
    found: dict[str, Any] = json.loads(line)
    return found


@atexit.register
def end() -> None:
    """End the process, if it runs."""
    if _RUNNING.pop("of", None) == os.getpid():
        child = _RUNNING.pop("child")
        child.kill()
        child.communicate()
