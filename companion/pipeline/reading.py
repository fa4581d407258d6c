"""Files of a tokenizer: a `tokenizer.json`, or the older ones that say the same in pieces."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companion._checks import shortened
from companion._filekinds import JSON, MERGES, TOKENIZER_JSON, VOCAB_JSON, kind_of, text_of
from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.wordpiece import WordPieceTokenizer

_CONVERT = (
    "let transformers write a tokenizer.json:\n"
    "    from transformers import AutoTokenizer\n"
    "    AutoTokenizer.from_pretrained({0!r}).save_pretrained({0!r})"
)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Path]:
    """Return what a `tokenizer.json` holds, or would hold for a folder's older files; and which."""
    path = Path(path)
    if not path.is_dir():
        return _tokenizer_json(path), path
    names = {each.name for each in path.iterdir()}
    if "tokenizer.json" in names:
        return _tokenizer_json(path / "tokenizer.json"), path / "tokenizer.json"
    if {"vocab.json", "merges.txt"} <= names:
        return _gpt2(path), path / "vocab.json"
    if "vocab.txt" in names:
        return _bert(path), path / "vocab.txt"
    if "tokenizer.model" in names:
        kind = kind_of((path / "tokenizer.model").read_bytes()[:4096])
        what = f", which is {kind.name}" if kind else ""
        raise ValueError(f"{path} holds only tokenizer.model{what}; {_CONVERT.format(str(path))}")
    raise ValueError(
        f"{path} holds no tokenizer.json, no vocab.json with merges.txt and no vocab.txt, only "
        f"{shortened(sorted(names))}"
    )


def read_json(path: Path, *kinds: Any) -> dict[str, Any]:
    """Return the object that a JSON file holds; no name in it may occur twice."""

    def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: dict[str, Any] = {}
            for name, value in pairs:
                if name in seen:
                    raise ValueError(
                        f"{path}: {name!r} has two values, {shortened(seen[name])} and "
                        f"{shortened(value)}; leave one of them out"
                    )
                seen[name] = value
        return found

    text = text_of(path, kinds or (JSON, TOKENIZER_JSON, VOCAB_JSON), "a tokenizer.json")
    try:
        content = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no complete JSON: {error}; copy the file again") from None
    except RecursionError:
        raise ValueError(f"{path} is nested too deeply for a file of a tokenizer") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds {shortened(content)}, not a JSON object")
    return content


def _tokenizer_json(path: Path) -> dict[str, Any]:
    content = read_json(path, TOKENIZER_JSON, JSON)
    if not isinstance(content.get("model"), dict):
        raise ValueError(
            f"{path} is JSON without a 'model', so it is no tokenizer.json; its names are "
            f"{shortened(list(content))}"
        )
    return content


def _gpt2(folder: Path) -> dict[str, Any]:
    vocab = read_json(folder / "vocab.json", VOCAB_JSON, JSON)
    lines = text_of(folder / "merges.txt", (MERGES,), "a merges.txt").replace("\r\n", "\n")
    merges = [line for line in lines.removesuffix("\n").split("\n") if line[:8] != "#version"]
    foreign = set("".join(merges)) - {*BYTE_TO_UNICODE.values(), " "}
    if foreign or any(merge.endswith("</w>") for merge in merges):
        raise ValueError(
            f"{folder / 'merges.txt'} is no file of GPT-2's kind, because its merges hold "
            f"{min(foreign, default='</w>')!r}; {_CONVERT.format(str(folder))}"
        )
    config = _config(folder)
    signs = {"type": "ByteLevel", "add_prefix_space": bool(config.get("add_prefix_space"))}
    return {
        "added_tokens": _added(folder, config, vocab, ("<|endoftext|>",)),
        "pre_tokenizer": signs,
        "decoder": signs,
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
    }


def _bert(folder: Path) -> dict[str, Any]:
    vocab = WordPieceTokenizer.load(folder / "vocab.txt").vocab
    config = _config(folder)
    for name in ("[CLS]", "[SEP]"):
        if name not in vocab:
            raise ValueError(f"{folder / 'vocab.txt'} has no line {name}, which BERT's stages need")
    return {
        "added_tokens": _added(
            folder, config, vocab, ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
        ),
        "normalizer": {
            "type": "BertNormalizer",
            "lowercase": config.get("do_lower_case", True),
            "strip_accents": config.get("strip_accents"),
            "handle_chinese_chars": config.get("tokenize_chinese_chars", True),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            **{name: [f"[{name.upper()}]", vocab[f"[{name.upper()}]"]] for name in ("cls", "sep")},
        },
        "decoder": {"type": "WordPiece"},
        "model": {"type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]"},
    }


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "tokenizer_config.json"
    return read_json(path) if path.exists() else {}


def _added(
    folder: Path, config: dict[str, Any], vocab: dict[str, int], usual: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the added tokens that the configuration lists, else the usual ones that are there."""
    listed = config.get("added_tokens_decoder")
    if isinstance(listed, dict):
        return [{**token, "id": int(token_id)} for token_id, token in listed.items()]
    if (folder / "added_tokens.json").exists():
        raise ValueError(
            f"{folder / 'added_tokens.json'} does not say how its tokens are found; "
            + _CONVERT.format(str(folder))
        )
    switches = {"lstrip": False, "rstrip": False, "single_word": False, "normalized": False}
    return [
        {"content": token, "id": vocab[token], "special": True, **switches}
        for token in usual
        if token in vocab
    ]
