"""What transformers makes of folders: a program that runs beside, and is ended if it hangs.

It reads a line of JSON for each folder and writes one. `inspector.library` starts it as a file, so
it imports nothing of this package.
"""

import json
import os
import shutil
import sys
from tempfile import TemporaryDirectory
from typing import Any

_COPIED = (".json", ".txt", ".model", ".jinja")


def loaded(auto: Any, folder: str, settings: dict[str, Any]) -> Any:
    """Load the tokenizer of a folder, or of a copy of it with other settings."""
    if not settings:
        return auto.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    with TemporaryDirectory() as copy:
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name.endswith(_COPIED) and os.path.isfile(path):
                shutil.copy(path, copy)
        changed = os.path.join(copy, "tokenizer_config.json")
        there: dict[str, Any] = {}
        if os.path.exists(changed):
            with open(changed, encoding="utf-8") as file:
                there = json.load(file)
        with open(changed, "w", encoding="utf-8") as file:
            json.dump(there | settings, file)
        return loaded(auto, copy, {})


def answer(auto: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Return what the class of a folder is, and the ids that it gives to texts."""
    tokenizer = loaded(auto, request["folder"], request["settings"])
    markers = (tokenizer(text, add_special_tokens=False) for text in request["markers"])
    found = {
        "name": type(tokenizer).__name__,
        "ids": [tokenizer(text)["input_ids"] for text in request["texts"]],
        "marker_ids": [each["input_ids"] for each in markers],
        "added": tokenizer.get_added_vocab(),
        "specials": {k: str(v) for k, v in tokenizer.special_tokens_map.items()},
        "file": None,
    }
    if request["wants_file"]:
        found["file"] = tokenizer.backend_tokenizer.to_str()
    return found


def main() -> None:
    """Answer until there is no line more; what others print goes to stderr."""
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(what: dict[str, Any]) -> None:
        lines.write(json.dumps(what) + "\n")
        lines.flush()

    from transformers import AutoTokenizer, __version__

    say({"version": __version__})
    for line in sys.stdin:
        try:
            say(answer(AutoTokenizer, json.loads(line)))
        except Exception as error:
            said = " ".join(str(error).split()) or repr(error)
            say({"error": said[:200]})


if __name__ == "__main__":
    main()
