"""JSON files of a folder, and the settings that they hold."""

import json
import re
from pathlib import Path
from typing import Any

from companion.checks import shortened
from companion.files import text_of

SPECIALS = [f"{name}_token" for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")]
_LISTS = {  # what other programs write, by the form of their lines
    r"\S+ \d+": "a list of words with their counts, as the dict.txt of fairseq; its ids count from "
    "the special tokens of that program on: read it with fairseq",
    r"\S+ \S+": "a list of merges, as subword-nmt writes; read it with that program, or let "
    "transformers write a tokenizer.json for the model's class",
    r"\S+": "a list with a token a line; if it is BERT's (it has [UNK]), name it vocab.txt and "
    "open its folder, else read it with the class that the model's page names",
}


def read_json(path: Path, wanted: str, *also: str) -> dict[str, Any]:
    """Return the object that a JSON file holds."""
    text = text_of(path, wanted, "JSON", *also)
    try:
        content = json.loads(text)
        json.dumps(content, ensure_ascii=False).encode() if "\\ud" in text.lower() else None
    except json.JSONDecodeError as error:
        for lines, what in _LISTS.items() if error.pos == 0 else ():
            if re.match(rf"(?:{lines}\r?\n){{3}}", text):
                raise ValueError(f"{path} is {what}") from None
        where = f"at line {error.lineno}, column {error.colno}: {error.msg}"
        fix = "correct that line, or copy the file again"
        raise ValueError(f"{path} is not valid JSON {where}; {fix}") from None
    except (RecursionError, ValueError) as error:
        raise ValueError(f"{path} is no JSON of a tokenizer: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds {shortened(content)}, not a JSON object")
    return content


def beside(file: Path, name: str) -> dict[str, Any]:
    """Return what a file of settings beside another holds; nothing if there is none."""
    path, kinds = file.with_name(f"{name}.json"), ("a tokenizer.json", "a vocab.json")
    return read_json(path, f"a {name}", *kinds) if path.is_file() else {}


def content_of(token: object) -> str:
    """Return the text of a token, which a file may write with its switches; "" if it is none."""
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else ""


class Settings:
    """What the files beside a tokenizer say of it, and of its model."""

    def __init__(self, file: Path) -> None:
        self.file = file
        config = beside(file, "tokenizer_config")
        #: What an older file says counts, unless the newer one has this list.
        self.older = {} if "added_tokens_decoder" in config else beside(file, "special_tokens_map")
        self.config = config | self.older
        self.model_config = beside(file, "config")
        #: The class of the tokenizer, or the type of its model.
        names = [*map(self.model_config.get, ("tokenizer_class", "model_type"))]
        names = [self.config.get("tokenizer_class"), *names]
        name = next((each for each in names if each and isinstance(each, str)), "")
        self.named_class = name.removesuffix("Fast")
        #: The special tokens beside those with a name of their own.
        extra = map(self.config.get, ("extra_special_tokens", "additional_special_tokens"))
        self.extra = values(next(filter(None, extra), []))
        #: The added tokens by their ids.
        rows = self.config.get("added_tokens_decoder")
        pairs = rows.items() if isinstance(rows, dict) else []
        self.listed = {int(i): t for i, t in pairs if i.isdecimal() and isinstance(t, dict)}


def values(tokens: object) -> list[Any]:
    """Return tokens of a list, or of an object with a name for each."""
    found = [*tokens.values()] if isinstance(tokens, dict) else tokens
    return found if isinstance(found, list) else []
