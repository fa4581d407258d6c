"""Open a tokenizer, and say what each stage makes of a text; worker.js calls this in the page.

What a function returns is JSON. A `slot` is 0, or 1 for a second tokenizer to compare with.
"""

import functools
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import companion
from companion.bpe import gpt2, o200k
from inspector.inspection import report
from inspector.opened import Opened
from inspector.verdict import facts, summary

SHOWN = 300
"""How many pieces of a row are shown."""
COMPARED = 1000
"""In how many characters of a text the changes are marked."""
FULL = "Python in this browser has no memory left for it"

_opened: dict[int, Opened] = {}
_ids: dict[int, list[int]] = {}


def write_own(name: str, folder: str) -> None:
    """Write files of a tokenizer that the package has: gpt2, o200k or bert."""
    data, path = Path(companion.__path__[0], "data"), Path(folder)
    if name == "bert":
        shutil.copy(data / "bert-base-uncased-vocab.txt", path / "vocab.txt")
    else:
        (gpt2() if name == "gpt2" else o200k()).save_tokenizer_json(path / "tokenizer.json")


def _told(answer: Callable[..., dict[str, Any]]) -> Callable[..., str]:
    """Return what a function says as JSON, and an error of a stranger's file as a sentence."""

    @functools.wraps(answer)
    def tell(*values: Any) -> str:
        try:
            return json.dumps(answer(*values))
        except MemoryError:
            message = FULL
        except Exception as error:
            message = str(error) or repr(error)
        return json.dumps({"error": message, "refusal": message})

    return tell


@_told
def open_files(slot: int, folder: str, name: str) -> dict[str, Any]:
    """Read the files of a folder, or its file of this name."""
    os.chdir(Path(folder).parent)  # errors name the reader's folder, and nothing above it
    _opened[slot] = it = Opened(Path(Path(folder).name, name))
    n_ids = it.read.n_vocab if it.read else None
    return {"file": str(it.file), "n_ids": n_ids, "refusal": it.refusal}


def close(slot: int) -> None:
    """Forget what is in a slot, and remove its files."""
    _opened.pop(slot, None)
    _ids.pop(slot, None)
    shutil.rmtree(f"/opened/{slot}", ignore_errors=True)


@_told
def inspect(slot: int) -> dict[str, Any]:
    """Return what is wrong with the tokenizer in a slot."""
    it = _opened[slot]
    found = report(it)
    counts = re.sub(r" \(--\w+\)", "", summary(found))  # flags of the command
    findings = [
        {**finding._asdict(), "changes": [each.short() for each in seen.changes], "fix": seen.fix}
        for finding, seen in found.entries
    ]
    return {
        "verdict": counts.partition(":")[0], "counts": counts, "facts": facts(it),
        "findings": findings, "clean": found.clean, "not_checked": found.not_checked,
        "unread": it.unread,
    }  # fmt: skip


@_told
def encode(slot: int, text: str) -> dict[str, Any]:
    """Return what each stage of the tokenizer in a slot makes of a text."""
    pipeline = _opened[slot].pipeline
    stages, whole = pipeline.stages(text), pipeline.encode_pair(text)
    _ids[slot] = ids = whole.ids
    n = len(stages.tokens)
    starts = range(len(ids) - n + 1)
    start = next((i for i in starts if whole.tokens[i : i + n] == stages.tokens), 0)
    shown = [
        {"id": token_id, "added": None if start <= i < start + n else token}
        for i, (token_id, token) in enumerate(zip(ids[:SHOWN], whole.tokens, strict=False))
    ]
    tokens = [
        {"text": token, "special": token_id in pipeline.added_tokens}
        for token, token_id in zip(stages.tokens[:SHOWN], ids[start:], strict=False)
    ]
    back = pipeline.decode(ids, skip_special_tokens=True)
    return {
        "normalized": _marked(text, "".join(stages.normalized)),
        "pre_tokens": {"n": len(stages.pre_tokens), "shown": stages.pre_tokens[:SHOWN]},
        "tokens": {"n": n, "shown": tokens},
        "ids": {"n": len(ids), "shown": shown},
        "decoded": pipeline.decode(ids)[:COMPARED],
        "back": _marked(text, back),
    }


def difference() -> str:
    """Return where the ids of the two tokenizers differ first, or null if they are equal."""
    first, second = _ids[0], _ids[1]
    pairs = enumerate(zip(first, second, strict=False))
    at = next((i for i, (one, other) in pairs if one != other), min(len(first), len(second)))
    return json.dumps({"at": None if first == second else at, "n": [len(first), len(second)]})


def _marked(old: str, new: str) -> dict[str, object]:
    """Return the pieces of two texts, and how much of the new one is left out."""
    pieces = list(changes(old[:COMPARED], new[:COMPARED]))
    left_out = max(len(old), len(new)) - COMPARED
    return {"same": old == new, "pieces": pieces, "left_out": max(left_out, 0)}


def changes(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Cut two texts into pieces that are the same in both, and pieces that differ."""
    if old == new:
        yield old, new
        return
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for _, i, j, k, m in matcher.get_opcodes():
        yield old[i:j], new[k:m]
