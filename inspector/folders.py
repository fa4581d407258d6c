"""Which files of a folder hold its tokenizer, and what older ones say with their class."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.bpe.merges_file import numbered_merges
from companion.checks import shortened
from companion.files import bundled_json, kind_of, text_of
from companion.wordpiece import WordPieceTokenizer
from inspector.classes import class_of, named, with_stages
from inspector.parts import Part, field

SPECIALS = [f"{name}_token" for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")]


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
        return path / "vocab.json", _older(path / "vocab.json", _merging(path), "GPT2Tokenizer")
    if "vocab.txt" in names:
        return path / "vocab.txt", _older(path / "vocab.txt", _pieces(path), "BertTokenizer")
    for file in (each for each in sorted(path.iterdir()) if each.is_file()):
        with open(file, "rb") as opened:
            kind = kind_of(opened.read(4096))
        if (kind and kind.name == "a SentencePiece model") or file.name == "tokenizer.model":
            what = kind.name if kind else "a model of another kind"
            raise ValueError(f"{file} is {what}; {_convert(path)}")
    if not names:
        raise ValueError(f"{path} is empty; put a tokenizer.json into it")
    raise ValueError(
        f"{path} holds no tokenizer.json, no vocab.json with merges.txt and no vocab.txt, but "
        f"{shortened(sorted(names))}"
    )


def _convert(folder: Path) -> str:
    """Say how transformers writes a `tokenizer.json` into a folder."""
    files = beside(folder / "tokenizer.json", "config"), settings_of(folder / "tokenizer.json")[0]
    is_named = any(each.get("model_type") or each.get("tokenizer_class") for each in files)
    first = (
        "put the model's config.json and tokenizer_config.json beside it, which name its class "
        "(without one, transformers guesses, and may give other ids); then "
    )
    return (
        f"{'' if is_named else first}let transformers write a tokenizer.json (for a SentencePiece "
        "model, with the packages sentencepiece and protobuf):\n"
        "    from transformers import AutoTokenizer\n"
        f"    AutoTokenizer.from_pretrained({str(folder)!r}).save_pretrained({str(folder)!r})"
    )


def _merging(folder: Path) -> dict[str, Any]:
    """Return the model of a `vocab.json` and the merges beside it."""
    vocab = read_json(folder / "vocab.json", "a vocab.json")
    text = text_of(folder / "merges.txt", "a file of merges", "an empty file")
    merges = [line for _, line in numbered_merges(text)]
    if foreign := {*"".join(merges)} - {*BYTE_TO_UNICODE.values(), " "}:
        what = f"{folder / 'merges.txt'} holds {min(foreign)!r}, which no merge of bytes has"
        raise ValueError(f"{what}; {_convert(folder)}")
    return {"type": "BPE", "vocab": vocab, "merges": merges}


def _pieces(folder: Path) -> dict[str, Any]:
    """Return the model of a `vocab.txt`."""
    if "[UNK]" not in text_of(folder / "vocab.txt", "a vocab.txt", "an empty file").split():
        raise ValueError(
            f"{folder / 'vocab.txt'} has no '[UNK]', so it is not BERT's but a list of another "
            "program, such as the amino acids of ESM; read it with the class that the model's page "
            "names: there are no stages for it here"
        )
    return {"type": "WordPiece", "vocab": WordPieceTokenizer.load(folder / "vocab.txt").vocab}


def _older(file: Path, model: dict[str, Any], usual: str) -> dict[str, Any]:
    """Return the stages of the class that the folder names, or of the usual one."""
    config, _ = settings_of(file)
    entry = class_of(config, beside(file, "config"))
    defaults = entry.get("defaults", {})
    if not entry or entry["stages"]["model"]["type"] != model["type"]:
        entry = bundled_json("transformers-classes.json")["classes"][usual]
        defaults = {k: v for k, v in entry["defaults"].items() if v in model["vocab"]}
    is_marked = any(merge.endswith("</w>") for merge in model.get("merges", []))
    if is_marked and "</w>" not in entry["stages"]["model"].values():
        what = f"{file.with_name('merges.txt')} holds '</w>', and these stages know no such sign"
        raise ValueError(f"{what}; {_convert(file.parent)}")
    # 1. The ids of added tokens: those of the vocabulary, or the next free ones.
    ids, added = dict(model["vocab"]), []
    for token in _added(file, config, defaults):
        ids.setdefault(field(token, "content", str), len(ids))
        added.append({"id": ids[token["content"]], **token})
    # 2. The stages of the class.
    content = with_stages({"model": model, "added_tokens": added}, entry, config, ids)
    # 3. A class that writes nothing around a text may be told to.
    bos, eos = (
        named(config, name, entry["defaults"].get(name))
        if config.get(f"add_{name}") is True
        else ""
        for name in ("bos_token", "eos_token")
    )
    if (bos or eos) and "post_processor" not in entry["stages"]:
        content["post_processor"] = _around(bos, eos, ids)
    return content


def _around(bos: str, eos: str, ids: dict[str, int]) -> dict[str, Any]:
    """Return the template that writes BOS before each text, or EOS after it, or both."""

    def items(text: str, segment_id: int) -> list[Any]:
        kinds = ("SpecialToken", bos), ("Sequence", text), ("SpecialToken", eos)
        return [{kind: {"id": name, "type_id": segment_id}} for kind, name in kinds if name]

    specials = {token: {"ids": [ids[token]], "tokens": [token]} for token in (bos, eos) if token}
    layout = {"single": items("A", 0), "pair": items("A", 0) + items("B", 1)}
    return {"type": "TemplateProcessing", **layout, "special_tokens": specials}


def _added(file: Path, config: Part, defaults: Part) -> Iterator[dict[str, Any]]:
    """Yield the added tokens of an older folder, each once, in the order of transformers."""
    off = dict.fromkeys(("normalized", "lstrip", "rstrip", "single_word"), False)
    values = [config.get(name, defaults.get(name)) for name in SPECIALS]
    extra = config.get("extra_special_tokens") or config.get("additional_special_tokens") or []
    values += extra.values() if isinstance(extra, dict) else extra
    specials = [each if isinstance(each, dict) else {"content": each} for each in values if each]
    names = {token.get("content") for token in specials}
    # 1. Those with ids: from the settings, or an older file, which does not say how one is found.
    if "added_tokens_decoder" in config:
        listed = field(config, "added_tokens_decoder", dict)
        if not all(name.isdecimal() and isinstance(listed[name], dict) for name in listed):
            raise ValueError(f"{file}: 'added_tokens_decoder' must map ids to added tokens")
        tokens = [{**token, "id": int(i)} for i, token in listed.items()]
    else:
        tokens = [
            {**off, "content": token, "id": i, "special": token in names,
             "normalized": token not in names}
            for token, i in beside(file, "added_tokens").items()
        ]  # fmt: skip
    # 2. The special tokens by name.
    tokens = sorted(tokens, key=lambda token: token["id"])
    tokens += [{**off, **token, "special": True} for token in specials]
    seen: set[object] = set()
    for token in tokens:
        if token.get("content") not in seen:
            yield token
        seen.add(token.get("content"))


def read_json(path: Path, wanted: str, *also: str) -> dict[str, Any]:
    """Return the object that a JSON file holds; no name in it may occur twice."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is no regular file")
    text = text_of(path, wanted, "JSON", *also)
    try:
        content = json.loads(text, object_pairs_hook=_unique)
        json.dumps(content, ensure_ascii=False).encode() if "\\ud" in text.lower() else None
    except json.JSONDecodeError as error:
        where = f"at line {error.lineno}, column {error.colno}: {error.msg}"
        fix = "correct that line, or copy the file again"
        raise ValueError(f"{path} is not valid JSON {where}; {fix}") from None
    except (RecursionError, ValueError) as error:
        raise ValueError(f"{path} is no JSON of a tokenizer: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds {shortened(content)}, not a JSON object")
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name!r} has several values, {shortened([found[name], value])}")
        found[name] = value
    return found


def beside(file: Path, name: str) -> dict[str, Any]:
    """Return what a file of settings beside another holds; nothing if there is none."""
    path, kinds = file.with_name(f"{name}.json"), ("a tokenizer.json", "a vocab.json")
    return read_json(path, f"a {name}", *kinds) if path.is_file() else {}


def settings_of(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of a tokenizer, and those of them that an older file has."""
    config = beside(file, "tokenizer_config")
    # The older file counts, unless the newer one has this list.
    older = {} if "added_tokens_decoder" in config else beside(file, "special_tokens_map")
    return config | older, older
