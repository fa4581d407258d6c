"""What transformers makes of a folder: a program that runs beside, and ends itself if it hangs.

`inspector.library` starts it as a file, so it imports nothing of this package.
"""

import faulthandler
import json
import sys
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the class of a folder's tokenizer, and the ids that it gives to texts."""
    from transformers import AutoTokenizer, __version__

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(
            request["folder"], local_files_only=True, trust_remote_code=False
        )
        markers = (tokenizer(text, add_special_tokens=False) for text in request["markers"])
        return {
            "version": __version__,
            "name": type(tokenizer).__name__,
            "ids": [tokenizer(text)["input_ids"] for text in request["texts"]],
            "marker_ids": [each["input_ids"] for each in markers],
            "added": tokenizer.get_added_vocab(),
            "specials": {k: str(v) for k, v in tokenizer.special_tokens_map.items()},
            "file": tokenizer.backend_tokenizer.to_str() if request["wants_file"] else "",
        }
    except Exception as error:
        said = " ".join(str(error).split()) or repr(error)
        return {"error": f"transformers {__version__} says: {said[:200]}"}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    # The import takes its time, which is no fault of the folder.
    from transformers import AutoTokenizer  # noqa: F401

    faulthandler.dump_traceback_later(asked["seconds"], exit=True)
    print("", json.dumps(answer(asked)), sep="\n")
