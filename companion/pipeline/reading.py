"""Files of a tokenizer: a `tokenizer.json`, or the older ones that say the same in pieces."""

import json
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from companion._checks import shortened
from companion._files import kind_of, text_of
from companion.bpe import BYTE_TO_UNICODE
from companion.bpe.merges_file import numbered_merges
from companion.wordpiece import WordPieceTokenizer

Repeated: TypeAlias = dict[str, list[int]]

_BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def read(
    path: str | os.PathLike[str], repeated: Repeated | None = None
) -> tuple[Path, dict[str, Any]]:
    """Return the file that was read, and what a `tokenizer.json` with the same meaning holds."""
    path = Path(path)
    names = {each.name for each in path.iterdir()} if path.is_dir() else set()
    if not path.is_dir() or "tokenizer.json" in names:
        file = path / "tokenizer.json" if names else path
        content = read_json(file, "a tokenizer.json", repeated=repeated)
        if not isinstance(content.get("model"), dict):
            raise ValueError(f"{file} has no 'model', so it is no tokenizer.json; choose another")
        return file, content
    if {"vocab.json", "merges.txt"} <= names:
        return path / "vocab.json", _gpt2(path)
    if "vocab.txt" in names:
        return path / "vocab.txt", _bert(path)
    if "tokenizer.model" not in names:
        raise ValueError(
            f"{path} holds no tokenizer.json, no vocab.json with merges.txt and no vocab.txt, but "
            f"{shortened(sorted(names))}"
        )
    kind = kind_of((path / "tokenizer.model").read_bytes()[:4096])
    what = kind.name if kind else "a model of another kind"
    raise ValueError(f"{path / 'tokenizer.model'} is {what}; {_convert(path)}")


def _convert(folder: Path) -> str:
    return (
        "let transformers write a tokenizer.json:\n    from transformers import AutoTokenizer\n"
        f"    AutoTokenizer.from_pretrained({str(folder)!r}).save_pretrained({str(folder)!r})"
    )


def read_json(
    path: Path, wanted: str, *also: str, repeated: Repeated | None = None
) -> dict[str, Any]:
    """Return the object that a JSON file holds; no name in it may occur twice.

    With `repeated`, a name with several numbers is noted there, and has the last of them.
    """

    def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        if len(found := dict(pairs)) < len(pairs):
            several: defaultdict[str, list[Any]] = defaultdict(list)
            for name, value in pairs:
                several[name].append(value)
            for name, values in several.items():
                if len(values) == 1:
                    continue
                if repeated is None or {*map(type, values)} != {int}:
                    raise ValueError(f"{path}: {name!r} has several values, {shortened(values)}")
                repeated[name] = values
        return found

    text = text_of(path, wanted, "JSON", *also)
    try:
        content = json.loads(text, object_pairs_hook=unique)
        json.dumps(content, ensure_ascii=False).encode() if "\\ud" in text.lower() else None
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no whole JSON: {error}; copy the file again") from None
    except (RecursionError, UnicodeEncodeError) as error:
        raise ValueError(f"{path} is no JSON of a tokenizer: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds {shortened(content)}, not a JSON object")
    return content


def _gpt2(folder: Path) -> dict[str, Any]:
    """Return GPT-2's stages with the vocabulary and the merges of a folder."""
    vocab = read_json(folder / "vocab.json", "a vocab.json")
    lines = numbered_merges(text_of(folder / "merges.txt", "a file of merges"))
    merges = [line for _, line in lines]
    foreign = {*"".join(merges)} - {*BYTE_TO_UNICODE.values(), " "}
    if foreign or any(merge.endswith("</w>") for merge in merges):
        sign = min(foreign, default="</w>")
        what = f"{folder / 'merges.txt'} holds {sign!r}, so its stages are not GPT-2's"
        raise ValueError(f"{what}; {_convert(folder)}")
    config, added = _configured(folder, vocab, ("<|endoftext|>",))
    signs = {"type": "ByteLevel", "add_prefix_space": config.get("add_prefix_space", False)}
    model = {"type": "BPE", "vocab": vocab, "merges": merges}
    return {"model": model, "added_tokens": added, "pre_tokenizer": signs, "decoder": signs}


def _bert(folder: Path) -> dict[str, Any]:
    """Return BERT's stages with the vocabulary of a folder."""
    vocab = WordPieceTokenizer.load(folder / "vocab.txt").vocab
    if not {*_BERT[1:4]} <= vocab.keys():
        raise ValueError(f"{folder / 'vocab.txt'} lacks one of {_BERT[1:4]}, so it is not BERT's")
    config, added = _configured(folder, vocab, _BERT)
    switches = {
        "lowercase": config.get("do_lower_case"),
        "strip_accents": config.get("strip_accents"),
        "handle_chinese_chars": config.get("tokenize_chinese_chars"),
    }
    ends = {name: [token, vocab[token]] for name, token in (("cls", "[CLS]"), ("sep", "[SEP]"))}
    return {
        "model": {"type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]"},
        "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", **switches},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", **ends},
        "decoder": {"type": "WordPiece"},
    }


def _configured(
    folder: Path, vocab: dict[str, int], usual: Sequence[str]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the configuration, and the added tokens that it lists, or else the usual ones."""
    path = folder / "tokenizer_config.json"
    config = read_json(path, "a tokenizer_config.json") if path.exists() else {}
    listed = config.get("added_tokens_decoder")
    if isinstance(listed, dict):
        if not all(name.isdecimal() and isinstance(listed[name], dict) for name in listed):
            raise ValueError(f"{path}: 'added_tokens_decoder' must map ids to added tokens")
        return config, [{**token, "id": int(token_id)} for token_id, token in listed.items()]
    if (folder / "added_tokens.json").exists():
        what = f"{folder / 'added_tokens.json'} does not say how its tokens are found"
        raise ValueError(f"{what}; {_convert(folder)}")
    off = dict.fromkeys(("normalized", "lstrip", "rstrip", "single_word"), False)
    here = [token for token in usual if token in vocab]
    return config, [{"id": vocab[t], "content": t, "special": True, **off} for t in here]
