"""Which files of a folder hold its tokenizer, and how they are read; none of them is run."""

import os
from pathlib import Path
from typing import Any

from companion.checks import shortened
from companion.files import kind_of
from inspector.older import convert, merging, pieces
from inspector.settings import read_json

# Files that hold a tokenizer in another form, by their names where nothing else tells.
_OTHERS = {"tekken.json": "a file of Mistral's Tekken"}
_NAMED = {
    "a file of tiktoken's ranks": "let transformers write a tokenizer.json, with the package "
    "tiktoken and the model's config.json beside it, or take one from the model's page",
    "a file of Mistral's Tekken": "take the tokenizer.json of the same model in the form of "
    "transformers, or read it with the package mistral-common",
    "a GGUF file": "",
}


def read(path: str | os.PathLike[str]) -> tuple[Path, dict[str, Any]]:
    """Return the file that was read, and what a `tokenizer.json` with the same meaning holds."""
    path = Path(path)
    names = {each.name for each in path.iterdir()} if path.is_dir() else set()
    needed = {"tokenizer.json"} & names or {"vocab.json", "merges.txt", "vocab.txt"} & names
    for link in (path / name for name in sorted(needed)):
        if not link.exists():
            raise ValueError(
                f"{link} is a broken link (to {os.readlink(link)}); put the file itself there"
            )
    if not path.is_dir() or "tokenizer.json" in names:
        file = path / "tokenizer.json" if names else path
        content = read_json(file, "a tokenizer.json")
        if not isinstance(content.get("model"), dict):
            raise ValueError(f"{file} has no 'model', so it is no tokenizer.json; choose another")
        return file, content
    if {"vocab.json", "merges.txt"} <= names:
        return path / "vocab.json", merging(path)
    if "vocab.txt" in names:
        return path / "vocab.txt", pieces(path)
    if not names:
        raise ValueError(f"{path} is empty; put a tokenizer.json into it")
    for file in (each for each in sorted(path.iterdir()) if each.is_file()):
        with open(file, "rb") as opened:
            kind = kind_of(opened.read(4096))
        name = _OTHERS.get(file.name) or (kind.name if kind else "")
        if name == "a SentencePiece model" or file.name.startswith("tokenizer.model"):
            raise ValueError(f"{file} is {name or 'a model of another kind'}; {convert(path)}")
        if name in _NAMED:
            fix = _NAMED[name] or (kind.fix if kind else "")
            raise ValueError(f"{path} has no tokenizer.json; its {file.name} is {name}: {fix}")
    raise ValueError(
        f"{path} holds no tokenizer.json, no vocab.json with merges.txt and no vocab.txt, but "
        f"{shortened(sorted(names))}"
    )
