"""JSON files of a folder, and the settings that they hold."""

import json
import re
from pathlib import Path
from typing import Any

from companion.checks import shortened
from companion.files import text_of
from inspector.parts import Part

SPECIALS = [f"{name}_token" for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")]
_MOST_DIGITS = 40
_LISTS = {  # what other programs write, by the form of their lines
    r"\S+ \d+": "a list of words with their counts, as the dict.txt of fairseq; its ids count from "
    "the special tokens of that program on: read it with fairseq",
    r"\S+ \S+": "a list of merges, as subword-nmt writes; read it with that program, or let "
    "transformers write a tokenizer.json for the model's class",
    r"\S+": "a list with a token a line; if it is BERT's (it has [UNK]), name it vocab.txt and "
    "open its folder, else read it with the class that the model's page names",
}


def read_json(path: Path, wanted: str, *also: str) -> dict[str, Any]:
    """Return the object that a JSON file holds; no name in it may occur twice."""
    text = text_of(path, wanted, "JSON", *also)
    try:
        content = loaded(text)
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


def loaded(text: str | bytes) -> Any:
    """Return what JSON holds that has no name twice, and no number that none would write."""
    return json.loads(text, object_pairs_hook=_unique, parse_int=_short)


def _short(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"it has a number of {len(digits):,} digits; copy the file again")
    return int(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            raise ValueError(f"{name!r} has several values, {shortened([found[name], value])}")
        found[name] = value
    return found


def beside(file: Path, name: str) -> dict[str, Any]:
    """Return what a file of settings beside another holds; nothing if there is none."""
    path, kinds = file.with_name(f"{name}.json"), ("a tokenizer.json", "a vocab.json")
    return read_json(path, f"a {name}", *kinds) if path.is_file() else {}


def content_of(token: object) -> str:
    """Return the text of a token, which a file may write with its switches; "" if it is none."""
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else ""


def class_named(config: Part, model_config: Part) -> str:
    """Return the class of a tokenizer that the settings name, or the type of its model."""
    names = (config.get("tokenizer_class"), model_config.get("tokenizer_class"),
             model_config.get("model_type"))  # fmt: skip
    name = next((each for each in names if each and isinstance(each, str)), "")
    return name.removesuffix("Fast")


def settings_of(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of a tokenizer, and those of them that an older file has."""
    config = beside(file, "tokenizer_config")
    # The older file counts, unless the newer one has this list.
    older = {} if "added_tokens_decoder" in config else beside(file, "special_tokens_map")
    return config | older, older
