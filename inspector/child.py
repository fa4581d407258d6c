"""What transformers makes of folders: a program that runs beside, and is ended if it hangs.

It reads a line of JSON for each folder and writes one. `inspector.library` starts it as a file, so
it imports nothing of this package.
"""

import json
import os
import sys
from typing import Any


def answer(auto: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Return what the class of a folder is, and the ids that it gives to texts."""
    offline = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = auto.from_pretrained(request["folder"], **offline)
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
